package redis

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/credence-stream/credence/testenv/slow"
)

// wired is a line and the server's end of it, and waits for what f begins.
func wired(t *testing.T, f func(l *line, server net.Conn, all *sync.WaitGroup)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		var all sync.WaitGroup
		f(&line{Conn: client, addr: "10.0.0.1:6379"}, server, &all)
		_, _ = client.Close(), server.Close()
		all.Wait()
	})
}

// answers come after some time each.
func answers(server net.Conn, after time.Duration, n int) {
	for range n {
		<-time.After(after)
		if _, err := server.Write([]byte("+")); err != nil {
			return
		}
	}
}

// overdueAfter fails unless an error is of a limit that was over after a time, and says so.
func overdueAfter(t *testing.T, begun time.Time, err error, want time.Duration, says string) {
	t.Helper()
	if took := time.Since(begun); !errors.Is(err, os.ErrDeadlineExceeded) || took != want {
		t.Errorf("after %v: error %v, want that of a limit after %v", took, err, want)
		return
	}
	for _, text := range []string{"10.0.0.1:6379", says, slowRemedy} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q does not say %q", err, text)
		}
	}
}

// Answers that come one after the other, each within the limit, come to their end, however many there are.
func TestSlowAnswersComeToTheirEnd(t *testing.T) {
	wired(t, func(l *line, server net.Conn, all *sync.WaitGroup) {
		begun := time.Now()
		all.Go(func() { answers(server, 9*time.Second, 20) })
		if _, err := io.ReadFull(l, make([]byte, 20)); err != nil || time.Since(begun) != 3*time.Minute {
			t.Errorf("error %v after %v", err, time.Since(begun))
		}
		begun = time.Now()
		_, err := l.Read(make([]byte, 1))
		overdueAfter(t, begun, err, silence, "has not answered for 10s")
	})
}

// The limit of who asks holds as well, and is told from the server's silence.
func TestTheCallersLimitHolds(t *testing.T) {
	wired(t, func(l *line, server net.Conn, all *sync.WaitGroup) {
		begun := time.Now()
		all.Go(func() { answers(server, 2*time.Second, 20) })
		if err := l.SetDeadline(begun.Add(7 * time.Second)); err != nil {
			t.Fatal(err)
		}
		_, err := io.ReadFull(l, make([]byte, 20))
		overdueAfter(t, begun, err, 7*time.Second, "the time for this request is over, and nothing has come for 1s")
	})
}

// A request that the server takes by and by is sent, and its answer may take as long as the bytes at 26 kB/s.
func TestLargeRequestsOverANarrowWay(t *testing.T) {
	for _, c := range []struct {
		answers time.Duration
		overdue bool
	}{{49 * time.Second, false}, {51 * time.Second, true}} {
		wired(t, func(l *line, server net.Conn, all *sync.WaitGroup) {
			begun := time.Now()
			all.Go(func() {
				for range 16 {
					<-time.After(9 * time.Second)
					_, _ = io.ReadFull(server, make([]byte, mouthful))
				}
				answers(server, c.answers, 1)
			})
			if n, err := l.Write(bytes.Repeat([]byte("x"), 1<<20)); n != 1<<20 || err != nil {
				t.Fatalf("%d bytes after %v and error %v", n, time.Since(begun), err)
			}
			begun = time.Now()
			_, err := l.Read(make([]byte, 1))
			switch {
			case c.overdue:
				overdueAfter(t, begun, err, silence+megabyteSilence, "has not answered a request of 1024 kB for 50s")
			case err != nil || time.Since(begun) != c.answers:
				t.Errorf("error %v after %v", err, time.Since(begun))
			default: // and what was answered is over
				begun = time.Now()
				_, err = l.Read(make([]byte, 1))
				overdueAfter(t, begun, err, silence, "has not answered for 10s")
			}
		})
	}
}

// What takes nothing is given up.
func TestAServerThatTakesNothing(t *testing.T) {
	wired(t, func(l *line, _ net.Conn, _ *sync.WaitGroup) {
		begun := time.Now()
		_, err := l.Write([]byte("x"))
		overdueAfter(t, begun, err, silence, "has not answered for 10s")
	})
}

// TestAFarServerIsNotSilent: a command for which a connection has to be made asks several times, and none of these requests
// lasts longer than its own answer.
func TestAFarServerIsNotSilent(t *testing.T) {
	const trip = 200 * time.Millisecond
	b := openServer(t)
	way := slow.Open(t, b.raw.Options().Addr)
	way.Set(slow.Pace{Trip: trip})
	took := map[string]time.Duration{}
	s, err := Open(Options{URL: "redis://" + way.Addr, Cluster: "c", Group: "g", Begin: func() func(string, error) {
		begun := time.Now()
		return func(request string, _ error) { took[request] = max(took[request], time.Since(begun)) }
	}})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	begun := time.Now()
	_, err = s.Meta(t.Context(), part)
	must(t, err)
	t.Logf("Meta took %v: %v", time.Since(begun), took)
	for _, request := range []string{"hello", "info", connection, "hmget"} {
		if d, ok := took[request]; !ok || request != connection && d < trip || d > 2*trip {
			t.Errorf("%s took %v, there %v; an answer takes %v", request, d, ok, trip)
		}
	}
	if all := time.Since(begun); all < 3*trip || all > 5*trip {
		t.Errorf("it took %v, want three answers", all)
	}
}
