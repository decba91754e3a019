package web

import (
	"net/http/httptest"
	"testing"
)

// A client that has taken all streams that it may leaves the others room.
func TestStreamsPerClient(t *testing.T) {
	s := newServer(t, nil)
	from := func(address string) int {
		r := httptest.NewRequestWithContext(t.Context(), "HEAD", "http://localhost/v1/events", nil)
		r.RemoteAddr = address
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, r)
		return w.Code
	}
	for range mostPerClient {
		if !s.follow.crowd.enter("192.0.2.1") {
			t.Fatal("refused too early")
		}
	}
	if got := from("192.0.2.1:1"); got != 503 {
		t.Errorf("one more of the same client: %d", got)
	}
	if got := from("192.0.2.2:1"); got != 200 {
		t.Errorf("another client: %d", got)
	}
	s.follow.crowd.leave("192.0.2.1")
	for range 2 { // an ended stream is not counted
		if got := from("192.0.2.1:1"); got != 200 {
			t.Errorf("after one has ended: %d", got)
		}
	}
	if len(s.follow.crowd.of) != 1 {
		t.Errorf("%d clients are remembered", len(s.follow.crowd.of))
	}
}
