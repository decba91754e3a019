package rows

import (
	"bytes"
	"encoding/base64"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/parquet/metadata"
)

// writtenAs is the key under which writers of Parquet that have Arrow's types say which
// these were, as a message of Arrow in base64: Parquet itself lacks some.
const writtenAs = "ARROW:schema"

// spans gives the columns that hold spans of time, as pandas' timedelta64 does, that type:
// Parquet has them as integers of a unit that it does not say, and as such they would be sent.
// A message that cannot be read says nothing.
func spans(fields []arrow.Field, said metadata.KeyValueMetadata) {
	text := said.FindValue(writtenAs)
	if text == nil {
		return
	}
	message, err := base64.StdEncoding.DecodeString(*text)
	if err != nil {
		return
	}
	written := schemaIn(message)
	if written == nil {
		return
	}
	for i := range fields {
		if fields[i].Type.ID() != arrow.INT64 {
			continue
		}
		for _, f := range written.Fields() {
			if f.Name == fields[i].Name && f.Type.ID() == arrow.DURATION {
				fields[i].Type = f.Type
			}
		}
	}
}

// schemaIn returns the schema that a message holds, nil where it holds none: of bytes that
// are not what they say the library may panic.
func schemaIn(message []byte) (schema *arrow.Schema) {
	defer func() {
		if recover() != nil {
			schema = nil
		}
	}()
	r, err := ipc.NewReader(bytes.NewReader(message))
	if err != nil {
		return nil
	}
	defer r.Release()
	return r.Schema()
}
