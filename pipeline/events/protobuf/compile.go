package protobuf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

const (
	// MaxSchema bounds a file and those that it imports, in bytes.
	MaxSchema = 1 << 20
	maxFiles  = 200
	// maxBraces is how deep braces may lie in each other: what a compiler does for a
	// file may grow with the square of that. Those in comments count too.
	maxBraces = 200
)

var errDeep = fmt.Errorf("braces more than %d deep in each other", maxBraces)

// deep reports whether the braces of a source lie too deep in each other.
func deep(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '{', '[':
			if depth++; depth > maxBraces {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// Compile compiles the source of a .proto file, or its descriptor in base64. Source returns that of a file that it
// imports, by the name in the import; those of google/protobuf are known.
func Compile(ctx context.Context, name, text string, source func(name string) (string, error)) (f *File, err error) {
	defer caught(&err)
	if strings.HasPrefix(name, "google/protobuf/") {
		return nil, fmt.Errorf("schema of Protobuf: %s is the name of a file that Protobuf itself has", name)
	}
	size, files, described := 0, 0, false
	sources := protocompile.ResolverFunc(func(path string) (protocompile.SearchResult, error) {
		if strings.HasPrefix(path, "google/protobuf/") {
			return protocompile.SearchResult{}, protoregistry.NotFound
		}
		body := text
		if path != name {
			var err error
			if body, err = source(path); err != nil {
				return protocompile.SearchResult{}, err
			}
		}
		size, files = size+len(body), files+1
		if size > MaxSchema || files > maxFiles {
			return protocompile.SearchResult{}, fmt.Errorf("more than %d bytes, or %d files", MaxSchema, maxFiles)
		}
		if d, err := descriptor(body, path); d != nil || err != nil {
			described = true
			return protocompile.SearchResult{Proto: d}, err
		}
		if deep(body) {
			return protocompile.SearchResult{}, errDeep
		}
		return protocompile.SearchResult{Source: strings.NewReader(body)}, nil
	})
	c := protocompile.Compiler{Resolver: protocompile.WithStandardImports(sources), MaxParallelism: 1}
	all, err := c.Compile(ctx, name)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("schema of Protobuf: %s", cut(err))
	}
	if described {
		return checked(all[0])
	}
	return &File{all[0]}, nil
}

// Descriptors is a FileDescriptorSet, as protoc --descriptor_set_out writes it.
type Descriptors struct{ files *protoregistry.Files }

// Open reads a FileDescriptorSet. It must have the files that others import, as with
// protoc --include_imports.
func Open(in io.Reader) (d *Descriptors, err error) {
	defer caught(&err)
	raw, err := io.ReadAll(io.LimitReader(in, MaxSchema+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > MaxSchema {
		return nil, fmt.Errorf("schema of Protobuf: more than %d bytes", MaxSchema)
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(raw, &set); err != nil || len(set.File) == 0 {
		return nil, errors.New("schema of Protobuf: it is no FileDescriptorSet, as protoc --include_imports --descriptor_set_out writes it")
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		return nil, fmt.Errorf("schema of Protobuf: %s", cut(err))
	}
	return &Descriptors{files}, nil
}

// Message returns the message type of a full name.
func (d *Descriptors) Message(name string) (Schema, error) {
	found, err := d.files.FindDescriptorByName(protoreflect.FullName(name))
	if m, ok := found.(protoreflect.MessageDescriptor); ok && err == nil {
		return Schema{m}, nil
	}
	return Schema{}, fmt.Errorf("schema of Protobuf: it defines no message %q", name)
}

// caught, deferred, makes a panic of a compiler an error of the schema.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("schema of Protobuf: unreadable: %.200v", p)
	}
}

// cut is the text of an error that fits a message.
func cut(err error) string {
	text := strings.ToValidUTF8(err.Error(), "\uFFFD")
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:300], "") + "..."
	}
	return text
}
