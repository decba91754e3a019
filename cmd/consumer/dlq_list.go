package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/jsontext"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/kafka"
	"github.com/credence-stream/credence/sink"
)

// letterLine is one dead letter as it is printed.
type letterLine struct {
	Time   string  `json:"time"`
	Key    *string `json:"key"`
	Stage  string  `json:"stage"`
	Source struct {
		Topic     string `json:"topic"`
		Partition int32  `json:"partition"`
		Offset    int64  `json:"offset"`
	} `json:"source"`
	Letter struct {
		Partition int32 `json:"partition"`
		Offset    int64 `json:"offset"`
	} `json:"letter"`
	Bytes  int    `json:"bytes"`
	State  string `json:"state"`
	Reason string `json:"reason"`
}

func newLetterLine(at pipeline.Partition, r *pipeline.Record, l *sink.Letter, state string) *letterLine {
	line := &letterLine{
		Time: string(jsontext.AppendTime(nil, r.Time)), Stage: l.Stage,
		Bytes: len(r.Value), State: state, Reason: l.Message,
	}
	if r.Key != nil {
		key := strings.ToValidUTF8(string(r.Key), "\ufffd")
		line.Key = &key
	}
	line.Source.Topic, line.Source.Partition, line.Source.Offset = l.Source.Topic, l.Source.ID, l.Offset
	line.Letter.Partition, line.Letter.Offset = at.ID, r.Offset
	return line
}

// dlqList prints the letters that are asked for.
func (a *app) dlqList(ctx context.Context, conn *connection, c *config, f *dlqFlags, format string) error {
	s, err := conn.newSorter(ctx, c)
	if err != nil {
		return err
	}
	out := newListing(a.out, format, []string{"time", "key", "stage", "source", "offset", "bytes", "state", "reason"})
	printed := 0
	err = conn.letters(ctx, c, a.printf, func(at pipeline.Partition, r *pipeline.Record) error {
		v, l := s.judge(at, r)
		state := "open"
		switch {
		case v == verdictRepeat, v == verdictForeign,
			f.key != "" && !cdf.Glob(f.key, string(r.Key)), f.stage != "" && l.Stage != f.stage:
			return nil
		case v == verdictDone:
			state = "replayed"
		}
		if err := out.letter(newLetterLine(at, r, &l, state)); err != nil {
			return err
		}
		if printed++; printed == f.limit {
			return kafka.ErrStop
		}
		return nil
	})
	if err != nil {
		return err
	}
	return out.flush()
}

// listing prints lines in one of the formats, a block at a time.
type listing struct {
	format string
	out    *bufio.Writer
	head   []string
	cells  [][]string // of a table, until the block is full
	csv    *csv.Writer
	json   *json.Encoder
}

// tableBlock is how many lines of a table are aligned with each other.
const tableBlock = 500

func newListing(out io.Writer, format string, head []string) *listing {
	r := &listing{format: format, out: bufio.NewWriter(out), head: head}
	r.csv = csv.NewWriter(r.out)
	r.json = json.NewEncoder(r.out)
	r.json.SetEscapeHTML(false)
	return r
}

// write prints one line: value as JSON, or its cells.
func (r *listing) write(value any, cells []string) error {
	switch r.format {
	case formatJSON:
		return r.json.Encode(value)
	case formatCSV:
		if r.head != nil {
			if err := r.csv.Write(r.head); err != nil {
				return err
			}
			r.head = nil
		}
		return r.csv.Write(cells)
	}
	r.cells = append(r.cells, cells)
	if len(r.cells) < tableBlock {
		return nil
	}
	return r.block()
}

func (r *listing) block() error {
	if len(r.cells) == 0 {
		return nil
	}
	var b strings.Builder
	if r.head != nil {
		b.WriteString(strings.ToUpper(strings.Join(r.head, "\t")) + "\n")
		r.head = nil
	}
	for _, cells := range r.cells {
		for i, cell := range cells {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(oneLine(cell))
		}
		b.WriteByte('\n')
	}
	r.cells = r.cells[:0]
	return tabulate(r.out, b.String(), 0)
}

// oneLine makes text fit for a cell on a terminal.
func oneLine(s string) string {
	quoted := strconv.Quote(s)
	if quoted[1:len(quoted)-1] == s {
		return s
	}
	return quoted
}

func (r *listing) flush() error {
	if err := r.block(); err != nil {
		return err
	}
	r.csv.Flush()
	if err := r.csv.Error(); err != nil {
		return err
	}
	return r.out.Flush()
}

func (r *listing) letter(l *letterLine) error {
	key := ""
	if l.Key != nil {
		key = *l.Key
	}
	reason := l.Reason
	if r.format == formatTable && len(reason) > 100 {
		reason = strings.ToValidUTF8(reason[:100], "") + "..."
	}
	return r.write(l, []string{l.Time, key, l.Stage,
		fmt.Sprintf("%s/%d", l.Source.Topic, l.Source.Partition), strconv.FormatInt(l.Source.Offset, 10),
		strconv.Itoa(l.Bytes), l.State, reason})
}
