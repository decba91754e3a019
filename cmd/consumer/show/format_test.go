package show

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// Keys and levels are whatever a topic holds: on a terminal they neither move the cursor
// nor begin a line.
func TestTextOfATopicIsHarmless(t *testing.T) {
	const hostile = "a\x1b[2J\n\tb\u202ec"
	p := &pipeline.Posterior{Key: hostile, Summary: &cdf.Summary{
		T: 1, N: 10, Rows: []cdf.Row{{Variable: "beta[" + hostile + "]", Mean: 1, SD: 1}},
		PriorDominated: []string{hostile}, WeakMixing: []string{hostile},
		Drops: []cdf.Drop{{Column: hostile, Reason: cdf.DropMissing, Rows: 1}},
	}}
	for name, write := range map[string]func(io.Writer, *pipeline.Posterior) error{"a line": writeLine, "details": writeDetails} {
		var out bytes.Buffer
		if err := write(&out, p); err != nil {
			t.Fatal(err)
		}
		shown := strings.Count(out.String(), "a?[2J??b?c")
		if said := out.String(); strings.ContainsAny(said, "\x1b\t\u202e") || shown != map[string]int{"a line": 2, "details": 5}[name] {
			t.Errorf("%s: %q", name, said)
		}
	}
}
