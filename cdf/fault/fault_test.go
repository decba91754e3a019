package fault_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf/fault"
)

//go:noinline
func beyond(list []int, i int) int { return list[i] }

func caught(f func()) (err error) {
	defer fault.Catch(&err)
	f()
	return nil
}

// again panics with what it recovered, as code does that expects a panic of another type.
func again(f func()) {
	defer func() {
		if p := recover(); p != nil {
			panic(p)
		}
	}()
	f()
}

// A fault says what, and where it panicked first: it is the place that tells faults apart.
func TestFaultSaysWhere(t *testing.T) {
	deep := func() {
		var f func(int)
		f = func(n int) {
			if n == 0 {
				panic(strings.Repeat("é", 400))
			}
			f(n - 1)
		}
		f(500)
	}
	for _, c := range []struct {
		name        string
		f           func()
		what, place string
	}{
		{"index", func() { beyond(nil, 3) }, "runtime error: index out of range [3] with length 0", "fault_test.beyond (fault_test.go:14)"},
		{"panic that is caught and goes on", func() { again(func() { beyond(nil, 3) }) }, "runtime error: index out of range [3] with length 0", "fault_test.beyond (fault_test.go:14)"},
		{"nil", func() { var p *fault.Error; _ = p.What }, "runtime error: invalid memory address or nil pointer dereference", "fault_test.TestFaultSaysWhere"},
		{"standard library", func() { _ = slices.Insert([]int{1}, 5, 2) }, "runtime error: slice bounds out of range [5:1]", "fault_test.TestFaultSaysWhere"},
		{"error", func() { panic(errors.New("odd")) }, "panic: odd", "fault_test.TestFaultSaysWhere"},
		{"address", func() { panic(new(int)) }, "panic with a *int", "fault_test.TestFaultSaysWhere"},
		{"deep, and long", deep, "panic: ééé", "fault_test.TestFaultSaysWhere"},
	} {
		err := fmt.Errorf("shard 3: %w", caught(c.f))
		e := fault.In(err)
		if e == nil {
			t.Fatalf("%s: %v is no fault", c.name, err)
		}
		if !strings.HasPrefix(e.What, c.what) || !strings.Contains(e.Place, c.place) || !strings.Contains(e.Stack, c.place) {
			t.Errorf("%s: %q in %q, stack %s", c.name, e.What, e.Place, e.Stack)
		}
		if len(e.What) > 300 || len(e.Stack) > 10_000 || strings.ContainsAny(e.Stack, "\n\"") || strings.Contains(e.Stack, "/fault_test.go") {
			t.Errorf("%s: %d bytes, and a stack of %d: %s", c.name, len(e.What), len(e.Stack), e.Stack)
		}
		if strings.HasPrefix(c.what, "runtime") && strings.ContainsRune(err.Error(), '[') {
			t.Errorf("%s: the numbers of a buffer are told: %v", c.name, err)
		}
		if again := caught(c.f); again.Error() != errors.Unwrap(err).Error() {
			t.Errorf("%s: the same panic is told as %q and %q", c.name, err, again)
		}
	}
	if err := caught(func() {}); err != nil || fault.In(err) != nil || fault.In(errors.New("x")) != nil {
		t.Errorf("what is no panic is a fault: %v", err)
	}
}

// Who asks of no error pays nothing: it is asked of every record.
func TestNoFaultCostsNothing(t *testing.T) {
	var err error
	if n := testing.AllocsPerRun(100, func() {
		if fault.In(err) != nil {
			t.Error("no error is a fault")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
