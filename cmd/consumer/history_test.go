package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/run"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/kafka"
	"github.com/credence-stream/credence/sink"
	"github.com/credence-stream/credence/testenv/probe"
)

// process is a service that runs in the world.
type process struct {
	*run.Service
	url string
	end func()
}

// serve starts a consumer on a free port. It ends with the test at the latest.
func (w *world) serve(change func(*config.Config)) *process {
	w.Helper()
	return w.serveLogging(slog.DiscardHandler, change)
}

// serveLogging is serve with a log handler.
func (w *world) serveLogging(log slog.Handler, change func(*config.Config)) *process {
	w.Helper()
	c := w.config()
	c.HTTP.Listen, c.Checkpoint.Interval = "127.0.0.1:0", config.Duration(50*time.Millisecond)
	if change != nil {
		change(c)
	}
	s, err := run.NewService(w.Context(), cli.Apart(), c, slog.New(log))
	if err != nil {
		w.Fatal(err)
	}
	ctx, cancel := context.WithCancel(w.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, false) }()
	ended := false
	p := &process{Service: s, url: "http://" + s.Addr()}
	p.end = func() {
		if ended {
			return
		}
		ended = true
		cancel()
		if err := <-done; err != nil {
			w.Errorf("the process ended with %v", err)
		}
	}
	w.Cleanup(p.end)
	return p
}

// past is the history of a key as HTTP gives it.
type past struct {
	Owned, Complete bool
	Points          []struct {
		T, N, Offset int64
		Time         time.Time
		Score        json.RawMessage
		Posterior    json.RawMessage
	}
}

func (p *process) history(w *world, key string) past {
	w.Helper()
	var h past
	body, code := p.get(w, "/v1/models/"+url.PathEscape(key)+"/history")
	if code == http.StatusNotFound || code == http.StatusServiceUnavailable {
		return h
	}
	if err := json.Unmarshal(body, &h); code != 200 || err != nil {
		w.Fatalf("history of %s: %d %v %s", key, code, err, body)
	}
	return h
}

// get asks for a path, with headers as names and values in turn.
func (p *process) get(w *world, path string, header ...string) ([]byte, int) {
	w.Helper()
	q, err := http.NewRequestWithContext(w.Context(), http.MethodGet, p.url+path, nil)
	if err != nil {
		w.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		q.Header.Set(header[i], header[i+1])
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		w.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.Fatal(err)
	}
	return body, r.StatusCode
}

// eventually waits for a condition.
func (w *world) eventually(what string, holds func() bool) {
	w.Helper()
	probe.Eventually(w, what, holds)
}

// published returns what the output topic has about a key, oldest first, by
// offset.
func (w *world) published(key string) map[int64]past {
	w.Helper()
	all := map[int64]past{}
	for _, r := range w.read(w.config().Kafka.Output) {
		if string(r.Key) != key || r.Value == nil {
			continue
		}
		p, _, err := sink.ParseJSON(r.Value)
		if err != nil {
			w.Fatal(err)
		}
		var one struct {
			Score, Posterior json.RawMessage
		}
		if err := json.Unmarshal(r.Value, &one); err != nil {
			w.Fatal(err)
		}
		var h past
		h.Points = append(h.Points, struct {
			T, N, Offset int64
			Time         time.Time
			Score        json.RawMessage
			Posterior    json.RawMessage
		}{p.Summary.T, p.Summary.N, p.Offset, time.UnixMilli(p.Time), one.Score, one.Posterior})
		all[p.Offset] = h
	}
	return all
}

// History says what the output topic says, byte for byte, each shard once, also
// when the process goes away in the middle and another one takes over.
func TestHistoryIsWhatWasPublished(t *testing.T) {
	w := newWorld(t, "format: json")
	first := w.serve(nil)
	w.send([]string{"a/1"}, 8)
	w.eventually("8 shards", func() bool { return len(first.history(w, "a/1").Points) == 8 })
	check := func(p *process, from, to int, complete bool) {
		t.Helper()
		h, topic := p.history(w, "a/1"), w.published("a/1")
		if !h.Owned || h.Complete != complete || len(h.Points) != to-from+1 {
			t.Fatalf("owned %v, complete %v, %d points, want %d to %d", h.Owned, h.Complete, len(h.Points), from, to)
		}
		for i, got := range h.Points {
			want, ok := topic[got.Offset]
			if !ok || got.T != int64(from+i) {
				t.Fatalf("point %d is t=%d at offset %d; in the topic: %v", i, got.T, got.Offset, ok)
			}
			p := want.Points[0]
			if got.N != p.N || !got.Time.Equal(p.Time) || !bytes.Equal(got.Score, p.Score) || !bytes.Equal(got.Posterior, p.Posterior) {
				t.Errorf("t=%d: history has\n%s %s\nthe topic\n%s %s", got.T, got.Score, got.Posterior, p.Score, p.Posterior)
			}
		}
	}
	check(first, 1, 8, true)
	// The partitions move while shards come. The first process may have taken all of them in by then:
	// those after it has ended are the second's in any case, whose history begins with what it took in.
	second := w.serve(nil)
	sent := w.sending([]string{"a/1"}, more(60, 8))
	first.end()
	sent()
	w.sendShards([]string{"a/1"}, more(4, 68))
	const last = 72
	w.eventually("the last shard", func() bool {
		h := second.history(w, "a/1").Points
		return len(h) > 0 && h[len(h)-1].T == last
	})
	from := int(second.history(w, "a/1").Points[0].T)
	check(second, from, last, from == 1)

	var c struct {
		Rows, Shards int64
		Owned        bool
		PIT          []int64 `json:"pit"`
	}
	body, _ := second.get(w, "/v1/models/a%2F1/calibration")
	if err := json.Unmarshal(body, &c); err != nil {
		t.Fatal(err)
	}
	counted := int64(0)
	for _, n := range c.PIT {
		counted += n
	}
	if shards := int64(last - max(from, 2) + 1); c.Rows != 3*shards || c.Shards != shards || counted != c.Rows || !c.Owned {
		t.Errorf("calibration of shards %d to %d: %s", from, last, body)
	}
}

// more are shards of y = 3 + 2x after the first so many.
func more(n, after int) []*cdf.Batch {
	var list []*cdf.Batch
	for i := range n {
		x := []float64{float64(after + i), float64(i) + 1, float64(i) + 2.5}
		y := []float64{3 + 2*x[0], 3.1 + 2*x[1], 2.9 + 2*x[2]}
		list = append(list, &cdf.Batch{Rows: 3, Columns: []cdf.Column{{Name: "x", Number: x}, {Name: "y", Number: y}}})
	}
	return list
}

// Updates come after their shard; a client that is cut off and comes back with
// its last id gets the rest once; a deletion ends the history.
func TestStreamOfARunningWorker(t *testing.T) {
	w := newWorld(t, "format: json")
	p := w.serve(nil)
	w.eventually("ready", func() bool { _, code := p.get(w, "/readyz"); return code == 200 })
	begin, _ := p.stream(w, "", 0)
	sent := w.sending([]string{"a"}, more(120, 0))
	id, seen := begin, []int64(nil)
	for len(seen) < 120 {
		var got []int64
		id, got = p.stream(w, id, 1) // cut off after every message
		seen = append(seen, got...)
	}
	sent()
	for i, n := range seen {
		if n != int64(i+1) {
			t.Fatalf("shard %d came as the %dth", n, i+1)
		}
	}
	c := w.config()
	conn := w.connect(c)
	_, err := kafka.NewPublisher(conn.Client, kafka.Plain).Publish(t.Context(), []pipeline.Output{{Topic: c.Kafka.Input, Key: []byte("a"), Time: 1e12}})
	if err != nil {
		t.Fatal(err)
	}
	w.eventually("the deletion", func() bool { _, code := p.get(w, "/v1/models/a/history"); return code == 404 })
	if _, got := p.stream(w, id, 1); len(got) != 1 || got[0] != deleted {
		t.Errorf("after the deletion the stream has %v", got)
	}
	w.send([]string{"a"}, 1)
	w.eventually("the key anew", func() bool { h := p.history(w, "a"); return h.Complete && len(h.Points) == 1 })
}

// deleted stands for a deletion among shard numbers.
const deleted = -1

// stream reads so many messages after an id and cuts the connection. It
// returns the newest id and the numbers of the shards.
func (p *process) stream(w *world, since string, messages int) (id string, shards []int64) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), probe.Patience)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/v1/events?since="+url.QueryEscape(since), nil)
	if err != nil {
		w.Fatal(err)
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		w.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 8<<20)
	event := ""
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "event":
			event = value
		case "id":
			if id = value; messages == 0 {
				return id, shards
			}
		case "data":
			if event == "position" {
				continue
			}
			messages--
			switch event {
			case "updates":
				var list []struct{ T int64 }
				if err := json.Unmarshal([]byte(value), &list); err != nil {
					w.Fatal(err)
				}
				for _, o := range list {
					shards = append(shards, o.T)
				}
			case "deleted":
				shards = append(shards, deleted)
			default:
				w.Fatalf("%s while nothing is lost", event)
			}
		}
	}
	w.Fatalf("the stream ended: %v", lines.Err())
	return id, shards
}
