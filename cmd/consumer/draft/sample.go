package draft

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/replay"
	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/cmd/producer/rows"
)

// look is what was looked at.
type look struct {
	profile *Profile
	what    string      // in words
	notes   []string    // what else is worth knowing
	source  rows.Source // of the file, closed; nil of a topic
	first   string      // a name of a column that could be a value, where the first line has the names
}

// look takes the sample.
func (f *draftFlags) look(ctx context.Context, a *app.App) (*look, error) {
	if f.input != "" {
		return f.lookAtFile(ctx, a)
	}
	ctx, cancel := context.WithTimeout(ctx, app.Patience)
	defer cancel()
	return f.lookAtTopic(ctx)
}

// name is the input as it is called.
func (f *draftFlags) name() string { return cmp.Or(f.called, f.input) }

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

func (f *draftFlags) lookAtFile(ctx context.Context, a *app.App) (*look, error) {
	reading := term.Progress(a.Err, "rows read", 0)
	sel := f.sel
	sel.Key, sel.Lenient = cmp.Or(sel.Key, "all"), true
	src, err := rows.Open(ctx, f.input, sel, rows.Watch{Rows: reading.Add, Key: f.met})
	reading.Done()
	if err != nil {
		return nil, err
	}
	defer func() { _ = src.Close() }()
	l := &look{profile: newProfile(), source: src}
	l.profile.Of = src.Rows()
	for shard, err := range rows.Shards(&some{src, f.rows}, lookedRows) {
		if err != nil {
			return nil, err
		}
		l.profile.Add(shard.Key, shard.Batch)
	}
	l.notes = append(l.notes, src.Notes()...)
	l.first = rows.ValuedHeader(f.input, src)
	if chosen := src.Chosen(); chosen != nil {
		f.sel.Columns = chosen // for a replay, which leaves nothing out
	}
	l.what = fmt.Sprintf("%d rows of %s", l.profile.Rows, inComment(f.name()))
	if total := src.Rows(); total > int64(l.profile.Rows) {
		l.what = fmt.Sprintf("the first %d of %d rows of %s", l.profile.Rows, total, inComment(f.name()))
	}
	if f.sel.KeyColumn != "" {
		l.what += fmt.Sprintf(", %d keys in column %q", len(l.profile.Keys), inComment(f.sel.KeyColumn))
	}
	return l, nil
}

// lookedRecords is how many records of a topic are looked at, however few
// rows they have.
const lookedRecords = 2000

func (f *draftFlags) lookAtTopic(ctx context.Context) (*look, error) {
	conn, err := connect.Dial(f.config)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	conn.Reader = conn.Reader.Whole() // no model names columns yet
	l, bad := &look{profile: newProfile()}, new(connect.Reasons)
	l.profile.Events = f.records.Format != config.FormatArrow
	at, enough := int32(-1), 0
	err = conn.Sample(ctx, f.config, f.from == "end", lookedRecords, func(s *connect.Sampled) bool {
		if s.Partition != at {
			at, enough = s.Partition, l.profile.Rows+max(1, f.rows/s.Partitions)
		}
		switch {
		case s.Err != nil:
			bad.Add(s.Partition, s.Record.Offset, s.Err.Error())
		case s.Batch != nil:
			l.profile.Add(string(s.Record.Key), s.Batch)
		}
		return l.profile.Rows < enough
	})
	if err != nil {
		return nil, fmt.Errorf("topic %s at %s: %w", f.topic, strings.Join(f.config.Kafka.Brokers, ","), err)
	}
	switch {
	case l.profile.Rows == 0 && bad.Total > 0:
		return nil, fmt.Errorf("topic %s: none of %s is %s:\n%s\n%s", f.topic, cli.Plural(bad.Total, "record"), f.records.Unit(), bad, f.remedy())
	case l.profile.Rows == 0:
		return nil, fmt.Errorf("topic %s is empty; send some shards, or look at a file with --input", f.topic)
	case bad.Total > 0:
		l.notes = append(l.notes, fmt.Sprintf("%d of %d records looked at are not %s and would go to the dead letters:", bad.Total, bad.Total+l.profile.Shards, f.records.Units()))
		for _, line := range bad.Lines() {
			l.notes = append(l.notes, "  "+line)
		}
	}
	which := "newest"
	if f.from == "beginning" {
		which = "oldest"
	}
	l.what = fmt.Sprintf("the %s %d %s of topic %s, %s of %s", which, l.profile.Shards, f.records.Units(), f.topic,
		plural(l.profile.Rows, "row", "rows"), plural(len(l.profile.Keys), "key", "keys"))
	return l, nil
}

// inComment makes text from outside fit for a comment.
func inComment(text string) string { return term.Cut(text, 200) }

// remedy says what to do about a topic whose records cannot be read.
func (f *draftFlags) remedy() string {
	if f.records.Format == config.FormatArrow {
		return "Are they events? Say what they are by --input-format. Else " + f.names.Producer + " replay makes shards of files, and init --input looks at them"
	}
	return "Compare --input-format and --payload with what is in the topic"
}
