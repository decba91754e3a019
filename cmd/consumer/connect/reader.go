package connect

import (
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/pipeline/events"
	"github.com/credence-stream/credence/pipeline/events/json"
)

// Reader reads the values of input records as a configuration says. It is safe for
// concurrent use.
type Reader struct {
	input  config.Input
	wanted events.Wanted
}

// NewReader returns the reader of a configuration.
func NewReader(c *config.Config) *Reader {
	var specs []*cdf.Spec
	for i := range c.Models {
		specs = append(specs, c.Models[i].Spec)
	}
	return &Reader{c.Input, events.WantedBy(specs)}
}

// Whole returns a reader of all columns that records have, whatever models name.
func (r *Reader) Whole() *Reader {
	other := *r
	other.wanted = events.Wanted{}
	return &other
}

// Wanted returns the columns that the models name.
func (r *Reader) Wanted() []events.Named { return r.wanted.Columns }

// eventsRevision is raised whenever the same event may be read otherwise than before.
const eventsRevision = 1

// form identifies how events are read, "" for shards.
func (r *Reader) form() string {
	if r.input.Format == config.FormatArrow {
		return ""
	}
	return fmt.Sprintf("%s %d %q", r.input.Format, eventsRevision, r.input.Payload)
}

// Decoder returns a decoder under limits. Memory is what decoders share, nil for
// nothing.
func (r *Reader) Decoder(l pipeline.Limits, memory *pipeline.Budget) pipeline.Decoder {
	limits := events.Limits{Record: int(l.Record), Rows: l.Rows, Columns: l.Columns, Memory: memory}
	if r.input.Format == config.FormatJSON {
		return json.NewDecoder(limits, r.wanted, r.input.Path())
	}
	return arrow.NewDecoder(arrow.Limits(limits))
}

// LimitsOf returns the limits of a configuration.
func LimitsOf(c *config.Config) pipeline.Limits {
	return pipeline.Limits{
		Record: int64(c.Limits.Record), Rows: c.Limits.Rows, Columns: c.Limits.Columns,
		Groups: c.Limits.Groups, Summary: int(c.Limits.Summary),
	}
}

// NewRows returns what makes readers of rows to predict, which are shards whatever the
// topic's records are.
func NewRows(c *config.Config) func() pipeline.Decoder {
	l := c.Limits
	return func() pipeline.Decoder {
		return arrow.NewDecoder(arrow.Limits{Record: int(l.Record), Rows: l.Rows, Columns: l.Columns})
	}
}
