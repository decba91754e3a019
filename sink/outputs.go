package sink

import (
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
)

var _ pipeline.Outputs = (*Outputs)(nil)

// Outputs makes the records that a lane sends. It is used by one goroutine.
type Outputs struct {
	topic   Topic
	letters DeadLetters
	draws   func(key string) bool
	names   []string
	size    int // of the largest of the last posteriors
}

// NewOutputs returns the outputs of one lane. draws tells whether the draws
// of a key are published; nil: no key's are.
func NewOutputs(topic Topic, letters DeadLetters, draws func(key string) bool) *Outputs {
	topic.room = new(headerRoom)
	return &Outputs{topic: topic, letters: letters, draws: draws}
}

// Posterior implements pipeline.Outputs: the posterior and, where they are
// published and there are any, its draws. Draws are Arrow whatever the form
// of the posterior.
func (o *Outputs) Posterior(dst []pipeline.Output, in *pipeline.Pages, p *pipeline.Posterior, f *cdf.Filter, r *pipeline.Record) ([]pipeline.Output, error) {
	of := TraceOf(r)
	out, err := o.topic.Posterior(in.Take(o.size), p, of)
	if err != nil {
		return nil, err
	}
	// The next posterior is likely as large as this one, all parts included.
	o.size = max(len(out.Value)+headerBytes, o.size-o.size/8)
	if o.draws == nil || !o.draws(p.Key) {
		return append(dst, out), nil
	}
	d := f.LastDraws()
	if d == nil {
		return append(dst, out), nil
	}
	o.names = o.names[:0]
	for _, r := range p.Summary.Rows[p.Summary.Answers():] {
		o.names = append(o.names, r.Variable)
	}
	value, err := arrow.AppendDraws(nil, p, o.names, d, o.topic.Limit)
	if err != nil {
		return nil, fmt.Errorf("draws: %w", err)
	}
	return append(dst, out, o.topic.Draws(value, arrow.ContentType, p, of)), nil
}

// Predictions implements pipeline.Outputs.
func (o *Outputs) Predictions(p *pipeline.Predictions, r *pipeline.Record) ([]pipeline.Output, error) {
	out, err := o.topic.Predictions(nil, p, TraceOf(r))
	if err != nil {
		return nil, err
	}
	return []pipeline.Output{out}, nil
}

// headerBytes is room for key and headers beside a value.
const headerBytes = 256

// Tombstone implements pipeline.Outputs.
func (o *Outputs) Tombstone(p pipeline.Partition, r *pipeline.Record) pipeline.Output {
	return o.topic.Tombstone(string(r.Key), p, r.Offset, r.Time, TraceOf(r))
}

// Dead implements pipeline.Outputs.
func (o *Outputs) Dead(p pipeline.Partition, r *pipeline.Record, stage pipeline.Stage, reason string) pipeline.Output {
	return o.letters.Output(p, r, string(stage), reason)
}
