package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

// The parts of a CycloneDX 1.6 document that a Go binary gives rise to.
type (
	bom struct {
		Format       string       `json:"bomFormat"`
		Spec         string       `json:"specVersion"`
		Serial       string       `json:"serialNumber"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Timestamp string    `json:"timestamp,omitempty"`
		Component component `json:"component"`
	}
	component struct {
		Type       string     `json:"type"`
		Ref        string     `json:"bom-ref"`
		Name       string     `json:"name"`
		Version    string     `json:"version,omitempty"`
		PURL       string     `json:"purl,omitempty"`
		Hashes     []hash     `json:"hashes,omitempty"`
		Evidence   *evidence  `json:"evidence,omitempty"`
		Properties []property `json:"properties,omitempty"`
	}
	evidence struct {
		Occurrences []occurrence `json:"occurrences"`
	}
	occurrence struct {
		Location string `json:"location"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn,omitempty"`
	}
)

// materials returns the bill of materials of a binary: every module that the
// linker wrote into it, and the standard library. Its time is that of the commit, if the
// binary says it.
func materials(path, program, version string) (*bom, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	root := component{
		Type: "application", Ref: purl(info.Main.Path, version) + "#cmd/" + program, Name: program, Version: version,
		PURL: purl(info.Main.Path, version) + "#cmd/" + program, Hashes: []hash{{"SHA-256", fmt.Sprintf("%x", sum)}},
	}
	b := &bom{Format: "CycloneDX", Spec: "1.6", Serial: serial(sum), Version: 1}
	for _, s := range info.Settings {
		root.Properties = append(root.Properties, property{"go:build:" + s.Key, s.Value})
		if s.Key == "vcs.time" {
			b.Metadata.Timestamp = s.Value
		}
	}
	b.Metadata.Component = root
	for _, m := range linked(info) {
		b.Components = append(b.Components, module(m))
	}
	all := dependency{Ref: root.Ref}
	for _, c := range b.Components {
		all.DependsOn = append(all.DependsOn, c.Ref)
		b.Dependencies = append(b.Dependencies, dependency{Ref: c.Ref})
	}
	b.Dependencies = append(b.Dependencies, all)
	return b, nil
}

// text is the document.
func (b *bom) text() ([]byte, error) {
	text, err := json.MarshalIndent(b, "", "  ")
	return append(text, '\n'), err
}

// linked are the modules of a binary, the standard library as the first.
func linked(info *debug.BuildInfo) []*debug.Module {
	all := []*debug.Module{{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")}}
	for _, m := range info.Deps {
		for m.Replace != nil {
			m = m.Replace
		}
		all = append(all, m)
	}
	return all
}

// module describes what is in the binary.
func module(m *debug.Module) component {
	c := component{Type: "library", Ref: purl(m.Path, m.Version), Name: m.Path, Version: m.Version, PURL: purl(m.Path, m.Version)}
	if m.Sum != "" {
		c.Properties = []property{{"go:sum", m.Sum}}
	}
	return c
}

// purl names a module as package URLs do; a + in a version is encoded.
func purl(path, version string) string {
	return "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
}

// serial is a UUID that follows from the binary.
func serial(sum [sha256.Size]byte) string {
	u := sum[:16]
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80 // version 8: from data of our own
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:16])
}
