package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// event is one line of `go test -json`: `go doc cmd/test2json`.
type event struct {
	Action  string
	Package string
	Test    string  // of the package, empty: the package itself
	Elapsed float64 // seconds, of what has ended
	Output  string
}

// ended reports whether the event is the end of a test or a package.
func (e event) ended() bool { return e.Action == "pass" || e.Action == "fail" || e.Action == "skip" }

// read hands each event of a stream to both; a line that is none is said as it stands.
func read(stream io.Reader, each func(event), v *voice) error {
	for lines := bufio.NewReader(stream); ; {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if line[0] != '{' || json.Unmarshal(line, &e) != nil {
				e = event{Action: "build-output", Output: string(line)}
			}
			each(e)
			v.hear(e)
		}
		if errors.Is(err, io.EOF) {
			return v.err
		}
		if err != nil {
			return fmt.Errorf("what go test says: %w", err)
		}
	}
}

// voice says what go test without -json says. Packages whose tests run side by side
// speak one after another: what one says comes at once, what others say when it has ended.
type voice struct {
	out   io.Writer
	whole bool // with -v
	told  map[string]*speech
	queue []string // packages that have begun, the one that speaks first
	err   error
}

// speech is what a package has to say and has not said.
type speech struct {
	ready bytes.Buffer // to be printed
	own   bytes.Buffer // the package's, printed if it fails
	tests map[string]*bytes.Buffer
	order []string // of tests
	ended bool
}

func newVoice(out io.Writer, whole bool) *voice {
	return &voice{out: out, whole: whole, told: map[string]*speech{}}
}

// hear takes an event in, and prints what can be printed now.
func (v *voice) hear(e event) {
	if e.Package == "" {
		if e.Action == "build-output" {
			v.print([]byte(e.Output))
		}
		return
	}
	s := v.told[e.Package]
	if s == nil {
		s = &speech{tests: map[string]*bytes.Buffer{}}
		v.told[e.Package] = s
		v.queue = append(v.queue, e.Package)
	}
	if v.whole {
		s.ready.WriteString(e.Output)
	} else {
		s.hear(e)
	}
	s.ended = s.ended || e.Test == "" && e.ended()
	for len(v.queue) > 0 {
		first := v.told[v.queue[0]]
		v.print(first.ready.Bytes())
		first.ready.Reset()
		if !first.ended {
			return
		}
		v.queue = v.queue[1:]
	}
}

func (v *voice) print(text []byte) {
	if _, err := v.out.Write(text); v.err == nil && err != nil {
		v.err = err
	}
}

// hear keeps what a test says until it is known whether it fails.
func (s *speech) hear(e event) {
	if e.Test == "" {
		s.own.WriteString(e.Output)
		if e.ended() {
			s.end(e.Action == "fail")
		}
		return
	}
	said := s.tests[e.Test]
	if said == nil {
		said = new(bytes.Buffer)
		s.tests[e.Test] = said
		s.order = append(s.order, e.Test)
	}
	if !strings.HasPrefix(e.Output, "=== ") { // RUN, PAUSE, CONT, NAME: only with -v
		said.WriteString(e.Output)
	}
	switch {
	case e.Action == "fail":
		s.ready.Write(said.Bytes())
		said.Reset()
	case e.ended():
		said.Reset()
	}
}

// end says how a package has ended, and where it failed all that it has said; tests that
// were under way then have not ended.
func (s *speech) end(failed bool) {
	if failed {
		for _, name := range s.order {
			s.ready.Write(s.tests[name].Bytes())
		}
		s.ready.Write(s.own.Bytes())
		return
	}
	for line := range strings.Lines(s.own.String()) {
		if strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "?   \t") {
			s.ready.WriteString(line)
		}
	}
}
