package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// auditLine is one line of the log.
type auditLine struct {
	Msg    string `json:"msg"`
	Audit  bool   `json:"audit"`
	Client string `json:"client"`
	Token  string `json:"token"`
	Count  int    `json:"count"`
}

// audited is a server whose audit lines can be read, under a clock that the test moves.
func audited(t *testing.T, changes ...func(*Options)) (s *Server, now *time.Time, lines func() []auditLine) {
	t.Helper()
	var log bytes.Buffer
	s = newServer(t, func(o *Options) {
		closed(o)
		for _, change := range changes {
			change(o)
		}
		o.Logger = slog.New(slog.NewJSONHandler(&log, nil))
	})
	at := time.Unix(1_700_000_000, 0)
	s.audit.now = func() time.Time { return at }
	return s, &at, func() (all []auditLine) {
		for text := range strings.Lines(log.String()) {
			var l auditLine
			if err := json.Unmarshal([]byte(text), &l); err != nil || !l.Audit {
				t.Fatalf("%s: %v", text, err)
			}
			all = append(all, l)
		}
		log.Reset()
		return all
	}
}

// tries logs in with a token as the client at an address.
func tries(s *Server, address, token string, header ...string) int {
	r := httptest.NewRequestWithContext(context.Background(), "POST", "http://localhost/login", strings.NewReader("token="+token))
	r.RemoteAddr = address
	r.Header.Set("Content-Type", form)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w.Code
}

// Who comes in, leaves and is refused has a line, which holds no token.
func TestAuditLog(t *testing.T) {
	s, _, lines := audited(t)
	c := session(t, s)
	for range 2 { // a session ends once
		send(s, "POST", "/logout", "", "Cookie", c)
	}
	tries(s, "192.0.2.7:1", "wrong")
	ask(s, "GET", "/v1/models", "Authorization", "Bearer wrong")
	ask(s, "GET", "/v1/models", "Authorization", "Bearer secret")
	ask(s, "GET", "/v1/models") // brings nothing, and is told how to come in
	want := []auditLine{
		{"login accepted", true, "192.0.2.1", "", 0}, {"logout", true, "192.0.2.1", "", 0},
		{"login refused", true, "192.0.2.7", "", 1}, {"token refused", true, "192.0.2.1", "", 1},
	}
	if got := lines(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Any number of wrong log-ins makes few lines, none of them is uncounted, and so it is
// with any number of addresses.
func TestAuditLogIsBounded(t *testing.T) {
	const wrong = 26_600
	s, now, lines := audited(t)
	for range wrong {
		tries(s, "192.0.2.7:1", "wrong")
	}
	first := lines()
	if len(first) != 1 || first[0].Count != 1 {
		t.Fatalf("%d lines at once: %v", len(first), first[:min(3, len(first))])
	}
	*now = now.Add(auditPause - 1)
	s.audit.look()
	if early := lines(); len(early) != 0 {
		t.Errorf("within the minute: %v", early)
	}
	*now = now.Add(1)
	s.audit.look()
	if rest := lines(); len(rest) != 1 || rest[0].Count != wrong-1 {
		t.Errorf("after a minute: %v, want one line of %d", rest, wrong-1)
	}
	*now = now.Add(auditPause)
	s.audit.look()
	if len(s.audit.known) != 0 || len(lines()) != 0 {
		t.Errorf("%d addresses are remembered after a minute of silence", len(s.audit.known))
	}

	counted := 0
	for i := range 3 * mostAudited {
		for range 2 {
			tries(s, fmt.Sprintf("10.0.%d.%d:1", i/256, i%256), "wrong")
		}
	}
	*now = now.Add(auditPause)
	s.audit.look()
	all := lines()
	for _, l := range all {
		counted += l.Count
	}
	if most := 2 * (mostAudited + 1); len(all) > most || counted != 6*mostAudited || len(s.audit.known) > mostAudited+1 {
		t.Errorf("%d lines, at most %d; %d of %d refusals are counted, %d addresses remembered", len(all), most, counted, 6*mostAudited, len(s.audit.known))
	}
}

// What has no line yet when the server ends gets it then.
func TestAuditLogAtTheEnd(t *testing.T) {
	s, _, lines := audited(t)
	for range 3 {
		tries(s, "192.0.2.7:1", "wrong")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if got := lines(); len(got) != 2 || got[1].Count != 2 {
		t.Errorf("%v, want a line of the first and one of the two others", got)
	}
}
