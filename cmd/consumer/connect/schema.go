package connect

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/internal/access"
	"github.com/credence-stream/credence/pipeline/events"
	"github.com/credence-stream/credence/pipeline/events/avro"
	"github.com/credence-stream/credence/pipeline/events/protobuf"
	"github.com/credence-stream/credence/pipeline/events/registry"
)

// schemaFile reads the schema that a configuration names as a file, and returns with
// it what tells it from another one. A source of Protobuf may import files that lie
// beside it.
func schemaFile(i *config.Input) (s events.Schema, sum string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("input.schema.file %s: %w", i.Schema.File, err)
		}
	}()
	text, err := readSchema(i.Schema.File)
	if err != nil {
		return nil, "", err
	}
	read := [][]byte{text}
	if i.Format == config.FormatAvro {
		s, err = avro.Parse(string(text))
	} else {
		s, read, err = message(&i.Schema, text)
	}
	if err != nil {
		return nil, "", err
	}
	if err := s.Rows(i.Path()); err != nil {
		return nil, "", fmt.Errorf("%w; input.payload is %q", err, i.Payload)
	}
	slices.SortFunc(read[1:], bytes.Compare) // in whatever order they were imported
	h := sha256.New()
	for _, b := range read {
		sum := sha256.Sum256(b)
		_, _ = h.Write(sum[:]) // never fails
	}
	return s, fmt.Sprintf("%x", h.Sum(nil)), nil
}

// message returns the message type that a file of Protobuf defines, and all that was
// read for it, the file first.
func message(c *config.Schema, text []byte) (events.Schema, [][]byte, error) {
	read := [][]byte{text}
	if !c.Source() {
		d, err := protobuf.Open(bytes.NewReader(text))
		if err != nil {
			return nil, nil, err
		}
		s, err := d.Message(c.Message)
		return s, read, err
	}
	dir := filepath.Dir(c.File)
	f, err := protobuf.Compile(context.Background(), filepath.Base(c.File), string(text), func(name string) (string, error) {
		if !filepath.IsLocal(name) {
			return "", fmt.Errorf("%q is imported, and lies outside of %s", name, dir)
		}
		b, err := readSchema(filepath.Join(dir, name))
		if err != nil {
			return "", fmt.Errorf("%q is imported: %w; imports are looked for in %s; a file of protoc --include_imports --descriptor_set_out has them all", name, err, dir)
		}
		read = append(read, b)
		return string(b), nil
	})
	if err != nil {
		return nil, nil, err
	}
	s, err := f.Message(c.Message)
	return s, read, err
}

// readSchema returns the bytes of a file that is no larger than a schema may be.
func readSchema(name string) ([]byte, error) {
	in, err := os.Open(name)
	if err != nil {
		if p := new(os.PathError); errors.As(err, &p) {
			return nil, p.Err
		}
		return nil, err
	}
	defer func() { _ = in.Close() }()
	b, err := io.ReadAll(io.LimitReader(in, avro.MaxSchema+1))
	if err == nil && len(b) > avro.MaxSchema {
		err = fmt.Errorf("it has more than %d bytes", avro.MaxSchema)
	}
	return b, err
}

// newRegistry returns the schema registry of a configuration.
func newRegistry(i *config.Input, unusable func(error)) (*registry.Registry, error) {
	s := &i.Schema
	return registry.New(registry.Options{
		URL: s.Registry, Format: i.Format, Username: s.Username, PasswordFile: s.PasswordFile, TLS: access.TLS(s.TLS),
		OnUnusable: unusable,
	})
}
