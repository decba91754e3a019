package modeltest

import (
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/credence-stream/credence/models/kind"
)

// Strict decodes as a configuration does: unknown names are errors.
func Strict(text string) func(any) error {
	return func(v any) error {
		d := yaml.NewDecoder(strings.NewReader(text))
		d.KnownFields(true)
		if err := d.Decode(v); err != nil {
			return err
		}
		return ReadFiles(v)
	}
}

// ReadFiles reads what settings name as files.
func ReadFiles(v any) error {
	if f, ok := v.(kind.FileReader); ok {
		return f.ReadFiles(func(path string) (io.ReadCloser, error) { return os.Open(path) })
	}
	return nil
}
