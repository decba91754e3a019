package registry

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/twmb/franz-go/pkg/sr"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/events"
	"github.com/credence-stream/credence/pipeline/events/avro"
	"github.com/credence-stream/credence/pipeline/events/protobuf"
)

// form is a schema of a registry, compiled.
type form interface {
	// of returns the schema of what comes after the header, and the value.
	of(body []byte) (events.Schema, []byte, error)
}

// The formats whose schemas a registry has.
const (
	Avro     = "avro"
	Protobuf = "protobuf"
)

// types are the formats by the names that a registry has for them.
var types = map[string]sr.SchemaType{Avro: sr.TypeAvro, Protobuf: sr.TypeProtobuf}

// source is the text of a schema, by the name with which others refer to it.
type source struct{ name, text string }

// own is the name of the file that a schema in Protobuf is, which none that it imports
// may have.
const own = "-schema-of-the-registry-.proto"

// compile compiles a schema. Those that it refers to come before it in the order in
// which they refer to each other.
func compile(ctx context.Context, format, text string, before []source) (form, error) {
	if format == Avro {
		var texts []string
		for _, s := range before {
			texts = append(texts, s.text)
		}
		s, err := avro.Parse(text, texts...)
		if err != nil {
			return nil, err
		}
		return plain{s}, nil
	}
	f, err := protobuf.Compile(ctx, own, text, func(name string) (string, error) {
		for _, s := range before {
			if name == s.name {
				return s.text, nil
			}
		}
		return "", fmt.Errorf("%q is imported, and the registry has no reference to it", name)
	})
	if err != nil {
		return nil, err
	}
	return file{f}, nil
}

// plain is a schema of one type of values.
type plain struct{ schema events.Schema }

func (p plain) of(body []byte) (events.Schema, []byte, error) { return p.schema, body, nil }

// file has several types of messages, of which a value names its own.
type file struct{ *protobuf.File }

// maxNesting is how deep the type of a message may lie in others.
const maxNesting = 32

// of reads the position of the message type in the file: how many numbers, and these;
// none stands for the first type.
func (f file) of(body []byte) (events.Schema, []byte, error) {
	count, n := binary.Varint(body)
	if n <= 0 || count < 0 || count > maxNesting {
		return nil, nil, fmt.Errorf("%w: $: it does not name a message type behind the id of the schema", pipeline.ErrDecode)
	}
	body = body[n:]
	at := [maxNesting]int{}
	for i := range count {
		v, n := binary.Varint(body)
		if n <= 0 || v < 0 || v > 1<<20 {
			return nil, nil, fmt.Errorf("%w: $: it does not name a message type behind the id of the schema", pipeline.ErrDecode)
		}
		at[i], body = int(v), body[n:]
	}
	s, err := f.Indexed(at[:max(count, 1)])
	if err != nil {
		return nil, nil, fmt.Errorf("%w: $: %w", pipeline.ErrDecode, err)
	}
	return s, body, nil
}
