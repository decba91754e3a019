package registry

import (
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/events"
)

var _ pipeline.RecordDecoder = (*Decoder)(nil)

// Decoder reads the values of records that a Log brings, each by its schema. It is
// used by one goroutine at a time.
type Decoder struct {
	limits  events.Limits
	wanted  events.Wanted
	payload []string

	made map[events.Schema]pipeline.Decoder
	last pipeline.Decoder
}

// keptDecoders is how many schemas a decoder is ready for.
const keptDecoders = 16

// NewDecoder returns a decoder of rows at a path of their records, empty for the
// records themselves.
func NewDecoder(limits events.Limits, wanted events.Wanted, payload []string) *Decoder {
	return &Decoder{limits: limits, wanted: wanted, payload: payload, made: map[events.Schema]pipeline.Decoder{}}
}

// DecodeRecord implements pipeline.RecordDecoder.
func (d *Decoder) DecodeRecord(r *pipeline.Record) (*cdf.Batch, error) {
	_, body, err := cut(r.Value)
	if err != nil {
		return nil, err
	}
	s, ok := r.Schema.(*Schema)
	switch {
	case !ok:
		return nil, fmt.Errorf("%w: $: its schema was not asked for", pipeline.ErrDecode)
	case s.err != nil:
		return nil, fmt.Errorf("%w: $: %w", pipeline.ErrDecode, s.err)
	}
	schema, body, err := s.form.of(body)
	if err != nil {
		return nil, err
	}
	inner, ok := d.made[schema]
	if !ok {
		if len(d.made) == keptDecoders {
			clear(d.made)
		}
		inner = schema.NewDecoder(d.limits, d.wanted, d.payload)
		d.made[schema] = inner
	}
	d.last = inner
	b, err := inner.Decode(body)
	if err != nil {
		return nil, fmt.Errorf("%w (schema %d of the registry)", err, s.id)
	}
	return b, nil
}

// Decode implements pipeline.Decoder: a value without its record has no schema.
func (d *Decoder) Decode(value []byte) (*cdf.Batch, error) {
	return d.DecodeRecord(&pipeline.Record{Value: value})
}

// Release implements pipeline.Decoder.
func (d *Decoder) Release() (large bool) {
	if d.last == nil {
		return false
	}
	large = d.last.Release()
	d.last = nil
	return large
}
