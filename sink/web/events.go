package web

import (
	"context"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/jsontext"
	"github.com/credence-stream/credence/sink/live"
)

const (
	mostStreams = 256 // streams at once
	// batch is how many events are read at once, most bytes how large a message
	// grows by whole points.
	batch    = 256
	mostData = 1 << 20
	// mostHeld is how many bytes of points all streams together read ahead of what they send.
	mostHeld = 32 << 20
)

// pace is how a stream keeps time.
type pace struct {
	heartbeat time.Duration // between two comments where nothing happens
	patience  time.Duration // for a client to take what it is sent
	look      time.Duration // between two looks at what the client may see, also where nothing happens
}

// following is what the streams of a server share.
type following struct {
	open   chan struct{} // holds one per stream
	crowd  *crowd
	ending chan struct{} // closed when the server ends
	pace   pace
}

func newFollowing() following {
	return following{
		open: make(chan struct{}, mostStreams), crowd: &crowd{most: mostPerClient}, ending: make(chan struct{}),
		pace: pace{heartbeat: 15 * time.Second, patience: 30 * time.Second, look: time.Second},
	}
}

// events answers /v1/events: a stream that ends with the client or the server.
func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	q := newQuery(r)
	key := q.text("key", keyLimit, "**")
	every := time.Duration(q.integer("every", 0, 10000, 0)) * time.Millisecond
	since := q.text("since", 64, "")
	wanted := variables(q.text("variables", 2000, "**"))
	if err := q.err(); err != nil {
		return err
	}
	// A client that comes back by itself sends both; the header is newer.
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		since = last
	}
	if len(since) > 64 || !utf8.ValidString(since) {
		return refuse(http.StatusBadRequest, "bad_query", "Last-Event-ID: an id is at most 64 characters of UTF-8")
	}
	client := clientOf(r)
	if !s.follow.crowd.enter(client) {
		return later(w, 5, "too_many_streams", "%d streams of this client are open, which is all it may have", s.follow.crowd.most)
	}
	defer s.follow.crowd.leave(client)
	select {
	case s.follow.open <- struct{}{}:
	default:
		return later(w, 5, "too_many_streams", "%d streams are open, which is all there may be", cap(s.follow.open))
	}
	defer func() { <-s.follow.open }()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // proxies must not hold messages back
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	scope := scopeOf(r)
	f := follower{
		may: func() bool {
			now, in := s.keeper.admits(r)
			return in && now == scope
		},
		w: w, to: http.NewResponseController(w), feed: s.options.Feed, every: every, pace: s.follow.pace,
		asked: func(k string) bool { return scope.Sees(k) && cdf.Glob(key, k) }, wanted: wanted, at: s.options.Feed.End(),
		share: func() int { return mostHeld / max(1, len(s.follow.open)) },
	}
	f.run(r.Context(), s.follow.ending, since)
	return nil
}

// follower is one client's place in the feed.
type follower struct {
	w      http.ResponseWriter
	to     *http.ResponseController
	feed   *live.Feed
	every  time.Duration
	pace   pace
	may    func() bool // still see what it saw in the beginning
	asked  func(key string) bool
	wanted func(variable string) bool
	share  func() int    // bytes of points that it may hold
	at     live.Position // after what was sent
	sent   time.Time     // the last message
	looked time.Time     // whether it may
	buf    []byte
}

// run sends until the client goes, the server ends, or the client does not take what it is sent. The
// worker does not wait for it: a client that is too slow misses events and is
// told so.
func (f *follower) run(ctx context.Context, ending <-chan struct{}, since string) {
	f.buf = append(f.buf, "retry: 2000\n"...)
	switch at, err := live.ParsePosition(since); {
	case since == "":
		f.mark()
	case err != nil:
		f.reset()
	default:
		f.at = at
		f.buf = append(f.buf, '\n')
	}
	if !f.flush() {
		return
	}
	beat, look := time.NewTicker(f.pace.heartbeat), time.NewTicker(f.pace.look)
	defer beat.Stop()
	defer look.Stop()
	for {
		more, ok := f.next()
		if !ok {
			return
		}
		for wait := true; wait; {
			select {
			case <-more:
				wait = false
			case <-beat.C:
				// The id moves on also where nothing was asked for: who comes
				// back with an old one may have missed nothing and be told so.
				f.mark()
				if !f.flush() {
					return
				}
			case <-look.C:
				if !f.allowed() {
					return
				}
			case <-ctx.Done():
				return
			case <-ending:
				return
			}
		}
		if rest := f.every - time.Since(f.sent); rest > 0 {
			select {
			case <-time.After(rest):
			case <-ctx.Done():
				return
			case <-ending:
				return
			}
		}
	}
}

// allowed reports whether the client may still see what it saw in the beginning. A stream
// whose session has ended, or whose token's scope has changed, ends, and its last message says to
// read anew: the client comes back and is told, or has what it may see now.
func (f *follower) allowed() bool {
	now := time.Now()
	if now.Sub(f.looked) < f.pace.look {
		return true
	}
	f.looked = now
	if f.may() {
		return true
	}
	f.buf = f.buf[:0]
	f.reset()
	f.flush()
	return false
}

// next sends what there is and returns what is closed when there is more. It
// reports whether the client may see it and took it.
func (f *follower) next() (<-chan struct{}, bool) {
	var newest events
	for {
		if !f.allowed() {
			return nil, false
		}
		share := f.share()
		read, next, more, lost := f.feed.Read(f.at, min(batch, max(1, share/mostPoint)))
		if lost {
			f.at = next
			newest = nil
			f.reset()
		} else if len(read) == 0 {
			return more, f.messages(newest, share) && f.flush()
		}
		f.at = next
		for i := range read {
			if f.asked(read[i].Key) {
				newest = append(newest, read[i])
			}
		}
		if f.every > 0 {
			// Of more keys than it may hold the client has a point sooner, and may have a later one too.
			if newest = newest.only(); newest.size() < share {
				continue
			}
		}
		if !f.messages(newest, share) || !f.flush() {
			return nil, false
		}
		newest = nil
	}
}

// events is a list of them, oldest first.
type events []live.Event

// only leaves of every key its last event.
func (n events) only() events {
	seen := make(map[string]bool, len(n))
	kept := len(n)
	for i := len(n) - 1; i >= 0; i-- {
		if !seen[n[i].Key] {
			seen[n[i].Key] = true
			kept--
			n[kept] = n[i]
		}
	}
	return append(events(nil), n[kept:]...)
}

// mostPoint is about how many bytes an event has of 64 variables, and as text.
const mostPoint = 16 << 10

// size is about how many bytes events hold.
func (n events) size() (bytes int) {
	for i := range n {
		bytes += 512 + len(n[i].Key) + 8*len(n[i].Numbers)
	}
	return bytes
}

// messages appends events: runs of posteriors as one message each, deletions
// as one each. The id of a message is that of its last event, but the last
// message's is all that was read. What has more than share bytes, or than a message has, is sent. It reports
// whether the client took it.
func (f *follower) messages(list events, share int) bool {
	if len(list) > 0 {
		f.sent = time.Now()
	}
	most := min(mostData, share)
	for i := 0; i < len(list); {
		if len(f.buf) >= most && !f.flush() {
			return false
		}
		if list[i].Deleted {
			f.open("deleted")
			f.buf = append(jsontext.AppendString(append(f.buf, `{"key":`...), list[i].Key), '}')
			f.close(f.id(list, i))
			i++
			continue
		}
		f.open("updates")
		o := object{b: append(f.buf, '[')}
		for from := len(o.b); i < len(list) && !list[i].Deleted && len(o.b)-from < most; i++ {
			o.open()
			o.point(&list[i].Point, f.wanted)
			o.close()
		}
		f.buf = append(o.b, ']')
		f.close(f.id(list, i-1))
	}
	return true
}

// id returns the id of the message that ends with event i of the list.
func (f *follower) id(list events, i int) live.Position {
	if i == len(list)-1 {
		return f.at
	}
	return list[i].At
}

func (f *follower) open(event string) {
	f.buf = append(f.buf, "event: "...)
	f.buf = append(f.buf, event...)
	f.buf = append(f.buf, "\ndata: "...)
}

func (f *follower) close(id live.Position) {
	f.buf = append(f.buf, "\nid: "...)
	f.buf = append(f.buf, id.String()...)
	f.buf = append(f.buf, "\n\n"...)
}

// reset tells the client to read anew.
func (f *follower) reset() { f.bare("reset") }

// mark tells the client where it is.
func (f *follower) mark() { f.bare("position") }

// bare appends a message that tells its event and its id. It has data, for a browser keeps the id of a message
// without any and does not show it to the page.
func (f *follower) bare(event string) {
	f.open(event)
	f.buf = append(f.buf, "{}"...)
	f.close(f.at)
}

// flush sends what was appended and reports whether the client took it.
func (f *follower) flush() bool {
	if len(f.buf) == 0 {
		return true
	}
	// The server's deadline is for answers that end.
	_ = f.to.SetWriteDeadline(time.Now().Add(f.pace.patience))
	_, err := f.w.Write(f.buf)
	f.buf = f.buf[:0]
	return err == nil && f.to.Flush() == nil
}
