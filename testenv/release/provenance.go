package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/credence-stream/credence/testenv/release/oci"
)

// The types of in-toto's statements (version 1) that are made of an image.
const (
	statementType       = "https://in-toto.io/Statement/v1"
	predicateBill       = "https://cyclonedx.org/bom"
	predicateProvenance = "https://slsa.dev/provenance/v1"
)

// resource is in-toto's description of a thing.
type resource struct {
	Name      string            `json:"name,omitempty"`
	URI       string            `json:"uri,omitempty"`
	MediaType string            `json:"mediaType,omitempty"`
	Digest    map[string]string `json:"digest"`
}

// SLSA's provenance, version 1.
type (
	provenance struct {
		Definition definition `json:"buildDefinition"`
		Run        runDetails `json:"runDetails"`
	}
	definition struct {
		Type     string            `json:"buildType"`
		External map[string]string `json:"externalParameters"`
		Internal map[string]any    `json:"internalParameters"`
		Resolved []resource        `json:"resolvedDependencies"`
	}
	runDetails struct {
		Builder    builder    `json:"builder"`
		Byproducts []resource `json:"byproducts"`
	}
	builder struct {
		ID      string            `json:"id"`
		Version map[string]string `json:"version"`
	}
)

// statement returns a statement about an image with a predicate, a JSON document.
func statement(about imaged, predicate string, document []byte) ([]byte, error) {
	s := struct {
		Type      string          `json:"_type"`
		Subject   []resource      `json:"subject"`
		Predicate string          `json:"predicateType"`
		Document  json.RawMessage `json:"predicate"`
	}{statementType, []resource{{Name: binary + " linux/" + about.Platform.Architecture, Digest: digest(about.Manifest)}}, predicate, document}
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

func digest(d oci.Descriptor) map[string]string {
	return map[string]string{"sha256": hexadecimal(d.Digest)}
}

// provenance returns the statement of how an image was made: of which commit, by which tool
// and compiler, with which modules. It names no time and no machine, for neither
// has a part in the bytes; nobody has signed it.
func (s *source) provenance(m imaged) ([]byte, error) {
	info, err := buildinfo.ReadFile(m.program)
	if err != nil {
		return nil, err
	}
	home, err := s.home()
	if err != nil {
		return nil, err
	}
	code := resource{URI: "git+" + home, Digest: map[string]string{"gitCommit": s.revision}}
	compiler := strings.TrimPrefix(info.GoVersion, "go")
	settings := map[string]string{}
	for _, x := range info.Settings {
		settings[x.Key] = x.Value
	}
	p := provenance{
		definition{
			Type:     home + "/blob/" + s.revision + "/docs/howto/release.md",
			External: map[string]string{"source": code.URI, "revision": s.revision, "version": s.version, "platform": "linux/" + m.Platform.Architecture},
			Internal: map[string]any{"go": compiler, "settings": settings},
			Resolved: []resource{code},
		},
		runDetails{
			Builder: builder{ID: home + "/blob/" + s.revision + "/testenv/release", Version: map[string]string{"go": compiler, "release": s.revision}},
			Byproducts: []resource{
				{Name: "config", MediaType: m.Config.MediaType, Digest: digest(m.Config)},
				{Name: "layer", MediaType: m.Layer.MediaType, Digest: digest(m.Layer)},
			},
		},
	}
	for _, d := range append(linked(info)[1:], m.trust) {
		r, err := resolved(d)
		if err != nil {
			return nil, err
		}
		p.Definition.Resolved = append(p.Definition.Resolved, r)
	}
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return statement(m, predicateProvenance, text)
}

// resolved is a module with its checksum of go.sum, which in-toto calls dirHash and has in
// hexadecimal.
func resolved(m *debug.Module) (resource, error) {
	sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
	if err != nil || len(sum) == 0 {
		return resource{}, fmt.Errorf("%s %s has the checksum %q", m.Path, m.Version, m.Sum)
	}
	return resource{URI: purl(m.Path, m.Version), Digest: map[string]string{"dirHash": hex.EncodeToString(sum)}}, nil
}

// home is the address of the repository, which the module is named after.
func (s *source) home() (string, error) {
	module, err := os.ReadFile(filepath.Join(s.root, "go.mod"))
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(string(module), "\n")
	return "https://" + strings.TrimPrefix(first, "module "), nil
}
