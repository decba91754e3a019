package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/commands"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/models"
)

// offered is what a shell would offer for the last of the words.
func offered(t *testing.T, words ...string) string {
	t.Helper()
	var out, messages bytes.Buffer
	a := &app.App{Names: cli.Apart(), Kinds: models.Kinds(), Out: &out, Err: &messages}
	if code := commands.Run(t.Context(), a, append([]string{"__complete"}, words...)); code != 0 {
		t.Fatalf("exit %d: %s", code, messages.String())
	}
	if said := messages.String(); strings.Contains(said, "consumer:") {
		t.Errorf("%q speaks up: %s", words, said)
	}
	text, directive, _ := strings.Cut(out.String(), ":")
	if directive != "4\n" {
		t.Errorf("%q: directive %q would offer files", words, directive)
	}
	return strings.TrimSpace(text)
}

func TestKeysAreOffered(t *testing.T) {
	w := newWorld(t, "")
	w.send([]string{"a/1", "a/2", "b with blanks", "c\nd", "é"}, 1)
	if code, _, messages := w.consumer("run", "--until-end"); code != 0 {
		t.Fatal(messages)
	}
	// Nothing is offered where the store takes longer than someone waits who pressed Tab.
	for word, want := range map[string]string{"": "a/1\na/2\nb with blanks\né", "a": "a/1\na/2", "a/2": "a/2", "z": "", "c": ""} {
		w.eventually(fmt.Sprintf("%q offers %q", word, want), func() bool {
			got := offered(t, "get", "--config", w.file, word)
			if got != want && got != "" {
				t.Fatalf("%q: offers %q, want %q", word, got, want)
			}
			return got == want
		})
	}
	if got := offered(t, "get", "--config", w.file, "a/1", "a"); got != "" {
		t.Errorf("a second key is offered: %q", got)
	}
	// No more than a screen, and the first of all partitions.
	var many []string
	for i := range 2 * 100 {
		many = append(many, fmt.Sprintf("m/%03d", i))
	}
	w.send(many, 1)
	if code, _, messages := w.consumer("run", "--until-end"); code != 0 {
		t.Fatal(messages)
	}
	var got []string
	w.eventually("keys are offered", func() bool {
		got = strings.Fields(offered(t, "get", "--config", w.file, "m"))
		return len(got) > 0
	})
	if len(got) != 100 || got[100-1] != many[100-1] {
		t.Errorf("offers %d keys, the last %q", len(got), got[len(got)-1])
	}
	// A store that is away costs the word nothing but the wait.
	if err := w.env.KillRedis(); err != nil {
		t.Fatal(err)
	}
	if got := offered(t, "get", "--config", w.file, "a"); got != "" {
		t.Errorf("without a store: %q", got)
	}
}
