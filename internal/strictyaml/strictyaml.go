// Package strictyaml reads settings of models out of texts, as a configuration
// does: unknown names are errors.
package strictyaml

import (
	"errors"
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/credence-stream/credence/models/kind"
)

// Decode returns the decode of kind.Kind.Spec for a text. The empty one gives
// nothing, and files that settings name are read.
func Decode(text string) func(any) error {
	return func(v any) error {
		d := yaml.NewDecoder(strings.NewReader(text))
		d.KnownFields(true)
		if err := d.Decode(v); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		return ReadFiles(v)
	}
}

// ReadFiles reads the files that settings name.
func ReadFiles(settings any) error {
	if f, ok := settings.(kind.FileReader); ok {
		return f.ReadFiles(func(path string) (io.ReadCloser, error) { return os.Open(path) })
	}
	return nil
}
