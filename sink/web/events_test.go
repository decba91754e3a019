package web

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink/live"
	"github.com/credence-stream/credence/testenv/probe"
)

var shardsOf = pipeline.Partition{Topic: "shards", ID: 1}

// shardAt is shard t of a key as the feed is told of it.
func shardAt(key string, offset, t int64) *pipeline.Point {
	p := &pipeline.Point{
		Key: key, Kind: "linear", Partition: 1, Offset: offset, Time: 978307200000 + offset, T: t, N: 10 * t, Rows: 10, NEff: 10,
		Published: true, Variables: 2, Names: []string{"beta[x]", "sigma2"}, Score: cdf.NoScore(),
	}
	for range 2 * len(cdf.RowColumns) {
		p.Numbers = append(p.Numbers, float64(t)/8)
	}
	return p
}

// streaming is a server whose feed works on partition 1.
func streaming(t *testing.T, history int64) (*Server, *httptest.Server, *live.Feed) {
	t.Helper()
	return streamingWithin(t, history, 0)
}

// streamingWithin is streaming with this deadline for requests that are no streams; 0: none.
func streamingWithin(t *testing.T, history int64, deadline time.Duration) (*Server, *httptest.Server, *live.Feed) {
	t.Helper()
	s := newServer(t, func(o *Options) { o.Feed = live.New(history) })
	s.follow.pace = pace{heartbeat: 20 * time.Millisecond, patience: probe.Patience, look: 20 * time.Millisecond}
	h := httptest.NewUnstartedServer(s.handler)
	h.Config.ReadTimeout, h.Config.WriteTimeout = deadline, deadline
	h.Start()
	t.Cleanup(h.Close)
	s.options.Feed.State(shardsOf, pipeline.State{Phase: pipeline.PhaseRunning})
	return s, h, s.options.Feed
}

// reader reads a stream.
type reader struct {
	t    *testing.T
	body *bufio.Scanner
	stop context.CancelFunc
	id   string // newest
}

// message is one of a stream.
type message struct {
	event, data, id string
}

func follow(t *testing.T, h *httptest.Server, query string, header ...string) *reader {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, h.URL+"/v1/events?"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = w.Body.Close() })
	if w.StatusCode != http.StatusOK || w.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s, %s", w.Status, w.Header.Get("Content-Type"))
	}
	c := &reader{t: t, body: bufio.NewScanner(w.Body), stop: cancel}
	c.body.Buffer(nil, 8<<20)
	return c
}

// next returns the next block of lines, heartbeats too.
func (c *reader) next() message {
	c.t.Helper()
	var m message
	for c.body.Scan() {
		name, value, _ := strings.Cut(c.body.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case c.body.Text() == "":
			if m.id != "" {
				c.id = m.id
			}
			return m
		case name == "event":
			m.event = value
		case name == "data":
			m.data = value
		case name == "id":
			m.id = value
		}
	}
	c.t.Fatalf("the stream ended: %v", c.body.Err())
	return m
}

// until returns the next message of a kind.
func (c *reader) until(event string) message {
	c.t.Helper()
	for {
		switch m := c.next(); m.event {
		case event:
			return m
		case "reset":
			c.t.Fatal("events are lost")
		}
	}
}

type seen struct {
	Key       string
	T         int64
	Offset    int64
	Posterior []struct{ Variable string }
}

// updates returns the points of the next message of updates.
func (c *reader) updates() []seen {
	c.t.Helper()
	return points(c.t, c.until("updates"))
}

func points(t *testing.T, m message) (list []seen) {
	t.Helper()
	if err := json.Unmarshal([]byte(m.data), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestEvents(t *testing.T) {
	const deadline = 2 * time.Second // in which a request arrives
	_, h, feed := streamingWithin(t, 64<<20, deadline)
	c := follow(t, h, "key="+url.QueryEscape("f/*")+"&variables=sigma2")
	arrived := time.Now()
	if m := c.next(); m.event != "position" || m.id == "" || m.data == "" {
		t.Fatalf("a stream begins with %+v, want its place, with data", m)
	}
	feed.Saved(shardsOf, []*pipeline.Point{shardAt("f/a", 0, 1), shardAt("other", 1, 1), shardAt("f/b", 2, 1), {Key: "f/a", Offset: 3, Deleted: true, Partition: 1}})
	got := c.updates()
	if len(got) != 2 || got[0].Key != "f/a" || got[1].Key != "f/b" || len(got[0].Posterior) != 1 || got[0].Posterior[0].Variable != "sigma2" {
		t.Errorf("updates %+v", got)
	}
	if m := c.until("deleted"); m.data != `{"key":"f/a"}` {
		t.Errorf("deleted %s", m.data)
	}
	// Beyond the deadlines that end other answers.
	for beats := 0; beats < 2; {
		if c.next().event == "position" && time.Since(arrived) > deadline {
			beats++
		}
	}
	feed.Saved(shardsOf, []*pipeline.Point{shardAt("f/a", 4, 1)})
	if got := c.updates(); got[0].Offset != 4 {
		t.Errorf("after heartbeats: %+v", got)
	}
}

// A client that comes and goes while the worker goes on misses nothing and
// gets nothing twice, by header or parameter.
func TestEventsResume(t *testing.T) {
	_, h, feed := streaming(t, 64<<20)
	const shards = 400
	c := follow(t, h, "")
	c.next()
	back, done := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(done)
		for i := range int64(shards) {
			feed.Saved(shardsOf, []*pipeline.Point{shardAt("k", i, i+1)})
			if i%50 == 49 && i+1 < shards {
				select {
				case <-back: // a client has come and gone and come again
				case <-t.Context().Done():
					return
				}
			}
		}
	}()
	var got []int64
	for turn := 0; len(got) == 0 || got[len(got)-1] < shards; turn++ {
		for _, p := range c.updates() {
			got = append(got, p.T)
		}
		c.stop()
		if turn%2 == 0 {
			c = follow(t, h, "since=0-0", "Last-Event-ID", c.id) // the header is newer
		} else {
			c = follow(t, h, "since="+c.id)
		}
		if m := c.next(); m.event == "reset" {
			t.Fatal("events are lost")
		} else if m.event == "updates" {
			t.Fatal("a message before the place")
		}
		select {
		case back <- struct{}{}:
		default:
		}
	}
	<-done
	for i, n := range got {
		if n != int64(i+1) {
			t.Fatalf("shard %d came %dth of %d", n, i+1, len(got))
		}
	}
}

func TestEventsReset(t *testing.T) {
	_, h, feed := streaming(t, 1<<20)
	start := feed.End().String()
	for i := range int64(1000) {
		feed.Saved(shardsOf, []*pipeline.Point{shardAt("k", i, i+1)})
	}
	for name, id := range map[string]string{"overwritten": start, "another life": "abc-5", "no id": "nonsense", "the future": strings.Split(start, "-")[0] + "-999999"} {
		c := follow(t, h, "", "Last-Event-ID", id)
		m := c.next()
		if m == (message{}) { // when to come again, before the journal was asked
			m = c.next()
		}
		if m.event != "reset" || m.id == "" {
			t.Errorf("%s: %+v, want a reset", name, m)
		}
		c.stop()
	}
}

func TestEventsEvery(t *testing.T) {
	_, h, feed := streaming(t, 64<<20)
	from := feed.End().String()
	for i := range int64(60) {
		feed.Saved(shardsOf, []*pipeline.Point{shardAt(fmt.Sprint("k", i%3), i, i/3+1)})
	}
	c := follow(t, h, "every=50&since="+from)
	got := c.updates()
	if len(got) != 3 || got[0].Offset != 57 || got[2].Offset != 59 {
		t.Errorf("of 60 events of 3 keys came %+v, want the newest of each", got)
	}
	if want := feed.End().String(); c.id != want {
		t.Errorf("the id is %s, want %s", c.id, want)
	}
}

func TestEventsEndAndLimit(t *testing.T) {
	s := newServer(t, nil)
	s.follow.open, s.grace = make(chan struct{}, 1), probe.Patience
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	h := &httptest.Server{URL: "http://" + s.Addr()}
	c := follow(t, h, "")
	c.next()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+"/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = w.Body.Close()
	if w.StatusCode != http.StatusServiceUnavailable || w.Header.Get("Retry-After") == "" {
		t.Errorf("one stream too many: %s, Retry-After %q", w.Status, w.Header.Get("Retry-After"))
	}
	cancel()
	if err := <-ended; err != nil { // and not the deadline of requests under way
		t.Errorf("the server ended with %v", err)
	}
	for c.body.Scan() {
		continue
	}
	if err := c.body.Err(); err != nil {
		t.Errorf("the stream was cut off: %v", err)
	}
}

// stuck is a client's connection that takes nothing.
type stuck struct {
	http.ResponseWriter
	writes chan struct{}
	until  chan struct{}
}

func (s stuck) Write([]byte) (int, error) {
	s.writes <- struct{}{}
	<-s.until
	return 0, http.ErrHandlerTimeout
}

func TestSlowClientHoldsNobodyUp(t *testing.T) {
	s, h, feed := streaming(t, 64<<20)
	slow := stuck{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
	over := make(chan struct{})
	go func() {
		defer close(over)
		r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "http://localhost/v1/events", nil)
		s.handler.ServeHTTP(slow, r)
	}()
	<-slow.writes
	c := follow(t, h, "")
	c.next()
	for i := range int64(50) {
		feed.Saved(shardsOf, []*pipeline.Point{shardAt("k", i, i+1)})
	}
	for n := 0; n < 50; {
		n += len(c.updates())
	}
	close(slow.until)
	<-over
	if n := len(s.follow.open); n != 1 {
		t.Errorf("%d streams are open, want the other client's", n)
	}
}

func TestHistoryAndCalibration(t *testing.T) {
	s, _, feed := streaming(t, 64<<20)
	p := shardAt("flights/ATL", 0, 1)
	q := shardAt("flights/ATL", 1, 2)
	q.Score = cdf.Score{Rows: 40, LogDensity: -1.5, RMSE: 2, Coverage95: .95}
	for i := range q.Score.PIT {
		q.Score.PIT[i] = 1
	}
	feed.Saved(shardsOf, []*pipeline.Point{p, q})
	status, _, body := ask(s, "GET", "/v1/models/flights%2FATL/history?variables=sigma2&limit=1")
	var h struct {
		Key             string
		Owned, Complete bool
		Points          []struct {
			T, Offset, Variables int64
			Flags                []string
			Score                map[string]*float64
			Posterior            []map[string]any
		}
	}
	if err := json.Unmarshal([]byte(body), &h); status != 200 || err != nil {
		t.Fatalf("%d %v %s", status, err, body)
	}
	if len(h.Points) != 1 || h.Points[0].T != 2 || h.Points[0].Variables != 2 || len(h.Points[0].Posterior) != 1 ||
		h.Points[0].Posterior[0]["q2.5"] != .25 || !h.Owned || h.Complete || h.Points[0].Score["log_evidence"] == nil {
		t.Errorf("history %s", body)
	}
	status, header, body := ask(s, "GET", "/v1/models/flights%2FATL/history", "Accept", arrowType)
	if status != 200 || header.Get("Content-Type") != arrowType {
		t.Fatalf("%d %v", status, header)
	}
	table, err := s.options.NewDecoder().Decode([]byte(body))
	if err != nil || table.Rows != 4 {
		t.Fatalf("%v: %+v", err, table)
	}
	var names []string
	for _, c := range table.Columns {
		names = append(names, c.Name)
	}
	if want := append([]string{"t", "n", "offset", "time", "variable"}, cdf.RowColumns[:]...); !slices.Equal(names, want) {
		t.Errorf("columns %q", names)
	}
	for path, want := range map[string]string{
		"/v1/models/flights%2FATL/calibration": `{"key":"flights/ATL","owned":true,"rows":40,"shards":1,"pit":[1,`,
		"/v1/calibration?prefix=fl":            `{"keys":1,"all":{"rows":40,"shards":1,"pit":[1,`,
		"/v1/calibration?kind=linear":          `{"keys":1,"all":{"rows":40,"shards":1,"pit":[1,`,
		"/v1/calibration?kind=dlm":             `{"keys":0,"all":{"rows":0,"shards":0,"pit":[0,`,
		"/v1/models/a+b/calibration":           `{"key":"a+b","owned":true,"rows":0,`,
		"/v1/models/x%2F%2Fy/history":          `{"key":"x//y","owned":true,"complete":false,"points":[]}`,
	} {
		if status, _, body := ask(s, "GET", path); status != 200 || !strings.HasPrefix(body, want) {
			t.Errorf("%s: %d %.200s, want %s", path, status, body, want)
		}
	}
	for path, want := range map[string]int{
		"/v1/models/nobody/history": 404, "/v1/models/nobody/calibration": 404, "/v1/models/away/history": 503,
		"/v1/models/a+b/history?limit=0": 400, "/v1/models/a+b/history?x=1": 400, "/v1/calibration?kind=x": 400,
		"/v1/events?every=-1": 400, "/v1/events?every=x": 400,
	} {
		if status, _, body := ask(s, "GET", path); status != want || errorCode(body) == "" {
			t.Errorf("%s: %d %s, want %d", path, status, body, want)
		}
	}
}
