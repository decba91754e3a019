//go:build unix

package interop

import (
	"fmt"
	"strings"
	"testing"

	"github.com/credence-stream/credence/internal/rscript"
)

// pythonReads is the example with one of its libraries.
func pythonReads(library string) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		out := run(t, nil, python(t), example(t, "python/read_posteriors.py"),
			"--brokers", w.broker(), "--topic", w.arrow.output, "--with", library)
		same(t, parseJSON(t, out), w.published)
		// A name that is misspelt is no empty topic.
		_, err := attempt(t, nil, python(t), example(t, "python/read_posteriors.py"), "--brokers", w.broker(), "--topic", "nobody", "--with", library)
		if err == nil || !strings.Contains(err.Error(), "topic nobody: ") {
			t.Errorf("a topic that does not exist: %v", err)
		}
	}
}

func duckdbReads(t *testing.T, w *world) {
	script := []string{example(t, "python/query_posteriors.py"), "--brokers", w.broker(), "--topic", w.arrow.output}
	all := run(t, nil, python(t), append(script, "--sql", "SELECT * FROM posteriors")...)
	same(t, parseTable(t, all, ','), w.published)
	// The example's own question: how every key stands now.
	lines := parseLines(t, run(t, nil, python(t), script...), ',')
	if len(lines) == 0 {
		t.Error("nothing is the newest")
	}
	for _, line := range lines {
		p := w.newest(t, line["key"])
		if integer(t, line["t"]) != p.t || integer(t, line["n"]) != p.n {
			t.Errorf("the newest of %s is t %s, n %s; want %d, %d", line["key"], line["t"], line["n"], p.t, p.n)
		}
		numbers := p.variable(t, line["variable"])
		for _, name := range []string{"mean", "q2.5", "q97.5"} {
			if !equal(number(t, line[name]), numbers[name]) {
				t.Errorf("%s of %s %s is %s, want %v", name, line["key"], line["variable"], line[name], numbers[name])
			}
		}
	}
}

// variable returns the statistics of a variable.
func (p posterior) variable(t *testing.T, name string) map[string]float64 {
	t.Helper()
	for _, r := range p.rows {
		if r.variable == name {
			return r.numbers
		}
	}
	t.Fatalf("%s has no variable %s", p.key, name)
	return nil
}

// rReads has R read both formats as the consumer prints them.
func rReads(t *testing.T, w *world) {
	for _, g := range []*group{w.arrow, w.json} {
		lines := w.consumer(t, g, "tail", "--format", "json", "--until-end")
		out := rscript.Run(t, []string{"jsonlite"}, source(t, "r/read_posteriors.R"), strings.NewReader(lines))
		same(t, parseTable(t, out, ','), w.published)
	}
}

func javaReads(t *testing.T, w *world) {
	j := compiled(t, "ReadPosteriors")
	out := run(t, nil, j.java, "-cp", j.path, "ReadPosteriors", w.broker(), w.json.output)
	same(t, parseTable(t, out, '\t'), w.published)
}

func consoleReads(t *testing.T, w *world) {
	path := consoleConsumer(t)
	out := run(t, nil, "env", "PATH="+path, example(t, "java/console_consumer.sh"), w.broker(), w.json.output,
		"--max-messages", fmt.Sprint(messages(false)+repeats))
	same(t, parseJSON(t, out), w.published)
}

func kcatReads(t *testing.T, w *world) {
	program(t, "kcat", "kcat")
	program(t, "jq", "jq")
	out := run(t, nil, example(t, "shell/read_posteriors.sh"), w.broker(), w.json.output)
	same(t, parseJSON(t, out), w.published)
}

func goReads(t *testing.T, w *world) {
	out := run(t, nil, w.program("go"), "-brokers", w.broker(), "-topic", w.arrow.output)
	same(t, parseTable(t, out, '\t'), w.published)
}
