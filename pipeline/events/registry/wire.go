// Package registry reads events whose schema is known to a schema registry: values in
// its wire format, which name the schema by its id.
//
// Lanes never wait, so that the registry is asked where records come from: Log adds
// to each record the schema that its value names, before the record is handed on. An
// answer that does not come is an outage, which is waited out as one of Kafka is. An
// id that the registry does not know, and a schema that cannot be used, are the
// record's fault: they make it a dead letter with the reason.
package registry

import (
	"encoding/binary"
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// headerBytes are a byte that is 0 and the id of the schema, the largest byte first.
const headerBytes = 5

// cut takes the header off a value.
func cut(value []byte) (id uint32, rest []byte, err error) {
	switch {
	case len(value) < headerBytes:
		return 0, nil, fmt.Errorf("%w: $: %d bytes, where the id of a schema takes %d", pipeline.ErrDecode, len(value), headerBytes)
	case value[0] != 0:
		return 0, nil, fmt.Errorf("%w: $: it begins with byte %d, and a value that names a schema of a registry with 0: is input.schema.file meant?", pipeline.ErrDecode, value[0])
	}
	return binary.BigEndian.Uint32(value[1:]), value[headerBytes:], nil
}

// headed reads values behind their header, whose schema says nothing that they do not.
type headed struct{ pipeline.Decoder }

// Headed returns a decoder that passes over the header of values and reads the rest
// by another: values in JSON need no schema to be read.
func Headed(d pipeline.Decoder) pipeline.Decoder { return headed{d} }

// Decode implements pipeline.Decoder.
func (h headed) Decode(value []byte) (*cdf.Batch, error) {
	_, rest, err := cut(value)
	if err != nil {
		return nil, err
	}
	return h.Decoder.Decode(rest)
}
