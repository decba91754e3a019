package kafka

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/offsetcommit"

	"github.com/credence-stream/credence/pipeline"
)

// Where a group began is noted beside its offsets, so that it is known also where the
// state is lost. A group that began at the first record of all needs no note.

// originNote stands before the offset in the note.
const originNote = "credence-origin="

func noteOf(origin int64) string {
	if origin <= 0 {
		return ""
	}
	return originNote + strconv.FormatInt(origin, 10)
}

// Origin is where the group began by the note, -1 where it does not say so.
func (m Mark) Origin() int64 {
	text, ok := strings.CutPrefix(m.Note, originNote)
	if n, err := strconv.ParseInt(text, 10, 64); ok && err == nil && m.Offset >= 0 && n >= 0 {
		return n
	}
	return -1
}

// Begin notes where a group without members and without offsets begins in each partition
// of a topic: all of it or, after an error, perhaps all of it or nothing.
func (c *Client) Begin(ctx context.Context, group, topic string, origins []int64) error {
	marks := map[int]Mark{}
	for id, at := range origins {
		marks[id] = Mark{at, originNote + strconv.FormatInt(at, 10)}
	}
	return c.setMarks(ctx, &offsetcommit.Request{GroupID: group, GenerationID: -1, RetentionTimeMs: -1}, map[string]map[int]Mark{topic: marks})
}

// noteCommits moves the offsets of a generation as its member, with their notes where
// there are any: kafka-go commits offsets alone.
func (g *Group) noteCommits(gen *kafka.Generation, all map[string]map[int]pipeline.GroupOffset) error {
	plain, noted, any := map[string]map[int]int64{}, map[string]map[int]Mark{}, false
	for topic, partitions := range all {
		plain[topic], noted[topic] = map[int]int64{}, map[int]Mark{}
		for id, at := range partitions {
			plain[topic][id], noted[topic][id] = at.Offset, Mark{at.Offset, noteOf(at.Origin)}
			any = any || noteOf(at.Origin) != ""
		}
	}
	if !any {
		return gen.CommitOffsets(plain)
	}
	ctx, cancel := context.WithTimeout(context.Background(), g.options.Timeout)
	defer cancel()
	return g.client.setMarks(ctx, &offsetcommit.Request{
		GroupID: g.options.Group, GenerationID: gen.ID, MemberID: gen.MemberID, RetentionTimeMs: -1,
	}, noted)
}

// origin returns where the group began in a partition, -1 where nothing says so.
func (g *Group) origin(ctx context.Context, topic string, partition int) (int64, error) {
	marks, err := g.client.Marks(ctx, g.options.Group, topic, partition+1)
	if err != nil {
		return -1, fmt.Errorf("where the group begins: %w", err)
	}
	return marks[partition].Origin(), nil
}
