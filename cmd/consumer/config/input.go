package config

import (
	"slices"
	"strings"
)

// Input is the section input: what the values of the input topic's records are.
type Input struct {
	Format  string `yaml:"format"`
	Payload string `yaml:"payload"` // path of the rows in a record
	Schema  Schema `yaml:"schema"`
}

// The formats of records.
const (
	FormatArrow    = "arrow"
	FormatJSON     = "json"
	FormatAvro     = "avro"
	FormatProtobuf = "protobuf"
)

// Formats returns the formats of records.
func Formats() []string { return []string{FormatArrow, FormatJSON, FormatAvro, FormatProtobuf} }

// Path returns the names on the way to the rows of a record, nil where the record is
// a row itself.
func (i *Input) Path() []string {
	if i.Payload == "" {
		return nil
	}
	return strings.Split(i.Payload, ".")
}

// Units names what a record holds, of several records.
func (i *Input) Units() string {
	if i.Format == FormatArrow {
		return "shards"
	}
	return "events in " + i.Format
}

// Unit is Units for one record.
func (i *Input) Unit() string {
	if i.Format == FormatArrow {
		return "a shard"
	}
	return "an event in " + i.Format
}

// check reports values that cannot be, and keys that mean nothing to the format.
func (i *Input) check(wrong report) {
	if err := oneOf("input.format", i.Format, Formats()...); err != nil {
		wrong("%w", err)
		return
	}
	if slices.Contains(i.Path(), "") {
		wrong("input.payload: %q is not a path such as payload.after", i.Payload)
	}
	if i.Format == FormatArrow && i.Payload != "" {
		wrong("input.payload is %q and input.format is arrow: the rows of a shard lie nowhere else; is input.format json meant?", i.Payload)
	}
	i.checkSchema(wrong)
}
