package cdf

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf/bound"
	"github.com/credence-stream/credence/cdf/correlated"
	"github.com/credence-stream/credence/cdf/curved"
	"github.com/credence-stream/credence/cdf/reliability"
	"github.com/credence-stream/credence/cdf/repeated"
	"github.com/credence-stream/credence/cdf/unequal"
)

// Another release may judge by another rule: states whose account differs come from the same sums, and those whose last score differs
// do not.
func TestMayBeJudgedOtherwise(t *testing.T) {
	for _, c := range []struct{ to, from account }{
		{account{mean: -3, spread: 1, fallen: 9}, account{mean: -3, spread: 1}},
		{account{mean: -3, spread: 1}, account{mean: -3, spread: 1, pit: [pitClasses]float32{5}, errors: correlated.Errors{Sum: 3}}},
		{account{mean: -3, repeats: repeated.Sketch{Shards: 9}}, account{mean: -3}},
		{account{mean: -3, spread: 1}, account{mean: -3, spread: 1, reliability: &reliability.Account{Rows: 3}}},
		{account{mean: -3, spread: 1, shards: 2}, account{mean: -3.1, spread: 1, shards: 1, outliers: Outliers{1, 1}}},
	} {
		to := state{account: c.to}
		if !to.takeRounded(&state{account: c.from}) || to.account != c.from {
			t.Errorf("%+v and %+v: takes %+v", c.to, c.from, to.account)
		}
		if to.takeRounded(&state{account: c.from, score: Score{LogDensity: -1}}) {
			t.Errorf("%+v: of another score", c.to)
		}
	}
}

// What is known of correlated errors is read as it was written, and nothing else is.
func TestErrorsInSnapshots(t *testing.T) {
	for _, c := range []struct {
		errors correlated.Errors
		wrong  bool
	}{
		{correlated.Errors{Sum: 3.5}, false},
		{correlated.Errors{Rows: 3, Scores: -2, Shared: .25}, false},
		{correlated.Errors{Sum: 42, Rows: 1, Shared: 1e-9}, false},
		{correlated.Errors{}, true},
		{correlated.Errors{Sum: -1}, true},
		{correlated.Errors{Sum: 3, Rows: 4, Shared: 1}, true},
		{correlated.Errors{Sum: 3, Rows: 2, Shared: 5}, true},
	} {
		a := account{errors: c.errors}
		b := a.appendErrors(nil)
		for n := range len(b) + 1 {
			var got account
			r := &reader{b: b[:n]}
			got.readErrors(r)
			switch whole := n == len(b); {
			case (r.err != nil) != (c.wrong || !whole):
				t.Errorf("%+v, %d of %d bytes: %v", c.errors, n, len(b), r.err)
			case r.err == nil && got.errors != c.errors:
				t.Errorf("%+v is read as %+v", c.errors, got.errors)
			case c.wrong && whole && !strings.Contains(r.err.Error(), "correlated errors"):
				t.Errorf("%+v: %v", c.errors, r.err)
			}
		}
	}
}

// The parts of a state are read as they were written, in the lowest version that holds them. A byte of parts
// that has none, or only the one of version 3, is damage, and one with others is of a later release.
func TestParts(t *testing.T) {
	var sketch repeated.Sketch
	sketch.Add(repeated.Shard{Print: 7, Bits: 40}, 10, 1)
	errorsThere := correlated.Errors{Sum: 3.5}
	known := &reliability.Account{Rows: 70, Classes: [reliability.Classes]reliability.Sum{{Off: -2, Variance: 3}, 7: {Off: 1, Variance: .5}}, Curves: []reliability.Sum{{Off: 2, Variance: 70}, {Off: 4, Variance: 40}}, Intercept: true}
	bent := &curved.Account{Rows: 70, Columns: []curved.Column{{Off: -2, Variance: 3, Level: 1, Slope: .5}}}
	uneven := &curved.Account{Rows: 70, Columns: bent.Columns, Uneven: curved.Uneven{Rows: 60, Mean: .9, Columns: []curved.Spread{{Off: 4, Variance: 9, Level: 1.2}}}}
	apart := new(unequal.Account)
	apart.Add([]float64{1, 2, 3, 4, 9, 2}, []int32{0, 0, 0, 1, 1, 1}, 2, new(unequal.Room))
	of := newFactors(1)
	of[0].add("a")
	of[0].add("b")
	ends := (*bound.Account)(nil).Add([]float64{0, 0, 0, 1, 2, 3})
	twice := &repeated.Twice{Again: 2, Sets: 2, Squares: 400, Natural: .1, Found: 2, Alike: 3, Chances: 40, Columns: 1, Responses: 2, Shards: 1, Kept: 2, Next: 2}
	twice.Last[0], twice.Last[1] = repeated.Row{Columns: 7, Response: 8}, repeated.Row{Columns: 9, Response: 1 << 31}
	two := &design{names: []string{"intercept", "x"}}
	hourly := NewSpec("k", "", struct{}{}, nil)
	hourly.Forget, hourly.ForgetPer = .9, Clock{Unit: "duration", Millis: 3_600_000}
	for _, c := range []struct {
		state   state
		version byte
	}{
		{state{}, snapshotFirst},
		{state{account: account{errors: errorsThere}}, snapshotErrors},
		{state{account: account{repeats: sketch}}, snapshotParts},
		{state{account: account{reliability: known}}, snapshotParts},
		{state{timeless: true}, snapshotParts},
		{state{account: account{far: 1e12}}, snapshotParts},
		{state{account: account{curved: bent}}, snapshotParts},
		{state{account: account{curved: uneven}}, snapshotParts},
		{state{account: account{unequal: apart}, factors: of}, snapshotParts},
		{state{account: account{bound: ends}}, snapshotParts},
		{state{account: account{twice: twice}}, snapshotParts},
		{state{account: account{serial: 2.5}}, snapshotParts},
		{state{account: account{errors: errorsThere, repeats: sketch}}, snapshotParts},
		{state{account: account{errors: errorsThere, repeats: sketch, reliability: known, curved: uneven, far: 90_001, unequal: apart, bound: ends, twice: twice, serial: .25}, timeless: true, factors: of}, snapshotParts},
		{state{amended: true}, snapshotParts},
	} {
		if c.state.design = two; c.state.version() != c.version {
			t.Errorf("%+v is written in version %d, want %d", c.state, c.state.version(), c.version)
		}
		b := c.state.appendParts(nil, c.version)
		for n := range len(b) + 1 {
			got, r := state{design: two, factors: c.state.factors}, &reader{b: b[:n]}
			if got.readParts(r, c.version, hourly, new(spare)); (r.err == nil) != (n == len(b)) || r.err == nil && !reflect.DeepEqual(got, c.state) {
				t.Errorf("%d of %d bytes of %+v are read as %+v, %v", n, len(b), c.state, got, r.err)
			}
		}
	}
	if s := (&state{account: account{reliability: &reliability.Account{}}}); s.version() != snapshotFirst {
		t.Errorf("an account of no predicted row is written in version %d", s.version())
	}
	for bits, later := range map[uint16]bool{0: false, partErrors: false, partTimeless: false, partFar: false, partCurved: false, partMore: false, partMore | partFar: false, partMore | partUnequal: false, partMore | partUneven: false, partMore | partBound: false, partMore | partTwice: false, partMore | partSerial: false, partMore | 1<<14: true, partMore | 1<<15 | partUnequal: true} {
		got, r := state{design: two}, &reader{b: append([]byte{byte(bits), byte(bits >> 8)}, make([]byte, 99)...)}
		if got.readParts(r, snapshotParts, NewSpec("k", "", struct{}{}, nil), new(spare)); !errors.Is(r.err, ErrSnapshot) || errors.Is(r.err, ErrLater) != later {
			t.Errorf("parts %b: %v", bits, r.err)
		}
	}
	for _, factors := range [][]factor{nil, newFactors(1)} {
		got, r := state{design: two, factors: factors}, &reader{b: (&state{account: account{unequal: apart}}).appendParts(nil, snapshotParts)}
		if got.readParts(r, snapshotParts, hourly, new(spare)); r.err == nil {
			t.Error("an account of groups that the state has not is read")
		}
	}
	counts := NewSpec("k", "", struct{}{}, nil)
	counts.RawResponse = true
	steps := NewSpec("k", "", struct{}{}, nil)
	steps.Steps = true
	for what, c := range map[string]struct {
		of   *Spec
		held account
	}{
		"the ends of counts":               {counts, account{bound: ends}},
		"rows of counts that are the same": {counts, account{twice: twice}},
		"steps that are the same":          {steps, account{twice: twice}},
	} {
		got, cut := state{design: two}, &reader{b: (&state{account: c.held}).appendParts(nil, snapshotParts)}
		if got.readParts(cut, snapshotParts, c.of, new(spare)); cut.err == nil {
			t.Errorf("%s are read", what)
		}
	}
	wrong := state{account: account{reliability: &reliability.Account{Rows: 1, Classes: [reliability.Classes]reliability.Sum{{Off: 1}}, Curves: known.Curves}}, design: two}
	r := &reader{b: wrong.appendParts(nil, snapshotParts)}
	if wrong.readParts(r, snapshotParts, hourly, new(spare)); r.err == nil {
		t.Error("a sum without a variance is read")
	}
}

// Columns may lack a curve where they are numbers, and more than zeros and ones by their first rows; else they are dummies, as those of levels. Those of an account are named
// by their place among these, and an account of others is no state.
func TestCurvable(t *testing.T) {
	one := 1.
	column := func(first int, f Feature) source { return source{feature: f, first: first} }
	s := state{design: &design{names: []string{"intercept", "a", "b", "c[1]", "c[2]", "d", "e", "f"}, sources: []source{
		column(1, Feature{Name: "a"}), column(2, Feature{Name: "b"}), {feature: Feature{Name: "c", Levels: []string{"0", "1", "2"}}, categorical: true, first: 3, other: none, gap: none},
		column(5, Feature{Name: "d"}), column(6, Feature{Name: "e", Scale: &one, Center: &one}), column(7, Feature{Name: "f", Partial: true}),
	}}}
	s.scaling.x = make([]Constant, 8)
	for j := range s.scaling.x {
		s.scaling.x[j].Scale = 1
	}
	s.scaling.x[1].Center, s.scaling.frozen = 3, true
	first, none := NewSpec("k", "", struct{}{}, nil), NewSpec("k", "", struct{}{}, nil)
	first.Columns.Scaling, none.Columns.Scaling = "first", "none"
	if got, want := s.curvable(first, nil), []curved.Run{{From: 1, Columns: 1}, {From: 6, Columns: 1}}; !slices.Equal(got, want) {
		t.Errorf("of learnt constants %v, want %v", got, want)
	}
	if got, want := s.curvable(none, nil), []curved.Run{{From: 1, Columns: 2}, {From: 5, Columns: 2}}; !slices.Equal(got, want) {
		t.Errorf("of others %v, want %v", got, want)
	}
	if got, want := s.dummies(first, nil), []curved.Run{{From: 2, Columns: 1}, {From: 3, Columns: 2}, {From: 5, Columns: 1}}; !slices.Equal(got, want) {
		t.Errorf("dummies %v, want %v", got, want)
	}
	if got, want := s.dummies(none, nil), []curved.Run{{From: 3, Columns: 2}}; !slices.Equal(got, want) {
		t.Errorf("dummies beside what is not scaled %v, want %v", got, want)
	}
	none.Steps = true
	if got := append(s.curvable(none, nil), s.dummies(none, nil)...); len(got) > 0 {
		t.Errorf("of steps %v", got)
	}
	f := NewFilter(first, "k")
	s.account.curved = &curved.Account{Rows: 1000, Columns: []curved.Column{{Off: 1, Variance: 10}, {Off: 99, Variance: 100}}}
	if f.now = s; f.Curved() != "e" {
		t.Errorf("%q is curved, want e", f.Curved())
	}
	if got := s.account.appendFlags(nil, unsuspected, false, false, 1000); !slices.Equal(got, []string{CurvedFlag}) {
		t.Errorf("flags %q", got)
	}
	s.account.curved.Uneven = curved.Uneven{Rows: 1000, Columns: []curved.Spread{{Off: 90, Variance: 100}, {Off: 99, Variance: 100}, {}, {}, {}, {}}}
	if f.now = s; f.Uneven() != "" {
		t.Errorf("errors of %q vary where it is curved", f.Uneven())
	}
	s.account.curved.Columns[1].Off = 0
	if f.now = s; f.Curved() != "" || f.Uneven() != "e" {
		t.Errorf("%q is curved and errors of %q vary, want those of e", f.Curved(), f.Uneven())
	}
	s.account.curved.Uneven.Columns[4] = curved.Spread{Off: 200, Variance: 100, Level: .2}
	if f.now = s; f.Uneven() != "c[2]" {
		t.Errorf("errors of %q vary, want those of c[2]", f.Uneven())
	}
	if got := s.account.appendFlags(nil, unsuspected, false, false, 1000); !slices.Equal(got, []string{UnequalFlag}) {
		t.Errorf("flags %q", got)
	}
	for columns := range 4 {
		s.account.curved.Columns = make([]curved.Column, columns)
		r := new(reader)
		if s.checkCurved(r, first, new(Workspace)); (r.err == nil) != (columns == 2) {
			t.Errorf("an account of %d columns: %v", columns, r.err)
		}
	}
}

// Probabilities that do not come true are miscalibrated, whatever the transforms say.
func TestUnreliableIsMiscalibrated(t *testing.T) {
	known := &reliability.Account{Rows: 1000, Classes: [reliability.Classes]reliability.Sum{{Off: 90, Variance: 100}}}
	f := NewFilter(NewSpec("k", "", struct{}{}, nil), "k")
	f.engine, f.now.design = new(engine), &design{names: []string{"intercept", "x"}}
	f.now.account = account{reliability: known, pit: [pitClasses]float32{9: 0}}
	for _, want := range []fit{unsuspected, misfit} {
		known.Rows = 1000 * float32(want)
		if got := f.judge(); got != want {
			t.Errorf("%g rows: %v, want %v", known.Rows, got, want)
		}
	}
	if got := f.Curved(); got != "" {
		t.Errorf("%q is curved", got)
	}
	known.Curves = []reliability.Sum{{}, {Off: 400, Variance: 1000}}
	if got := f.Curved(); got != "x" {
		t.Errorf("%q is curved, want x", got)
	}
}
