package web

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink/live"
	"github.com/credence-stream/credence/testenv/probe"
)

// serving runs a server on a port until the returned function ends it.
func serving(t *testing.T, s *Server) (end func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	var result error
	over := false
	end = func() error {
		if !over {
			over = true
			cancel()
			result = <-ended
		}
		return result
	}
	t.Cleanup(func() { _ = end() })
	return end
}

// dial asks for events over a connection whose buffer does not grow,
// and reads the head of the answer.
func dial(t *testing.T, s *Server, query string) (net.Conn, *bufio.Reader, *http.Response) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(256 << 10); err != nil { //nolint:forcetypeassert // a TCP address
		t.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(probe.Patience)); err != nil { // a test that hangs fails
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(conn, "GET /v1/events?%s HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n", query); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	a, err := http.ReadResponse(in, nil) //nolint:bodyclose // the connection is closed
	if err != nil {
		t.Fatal(err)
	}
	return conn, in, a
}

var until = probe.Eventually

// reads wraps an answer's body as a reader of messages.
func reads(t *testing.T, body io.Reader) *reader {
	c := &reader{t: t, body: bufio.NewScanner(body)}
	c.body.Buffer(nil, 8<<20)
	return c
}

// follows checks that shards come one after the other, after the last one, and
// returns the newest.
func follows(t *testing.T, last int64, list []seen) int64 {
	t.Helper()
	for _, p := range list {
		if p.T != last+1 {
			t.Fatalf("shard %d after %d", p.T, last)
		}
		last = p.T
	}
	return last
}

// A client on the network that stops reading holds up neither the worker nor
// other clients. When it reads on it gets the rest or a reset, nothing twice
// and nothing out of order.
func TestClientThatStopsReading(t *testing.T) {
	for name, history := range map[string]int64{"catches up": 512 << 20, "is reset": 8 << 20} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, func(o *Options) { o.Feed = live.New(history) })
			feed := s.options.Feed
			feed.State(shardsOf, pipeline.State{Phase: pipeline.PhaseRunning})
			end := serving(t, s)
			_, _, slow := dial(t, s, "") //nolint:bodyclose // the connection is closed
			c := reads(t, slow.Body)
			if m := c.next(); m.id == "" {
				t.Fatalf("a stream begins with %+v", m)
			}
			if slow.Header.Get("Content-Encoding") != "" {
				t.Errorf("events come as %s", slow.Header.Get("Content-Encoding"))
			}
			quick := follow(t, &httptest.Server{URL: "http://" + s.Addr()}, "key=q")
			quick.next()
			// Far more than the buffers of the connection hold: some 16 MB.
			const shards, cut = 20_000, 100
			told := int64(0)
			for at := int64(0); at < shards; at += cut {
				var cutOf []*pipeline.Point
				for i := at; i < at+cut-1; i++ {
					cutOf = append(cutOf, shardAt("k", i, i+1))
				}
				cutOf = append(cutOf, shardAt("q", at+cut-1, at+cut))
				feed.Saved(shardsOf, cutOf) // and returns
				for told < at+cut {         // the other client is served
					list := quick.updates()
					told = list[len(list)-1].T
				}
			}
			feed.Saved(shardsOf, []*pipeline.Point{shardAt("k", shards, shards+1)})
			// Event numbers count from 1, and so do shards here.
			last, resets := int64(0), 0
			for last < shards+1 {
				m := c.next()
				_, number, _ := strings.Cut(m.id, "-")
				at, err := strconv.ParseInt(number, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				switch m.event {
				case "reset":
					if resets++; at <= last {
						t.Fatalf("a reset to event %d after %d", at, last)
					}
					last = at
				case "updates":
					if last += int64(strings.Count(m.data, `{"key":`)); at != last {
						t.Fatalf("%d shards came up to event %d", last, at)
					}
				}
			}
			if (resets > 0) != (history < 64<<20) {
				t.Errorf("%d resets", resets)
			}
			if err := end(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A client that takes nothing for longer than the server's patience is cut
// off and gives its place back; when it returns it goes on where it was.
func TestClientThatIsCutOff(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Feed = live.New(512 << 20) })
	s.follow.pace.patience = time.Second // so long may the test itself stand still
	feed := s.options.Feed
	feed.State(shardsOf, pipeline.State{Phase: pipeline.PhaseRunning})
	serving(t, s)
	_, _, slow := dial(t, s, "") //nolint:bodyclose // the connection is closed
	c := reads(t, slow.Body)
	c.next()
	const shards = 20_000
	for i := range int64(shards) {
		feed.Saved(shardsOf, []*pipeline.Point{shardAt("k", i, i+1)})
	}
	until(t, "the client is cut off", func() bool { return len(s.follow.open) == 0 })
	last, turns := int64(0), 0
	for ; last < shards; turns++ {
		// Whole messages count; the last one may be torn.
		for data, id := "", ""; last < shards && c.body.Scan(); {
			switch name, value, _ := strings.Cut(c.body.Text(), ": "); {
			case name == "event" && value == "reset":
				t.Fatal("events are lost that are kept")
			case name == "data" && value != "{}": // {}: of a position
				data = value
			case name == "id":
				id = value
			case name == "" && id != "":
				if data != "" {
					last = follows(t, last, points(t, message{data: data}))
				}
				c.id, data, id = id, "", ""
			}
		}
		if last < shards { // as browsers do, with the newest id
			_, _, again := dial(t, s, "since="+c.id) //nolint:bodyclose // the connection is closed
			id := c.id
			c = reads(t, again.Body)
			c.id = id
		}
	}
	if turns < 2 {
		t.Error("the client was not too slow: nothing is tested")
	}
}

// As many streams as there may be are open on the network; the next client is
// told when to come again, and has the place of the first that goes.
func TestOneStreamTooMany(t *testing.T) {
	s := newServer(t, nil)
	s.follow.crowd.most = 2 * mostStreams // all of them are of one address
	end := serving(t, s)
	var first net.Conn
	for i := range mostStreams {
		conn, _, a := dial(t, s, "") //nolint:bodyclose // the connection is closed
		if a.StatusCode != http.StatusOK {
			t.Fatalf("stream %d: %s", i, a.Status)
		}
		if i == 0 {
			first = conn
		}
	}
	_, _, a := dial(t, s, "") //nolint:bodyclose // the connection is closed
	body, err := io.ReadAll(a.Body)
	if seconds, wrong := strconv.Atoi(a.Header.Get("Retry-After")); a.StatusCode != http.StatusServiceUnavailable || wrong != nil || seconds < 1 ||
		err != nil || errorCode(string(body)) != "too_many_streams" {
		t.Errorf("stream %d: %s, Retry-After %q, %s", mostStreams, a.Status, a.Header.Get("Retry-After"), body)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	until(t, "a place that is free is given", func() bool {
		_, _, a := dial(t, s, "") //nolint:bodyclose // the connection is closed
		return a.StatusCode == http.StatusOK
	})
	if err := end(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// The end of the server ends the stream of a client that reads in order, and does not
// wait for the grace to be over.
func TestStreamsEndWithTheServer(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Feed = live.New(1 << 20) })
	s.grace, s.follow.pace.patience = time.Hour, time.Hour
	end := serving(t, s)
	_, _, idle := dial(t, s, "key=nobody") //nolint:bodyclose // the connection is closed
	if err := end(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if _, err := io.Copy(io.Discard, idle.Body); err != nil {
		t.Errorf("a stream of a client that reads was cut off: %v", err)
	}
}

// It cuts off the stream of a client that takes nothing: after the grace, not after the
// client's patience.
func TestStuckStreamsEndWithTheServer(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Feed = live.New(512 << 20) })
	s.grace, s.follow.pace.patience = 50*time.Millisecond, time.Hour
	feed := s.options.Feed
	feed.State(shardsOf, pipeline.State{Phase: pipeline.PhaseRunning})
	end := serving(t, s)
	_, _, slow := dial(t, s, "") //nolint:bodyclose // the connection is closed
	c := reads(t, slow.Body)
	c.next()
	for i := range int64(20_000) {
		feed.Saved(shardsOf, []*pipeline.Point{shardAt("k", i, i+1)})
	}
	c.updates() // it is sent the others now, more than the connection holds
	if err := end(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if _, err := io.Copy(io.Discard, slow.Body); err == nil {
		t.Error("the stream of a client that does not read ended in order: nothing is tested")
	}
	until(t, "all streams have ended", func() bool { return len(s.follow.open) == 0 })
}

// What comes while a follower reads is neither passed over nor told twice,
// also where there is more than it reads at once.
func TestFollowerPassesNothingOver(t *testing.T) {
	for _, every := range []time.Duration{0, time.Millisecond} {
		feed := live.New(64 << 20)
		feed.State(shardsOf, pipeline.State{Phase: pipeline.PhaseRunning})
		start, saved := feed.End(), int64(0)
		save := func() {
			feed.Saved(shardsOf, []*pipeline.Point{shardAt(fmt.Sprint("k", saved), saved, 1)})
			saved++
		}
		for range 2*batch + 17 {
			save()
		}
		w := httptest.NewRecorder()
		f := follower{
			w: w, to: http.NewResponseController(w), feed: feed, every: every, pace: newFollowing().pace, at: start, may: func() bool { return true },
			wanted: func(string) bool { return true }, share: func() int { return mostHeld },
			asked: func(string) bool { // asked while what was read is looked at
				if saved < 3*batch {
					save()
				}
				return true
			},
		}
		if _, ok := f.next(); !ok {
			t.Fatal("not sent")
		}
		c := reads(t, w.Body)
		for next := int64(0); next < saved; {
			for _, p := range c.updates() {
				if p.Offset != next {
					t.Fatalf("every %v: offset %d, want %d of %d", every, p.Offset, next, saved)
				}
				next++
			}
		}
		if c.id != feed.End().String() {
			t.Errorf("every %v: the id is %s, want %s", every, c.id, feed.End())
		}
	}
}

// sizes notes how long each write was, and how many events had been looked at by then.
type sizes struct {
	*httptest.ResponseRecorder
	looked *int
	wrote  []int
	before []int
}

func (s *sizes) Write(b []byte) (int, error) {
	s.wrote, s.before = append(s.wrote, len(b)), append(s.before, *s.looked)
	return s.ResponseRecorder.Write(b)
}

// However many keys change, a stream holds its share of them, also where the client wants the newest of each
// now and then, and passes none over.
func TestStreamsHoldAShare(t *testing.T) {
	const keys = 6000
	for _, c := range []struct {
		every time.Duration
		share int
	}{{0, 64 << 10}, {time.Hour, 64 << 10}, {time.Hour, mostHeld}} {
		every, share := c.every, c.share
		feed := live.New(64 << 20)
		feed.State(shardsOf, pipeline.State{Phase: pipeline.PhaseRunning})
		start := feed.End()
		for i := range int64(keys) {
			feed.Saved(shardsOf, []*pipeline.Point{shardAt(fmt.Sprint("k", i), i, 1)})
		}
		looked := 0
		w := &sizes{ResponseRecorder: httptest.NewRecorder(), looked: &looked}
		f := follower{
			w: w, to: http.NewResponseController(w), feed: feed, every: every, pace: newFollowing().pace, at: start, may: func() bool { return true },
			wanted: func(string) bool { return true }, share: func() int { return share },
			asked: func(string) bool { looked++; return true },
		}
		if _, ok := f.next(); !ok {
			t.Fatal("not sent")
		}
		for i, n := range w.wrote {
			held := w.before[i]
			if i > 0 {
				held -= w.before[i-1]
			}
			if n > 3*share || n > 2*mostData || held > share/512+batch {
				t.Fatalf("every %v: write %d has %d bytes after %d events, with a share of %d bytes", every, i, n, held, share)
			}
		}
		c := reads(t, w.Body)
		for next := int64(0); next < keys; {
			for _, p := range c.updates() {
				if p.Offset != next {
					t.Fatalf("every %v: offset %d, want %d", every, p.Offset, next)
				}
				next++
			}
		}
		if c.id != feed.End().String() {
			t.Errorf("every %v: the id is %s, want %s", every, c.id, feed.End())
		}
	}
}
