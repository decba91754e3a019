package web

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/testenv/probe"
)

// hand sends the start of a request over a connection of its own.
func hand(t *testing.T, s *Server, text string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(probe.Patience)); err != nil { // a test that hangs fails
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, strings.ReplaceAll(text, "\n", "\r\n")); err != nil {
		t.Fatal(err)
	}
	return conn, bufio.NewReader(conn)
}

const predictPath = "/v1/models/flights%2FATL/predict"

// serves checks that a client gets a prediction while others hold the server up.
func serves(t *testing.T, s *Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.Addr()+predictPath, strings.NewReader(`{"rows":[{"distance":1,"carrier":"AA"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", jsonType)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close() //nolint:errcheck // only read
	if a.StatusCode != http.StatusOK {
		t.Errorf("a prediction beside them: %s", a.Status)
	}
}

// Clients that send a head and no body, more than there are turns, hold up no
// prediction of others.
func TestClientsThatSendNothing(t *testing.T) {
	s := newServer(t, nil)
	serving(t, s)
	for range 2 * cap(s.turns.running) {
		_, in := hand(t, s, "POST "+predictPath+" HTTP/1.1\nHost: localhost\nContent-Type: "+jsonType+"\nContent-Length: 100\nExpect: 100-continue\n\n")
		// The server asks for the body when it begins to read it.
		if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "100") {
			t.Fatalf("%q %v", line, err)
		}
	}
	serves(t, s)
}

// Nor do clients that take nothing of a large answer.
func TestClientsThatTakeNothing(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Body = 16 << 20 })
	s.options.Store.(*shelf).models["flights/ATL"].Rule.Spec.Limits.Rows = 0 //nolint:forcetypeassert // made here
	serving(t, s)
	body := `{"rows":[` + strings.Repeat(`{"distance":1,"carrier":"AA"},`, maxPredictions-1) + `{"distance":1,"carrier":"AA"}]}`
	for range cap(s.turns.running) {
		_, in := hand(t, s, fmt.Sprintf("POST %s HTTP/1.1\nHost: localhost\nContent-Type: %s\nContent-Length: %d\n\n%s", predictPath, jsonType, len(body), body))
		if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
			t.Fatalf("%q %v", line, err)
		}
	}
	serves(t, s)
}

// A body that does not come in time is 408, and nobody waits for it longer.
func TestBodyThatDoesNotCome(t *testing.T) {
	s := newServer(t, nil)
	s.arrival = 50 * time.Millisecond
	serving(t, s)
	for _, kind := range []string{jsonType, arrowType} {
		_, in := hand(t, s, "POST "+predictPath+" HTTP/1.1\nHost: localhost\nContent-Type: "+kind+"\nContent-Length: 100\n\n{")
		a, err := http.ReadResponse(in, nil) //nolint:bodyclose // the connection is closed
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(a.Body)
		if err != nil || a.StatusCode != http.StatusRequestTimeout || errorCode(string(answer)) != "too_slow" {
			t.Errorf("%s: %s %s %v", kind, a.Status, answer, err)
		}
	}
}

// Where the queue for turns is full, or its patience over, a prediction is
// told when to come again; those in the queue have their turn.
func TestQueueOfPredictions(t *testing.T) {
	s := newServer(t, nil)
	ask := func() (int, http.Header, string) {
		return send(s, "POST", predictPath, `{"rows":[{"distance":1,"carrier":"AA"}]}`, "Content-Type", jsonType)
	}
	refused := func(what string) {
		t.Helper()
		if status, h, body := ask(); status != 503 || errorCode(body) != "busy" || h.Get("Retry-After") != "1" {
			t.Errorf("%s: %d %v %s", what, status, h, body)
		}
	}
	for range cap(s.turns.running) {
		s.turns.running <- struct{}{}
	}
	s.turns.patience = time.Millisecond
	refused("in the queue for too long")
	s.turns.patience = time.Hour
	answers := make(chan int, cap(s.turns.queue))
	for range cap(s.turns.queue) {
		go func() {
			status, _, _ := ask()
			answers <- status
		}()
	}
	until(t, "the queue is full", func() bool { return len(s.turns.queue) == cap(s.turns.queue) })
	refused("the queue is full")
	for range cap(s.turns.running) {
		<-s.turns.running
	}
	for range cap(s.turns.queue) {
		if status := <-answers; status != 200 {
			t.Errorf("in the queue: %d", status)
		}
	}
}

// Bodies and answers together have a bound, and give back what they held.
func TestRoomOfPredictions(t *testing.T) {
	s := newServer(t, nil)
	all := roomFor(s.options.Body, cap(s.turns.running))
	body := `{"rows":[{"distance":1,"carrier":"AA"}]}`
	for name, c := range map[string]struct {
		taken  int64
		status int
	}{
		"no room":               {all, 503},
		"none for the answer":   {all - int64(len(body)), 503},
		"for both":              {all - 4096, 200},
		"all of it, once again": {0, 200},
	} {
		if !s.turns.room.TryAcquire(c.taken) {
			t.Fatalf("%s: not all was given back", name)
		}
		if status, _, answer := send(s, "POST", predictPath, body, "Content-Type", jsonType); status != c.status {
			t.Errorf("%s: %d %s", name, status, answer)
		}
		s.turns.room.Release(c.taken)
	}
	if !s.turns.room.TryAcquire(all) {
		t.Error("not all was given back in the end")
	}
}
