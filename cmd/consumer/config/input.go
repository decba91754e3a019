package config

import (
	"slices"
	"strings"
	"time"

	"github.com/credence-stream/credence/pipeline/gather"
)

// Input is the section input: what the values of the input topic's records are.
type Input struct {
	Format   string   `yaml:"format"`
	Payload  string   `yaml:"payload"` // path of the rows in a record
	Coalesce Coalesce `yaml:"coalesce,flow"`
	Schema   Schema   `yaml:"schema"`
}

// Coalesce is the section input.coalesce: the rows of a key that are gathered into one
// shard. Zero values gather nothing.
type Coalesce struct {
	Rows int      `yaml:"rows"`
	Time Duration `yaml:"time"` // between the timestamps of two records
}

// Rule is the section in the form of the pipeline.
func (c *Coalesce) Rule() gather.Rule {
	return gather.Rule{Rows: c.Rows, Millis: time.Duration(c.Time).Milliseconds()}
}

// check reports values that cannot be.
func (c *Coalesce) check(limit int, wrong report) {
	most := min(gather.MostRows, limit)
	if c.Rows < 0 || c.Rows == 1 || c.Rows > most {
		wrong("input.coalesce.rows: %d is not between 2 and %d, the lesser of %d and limits.rows (%d); 0 does not count rows", c.Rows, most, gather.MostRows, limit)
	}
	if t := time.Duration(c.Time); t < 0 || t%time.Millisecond != 0 {
		wrong("input.coalesce.time: %v is not a positive number of whole milliseconds, the precision of a record's timestamp", c.Time)
	}
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
