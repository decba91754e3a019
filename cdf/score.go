package cdf

import (
	"fmt"
	"math"
)

// scoreShard scores the checked shard of the workspace with the state before it. A
// state that absorbed no row predicts nothing.
func (f *Filter) scoreShard(observed int) error {
	s, w := &f.now, f.ws
	scaled := NoScore()
	scaled.PredictedRows = int64(w.shard.Rows - observed)
	wild, expected, unit := uint32(0), math.NaN(), math.Log(s.scaling.y.Scale)
	if f.engine.predictor != nil && s.n > 0 && observed > 0 {
		sc, err := f.engine.predictor.Score(&w.shard, w.stream.at(f.spec.Seed, f.key, s.t+1, purposeScore))
		if err != nil {
			return as(ErrNumeric, fmt.Errorf("score: %w", err))
		}
		scaled.Rows, scaled.LogDensity = sc.Rows, defined(sc.LogDensity)
		scaled.RMSE, scaled.Coverage95 = defined(sc.RMSE), defined(sc.Coverage95)
		f.transforms, wild = sc.PIT, sc.Wild
		if sc.Expected != 0 {
			expected = sc.Expected - unit
		}
		if scaled.Rows == 0 && !math.IsNaN(scaled.LogDensity) {
			scaled.Rows = int64(observed)
		}
	}
	s.scaled, s.score = scaled, scaled
	s.score.LogDensity -= unit
	s.score.RMSE *= s.scaling.y.Scale
	if s.scaling.frozen { // constants of two rows make wild ones of the third
		s.account.add(s.t+1, &s.score, expected, &f.transforms, wild, s.neff)
	}
	return nil
}

// Transforms returns the counts of the probability integral transforms of the
// rows that the last Update scored, whose number is Score.Rows of its summary.
// They are no part of the summary, which a snapshot must be able to tell. They
// are all 0 after an Update that was refused, or where the model does not
// count them.
func (f *Filter) Transforms() Transforms { return f.transforms }

// defined makes what cannot be published undefined.
func defined(v float64) float64 {
	if math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

// scoreEvidence completes the score with the growth of the log marginal
// likelihood of all rows, so that the scores of all shards sum to it. While
// the constants change, the rows before are valued anew in the same
// difference. before is the response's scale before the shard.
func (f *Filter) scoreEvidence(observed int64, before float64) {
	s := &f.now
	was := s.evidence
	s.evidence = f.logEvidence()
	s.scaled.LogEvidence = s.evidence - was
	old, now := math.Log(before), math.Log(s.scaling.y.Scale)
	s.score.LogEvidence = s.scaled.LogEvidence - (float64(observed)*now + float64(s.n)*(now-old))
}

// logEvidence returns log p of all absorbed rows in the model's units, NaN where it
// has none.
func (f *Filter) logEvidence() float64 {
	if f.engine.evidence == nil || f.spec.Forget < 1 {
		return math.NaN()
	}
	return defined(f.engine.evidence.LogEvidence())
}

// revalue expresses the score of the last shard in other units of the response.
// It stays the score of what was predicted.
func (s *state) revalue(was *state) {
	observed := was.score.Rows
	if observed == 0 && was.scaled.LogEvidence == was.evidence {
		observed = was.n // before them there was nothing to score with
	}
	log := math.Log(s.scaling.y.Scale)
	s.scaled = s.score
	s.scaled.LogDensity += log
	s.scaled.LogEvidence += float64(float64(observed) * log)
	s.scaled.RMSE /= s.scaling.y.Scale
}
