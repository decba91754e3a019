package cdf

import (
	"math"
	"testing"
)

// The watch goes on for columns whose scale stays, about where their values are
// now; it forgets those whose scale is given, and begins anew with one whose scale
// is no longer.
func TestWatchRescaled(t *testing.T) {
	given := func(center, scale float64) Feature {
		f := Feature{Name: "x"}
		if center != 0 {
			f.Center = &center
		}
		if scale != 0 {
			f.Scale = &scale
		}
		return f
	}
	from := func(x Feature) *Spec { return &Spec{Columns: Roles{Scaling: "first", Features: []Feature{x}}} }
	state := func(spec *Spec) (scaling, *design) {
		d, err := assemble(spec, "y", []source{{feature: spec.Columns.Features[0]}})
		if err != nil {
			t.Fatal(err)
		}
		s := newScaling(spec, d, nil)
		s.y, s.x[0] = Constant{"y", 10, 2}, Constant{"x", 20, 4}
		s.fix(spec, d)
		s.watch.rows, s.watch.outliers = 700, 3
		for i := range s.watch.spreads {
			s.watch.spreads[i] = spread{mean: .5, variance: float32(1 + i)}
		}
		return s, d
	}
	for name, c := range map[string]struct {
		before, after Feature
		want          watch
		x             Constant
	}{
		"all stay":      {given(0, 0), given(0, 0), watch{700, []spread{{.5, 1}, {.5, 2}}, 3}, Constant{"x", 20, 4}},
		"a centre":      {given(0, 0), given(12, 0), watch{700, []spread{{.5, 1}, {2.5, 2}}, 3}, Constant{"x", 12, 4}},
		"far away":      {given(0, 0), given(-1e300, 0), watch{700, []spread{{.5, 1}, {math.MaxFloat32, 2}}, 3}, Constant{"x", -1e300, 4}},
		"a scale":       {given(0, 0), given(0, 8), watch{700, []spread{{.5, 1}}, 3}, Constant{"x", 20, 8}},
		"one less":      {given(0, 4), given(0, 0), watch{0, []spread{{.5, 1}, {}}, 3}, Constant{"x", 20, 4}},
		"given in both": {given(20, 4), given(0, 5), watch{700, []spread{{.5, 1}}, 3}, Constant{"x", 20, 5}},
	} {
		old, d := state(from(c.before))
		spec := from(c.after)
		next, err := d.under(spec)
		if err != nil {
			t.Fatal(err)
		}
		got := old.under(from(c.before), d, spec, next)
		if !got.frozen || got.y != old.y || got.x[0] != c.x {
			t.Errorf("%s: constants %v, %v, want %v", name, got.y, got.x, c.x)
		}
		w := got.watch
		same := w.rows == c.want.rows && w.outliers == c.want.outliers && len(w.spreads) == len(c.want.spreads)
		for i := range w.spreads {
			same = same && w.spreads[i] == c.want.spreads[i]
		}
		if !same {
			t.Errorf("%s: %+v, want %+v", name, w, c.want)
		}
	}
}

// The score of the last shard is that of what was predicted, in both units.
func TestScoreRevalued(t *testing.T) {
	was := state{n: 40, evidence: -60}
	was.scaled = Score{Rows: 7, LogDensity: -1, LogEvidence: -8, RMSE: 3}
	was.score = Score{Rows: 7, LogDensity: -1 - math.Log(2), LogEvidence: -8 - 7*math.Log(2), RMSE: 6}
	s := was
	s.scaling.y.Scale = 4
	s.revalue(&was)
	want := Score{Rows: 7, LogDensity: -1 + math.Log(2), LogEvidence: -8 + 7*math.Log(2), RMSE: 1.5}
	if got := s.scaled; s.score != was.score || math.Abs(got.LogDensity-want.LogDensity)+math.Abs(got.LogEvidence-want.LogEvidence)+math.Abs(got.RMSE-want.RMSE) > 1e-12 {
		t.Errorf("%+v, want %+v", got, want)
	}
	// Of a key's first responses none was scored: all rows are that shard's.
	was.score.Rows, was.scaled.Rows, was.scaled.LogEvidence = 0, 0, was.evidence
	s = was
	s.scaling.y.Scale = 4
	s.revalue(&was)
	if want := was.score.LogEvidence + 40*math.Log(4); math.Abs(s.scaled.LogEvidence-want) > 1e-12 {
		t.Errorf("%g, want %g", s.scaled.LogEvidence, want)
	}
}
