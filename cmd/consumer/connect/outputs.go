package connect

import (
	"slices"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/sink"
)

// formOf is what the output topic and that of predictions get; draws are Arrow
// always.
func formOf(c *config.Config) sink.Form {
	if c.Kafka.Format == "json" {
		return sink.JSON{}
	}
	return arrow.NewEncoder()
}

// NewOutputs returns the outputs of one lane, with summaries of at most limit
// bytes.
func NewOutputs(c *config.Config, rules *pipeline.Rules, limit int) *sink.Outputs {
	topic := sink.Topic{Group: c.Kafka.Group, Output: c.Kafka.Output, Encoder: formOf(c), Limit: limit}
	return sink.NewOutputs(topic, sink.DeadLetters{Topic: c.Kafka.DeadLetters, Limit: int64(c.Limits.DeadLetter)}, drawsOf(c, rules))
}

// drawsOf tells whether a key's draws are published; nil where no model's are,
// so that records need not be matched with the rules a second time.
func drawsOf(c *config.Config, rules *pipeline.Rules) func(key string) bool {
	if !slices.ContainsFunc(c.Models, func(m config.Model) bool { return m.Spec.Publish.Draws }) {
		return nil
	}
	return func(key string) bool {
		spec, ok := rules.Match(key)
		return ok && spec.Publish.Draws
	}
}
