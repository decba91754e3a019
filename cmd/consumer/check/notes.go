package check

import (
	"context"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/kafka"
)

// notes warns where Redis alone still knows what a lost store has to be rebuilt by:
// brokers forget a group's offsets, and the notes beside them, when it has had no members
// for a while. Marks are those of the input's partitions, err why there are none.
func (k *checker) notes(ctx context.Context, s store, marks []kafka.Mark, err error) {
	subject := "group " + k.config.Kafka.Group
	if err != nil {
		k.add(levelNote, subject, "", "what is noted beside its offsets cannot be read: %v", err)
		return
	}
	layout, err := s.Layout(ctx, k.config.Kafka.Input)
	if err != nil || layout.Partitions != len(marks) {
		return // told before
	}
	for id, mark := range marks {
		p := pipeline.Partition{Topic: k.config.Kafka.Input, ID: int32(id)}
		meta, err := s.Meta(ctx, p)
		if err != nil || !meta.Exists {
			continue // the group tells what is wrong
		}
		switch {
		case len(layout.Past) > 0 && mark.Past().Rescaled == "":
			k.add(levelWarning, subject, "start a consumer, which notes it again; until then keep Redis, or an export, to be imported before a consumer starts",
				"topic %s was rescaled, and the note of it beside the group's offsets is gone: they expire when the group has had no members for offsets.retention.minutes. "+
					"A lost store would be rebuilt from partitions that lack some records of their keys", p.Topic)
			return
		case len(layout.Past) == 0 && meta.Origin > 0 && mark.Offset < 0:
			k.add(levelWarning, subject, "start a consumer, which notes it again; until then keep Redis, or an export",
				"it began at offset %d of %s, and the offsets that said so are gone: they expire when the group has had no members for offsets.retention.minutes. "+
					"A lost store would be rebuilt from the beginning of the log", meta.Origin, p)
			return
		}
	}
}
