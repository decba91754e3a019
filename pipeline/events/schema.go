package events

import "github.com/credence-stream/credence/pipeline"

// Schema is what the values of records are written by, compiled. It is not changed
// and safe for concurrent use.
type Schema interface {
	// NewDecoder returns a decoder of values of this schema, whose rows lie at a path
	// in them, nil for the values themselves.
	NewDecoder(limits Limits, wanted Wanted, payload []string) pipeline.Decoder
	// Rows says why values of this schema have no rows at a path, nil where they have.
	Rows(payload []string) error
	// Column reports whether rows at a path may have a column of a name.
	Column(payload []string, name string) bool
}
