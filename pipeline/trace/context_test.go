package trace

import (
	"bytes"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	id     = "0af7651916cd43dd8448eb211c80319c"
	span   = "b7ad6b7169203331"
	parent = "00-" + id + "-" + span + "-01"
)

// TestParse has the cases of W3C Trace Context, section 3.2: what it allows and what it
// says is invalid.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		parent:                                               parent,
		"00-" + id + "-" + span + "-00":                      "00-" + id + "-" + span + "-00",
		"00-" + id + "-" + span + "-03":                      parent, // a flag that has no name is left out
		"cc-" + id + "-" + span + "-01":                      parent, // a later version
		"cc-" + id + "-" + span + "-01-abc":                  parent,
		"cc-" + id + "-" + span + "-01abc":                   "",
		parent + "-x":                                        "", // version 00 has no more
		"ff-" + id + "-" + span + "-01":                      "",
		"00-" + strings.Repeat("0", 32) + "-" + span + "-01": "",
		"00-" + id + "-" + strings.Repeat("0", 16) + "-01":   "",
		strings.ToUpper(parent):                              "",
		" " + parent:                                         "",
		parent[:54]:                                          "",
		"":                                                   "",
		"00_" + id + "-" + span + "-01":                      "",
		"00-" + id[:31] + "g-" + span + "-01":                "",
	} {
		c, ok := Parse([]byte(text))
		if ok != (want != "") || ok && c.String() != want {
			t.Errorf("%q is %v, %v, want %q", text, c, ok, want)
		}
		if ok && c.Sampled() != (want[54] == '1') {
			t.Errorf("%q is sampled: %v", text, c.Sampled())
		}
	}
}

func TestState(t *testing.T) {
	for text, ok := range map[string]bool{
		"rojo=00f067aa0ba902b7,congo=t61rcWkgMzE": true,
		"a=1 , b=2,,":                      true,
		"tenant@vendor=x":                  true,
		"a=x y":                            true,
		"":                                 false,
		",":                                false,
		"a":                                false,
		"A=1":                              false,
		"a=1=2":                            false,
		"a=\x00":                           false,
		"a=\xff":                           false,
		strings.Repeat("a=1,", 32) + "b=1": false,
		"a=" + strings.Repeat("x", 255) + ",b=" + strings.Repeat("x", 255): false, // more than 512 bytes
		"a=" + strings.Repeat("x", 257):                                    false,
	} {
		if got := State([]byte(text)); (got != nil) != ok || ok && string(got) != text {
			t.Errorf("%q gives %q", text, got)
		}
	}
}

// FuzzParse: whatever a header says, a context that was read is written and read as itself,
// and nothing is allocated.
func FuzzParse(f *testing.F) {
	f.Add([]byte(parent), []byte("a=1"))
	f.Add([]byte("cc-"+id+"-"+span+"-01-x"), []byte("a=1,"))
	f.Fuzz(func(t *testing.T, parent, state []byte) {
		c, ok := Parse(parent)
		if again, same := Parse(c.Append(nil)); same != ok || again != c {
			t.Errorf("%q is %v, and that is %v", parent, c, again)
		}
		if s := State(state); s != nil && (!bytes.Equal(s, state) || len(s) > 512 || bytes.ContainsAny(s, "\r\n")) {
			t.Errorf("%q gives %q", state, s)
		}
	})
}

func TestHeadersCostNothing(t *testing.T) {
	p, s := []byte(parent), []byte("a=1,b=2")
	if n := testing.AllocsPerRun(100, func() { Parse(p); State(s) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func newTracer(share float64) (*Tracer, prometheus.Counter) {
	lost := prometheus.NewCounter(prometheus.CounterOpts{Name: "lost"})
	return New(share, lost), lost
}

// TestSampling: the shares are exact at their ends; between them the count is within five
// standard deviations, which fails by chance once in a million runs.
func TestSampling(t *testing.T) {
	const n = 10_000
	for share, want := range map[float64][2]int{0: {0, 0}, .25: {2284, 2716}, 1: {n, n}} {
		tracer, _ := newTracer(share)
		sampled := 0
		for range n {
			c := tracer.Root()
			if c.Trace == [16]byte{} || c.Span == [8]byte{} {
				t.Fatal("an id of zeros")
			}
			if c.Sampled() {
				sampled++
			}
			if child := tracer.child(c); child.Sampled() != c.Sampled() || child.Trace != c.Trace || child.Span == c.Span {
				t.Fatalf("%v has the child %v", c, child)
			}
		}
		if sampled < want[0] || sampled > want[1] {
			t.Errorf("%d of %d are sampled for %g", sampled, n, share)
		}
		if !tracer.Linked().Sampled() {
			t.Error("what has links to sampled traces is not recorded")
		}
	}
}

// TestNobodyWaits: what nobody takes is dropped and counted, what is not sampled is not
// kept at all.
func TestNobodyWaits(t *testing.T) {
	tracer, lost := newTracer(1)
	tracer.End(Span{})
	for range queued + 7 {
		tracer.End(Span{Context: tracer.Root()})
	}
	if n := len(tracer.Ended()); n != queued {
		t.Errorf("%d spans wait", n)
	}
	if got := valueOf(t, lost); got != 7 {
		t.Errorf("%g are lost, want 7", got)
	}
}

func valueOf(t *testing.T, c prometheus.Counter) float64 {
	t.Helper()
	reg := prometheus.NewRegistry()
	reg.MustRegister(c)
	all, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	return all[0].GetMetric()[0].GetCounter().GetValue()
}

func TestLinksAreBounded(t *testing.T) {
	var s Span
	for range MostLinks + 3 {
		s.Link(Context{})
	}
	if len(s.Links) != MostLinks || s.Unlinked != 3 {
		t.Errorf("%d links, %d besides", len(s.Links), s.Unlinked)
	}
}
