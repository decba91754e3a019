package pipeline

import (
	"context"
	"fmt"
)

// LogState is what a partition's log is like now, for a comparison with the state
// that was made of it.
type LogState struct {
	Start, End int64
	Identity   Identity // its EpochEnd is that of the stored Last
	// Last is the record at the offset of the stored one where the log still has
	// it.
	Last *Record
}

// ReadLogState looks at the log of a partition whose stored state ends with last.
func ReadLogState(ctx context.Context, l Log, p Partition, last Last) (LogState, error) {
	var s LogState
	var err error
	if s.Start, s.End, err = l.Bounds(ctx, p); err != nil {
		return s, err // says of what
	}
	if s.Identity, err = l.Identity(ctx, p, last.Epoch); err != nil {
		return s, fmt.Errorf("identity of %s: %w", p, err)
	}
	if last.Offset < s.Start || last.Offset >= s.End {
		return s, nil
	}
	got, err := l.Fetch(ctx, p, last.Offset, 1)
	if err != nil {
		return s, fmt.Errorf("fetch %s at offset %d: %w", p, last.Offset, err)
	}
	if len(got.Records) > 0 && got.Records[0].Offset == last.Offset {
		s.Last = &got.Records[0]
	}
	return s, nil
}

// Another says why the log is not the one that the state is of, as far as can be
// told: by the id of the topic, by the end of the log, by the end of the leader
// epoch of the last record that was applied, and by that record. The reason is
// a word for metrics, "" where the log is the same.
func (s *LogState) Another(p Partition, state Meta) (reason, why string) {
	last := state.Last
	now := s.Identity
	switch {
	case state.Topic != "" && now.Topic != "" && state.Topic != now.Topic:
		return "recreated", fmt.Sprintf("topic %s was recreated: it has the id %s, and the state is of the one with the id %s", p.Topic, now.Topic, state.Topic)
	case s.End < state.Watermark:
		return "truncated", fmt.Sprintf("the log of %s ends at offset %d and offset %d is next: it was truncated or recreated", p, s.End, state.Watermark)
	case last.Offset < s.Start: // also where nothing was applied yet
		return "", ""
	case last.Epoch > 0 && now.EpochEnd <= last.Offset:
		return "truncated", fmt.Sprintf("the log of %s was truncated or recreated: offset %d, written in leader epoch %d, was applied, and what it has of that epoch ends before offset %d",
			p, last.Offset, last.Epoch-1, max(0, now.EpochEnd))
	case s.Last != nil && !last.Is(s.Last):
		return "recreated", fmt.Sprintf("the record of %s at offset %d is not the one that was applied: the topic was recreated or its log truncated", p, last.Offset)
	case s.Last == nil && state.Topic == "" && last.Epoch == 0:
		return "recreated", fmt.Sprintf("%s has no record at offset %d, the last that was applied, and the state does not tell the topic's id: it was compacted, truncated or recreated", p, last.Offset)
	}
	return "", ""
}

// AnotherRemedy is what to do where a log is another one than that of the state.
const AnotherRemedy = "Use a new consumer group, or the command state delete --all, to begin again with the log as it is"

// metaReader is a Store or what reads one.
type metaReader interface {
	Meta(ctx context.Context, p Partition) (Meta, error)
}

// Another looks why a topic that has more partitions than its states are made for is another
// topic, rather than one that was given some: by the logs of those of its former partitions that are named. It is
// as LogState.Another.
func (l *Layout) Another(ctx context.Context, store metaReader, log Log, topic string, partitions int, former ...int32) (reason, why string, err error) {
	if l.Partitions <= 0 || partitions <= l.Partitions {
		return "", "", nil
	}
	for _, id := range former {
		p := Partition{Topic: topic, ID: id}
		state, err := store.Meta(ctx, p)
		if err != nil {
			return "", "", err
		}
		if !state.Exists {
			continue
		}
		now, err := ReadLogState(ctx, log, p, state.Last)
		if err != nil {
			return "", "", err
		}
		if reason, why = now.Another(p, state); reason != "" {
			return reason, why, nil
		}
	}
	return "", "", nil
}

// Elsewhere is Layout.Elsewhere, and looks whether the topic is another one, none of whose records the states are made from.
func Elsewhere(ctx context.Context, l Layout, store metaReader, log Log, topic string, partitions int) (why, remedy string, err error) {
	former := make([]int32, max(0, l.Partitions))
	for id := range former {
		former[id] = int32(id)
	}
	reason, another, err := l.Another(ctx, store, log, topic, partitions, former...)
	if err == nil && reason != "" {
		return another, AnotherRemedy, nil
	}
	why, remedy = l.Elsewhere(topic, partitions)
	return why, remedy, err
}
