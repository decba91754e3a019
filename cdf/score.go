package cdf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/credence-stream/credence/cdf/correlated"
	"github.com/credence-stream/credence/cdf/curved"
)

// scoreShard scores the checked shard of the workspace with the state before it. A
// state that absorbed no row predicts nothing.
func (f *Filter) scoreShard(observed int) error {
	s, w := &f.now, f.ws
	predicted := NoScore()
	f.toldNothing()
	if f.engine.predictor != nil && s.n > 0 && observed > 0 {
		rng, _ := w.stream.of(f.engine, f.spec.Seed, f.key, s.t+1, purposeScore)
		var err error
		if predicted, err = f.scoreBy(f.engine, &w.shard, rng); err != nil {
			return as(ErrNumeric, fmt.Errorf("score: %w", err))
		}
	}
	if monotone(w.shard.Y) {
		predicted.Neighbours.Products = math.NaN() // sorted rows are like their neighbours whatever errors are
	}
	s.scaled, s.score = s.scores(&predicted, observed)
	s.scaled.PredictedRows = int64(w.shard.Rows - observed)
	s.score.PredictedRows = s.scaled.PredictedRows
	f.transforms, f.weight = predicted.PIT, s.weigh(&predicted, s.score.Rows, s.neff)
	if s.scaling.frozen && !s.holdsOut(observed) { // constants of two rows make wild ones of the third
		f.judgedBy(&s.score, &predicted, f.weight)
		f.addCurves(&w.shard, s.score.Rows, false)
	}
	return nil
}

// monotone reports whether responses, but for those that are missing, only rise or only fall.
func monotone(y []float64) bool {
	rises, falls, last := true, true, math.NaN()
	for _, v := range y {
		if math.IsNaN(v) {
			continue
		}
		rises, falls, last = rises && !(v < last), falls && !(v > last), v
		if !rises && !falls {
			return false
		}
	}
	return true
}

// classScoresOfBins are those of the classes that bins belong to.
var classScoresOfBins = func() (s [PITBins]float64) {
	bin := 0
	for k, width := range pitWidths {
		for range width {
			s[bin] = classScores[k]
			bin++
		}
	}
	return s
}()

// order is what the rows of the score, by class, say in their order.
func (s *Score) order(rows *[pitClasses]uint32, all correlated.Shard) correlated.Order {
	o := correlated.Order{Rows: all.Rows, Scores: all.Scores, Products: s.Neighbours.Products, Shared: all.Shared}
	for k, n := range rows {
		o.Squares += float64(float64(n) * classScores[k] * classScores[k])
	}
	return o
}

// scoreBy scores a shard, and has the workspace told of its rows.
func (f *Filter) scoreBy(e *engine, sh *Shard, rng *rand.Rand) (Score, error) {
	w := f.ws
	sh.Reliability, sh.Season = &w.reliability, &w.season
	f.askCurves(sh)
	predicted, err := e.predictor.Score(sh, rng)
	sh.Reliability, sh.Season, sh.Curved = nil, nil, nil
	return predicted, err
}

// toldNothing forgets what was told of the rows of a shard before.
func (f *Filter) toldNothing() {
	f.ws.reliability.Reset(f.now.design.intercept())
	f.ws.season.Reset()
	f.ws.curved.Reset()
}

// scores are what is told of predictions of as many rows, in the model's units and in original ones.
func (s *state) scores(predicted *Score, observed int) (scaled, score Score) {
	scaled = NoScore()
	scaled.Rows, scaled.LogDensity = predicted.Rows, defined(predicted.LogDensity)
	scaled.RMSE, scaled.Coverage95 = defined(predicted.RMSE), defined(predicted.Coverage95)
	if scaled.Rows == 0 && !math.IsNaN(scaled.LogDensity) {
		scaled.Rows = int64(observed)
	}
	score = scaled
	score.LogDensity -= math.Log(s.scaling.y.Scale)
	score.RMSE *= s.scaling.y.Scale
	return scaled, score
}

// weigh returns what each of the rows counts for that a state of as many discounted rows predicted together: nothing where
// the parts of variances that are infinite are no numbers.
func (s *state) weigh(predicted *Score, rows int64, neff float64) float64 {
	part := predicted.Shared
	if predicted.Pair > 0 {
		// Of a pair that shares r normal scores correlate by r and their squares by its square, whose
		// mean is at most that of the row's own part.
		part = min(max(predicted.Pair, part*part), part)
	}
	if len(s.factors) > 0 { // of rows of groups hardly any pair shares as much: see judge
		part = 0
	}
	weight := rowWeight(rows, neff, part, predicted.Untold)
	if math.IsNaN(weight) {
		return 0
	}
	return weight
}

// judgedBy takes in how rows came out that were predicted, each of which counts for weight.
func (f *Filter) judgedBy(score, predicted *Score, weight float64) {
	s, w := &f.now, f.ws
	expected := math.NaN()
	if predicted.Expected != 0 {
		expected = predicted.Expected - math.Log(s.scaling.y.Scale)
	}
	s.account.add(s.t+1, score, predicted, expected, weight)
	s.account.addReliability(&w.reliability)
	s.account.addSeason(&w.season)
}

// binScores are the mean normal scores of the bins of Transforms.
var binScores = newBinScores()

func newBinScores() (s [PITBins]float64) {
	_, from := scoreAt(0)
	for bin := range s {
		_, to := scoreAt(float64(bin+1) / PITBins)
		s[bin] = PITBins * (from - to)
		from = to
	}
	return s
}

// BinScore returns the mean normal score of a bin of Transforms.
func BinScore(bin int) float64 { return binScores[bin] }

// curvable appends the columns of X that may lack a curve: numbers that are more than zeros and ones.
func (s *state) curvable(spec *Spec, dst []curved.Run) []curved.Run {
	if spec.Steps {
		return dst
	}
	first := spec.Columns.Scaling == "first"
	for i := range s.design.sources {
		src := &s.design.sources[i]
		if src.categorical || src.feature.Partial {
			continue
		}
		if first && (src.feature.Center == nil || src.feature.Scale == nil) {
			if c := &s.scaling.x[src.first]; c.Center == 0 && c.Scale == 1 {
				continue
			}
		}
		if n := len(dst) - 1; n >= 0 && dst[n].From+dst[n].Columns == src.first {
			dst[n].Columns++
		} else {
			dst = append(dst, curved.Run{From: src.first, Columns: 1})
		}
	}
	return dst
}

// dummies appends the columns of X that are zeros and ones: those of levels, and numbers that were no others among the first rows. Of what a
// formula makes of levels, those columns alone have both constants.
func (s *state) dummies(spec *Spec, dst []curved.Run) []curved.Run {
	if spec.Steps {
		return dst
	}
	for i := range s.design.sources {
		src := &s.design.sources[i]
		given := src.feature.Center != nil && src.feature.Scale != nil
		if src.categorical {
			if width := src.width(); width > 0 {
				dst = append(dst, curved.Run{From: src.first, Columns: width})
			}
		} else if c := &s.scaling.x[src.first]; given == src.feature.Partial && (given || spec.Columns.Scaling == "first" && c.Center == 0 && c.Scale == 1) {
			dst = append(dst, curved.Run{From: src.first, Columns: 1})
		}
	}
	return dst
}

// askCurves asks the model for what it tells of curves, where that is of use.
func (f *Filter) askCurves(sh *Shard) {
	s, w := &f.now, f.ws
	if !s.scaling.frozen {
		return
	}
	w.curvable, w.dummies = s.curvable(f.spec, w.curvable[:0]), s.dummies(f.spec, w.dummies[:0])
	if len(w.curvable)+len(w.dummies) > 0 {
		w.curved.Ask(len(w.curvable) > 0)
		sh.Curved = &w.curved
	}
}

// addCurves takes in what the model has told of as many rows of a shard, as several where they share little.
func (f *Filter) addCurves(sh *Shard, rows int64, apart bool) {
	a, w := &f.now.account, f.ws
	if !w.curved.Told() || rows == 0 {
		return
	}
	if a.curved == nil {
		a.curved = w.spare.curves()
		n := curved.ColumnsOf(w.curvable)
		a.curved.Columns = slices.Grow(a.curved.Columns, n)[:n]
		clear(a.curved.Columns)
	}
	if apart {
		a.curved.AddApart(&w.curved, sh.X, sh.Cols, w.curvable, w.dummies)
	} else {
		a.curved.Add(&w.curved, sh.X, sh.Cols, w.curvable, w.dummies, int(rows))
	}
}

// checkCurved refuses an account of curves of other columns.
func (s *state) checkCurved(r *reader, spec *Spec, w *Workspace) {
	if r.err != nil || s.account.curved == nil {
		return
	}
	w.curvable, w.dummies = s.curvable(spec, w.curvable[:0]), s.dummies(spec, w.dummies[:0])
	a := s.account.curved
	if has, wants := len(a.Columns), curved.ColumnsOf(w.curvable); has != wants || !s.scaling.frozen {
		r.fail("an account of curves of %d columns, of %d", has, wants)
	} else if has, wants := len(a.Uneven.Columns), wants+curved.ColumnsOf(w.dummies); a.Uneven.Rows > 0 && has != wants {
		r.fail("an account of the size of errors by %d columns, of %d", has, wants)
	}
}

// Transforms returns the counts of the probability integral transforms of the
// rows that the last Update scored, whose number is Score.Rows of its summary.
// They are no part of the summary, which a snapshot must be able to tell. They
// are all 0 after an Update that was refused, or where the model does not
// count them.
func (f *Filter) Transforms() Transforms { return f.transforms }

// RowWeight returns what each of the rows of Transforms counts for where predictions are
// judged, in (0, 1]: those that were predicted together share the error of the state.
func (f *Filter) RowWeight() float64 { return f.weight }

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
	if f.ws.spared(func() error { return f.engine.predictor.Predict(sh, w.foreseen) }) != nil {
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
