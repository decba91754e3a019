package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// module is what all names of packages begin with.
const module = "github.com/credence-stream/credence/"

// took is a package or a test of one, and how long it took.
type took struct {
	name    string
	seconds float64
}

// times are how long packages and tests took, and which failed.
type times struct {
	packages, tests []took
	inside          map[string]float64 // seconds of subtests by the test that they are in
	failed          []string
}

// add takes in the end of a test or a package. A test is told of without its subtests:
// they have their own times.
func (t *times) add(e event) {
	if !e.ended() || e.Package == "" {
		return
	}
	name := strings.TrimPrefix(e.Package, module)
	if e.Test == "" {
		if e.Action == "fail" {
			t.failed = append(t.failed, name)
		}
		t.packages = append(t.packages, took{name, e.Elapsed})
		return
	}
	name += " " + e.Test
	if e.Action == "fail" {
		t.failed = append(t.failed, name)
	}
	if t.inside == nil {
		t.inside = map[string]float64{}
	}
	if i := strings.LastIndexByte(name, '/'); i > strings.IndexByte(name, ' ') {
		t.inside[name[:i]] += e.Elapsed
	}
	t.tests = append(t.tests, took{name, e.Elapsed})
}

// report prints the n slowest packages and tests, and what failed.
func (t *times) report(out io.Writer, n int) {
	alone := slices.Clone(t.tests)
	for i, a := range alone {
		alone[i].seconds -= t.inside[a.name] // of those side by side more than it took itself: no slow test
	}
	for _, list := range []struct {
		title string
		all   []took
	}{{"packages", t.packages}, {"tests, each without its subtests", alone}} {
		slices.SortStableFunc(list.all, func(a, b took) int { return cmp.Compare(b.seconds, a.seconds) })
		if len(list.all) > 0 {
			fmt.Fprintf(out, "\nslowest %s:\n", list.title)
		}
		for _, a := range list.all[:min(n, len(list.all))] {
			fmt.Fprintf(out, "%8.1f s  %s\n", a.seconds, a.name)
		}
	}
	if len(t.failed) > 0 {
		fmt.Fprintf(out, "\nfailed:\n")
	}
	for _, name := range t.failed {
		fmt.Fprintf(out, "  %s\n", name)
	}
}
