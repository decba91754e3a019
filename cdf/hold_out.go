package cdf

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
