package kafka

import (
	"context"
	"fmt"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/offsetcommit"

	"github.com/credence-stream/credence/pipeline"
)

// Note implements pipeline.Group.
func (g *Group) Note(ctx context.Context, p pipeline.Partition) (string, error) {
	marks, err := g.client.Marks(ctx, g.options.Group, p.Topic, int(p.ID)+1)
	if err != nil {
		return "", fmt.Errorf("note beside the offset of %s: %w", p, err)
	}
	return marks[p.ID].Note, nil
}

// sender returns what commits offsets in a generation. The group library writes no
// notes, and an offset without one removes it: so they are read before the first
// commit, and where there is one the request is ours.
func (g *Group) sender(gen *kafka.Generation) func(map[string]map[int]int64) error {
	var notes map[string][]Mark // by topic, nil: not read yet
	noted := false
	read := func(ctx context.Context) error {
		all := map[string][]Mark{}
		for topic, partitions := range gen.Assignments {
			n := 0
			for _, a := range partitions {
				n = max(n, a.ID+1)
			}
			marks, err := g.client.Marks(ctx, g.options.Group, topic, n)
			if err != nil {
				return err
			}
			for _, m := range marks {
				noted = noted || m.Note != ""
			}
			all[topic] = marks
		}
		notes = all
		return nil
	}
	return func(offsets map[string]map[int]int64) error {
		ctx, cancel := context.WithTimeout(context.Background(), g.options.Timeout)
		defer cancel()
		if notes == nil {
			if err := read(ctx); err != nil {
				return err
			}
		}
		if !noted {
			return gen.CommitOffsets(offsets)
		}
		req := &offsetcommit.Request{GroupID: g.options.Group, GenerationID: gen.ID, MemberID: gen.MemberID}
		for topic, partitions := range offsets {
			t := offsetcommit.RequestTopic{Name: topic}
			for id, offset := range partitions {
				t.Partitions = append(t.Partitions, committed(int32(id), Mark{offset, notes[topic][id].Note}))
			}
			req.Topics = append(req.Topics, t)
		}
		return g.client.setMarks(ctx, req)
	}
}
