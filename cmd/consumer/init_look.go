package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/credence-stream/credence/cmd/consumer/draft"
	"github.com/credence-stream/credence/cmd/internal/replay"
	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/cmd/producer/rows"
)

// look is what was looked at.
type look struct {
	profile *draft.Profile
	what    string   // in words
	notes   []string // what else is worth knowing
}

// look takes the sample.
func (f *initFlags) look(ctx context.Context, a *app) (*look, error) {
	if f.input != "" {
		return f.lookAtFile(ctx, a)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return f.lookAtTopic(ctx)
}

// some is a source that ends early.
type some struct {
	rows.Source
	left int
}

func (s *some) Next() (string, []replay.Value, error) {
	if s.left == 0 {
		return "", nil, io.EOF
	}
	s.left--
	return s.Source.Next()
}

// lookedRows is how many rows of a key are looked at together.
const lookedRows = 1000

func (f *initFlags) lookAtFile(ctx context.Context, a *app) (*look, error) {
	reading := term.Progress(a.err, "rows read", 0)
	sel := rows.Selection{KeyColumn: f.keyColumn, Key: "all", Columns: f.columns, Null: f.null}
	src, err := rows.Open(ctx, f.input, sel, reading.Add)
	reading.Done()
	if err != nil {
		return nil, err
	}
	defer func() { _ = src.Close() }()
	l := &look{profile: draft.NewProfile()}
	l.notes = append(l.notes, src.Notes()...)
	for shard, err := range rows.Shards(&some{src, f.rows}, lookedRows) {
		if err != nil {
			return nil, err
		}
		l.profile.Add(shard.Key, shard.Batch)
	}
	l.notes = append(l.notes, l.profile.Doubts()...)
	l.what = fmt.Sprintf("%d rows of %s", l.profile.Rows, inComment(f.input))
	if total := src.Rows(); total > int64(l.profile.Rows) {
		l.what = fmt.Sprintf("the first %d of %d rows of %s", l.profile.Rows, total, inComment(f.input))
	}
	if f.keyColumn != "" {
		l.what += fmt.Sprintf(", %d keys in column %s", len(l.profile.Keys), inComment(f.keyColumn))
	}
	return l, nil
}

// lookedRecords is how many records of a topic are looked at, however few
// rows they have.
const lookedRecords = 2000

func (f *initFlags) lookAtTopic(ctx context.Context) (*look, error) {
	conn, err := dial(f.config)
	if err != nil {
		return nil, err
	}
	defer conn.close()
	l, bad, why := &look{profile: draft.NewProfile()}, 0, ""
	at, enough := int32(-1), 0
	err = conn.sample(ctx, f.config, f.from == "end", lookedRecords, func(s *sampled) bool {
		if s.partition != at {
			at, enough = s.partition, l.profile.Rows+max(1, f.rows/s.partitions)
		}
		switch {
		case s.err != nil:
			if bad++; bad == 1 {
				why = fmt.Sprintf("partition %d, offset %d: %v", s.partition, s.record.Offset, s.err)
			}
		case s.batch != nil:
			l.profile.Add(string(s.record.Key), s.batch)
		}
		return l.profile.Rows < enough
	})
	if err != nil {
		return nil, fmt.Errorf("topic %s at %s: %w", f.topic, strings.Join(f.config.Kafka.Brokers, ","), err)
	}
	switch {
	case l.profile.Rows == 0 && bad > 0:
		return nil, fmt.Errorf("topic %s: none of %d records is a shard; the first: %s. producer replay makes shards of files, and init --input looks at them", f.topic, bad, why)
	case l.profile.Rows == 0:
		return nil, fmt.Errorf("topic %s is empty; send some shards, or look at a file with --input", f.topic)
	case bad > 0:
		l.notes = append(l.notes, fmt.Sprintf("%d records are no shards and would go to the dead letters; the first: %s", bad, why))
	}
	which := "newest"
	if f.from == "beginning" {
		which = "oldest"
	}
	l.what = fmt.Sprintf("the %s %d shards of topic %s, %d rows of %d keys", which, l.profile.Shards, f.topic, l.profile.Rows, len(l.profile.Keys))
	return l, nil
}

// inComment makes text from outside fit for a comment.
func inComment(text string) string { return cut(text, 200) }
