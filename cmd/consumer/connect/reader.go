package connect

import (
	"context"
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/pipeline/events"
	"github.com/credence-stream/credence/pipeline/events/json"
	"github.com/credence-stream/credence/pipeline/events/registry"
	"github.com/credence-stream/credence/pipeline/quota"
)

// Reader reads the values of input records as a configuration says. It is safe for
// concurrent use.
type Reader struct {
	input  config.Input
	wanted events.Wanted

	schema   events.Schema      // of a file
	sum      string             // that tells it from others
	registry *registry.Registry // that is asked for schemas
}

// newReader returns the reader of a configuration. It reads the file of the schema. Unusable, where not nil, is
// told of files of the registry's that have changed and cannot be used.
func newReader(c *config.Config, unusable func(error)) (*Reader, error) {
	var specs []*cdf.Spec
	for i := range c.Models {
		specs = append(specs, c.Models[i].Spec)
	}
	r := &Reader{input: c.Input, wanted: events.WantedBy(specs)}
	var err error
	switch s := &c.Input.Schema; {
	case s.File != "":
		r.schema, r.sum, err = schemaFile(&c.Input)
	case s.Registry != "" && c.Input.Format != config.FormatJSON:
		r.registry, err = newRegistry(&c.Input, unusable)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
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

// form identifies how events are read, "" for shards. Where a registry is does not
// matter: what an id stands for never changes.
func (r *Reader) form() string {
	if r.input.Format == config.FormatArrow {
		return ""
	}
	form := fmt.Sprintf("%s %d %q", r.input.Format, eventsRevision, r.input.Payload)
	switch {
	case r.input.Schema.Registry != "":
		form += " registry"
	case r.schema != nil:
		form += fmt.Sprintf(" %s %q", r.sum, r.input.Schema.Message)
	}
	return form
}

// Decoder returns a decoder under limits. Memory is what decoders share, nil for
// nothing.
func (r *Reader) Decoder(l pipeline.Limits, memory *pipeline.Budget) pipeline.Decoder {
	limits := events.Limits{Record: int(l.Record), Rows: l.Rows, Columns: l.Columns, Memory: memory}
	switch {
	case r.schema != nil:
		return r.schema.NewDecoder(limits, r.wanted, r.input.Path())
	case r.registry != nil:
		return registry.NewDecoder(limits, r.wanted, r.input.Path())
	case r.input.Format == config.FormatArrow:
		return arrow.NewDecoder(arrow.Limits(limits))
	}
	d := json.NewDecoder(limits, r.wanted, r.input.Path())
	if r.input.Schema.Registry != "" {
		return registry.Headed(d)
	}
	return d
}

// Following returns a log whose records come with what decoders need beside their
// values.
func (r *Reader) Following(l pipeline.Log) pipeline.Log {
	if r.registry == nil {
		return l
	}
	return registry.NewLog(l, r.registry)
}

// Learn adds to records, all or the first of them, what decoders need beside their
// values, and returns how many have it.
func (r *Reader) Learn(ctx context.Context, records []pipeline.Record) (int, error) {
	if r.registry == nil {
		return len(records), nil
	}
	return r.registry.Learn(ctx, records)
}

// Lacking returns the columns that the models name and the file of the schema does not
// have.
func (r *Reader) Lacking() []string {
	var names []string
	for _, w := range r.wanted.Columns {
		if r.schema != nil && !r.schema.Column(r.input.Path(), w.Name) {
			names = append(names, w.Name)
		}
	}
	return names
}

// LimitsOf returns the limits of a configuration.
func LimitsOf(c *config.Config) pipeline.Limits {
	l := pipeline.Limits{
		Record: int64(c.Limits.Record), Rows: c.Limits.Rows, Columns: c.Limits.Columns,
		Groups: c.Limits.Groups, Summary: int(c.Limits.Summary),
	}
	for _, p := range tenantsOf(c) {
		if p.Limits() {
			l.Prefixes = append(l.Prefixes, p)
		}
	}
	return l
}

// tenantsOf returns the prefixes of a configuration; without a limit one is a label of metrics.
func tenantsOf(c *config.Config) (all []quota.Limit) {
	for _, p := range c.Limits.Prefixes {
		all = append(all, quota.Limit{Prefix: p.Prefix, Keys: p.Keys, PerMinute: p.PerMinute, KeyBytes: int64(p.KeyBytes), Bytes: int64(p.Bytes)})
	}
	return all
}

// NewRows returns what makes readers of rows to predict, which are shards whatever the
// topic's records are.
func NewRows(c *config.Config) func() pipeline.Decoder {
	l := c.Limits
	return func() pipeline.Decoder {
		return arrow.NewDecoder(arrow.Limits{Record: int(l.Record), Rows: l.Rows, Columns: l.Columns})
	}
}
