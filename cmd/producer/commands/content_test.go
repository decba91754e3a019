package commands

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/internal/clitest"
)

// A run goes on with the shards that it began with, and is refused with others: the consumer would skip rows that it never had.
func TestARunIsOfItsShards(t *testing.T) {
	const text = "g,x\na,1\na,2\nb,3\n"
	file := clitest.WriteFile(t, "in.csv", []byte(text))
	ctx, cancel := context.WithCancel(t.Context())
	first := fake{then: func() error { cancel(); return context.Canceled }}
	r := first.run(ctx, replayArgs(file, "--key-column", "g")...)
	hint := regexp.MustCompile(`repeat the command with --run-id (\S+):`).FindStringSubmatch(r.stderr)
	if r.code != 1 || hint == nil {
		t.Fatalf("exit %d: %s", r.code, r.stderr)
	}
	again := func(of string, run string, args ...string) result {
		var m fake
		r := m.run(t.Context(), replayArgs(of, append(args, "--run-id", run)...)...)
		if r.code != 0 && len(m.sent) > 0 {
			t.Errorf("%q: %d shards were sent", args, len(m.sent))
		}
		return r
	}
	const said = "of each key the consumer skips"
	if r := again(file, hint[1], "--key-column", "g"); r.code != 0 || strings.Contains(r.stderr, said) {
		t.Errorf("as it was: exit %d: %s", r.code, r.stderr)
	}
	if r := again(file, hint[1], "--key-column", "g", "--limit", "2"); r.code != 0 {
		t.Errorf("a part of it: exit %d: %s", r.code, r.stderr)
	}
	if r := again(clitest.WriteFile(t, "copy.csv", []byte(text)), hint[1], "--key-column", "g"); r.code != 0 {
		t.Errorf("of a copy: exit %d: %s", r.code, r.stderr)
	}
	grown := clitest.WriteFile(t, "in.csv", []byte(text+"b,4\n"))
	for name, c := range map[string]struct {
		file string
		args []string
	}{
		"another length":  {file, []string{"--key-column", "g", "--rows", "3"}},
		"another key":     {file, []string{"--key", "k"}},
		"fewer columns":   {file, []string{"--key-column", "g", "--columns", "x"}},
		"other nulls":     {file, []string{"--key-column", "g", "--null", "2"}},
		"a file of more":  {grown, []string{"--key-column", "g"}},
		"another of them": {clitest.WriteFile(t, "in.csv", []byte(strings.Replace(text, "2", "7", 1))), []string{"--key-column", "g"}},
	} {
		if r := again(c.file, hint[1], c.args...); r.code != 1 || !strings.Contains(r.stderr, "--run-id is of other shards: "+hint[1]) {
			t.Errorf("%s: exit %d: %s", name, r.code, r.stderr)
		}
		if r := again(c.file, "mine", c.args...); r.code != 0 || !strings.Contains(r.stderr, "run mine has a name of your own") || !strings.Contains(r.stderr, said) {
			t.Errorf("%s, by a name: exit %d: %s", name, r.code, r.stderr)
		}
	}
}
