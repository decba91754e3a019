package pipeline

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// What stands in the way for ten seconds is said once, whatever it turns into,
// and so is its end; what passes sooner is not said.
func TestLongWaitsAreSaidOnce(t *testing.T) {
	var text bytes.Buffer
	away := false
	w := waits{log: slog.New(slog.NewTextHandler(&text, nil)), away: func() bool { return away }}
	second := 0
	look := func(seconds int, why ...string) {
		for range seconds {
			w.look(time.Unix(1000+int64(second), 0), why)
			second++
		}
	}
	look(5)
	look(10, "in/0: claiming") // nine seconds from the first look to the last
	look(1)
	if text.Len() > 0 {
		t.Errorf("a wait of nine seconds was said: %s", &text)
	}
	look(30, "in/0: redis: connection refused", "in/1: claiming")
	look(30, "in/0: claiming")
	look(30)
	got := text.String()
	for _, want := range []string{
		`level=WARN msg=waiting for="in/0: redis: connection refused" others=1`,
		`level=INFO msg="the wait is over" seconds=60`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the log does not say %s", want)
		}
	}
	if n := strings.Count(got, "\n"); n != 2 {
		t.Errorf("%d lines, want 2:\n%s", n, got)
	}
	away = true // the outage is told of by itself
	look(60, "in/0: redis: connection refused")
	away = false
	look(9, "in/0: claiming")
	look(1)
	if n := strings.Count(text.String(), "\n"); n != 2 {
		t.Errorf("the next wait begins anew, and was said after nine seconds:\n%s", &text)
	}
}
