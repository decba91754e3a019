package config

import (
	"slices"
)

// TopicUse is a topic of a configuration and what it is for.
type TopicUse struct {
	Name    string
	Input   bool
	Letters bool   // of dead letters
	AtMost  int64  // bytes of the largest message that may be sent to it, 0: not ours to say
	Why     string // the key that AtMost follows from
}

// batchRoom is what a batch adds to a dead letter, whose limit counts its key
// and headers, at most. With the default limit it fits Kafka's default.
const batchRoom = 4 << 10

// Headroom is what headers and the batch add to a value, in bytes.
const Headroom = 64 << 10

// Topics returns the topics that a worker reads and writes.
func (c *Config) Topics() []TopicUse {
	summary := int64(c.Limits.Summary) + Headroom
	all := []TopicUse{
		{Name: c.Kafka.Input, Input: true},
		{Name: c.Kafka.Output, AtMost: summary, Why: "limits.summary"},
		{Name: c.Kafka.DeadLetters, AtMost: int64(c.Limits.DeadLetter) + batchRoom, Why: "limits.dead_letter", Letters: true},
	}
	if slices.ContainsFunc(c.Models, func(m Model) bool { return m.Publish.Draws }) {
		all = append(all, TopicUse{Name: c.Kafka.Output + ".draws", AtMost: summary, Why: "limits.summary"})
	}
	if slices.ContainsFunc(c.Models, func(m Model) bool { return m.Publish.Predictions != "none" }) {
		all = append(all, TopicUse{Name: c.Kafka.Output + ".predictions", AtMost: summary, Why: "limits.summary"})
	}
	if c.alerts() {
		all = append(all, TopicUse{Name: c.Kafka.Output + ".alerts", AtMost: summary, Why: "limits.summary"})
	}
	return all
}

// alerts reports whether some model has alerts.
func (c *Config) alerts() bool {
	return slices.ContainsFunc(c.Models, func(m Model) bool { return len(m.Alerts) > 0 })
}
