package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed formula.rb.tmpl
var formulaText string

// system is one that Homebrew runs on, with its archives.
type system struct {
	Name     string
	Archives []bottled
}

// bottled is an archive as the formula names it.
type bottled struct {
	Processor string // as Homebrew asks for it
	URL       string
	SHA256    string
}

// formula writes credence.rb, which has Homebrew install the archives of macOS and Linux
// from where releases of the module's repository are downloaded.
func (s *source) formula(made []archive, out string) error {
	home, err := s.home()
	if err != nil {
		return err
	}
	data := struct {
		Home, Version string
		Links         []string
		Systems       []system
	}{Home: home, Version: strings.TrimPrefix(s.version, "v"), Links: links}
	for _, on := range [][2]string{{"darwin", "macos"}, {"linux", "linux"}} {
		of := system{Name: on[1]}
		for _, a := range made {
			if a.system != on[0] {
				continue
			}
			content, err := os.ReadFile(filepath.Join(out, a.file))
			if err != nil {
				return err
			}
			processor, ok := map[string]string{"amd64": "intel", "arm64": "arm"}[a.processor]
			if !ok {
				return fmt.Errorf("the formula has no word for the processor %s", a.processor)
			}
			of.Archives = append(of.Archives, bottled{processor, fmt.Sprintf("%s/releases/download/%s/%s", home, s.version, a.file), fmt.Sprintf("%x", sha256.Sum256(content))})
		}
		if len(of.Archives) > 0 {
			data.Systems = append(data.Systems, of)
		}
	}
	t, err := template.New("formula").Parse(formulaText)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "credence.rb"), b.Bytes(), 0o644)
}
