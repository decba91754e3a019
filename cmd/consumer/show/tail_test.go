package show

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/pipeline"
)

// message is a synthetic message of the output topic in JSON.
func message(key, source string, id string, t int) *pipeline.Record {
	return &pipeline.Record{
		Key: []byte(key),
		Value: fmt.Appendf(nil, `{"key":%q,"kind":"linear","variant":"corrected","t":%d,"n":%d,"time":"2001-01-01T00:00:00.000Z","posterior":[`+
			`{"variable":"beta[x]","mean":1.25,"sd":0.031,"median":1.25,"q2.5":1.2,"q5":null},{"variable":"sigma2","mean":null,"sd":null,"median":7}]}`, key, t, 10*t),
		Headers: []pipeline.Header{
			{Key: "content-type", Value: []byte("application/json")},
			{Key: "ce_source", Value: []byte(source)},
			{Key: "ce_id", Value: []byte(id)},
		},
	}
}

func tombstone(key, source, id string) *pipeline.Record {
	r := message(key, source, id, 0)
	r.Value = nil
	return r
}

func TestRepeatsAreToldPerSourceAndKey(t *testing.T) {
	r := newRepeats()
	for i, c := range []struct {
		m     *pipeline.Record
		fresh bool
	}{
		{message("a", "/g/in/0", "5", 1), true},
		{message("b", "/g/in/0", "4", 1), true},  // another key, a smaller offset
		{message("a", "/g/in/1", "3", 1), true},  // another partition
		{message("a", "/g/in/0", "5", 1), false}, // the same again
		{message("a", "/g/in/0", "4", 1), false}, // older
		{message("a", "/g/in/0", "11", 2), true}, // greater as a number, not as text
		{message("a", "/g/in/0", "6", 2), false}, // later repeat of something between
		{message("a", "/g/in/0", "11/comparison", 2), true},
		{message("a", "/g/in/0", "11/comparison", 2), false},
		{tombstone("a", "/g/in/0", "12"), true},
		{message("a", "/g/in/0", "12", 3), false},
		{message("a", "/g/in/0", "first", 1), true}, // no identity that we know
		{message("a", "/g/in/0", "first", 1), true},
		{&pipeline.Record{Key: []byte("a")}, true},
		{&pipeline.Record{Key: []byte("a")}, true},
	} {
		if got := r.fresh(c.m); got != c.fresh {
			t.Errorf("message %d (%s): fresh is %v", i, c.m.Headers, got)
		}
	}
}

// feedOf feeds messages and then, without end, waits.
func feedOf(messages []*pipeline.Record, end bool) connect.Feed {
	return func(ctx context.Context, visit func(*pipeline.Record) error) error {
		for _, m := range messages {
			if err := visit(m); err != nil {
				return err
			}
		}
		if end {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}
}

func TestTailFormats(t *testing.T) {
	messages := []*pipeline.Record{
		message("flights/ATL", "/g/in/0", "1", 1),
		message("flights/ATL", "/g/in/0", "1", 1),
		message("other", "/g/in/0", "2", 1),
		tombstone("flights/ORD", "/g/in/0", "3"),
		message("flights/a/b", "/g/in/0", "4", 1),
		message("flights/ATL", "/g/in/0", "5", 2),
	}
	line := func(i int) string { return string(messages[i].Value) + "\n" }
	for _, c := range []struct {
		name, format, glob string
		limit              int
		want               string
	}{
		{"json", "json", "", 0, line(0) + line(2) + line(4) + line(5)},
		{"glob", "json", "flights/*", 0, line(0) + line(5)},
		{"deep glob", "json", "flights/**", 0, line(0) + line(4) + line(5)},
		{"limit", "json", "", 2, line(0) + line(2)},
		{"table", "table", "other", 0, "other  t=1 n=10  beta[x]=1.250±0.031  sigma2=7\n"},
		{"csv", "csv", "other", 0, "key,kind,variant,t,n,time,variable,mean,sd,median,q2.5,q5,q25,q75,q95,q97.5,mcse_mean,ess_bulk,ess_tail,r_hat\n" +
			"other,linear,corrected,1,10,2001-01-01T00:00:00.000Z,beta[x],1.25,0.031,1.25,1.2,,,,,,,,,\n" +
			"other,linear,corrected,1,10,2001-01-01T00:00:00.000Z,sigma2,,,7,,,,,,,,,,\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			p := newStreamPrinter(&out, c.format, NewSelection(c.glob, c.limit), toJSON, t.Errorf)
			// With a limit the feed goes on, and tail must still end.
			if err := Tail(t.Context(), feedOf(messages, c.limit == 0), p); err != nil {
				t.Fatal(err)
			}
			if out.String() != c.want {
				t.Errorf("got\n%swant\n%s", out.String(), c.want)
			}
		})
	}
}

func TestTailLeavesOutWhatItCannotRead(t *testing.T) {
	bad := message("bad", "/g/in/0", "1", 1)
	bad.Headers[0].Value, bad.Value = []byte("application/vnd.apache.arrow.stream"), []byte("not Arrow")
	var out bytes.Buffer
	var told []string
	p := newStreamPrinter(&out, "json", NewSelection("", 0), toJSON, func(f string, a ...any) { told = append(told, fmt.Sprintf(f, a...)) })
	if err := Tail(t.Context(), feedOf([]*pipeline.Record{bad, message("good", "/g/in/0", "2", 1)}, true), p); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), `{"key":"good"`) || len(told) != 1 || !strings.Contains(told[0], `key "bad"`) {
		t.Errorf("printed %q, told %q", out.String(), told)
	}
}

func TestTailEnds(t *testing.T) {
	quiet := newStreamPrinter(&bytes.Buffer{}, "json", NewSelection("", 0), toJSON, t.Errorf)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Tail(ctx, feedOf(nil, false), quiet); err != nil {
		t.Errorf("interrupted: %v", err)
	}
	if err := tailToEnd(ctx, feedOf(nil, false), quiet); !errors.Is(err, errStopped) {
		t.Errorf("interrupted before its end: %v", err)
	}
	if err := tailToEnd(t.Context(), feedOf(nil, true), quiet); err != nil {
		t.Errorf("at its end: %v", err)
	}
	broken := errors.New("no such topic")
	if err := Tail(t.Context(), func(context.Context, func(*pipeline.Record) error) error { return broken }, quiet); !errors.Is(err, broken) {
		t.Errorf("a feed that fails: %v", err)
	}
	full := newStreamPrinter(fullDisk{}, "json", NewSelection("", 0), toJSON, t.Errorf)
	if err := Tail(t.Context(), feedOf([]*pipeline.Record{message("a", "s", "1", 1)}, true), full); !errors.Is(err, errFull) {
		t.Errorf("a disk that is full: %v", err)
	}
}

var errFull = errors.New("full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }
