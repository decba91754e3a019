package dlm

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/models/internal/dist"
	"github.com/credence-stream/credence/models/internal/predictive"
)

// forward is a walk over the rows of a shard that leaves the state alone:
// each row is predicted from the state and the rows before it.
type forward struct {
	w     *work
	prior *Prior
	n     float64
	clock Clock
}

// forward starts a walk on a copy of the grid, with the shard's discount
// applied first.
func (m *Model) forward(w *work, sh *cdf.Shard) (forward, error) {
	w.grid.copyFrom(&m.grid)
	f := forward{w: w, prior: &m.family.settings.Prior, n: m.n, clock: m.clock}
	ok := false
	if sh.Forget > 0 && sh.Forget < 1 {
		w.grid.forget(sh.Forget)
		f.n *= sh.Forget
		ok = w.weigh(&w.grid, f.prior, f.n)
	} else {
		ok = w.weighState(m)
	}
	if !ok {
		return f, errWeights
	}
	return f, nil
}

var errWeights = fmt.Errorf("%w: dlm: weights not finite", cdf.ErrNumeric)

// Score scores the rows that have a response, each given the rows before it:
// a mixture of t laws with 2A degrees of freedom and scale^2 = FB/A. Their
// logarithms sum to that of the joint density, so the posterior's own
// normaliser gives them without evaluating a density. The generator is not used.
func (m *Model) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	out := cdf.NoScore()
	w := m.family.take()
	defer m.family.scratch.Put(w)
	f, err := m.forward(w, sh)
	if err != nil {
		return out, err
	}
	t := predictive.NewTally(out)
	var limit studentLimit
	for i, y := range sh.Y {
		steps := f.clock.Tick(sh, i)
		w.grid.step(steps, math.NaN(), w.product)
		if sh.Season != nil {
			sh.Season.Pass(steps)
		}
		if t.Skip(y) {
			continue
		}
		w.locate(&w.grid)
		mean := w.mean(w.level)
		covered, pit := true, .5
		if !sh.Glance || !w.plainly(y) {
			covered, pit = w.covers(y, limit.at(2*w.shape)), w.bin(y)
		}
		if sh.Season != nil {
			sh.Season.Tell(normal.Quantile(pit))
		}
		e, wild := y-mean, t.Out.Wild
		if t.Add(e, pit, covered); t.Out.Wild > wild {
			t.Out.Far += math.Min(e/w.variance()*e, math.MaxFloat64)
		}
		logs, err := f.absorb(y)
		if err != nil {
			return out, err
		}
		t.Logs += logs
	}
	if sh.Season != nil {
		sh.Season.Level(w.law())
	}
	return t.Score("dlm")
}

// law returns the posterior mean of phi, and q at the mean of its logarithm.
func (w *work) law() (phi, q float64) {
	for i, at := range w.grid.phi {
		for j, p := range (*[nodes]float64)(w.weight[i*nodes:]) {
			phi += float64(p * at)
			q += float64(p * w.grid.l[j])
		}
	}
	return phi, math.Exp(q)
}

// variance is that of a prediction within nodes.
func (w *work) variance() (v float64) {
	for k, p := range w.weight {
		v += p * (w.spread[k] + 1) * w.rate[k]
	}
	return v / w.shape
}

// absorb takes a response into the walk and returns its log density.
func (f *forward) absorb(y float64) (float64, error) {
	w := f.w
	before := w.logZ + dist.LogGamma(w.shape)
	w.grid.step(0, y, w.product)
	f.n++
	if !w.weigh(&w.grid, f.prior, f.n) {
		return 0, errWeights
	}
	return w.logZ + dist.LogGamma(w.shape) - before - 0.5*math.Log(2*math.Pi), nil
}

// slight is the weight up to which a node does not count for coverage.
const slight = 1e-6

// covers reports whether y lies between the .025 and the .975 quantile of its
// predictive mixture, limit being the .975 quantile of one component. The
// components mostly agree; else the distribution function decides.
func (w *work) covers(y, limit float64) bool {
	inside, outside, shape := true, true, w.shape
	level, spread, rate := (*[nodes * nodes]float64)(w.level), (*[nodes * nodes]float64)(w.spread), (*[nodes * nodes]float64)(w.rate)
	for k, p := range (*[nodes * nodes]float64)(w.weight) {
		if p > slight {
			e := y - level[k]
			in := e*e <= limit*limit*(spread[k]+1)*rate[k]/shape
			inside, outside = inside && in, outside && !in
		}
	}
	if inside || outside {
		return inside
	}
	pit := w.pit(y)
	return pit >= .025 && pit <= .975
}

// plainly reports that y has surely more than 1e-6 of its prediction on both sides: nodes of half the weight have it
// within four of their scales, where a t law of any degrees of freedom has at least the 3e-5 of a normal law.
func (w *work) plainly(y float64) bool {
	const half, scales = .5, 4
	level, spread, rate := (*[nodes * nodes]float64)(w.level), (*[nodes * nodes]float64)(w.spread), (*[nodes * nodes]float64)(w.rate)
	sum, limit := 0.0, scales*scales/w.shape
	for k, p := range (*[nodes * nodes]float64)(w.weight) {
		if e := y - level[k]; e*e < limit*(spread[k]+1)*rate[k] {
			if sum += p; sum >= half {
				return true
			}
		}
	}
	return false
}

// pit returns the predictive probability of an observation below y.
func (w *work) pit(y float64) float64 {
	below, total := 0.0, 0.0
	for k, p := range w.weight {
		if p > slight {
			below += p * dist.StudentCDF((y-w.level[k])/math.Sqrt((w.spread[k]+1)*w.rate[k]/w.shape), 2*w.shape)
			total += p
		}
	}
	return min(below/total, 1)
}

// trifling is the weight up to which a node does not count for a bin.
const trifling = 1e-5

// bin returns the transform of y as well as a bin of Score.PIT tells it.
func (w *work) bin(y float64) float64 {
	df := 2 * w.shape
	if df < dist.Plentiful {
		return w.pit(y)
	}
	x, n, total, shape := &w.binned, 0, 0.0, w.shape
	level, spread, rate := (*[nodes * nodes]float64)(w.level), (*[nodes * nodes]float64)(w.spread), (*[nodes * nodes]float64)(w.rate)
	for k, p := range (*[nodes * nodes]float64)(w.weight) {
		if p > trifling {
			e := y - level[k]
			x.weight[n], x.e[n], x.t2[n] = p, e, e*e/((spread[k]+1)*rate[k]/shape)
			total += p
			n++
		}
	}
	dist.NearStudentCDFs(x.p[:n], x.e[:n], x.t2[:n], df)
	return lin.Dot(x.weight[:n], x.p[:n]) / total
}

// binned is room for what w.bin asks of nodes.
type binned struct{ weight, e, t2, p [nodes * nodes]float64 }

// studentLimit keeps the .975 quantile of t for the last degrees of freedom.
type studentLimit struct{ df, limit float64 }

func (s *studentLimit) at(df float64) float64 {
	if df != s.df {
		s.df, s.limit = df, dist.StudentQuantile(dist.NormalQuantiles[6], df)
	}
	return s.limit
}

// Predict describes every row's observation and level, given the rows before
// it: without responses in between, the rows are horizons 1, 2, and so on, or
// as many steps ahead as their times say.
func (m *Model) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	w := m.family.take()
	defer m.family.scratch.Put(w)
	f, err := m.forward(w, sh)
	if err != nil {
		return err
	}
	var level, response dist.Tracker
	for i, y := range sh.Y {
		w.grid.step(f.clock.Tick(sh, i), math.NaN(), w.product)
		p := &out[i]
		w.t.Student(2 * w.shape)
		w.mix.Reset(&w.t)
		_, p.EpredSD = w.levels(&w.grid, 0, m.spread())
		p.EpredQ025, p.EpredQ975 = level.Central95(&w.mix)
		w.mix.Reset(&w.t)
		p.Mean, p.SD = w.levels(&w.grid, 1, m.spread())
		p.Q025, p.Q975 = response.Central95(&w.mix)
		if sh.Inner {
			for k, level := range dist.InnerLevels {
				p.Inner[k] = w.mix.Quantile(level)
			}
		}
		p.LogDensity, p.PIT = math.NaN(), math.NaN()
		if math.IsNaN(y) {
			continue
		}
		p.PIT = w.pit(y)
		if p.LogDensity, err = f.absorb(y); err != nil {
			return err
		}
	}
	return nil
}

// PredictQuantiles writes quantiles of the last row's observation, given the rows
// before it.
func (m *Model) PredictQuantiles(sh *cdf.Shard, p, dst []float64) error {
	w := m.family.take()
	defer m.family.scratch.Put(w)
	f, err := m.forward(w, sh)
	if err != nil {
		return err
	}
	for i, y := range sh.Y {
		w.grid.step(f.clock.Tick(sh, i), math.NaN(), w.product)
		if i == sh.Rows-1 || math.IsNaN(y) {
			continue
		}
		if _, err := f.absorb(y); err != nil {
			return err
		}
	}
	w.t.Student(2 * w.shape)
	w.mix.Reset(&w.t)
	w.levels(&w.grid, 1, false)
	for i, level := range p {
		dst[i] = w.mix.Quantile(level)
	}
	return nil
}
