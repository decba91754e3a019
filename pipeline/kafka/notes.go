package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/offsetcommit"

	"github.com/credence-stream/credence/pipeline"
)

// originNote stands before the offset in the note of where a group began. What else is
// noted says that the topic was rescaled.
const originNote = "credence-origin="

// noted returns the note of a group that began somewhere: one that began at the first
// record of all needs none.
func noted(origin int64) string {
	if origin <= 0 {
		return ""
	}
	return originNote + strconv.FormatInt(origin, 10)
}

// Past returns what the mark's note says.
func (m Mark) Past() (n pipeline.Note) {
	text, ok := strings.CutPrefix(m.Note, originNote)
	if !ok {
		n.Rescaled = m.Note
		return n
	}
	at, err := strconv.ParseInt(text, 10, 64)
	if err == nil && m.Offset >= 0 && at >= 0 {
		n.Told, n.Origin = true, at
	}
	return n
}

// Note implements pipeline.Group.
func (g *Group) Note(ctx context.Context, p pipeline.Partition) (pipeline.Note, error) {
	marks, err := g.client.Marks(ctx, g.options.Group, p.Topic, int(p.ID)+1)
	if err != nil {
		return pipeline.Note{}, fmt.Errorf("note beside the offset of %s: %w", p, err)
	}
	return marks[p.ID].Past(), nil
}

// Begin notes where a group without members and without offsets begins in each partition
// of a topic: all of it or, after an error, perhaps all of it or nothing.
func (c *Client) Begin(ctx context.Context, group, topic string, origins []int64) error {
	marks := map[int]Mark{}
	for id, at := range origins {
		marks[id] = Mark{at, originNote + strconv.FormatInt(at, 10)}
	}
	return c.setMarks(ctx, &offsetcommit.Request{GroupID: group, GenerationID: -1}, map[string]map[int]Mark{topic: marks})
}

// MayNote returns an error if this user may not note offsets of a group. It changes nothing: it asks
// for what needs the same permission, the heartbeat of a member that there is not.
func (c *Client) MayNote(ctx context.Context, group string) error {
	err := c.beat(ctx, group)
	if errors.Is(err, kafka.GroupAuthorizationFailed) {
		return fmt.Errorf("offsets of group %s: %w", group, permit(err))
	}
	if Answered(err) {
		return nil
	}
	return err
}

// NoteAll notes offsets of partitions of a topic, and their past, in the name of a group that has
// no members.
func (c *Client) NoteAll(ctx context.Context, group, topic string, at map[int32]pipeline.GroupOffset) error {
	marks := map[int]Mark{}
	for id, o := range at {
		marks[int(id)] = Mark{o.Offset, cmp.Or(o.Rescaled, noted(o.Origin))}
	}
	err := c.setMarks(ctx, &offsetcommit.Request{GroupID: group, GenerationID: -1}, map[string]map[int]Mark{topic: marks})
	if errors.Is(err, kafka.UnknownMemberId) {
		return fmt.Errorf("%w: a consumer of the group was started meanwhile; stop it and run this again", err)
	}
	return err
}

// sender commits offsets in a generation, and keeps the notes beside them. The group
// library writes none, and an offset without one removes it.
type sender struct {
	group *Group
	gen   *kafka.Generation
	notes map[string][]Mark // by topic, nil: not read yet
	any   bool              // of them says something
}

func (s *sender) send(offsets map[string]map[int]pipeline.GroupOffset) error {
	ctx, cancel := context.WithTimeout(context.Background(), s.group.options.Timeout)
	defer cancel()
	if s.notes == nil {
		if err := s.read(ctx); err != nil {
			return err
		}
	}
	any := s.any
	plain, marks := map[string]map[int]int64{}, map[string]map[int]Mark{}
	for topic, partitions := range offsets {
		plain[topic], marks[topic] = map[int]int64{}, map[int]Mark{}
		for id, at := range partitions {
			note := s.notes[topic][id]
			if note.Past().Rescaled == "" { // also where it was forgotten with the offset
				note.Note = cmp.Or(at.Rescaled, noted(at.Origin))
			}
			plain[topic][id], marks[topic][id] = at.Offset, Mark{at.Offset, note.Note}
			any = any || note.Note != ""
		}
	}
	if !any {
		return s.gen.CommitOffsets(plain)
	}
	return s.group.client.setMarks(ctx, &offsetcommit.Request{
		GroupID: s.group.options.Group, GenerationID: s.gen.ID, MemberID: s.gen.MemberID,
	}, marks)
}

// read reads the notes before the first commit of the generation.
func (s *sender) read(ctx context.Context) error {
	all := map[string][]Mark{}
	for topic, partitions := range s.gen.Assignments {
		n := 0
		for _, a := range partitions {
			n = max(n, a.ID+1)
		}
		marks, err := s.group.client.Marks(ctx, s.group.options.Group, topic, n)
		if err != nil {
			return err
		}
		for _, m := range marks {
			s.any = s.any || m.Note != ""
		}
		all[topic] = marks
	}
	s.notes = all
	return nil
}
