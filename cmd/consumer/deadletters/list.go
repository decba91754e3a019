package deadletters

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/internal/jsontext"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/kafka"
	"github.com/credence-stream/credence/sink"
)

// letterLine is one dead letter as it is printed.
type letterLine struct {
	Time string  `json:"time"`
	Key  *string `json:"key"`
	// KeyBytes are those of a key that is not UTF-8, base64 in JSON; Key then is its quoted form.
	KeyBytes []byte `json:"key_bytes,omitempty"`
	Stage    string `json:"stage"`
	Source   struct {
		Topic     string `json:"topic"`
		Partition int32  `json:"partition"`
		Offset    int64  `json:"offset"`
	} `json:"source"`
	Letter struct {
		Partition int32 `json:"partition"`
		Offset    int64 `json:"offset"`
	} `json:"letter"`
	Bytes int64 `json:"bytes"` // of the record's value
	// LeftOut says that the letter has not these bytes: they are at Source.
	LeftOut bool   `json:"left_out"`
	State   string `json:"state"`
	Reason  string `json:"reason"`
}

func newLetterLine(at pipeline.Partition, r *pipeline.Record, l *sink.Letter, state string) *letterLine {
	line := &letterLine{
		Time: string(jsontext.AppendTime(nil, r.Time)), Stage: l.Stage,
		Bytes: int64(len(r.Value)), State: state, Reason: l.Message,
	}
	if r.Refused != nil {
		line.Reason = r.Refused.Error()
	}
	if l.LeftOut != nil {
		line.Bytes, line.LeftOut = max(l.LeftOut.Bytes, 0), true
	}
	if r.Key != nil {
		key := shownKey(r.Key)
		line.Key = &key
		if !utf8.Valid(r.Key) {
			line.KeyBytes = r.Key
		}
	}
	line.Source.Topic, line.Source.Partition, line.Source.Offset = l.Source.Topic, l.Source.ID, l.Offset
	line.Letter.Partition, line.Letter.Offset = at.ID, r.Offset
	return line
}

// shownKey is a key as it is printed and as --key takes it: itself, or where it is not UTF-8
// quoted, with its other bytes as \xff.
func shownKey(key []byte) string {
	if utf8.Valid(key) {
		return string(key)
	}
	return strconv.Quote(string(key))
}

// keyMatches reports whether a key, as it is or as it is printed, matches a pattern; the empty one is of
// all keys.
func keyMatches(glob string, key []byte) bool {
	return glob == "" || cdf.Glob(glob, string(key)) || cdf.Glob(glob, shownKey(key))
}

// listLetters prints the letters that are asked for.
func listLetters(ctx context.Context, a *app.App, conn *connect.Connection, c *config.Config, f *letterFlags, format string) error {
	s, err := newSorter(ctx, conn, c)
	if err != nil {
		return err
	}
	out := app.NewListing(a.Out, format, []string{"time", "key", "stage", "source", "offset", "bytes", "state", "reason"})
	printed := 0
	err = visitLetters(ctx, conn, c, a.Printf, func(at pipeline.Partition, r *pipeline.Record) error {
		v, l := s.judge(at, r)
		state := "open"
		switch {
		case v == verdictRepeat, v == verdictForeign,
			!keyMatches(f.key, r.Key), f.stage != "" && l.Stage != f.stage:
			return nil
		case v == verdictDone:
			state = "replayed"
		case v == verdictRefused:
			state = "unread"
		}
		if err := writeLetter(out, newLetterLine(at, r, &l, state)); err != nil {
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
	return out.End()
}

func writeLetter(r *app.Listing, l *letterLine) error {
	key := ""
	if l.Key != nil {
		key = *l.Key
	}
	reason := l.Reason
	if r.Format == app.Table && len(reason) > 100 {
		reason = strings.ToValidUTF8(reason[:100], "") + "..."
	}
	bytes := strconv.FormatInt(l.Bytes, 10)
	if r.Format == app.Table && l.LeftOut {
		bytes += " left out"
	}
	return r.Write(l, []string{l.Time, key, l.Stage,
		fmt.Sprintf("%s/%d", l.Source.Topic, l.Source.Partition), strconv.FormatInt(l.Source.Offset, 10),
		bytes, l.State, reason})
}
