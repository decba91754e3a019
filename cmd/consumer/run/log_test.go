package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/internal/cli"
)

// TestAJSONLogIsJSON: all that is said is one object per line, and an error is told once.
func TestAJSONLogIsJSON(t *testing.T) {
	var text bytes.Buffer
	w := newWords(&app.App{Names: cli.Apart(), Err: &text}, &config.Log{Format: "json", Level: "info"})
	w.warning("old")
	w.page("http://127.0.0.1:1/")
	w.account(bytes.NewBufferString("two\nlines"))
	w.log.Debug("nothing")
	boom := errors.New("boom")
	if err := w.failed(boom); !errors.Is(err, cli.ErrReported) || !errors.Is(err, boom) {
		t.Errorf("the error is %v", err)
	}
	var said []string
	for line := range strings.Lines(text.String()) {
		var l struct{ Msg, Text, URL, Account, Error, Level string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		said = append(said, fmt.Sprint(l.Level, " ", l.Msg, " ", l.Text, l.URL, l.Account, l.Error))
	}
	want := []string{"WARN warning old", "INFO listening http://127.0.0.1:1/", "INFO ended two\nlines", "ERROR failed boom"}
	if fmt.Sprint(said) != fmt.Sprint(want) {
		t.Errorf("said %q, want %q", said, want)
	}
	text.Reset()
	w = newWords(&app.App{Names: cli.Apart(), Err: &text}, &config.Log{Format: "text", Level: "debug"})
	w.warning("old")
	w.log.Debug("detail")
	if got := text.String(); !strings.HasPrefix(got, "consumer: warning: old\n") || !strings.Contains(got, "level=DEBUG msg=detail") || w.failed(boom) != boom { //nolint:errorlint // the very error
		t.Errorf("as text: %s", got)
	}
}
