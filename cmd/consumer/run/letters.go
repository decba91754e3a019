package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink"
	"github.com/credence-stream/credence/sink/web"
)

const (
	letterBlock = 64       // offsets that are read at once, from the end on
	letterFetch = 1 << 20  // bytes of one fetch
	letterBytes = 32 << 20 // bytes that one answer reads of all partitions
)

// newestLetters reads the newest letters of a dead letter topic: of each
// partition from the end towards the start, in blocks, until there are enough
// or as many bytes were read as may be. Letters keep the timestamps of their
// records, so partitions are merged by these; within a partition the order is
// that of the log. A record that is no dead letter counts and says so.
func newestLetters(ctx context.Context, log pipeline.Log, topic string, partitions, limit int) ([]web.Letter, error) {
	lists := make([][]web.Letter, partitions)
	for i := range lists {
		p := pipeline.Partition{Topic: topic, ID: int32(i)}
		start, end, err := log.Bounds(ctx, p)
		if err != nil {
			return nil, err
		}
		for budget := int64(letterBytes / partitions); end > start && len(lists[i]) < limit && budget > 0; end = max(start, end-letterBlock) {
			block, read, err := lettersBetween(ctx, log, p, max(start, end-letterBlock), end)
			if err != nil {
				return nil, err
			}
			budget -= read
			slices.Reverse(block)
			lists[i] = append(lists[i], block...)
		}
	}
	var all []web.Letter
	for len(all) < limit {
		newest := -1
		for i, l := range lists {
			if len(l) > 0 && (newest < 0 || cmp.Compare(l[0].Time, lists[newest][0].Time) > 0) {
				newest = i
			}
		}
		if newest < 0 {
			break
		}
		all = append(all, lists[newest][0])
		lists[newest] = lists[newest][1:]
	}
	return all, nil
}

// lettersBetween reads the letters of a range of offsets.
func lettersBetween(ctx context.Context, log pipeline.Log, p pipeline.Partition, from, to int64) (letters []web.Letter, read int64, err error) {
	for from < to {
		f, err := log.Fetch(ctx, p, from, letterFetch)
		if errors.Is(err, pipeline.ErrOutOfRange) {
			return letters, read, nil // trimmed meanwhile
		}
		if err != nil {
			return nil, read, fmt.Errorf("topic %s, partition %d: %w", p.Topic, p.ID, err)
		}
		for i := range f.Records {
			if r := &f.Records[i]; r.Offset < to {
				letters = append(letters, letterOf(p.ID, r))
				read += r.Size()
			}
		}
		if f.Next <= from {
			break
		}
		from = f.Next
	}
	return letters, read, nil
}

// letterOf copies what a letter tells; the record's bytes may go.
func letterOf(partition int32, r *pipeline.Record) web.Letter {
	l := web.Letter{
		Partition: partition, Offset: r.Offset, Time: r.Time, Key: slices.Clone(r.Key),
		Reason: "not written by a consumer", Bytes: int64(len(r.Key) + len(r.Value)),
		Source: pipeline.Partition{ID: -1}, SourceOffset: -1,
	}
	for _, h := range r.Headers {
		l.Bytes += int64(len(h.Key) + len(h.Value))
	}
	if r.Refused != nil {
		l.Reason = r.Refused.Error()
		return l
	}
	if parsed, ok := sink.ParseLetter(r.Headers); ok {
		l.Stage, l.Reason, l.Source, l.SourceOffset = parsed.Stage, parsed.Message, parsed.Source, parsed.Offset
		if parsed.LeftOut != nil {
			l.Bytes += max(parsed.LeftOut.Bytes, 0)
		}
	}
	return l
}
