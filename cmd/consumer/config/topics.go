package config

// TopicUse is a topic of a configuration and what it is for.
type TopicUse struct {
	Name   string
	Input  bool
	AtMost int64  // bytes of the largest message that may be sent to it, 0: not ours to say
	Why    string // the key that AtMost follows from
}

// Headroom is what headers and the batch add to a value, in bytes.
const Headroom = 64 << 10

// Topics returns the topics that a worker reads and writes.
func (c *Config) Topics() []TopicUse {
	summary := int64(c.Limits.Summary) + Headroom
	all := []TopicUse{
		{Name: c.Kafka.Input, Input: true},
		{Name: c.Kafka.Output, AtMost: summary, Why: "limits.summary"},
		{Name: c.Kafka.DeadLetters, AtMost: int64(c.Limits.Record) + Headroom, Why: "limits.record"},
	}
	draws, predictions := false, false
	for _, m := range c.Models {
		draws = draws || m.Publish.Draws
		predictions = predictions || m.Publish.Predictions != "none"
	}
	if draws {
		all = append(all, TopicUse{Name: c.Kafka.Output + ".draws", AtMost: summary, Why: "limits.summary"})
	}
	if predictions {
		all = append(all, TopicUse{Name: c.Kafka.Output + ".predictions", AtMost: summary, Why: "limits.summary"})
	}
	return all
}
