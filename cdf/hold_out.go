package cdf

import (
	"math"
	"slices"
)

const (
	// leastHeld is how many rows it takes that one half of them tells what the other half says of the model.
	leastHeld = 200
	// leastLooked is how many tell of outliers.
	leastLooked = FirstRows
)

// holdsOut reports whether a shard with as many responses judges itself: nothing that was known before predicts it better than a half.
func (s *state) holdsOut(observed int) bool {
	return observed >= leastHeld && (!s.scaling.frozen || s.neff < leastHeld/2)
}

// holdOut judges rows that were absorbed just now and that no state before could predict: all of the first ones, if they are those with
// which constants came, else a shard that holdsOut. Otherwise a key whose rows come in one shard would be told nothing of what its
// model lacks, and none of outliers among the first rows. The state is that of all rows, as it was; what fails costs what is told and
// not the shard.
func (f *Filter) holdOut(observed int, came bool) {
	s, w := &f.now, f.ws
	alone := s.holdsOut(observed)
	if came {
		w.replay.shard(&w.shard, 0, w.replay.n)
		observed = w.shard.Observed()
		alone = observed >= leastHeld
	}
	if f.engine.predictor == nil || !s.scaling.frozen || !alone && (s.neff > 0 && !came || observed < leastLooked) {
		return
	}
	if alone {
		s.account.season = nil // steps lie between its scores and those to come, as many as a half has
		f.toldNothing()
		w.reliability.Together()
	}
	predicted, ok := f.predictHalf(0, alone)
	switch {
	case !ok:
		return
	case alone:
		sh := &w.half
		_, score := s.scores(&predicted, sh.Observed())
		f.judgedBy(&score, &predicted, s.weigh(&predicted, score.Rows, float64(w.shard.Observed()-sh.Observed())))
		f.addCurves(sh, score.Rows, true)
	default:
		s.account.addWild(s.t+1, &predicted, w.half.Observed())
	}
	if predicted, ok = f.predictHalf(1, false); ok {
		s.account.addWild(s.t+1, &predicted, w.half.Observed())
	}
}

// predictHalf has a model that has seen nothing else learn one half of the rows of the workspace's shard, and predict the other, which
// is the workspace's half then; of that, the workspace is told if wanted.
func (f *Filter) predictHalf(turn int, tell bool) (predicted Score, ok bool) {
	s, w := &f.now, f.ws
	e, err := w.spare.begin(f.spec, s.design)
	if err != nil {
		return predicted, false
	}
	half, sh := w.halves.divide(&w.shard, f.spec.Steps, turn), &w.half
	if w.spared(func() (err error) {
		w.halves.shard(sh, 0, half)
		if err = f.learn(e, sh); err != nil {
			return err
		}
		w.halves.shard(sh, half, w.halves.n)
		rng, _ := w.stream.of(e, f.spec.Seed, f.key, s.t+1, purposeHeldOut)
		if tell {
			predicted, err = f.scoreBy(e, sh, rng)
		} else {
			sh.Glance = true
			predicted, err = e.predictor.Score(sh, rng)
		}
		return err
	}) != nil {
		return predicted, false
	}
	w.spare.keep(s.design, e)
	return predicted, true
}

// learn takes an engine that has seen nothing through a shard, for predictions alone.
func (f *Filter) learn(e *engine, sh *Shard) error {
	w := f.ws
	if err := e.model.Check(sh); err != nil {
		return err
	}
	rng, source := w.stream.of(e, f.spec.Seed, f.key, f.now.t+1, purposeHalf)
	step := Step{Shard: sh, T: 1, Forget: 1, RNG: rng, Source: source}
	for i, b := range e.blocks {
		b.Absorb(&step)
		if i == 0 && e.chains > 0 {
			n := e.draws(f.spec)
			if e.stateSummarizer != nil {
				n = e.chains // its predictions are not of its draws
			}
			w.heldDraws.shape(count(e.model.Params()), n, e.chains)
			step.Draws = &w.heldDraws
		}
		if err := b.Sample(&step); err != nil {
			return err
		}
	}
	return nil
}

const (
	// leastFitted is how many of the first rows tell that one of them is far from the others.
	leastFitted = 10
	// strayFrom is how many times as far as three quarters of the rows one of many is that is far from its place, some 7 sds of
	// normal errors. Of few rows three quarters say less of the others: of n the limit is 1 + (10/n)^2 times that, which some 2e-5
	// samples of 10 to 49 normal errors exceed, whatever n is.
	strayFrom = 6
	// aloneFrom is the same of a column of X, of a value that decides the coefficient by itself.
	aloneFrom = 3
)

// strays reports whether one of the first rows, while they are kept, is far from where the posterior of all of them has it. They are
// too few yet to be predicted by one another, as holdOut has it; and the variance of the model is no measure, which
// takes a row that is far off in. So rows are compared with each other. Of steps of time a row is that is far from either of those next to it and from
// all others. Where more than half of the responses are equal, as of rare counts, the others are not far for that.
func (f *Filter) strays() bool {
	s, w, e := &f.now, f.ws, f.engine
	n := s.scaling.observed
	if s.scaling.frozen || n < leastFitted || f.spec.RawResponse || e.fitted == nil && !f.spec.Steps {
		return false
	}
	s.scaling.scaled(s.design, &w.replay)
	w.one = slices.Grow(w.one[:0], 4*n)[:4*n]
	y, off, sorted, room := w.one[:0:n], w.one[n:2*n], w.one[2*n:3*n], w.one[3*n:]
	for _, v := range w.replay.y {
		if !math.IsNaN(v) {
			y = append(y, v)
		}
	}
	copy(sorted, y)
	w.ascending.sort(sorted)
	median := sorted[n/2]
	if below := first(0, n, func(i int) bool { return sorted[i] >= median }); 2*below+n < 2*first(below, n, func(i int) bool { return sorted[i] > median }) {
		return false
	}
	all := limits{math.Inf(1), math.Inf(-1)} // any is beyond
	if f.spec.Steps {
		all = strayLimits(sorted, room, strayFrom, &w.ascending)
		for i, v := range y {
			before, behind := beside(y, i)
			off[i] = v - (before/2 + behind/2)
		}
	} else {
		w.replay.shard(&w.half, 0, n)
		if !e.fitted.Fit(&w.half, off) {
			return false
		}
		for i, v := range y {
			off[i] = v - off[i]
		}
	}
	copy(sorted, off)
	w.ascending.sort(sorted)
	near := strayLimits(sorted, room, strayFrom, &w.ascending)
	for i, v := range off {
		if !near.beyond(v) || !all.beyond(y[i]) || w.replay.alone(i, sorted, room, &w.ascending) {
			continue
		}
		if before, behind := beside(y, i); f.spec.Steps && 2*min(math.Abs(y[i]-before), math.Abs(y[i]-behind)) < math.Abs(v) {
			continue // next to another one: the level is another
		}
		return true
	}
	return false
}

// beside returns the values next to one; of that at an end the only one there is.
func beside(y []float64, i int) (before, behind float64) {
	return y[max(i-1, 1-i)], y[min(i+1, 2*len(y)-3-i)]
}

// alone reports whether the row is far from the others in a column of X. It says by itself what the coefficient is, and what it is off
// is what the prior leaves of that: no fault of the row. Sorted and room are for as many values as there are rows.
func (r *rows) alone(row int, sorted, room []float64, a *ascending) bool {
	for j := range r.cols {
		for i := range sorted {
			sorted[i] = r.x[i*r.cols+j]
		}
		a.sort(sorted)
		if strayLimits(sorted, room, aloneFrom, a).beyond(r.x[row*r.cols+j]) {
			return true
		}
	}
	return false
}

// limits are those beyond which a value is far from the others: below low or above high.
type limits struct{ low, high float64 }

func (l limits) beyond(v float64) bool { return v < l.low || v > l.high }

// strayLimits returns those of ascending values, as many times as far off as three quarters of many are. Room is for as many values.
func strayLimits(sorted, room []float64, times float64, a *ascending) limits {
	n := len(sorted)
	centre := sorted[(n-1)/2]/2 + sorted[n/2]/2
	for i, v := range sorted {
		room[i] = math.Abs(v - centre)
	}
	a.sort(room)
	few := 10 / float64(n)
	far := times * room[(3*n+3)/4-1] * (1 + float64(few*few))
	return limits{centre - far, centre + far}
}
