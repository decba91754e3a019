package main

import (
	"bytes"
	"slices"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/sink"
)

// form is what the output topic and that of predictions get; draws are Arrow
// always.
func (c *config) form() sink.Form {
	if c.Kafka.Format == "json" {
		return sink.JSON{}
	}
	return arrow.NewEncoder()
}

// newOutputs returns the outputs of one lane.
func newOutputs(c *config, rules *pipeline.Rules) *sink.Outputs {
	topic := sink.Topic{Group: c.Kafka.Group, Output: c.Kafka.Output, Encoder: c.form(), Limit: int(c.Limits.Summary)}
	return sink.NewOutputs(topic, sink.DeadLetters{Topic: c.Kafka.DeadLetters}, c.drawsOf(rules))
}

// drawsOf tells whether a key's draws are published; nil where no model's are,
// so that records need not be matched with the rules a second time.
func (c *config) drawsOf(rules *pipeline.Rules) func(key string) bool {
	if !slices.ContainsFunc(c.Models, func(m modelConfig) bool { return m.spec.Publish.Draws }) {
		return nil
	}
	return func(key string) bool {
		spec, ok := rules.Match(key)
		return ok && spec.Publish.Draws
	}
}

// toJSON returns the JSON form of a message of the output topic, which holds
// it already or is Arrow.
func toJSON(r *pipeline.Record) ([]byte, error) {
	kind, said := r.Header("content-type")
	if string(kind) == (sink.JSON{}).ContentType() || !said && bytes.HasPrefix(r.Value, []byte("{")) {
		return r.Value, nil
	}
	p, omitted, err := arrow.DecodePosterior(r.Value)
	if err != nil {
		return nil, err
	}
	p.Time = r.Time // it is not in the bytes
	return sink.AppendJSON(nil, p, omitted), nil
}
