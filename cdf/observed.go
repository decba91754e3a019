package cdf

import (
	"math"
	"slices"
)

// Observed is a row of a shard beside what the state before the shard predicted
// of it, in original units. Numbers that are not known are NaN.
type Observed struct {
	Row  int64 // in the shard, from 0
	Y    float64
	Mean float64
	// Q are the quantiles of the prediction at .025 .1 .25 .75 .9 .975.
	Q   [6]float64
	PIT float64 // probability integral transform of Y, .5 of a mass
}

// Outlier reports whether the row is beyond the 1e-6 tails of its prediction, the rule
// of Score.Wild.
func (o *Observed) Outlier() bool { return o.PIT < wildTail || o.PIT > 1-wildTail }

// Observe makes each Update tell of up to rows of its first rows beside what
// was predicted of them; 0, as in a new filter, of none. It changes no state.
func (f *Filter) Observe(rows int) { f.wanted = rows }

// Observed returns what Observe asks for of the last Update, nothing where that
// was refused, of a key's first shard and where the model does not predict. Rows
// without a response are left out. It is valid until the filter's next call.
func (f *Filter) Observed() []Observed {
	if f.ws.last != f {
		return nil
	}
	return f.ws.seen
}

// foresaw predicts the first rows of the checked shard of the workspace. What fails
// costs what is told and not the shard.
func (f *Filter) foresaw(observed int) {
	s, w := &f.now, f.ws
	if f.wanted == 0 || observed == 0 || s.n == 0 || f.engine.predictor == nil || !s.scaling.known() {
		return
	}
	sh := &w.first
	w.frame.shard(sh, 0, min(f.wanted, w.frame.n))
	sh.Forget, sh.Inner = w.shard.Forget, true
	w.foreseen = unknownPredictions(w.foreseen, sh.Rows)
	if attempted(func() error { return f.engine.predictor.Predict(sh, w.foreseen) }) != nil {
		return
	}
	for i, y := range sh.Y {
		p := w.foreseen[i].in(s.scaling.y)
		if o := observedOf(p); !math.IsNaN(y) && !math.IsNaN(o.Mean) {
			o.Row, o.Y = int64(w.intake.rows[i]), s.scaling.y.Center+s.scaling.y.Scale*y
			w.seen = append(w.seen, o)
		}
	}
}

func observedOf(p Prediction) Observed {
	q := [6]float64{p.Q025, p.Inner[0], p.Inner[1], p.Inner[2], p.Inner[3], p.Q975}
	if !slices.IsSorted(q[:]) || math.IsNaN(q[1]) || math.IsNaN(q[4]) { // a model that knows no inner ones
		q = [6]float64{p.Q025, math.NaN(), math.NaN(), math.NaN(), math.NaN(), p.Q975}
	}
	for i, v := range q {
		q[i] = defined(v)
	}
	return Observed{Mean: defined(p.Mean), Q: q, PIT: p.PIT}
}
