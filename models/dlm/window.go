package dlm

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/models/internal/dist"
	"github.com/credence-stream/credence/models/internal/predictive"
)

// rowWindow is what the rules that sample over a window of steps share. Time
// passes as in Model, from the same theta_0. The state before the window is the
// boundary: theta_0 until a step has left, then theta ~ N(m0, v0).
type rowWindow struct {
	prior  Prior
	window int
	clock  Clock
	steps  []Step // at most window of them between shards
	left   bool   // some step left the window
	m0, v0 float64
	n      float64    // rows absorbed
	last   [3]float64 // the last draw: phi, tau2, sigma2; all 0 before the first
	hat    [3]float64 // posterior means of the last shard, prior modes before it, for predictions

	sum moments // of the last shard, not part of the state
}

func newRowWindow(s Settings, d cdf.Dims) (rowWindow, error) {
	if err := s.Validate(); err != nil {
		return rowWindow{}, err
	}
	p := s.Prior
	return rowWindow{
		prior: p, window: s.Window,
		hat: [3]float64{0.5, p.Tau2Rate / (p.Tau2Shape + 1), p.Sigma2Rate / (p.Sigma2Shape + 1)},
	}, Columns(d)
}

// Params returns phi, tau2, sigma2 and theta, the level after the last row.
func (m *rowWindow) Params() []cdf.Param { return Params() }

// Chains returns 1.
func (m *rowWindow) Chains() int { return 1 }

// Check reports, wrapping ErrShard, what Model reports and a shard whose gaps
// hold too many steps.
func (m *rowWindow) Check(sh *cdf.Shard) error { return m.clock.CheckSteps(sh) }

// CheckBehind is Check of rows behind others.
func (m *rowWindow) CheckBehind(sh *cdf.Shard, b *cdf.Before) error {
	return m.clock.CheckStepsBehind(sh, b)
}

// take appends the shard's rows to the window.
func (m *rowWindow) take(sh *cdf.Shard) {
	m.steps = m.clock.AppendSteps(m.steps, sh)
	m.n += float64(sh.Observed())
}

// keep drops the steps that left the window.
func (m *rowWindow) keep() {
	out := len(m.steps) - m.window
	if out <= 0 {
		return
	}
	if cap(m.steps) > 4*m.window+64 {
		m.steps = append(make([]Step, 0, 2*m.window), m.steps[out:]...)
		return
	}
	m.steps = m.steps[:copy(m.steps, m.steps[out:])]
}

// runIn is the number of first sweeps that windows drop.
const runIn = 200

// begin starts the chain at phi = .5 and, for both variances, half the
// variance of the first observations, or the prior mode where that is more. It
// reports whether the chain began now.
func (m *rowWindow) begin() bool {
	if m.last != [3]float64{} {
		return false
	}
	var all Step
	for _, s := range m.steps {
		if s.n > 0 {
			all.Add(s.mean)
		}
	}
	half := 0.0
	if all.n > 1 {
		half = 0.5 * all.ss / (all.n - 1)
	}
	p := &m.prior
	m.last = [3]float64{0.5, max(half, p.Tau2Rate/(p.Tau2Shape+1)), max(half, p.Sigma2Rate/(p.Sigma2Shape+1))}
	return true
}

// moments collects the moments of a shard: those of the parameters from
// their draws, that of theta from its conditional laws.
type moments struct {
	count        float64
	mean, square [4]float64 // running mean, sum of squares about it
	inner        float64    // sum of the conditional variances of theta
}

func (s *moments) add(draw [3]float64, m, v float64) {
	s.count++
	for i, x := range [4]float64{draw[0], draw[1], draw[2], m} {
		d := x - s.mean[i]
		s.mean[i] += d / s.count
		s.square[i] += d * (x - s.mean[i])
	}
	s.inner += v
}

// Summarize gives the moments of the last shard; quantiles and diagnostics
// come from the draws.
func (m *rowWindow) Summarize(functionals []cdf.Functional, rows []cdf.Row) error {
	s := &m.sum
	for i, f := range functionals {
		if len(f.Param) != 1 || f.Param[0] < 0 || f.Param[0] > thetaRow {
			return fmt.Errorf("%w: %s is not affine in one parameter", cdf.ErrSchema, f.Name)
		}
		r, k, w := &rows[i], f.Param[0], f.Weight[0]
		r.Open, r.Mean, r.SD = true, math.NaN(), math.NaN()
		v := s.square[k] / s.count
		if k == thetaRow {
			v += s.inner / s.count
		}
		hasMean, hasSD := m.prior.Moments(k, m.n, m.n)
		if hasMean {
			r.Mean = f.Const + w*s.mean[k]
		}
		if hasSD {
			r.SD = math.Abs(w) * math.Sqrt(v)
		}
	}
	return nil
}

// PriorSD writes the prior sd of each functional, NaN where undefined.
func (m *rowWindow) PriorSD(functionals []cdf.Functional, dst []float64) {
	m.prior.PriorSD(functionals, dst)
}

// boundary returns the law of theta before the window. That of theta_0 is in
// units of sigma2, as in Model, and moves with it.
func (m *rowWindow) boundary(sigma2 float64) (mean, v float64) {
	if m.left {
		return m.m0, m.v0
	}
	return 0, m.prior.Theta0Variance * sigma2
}

// level returns theta's filtered law at the posterior means of the parameters.
func (m *rowWindow) level() (mean, v float64) {
	mean, v = m.boundary(m.hat[2])
	for i := range m.steps {
		mean, v = m.steps[i].kalman(mean, v, m.hat[0], m.hat[1], m.hat[2])
	}
	return mean, v
}

// Score scores the rows that have a response as Predict describes them. The
// generator is not used.
func (m *rowWindow) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	t := predictive.NewTally(cdf.NoScore())
	m.walk(sh, func(i int, mean, v float64) {
		if y := sh.Y[i]; !t.Skip(y) {
			e := y - mean
			s2 := v + m.hat[2]
			t.Logs -= 0.5 * (math.Log(2*math.Pi*s2) + e*e/s2)
			t.Add(e, m.pit(sh, e/math.Sqrt(s2)), e*e <= dist.NormalQuantiles[6]*dist.NormalQuantiles[6]*s2)
		}
	})
	return t.Score("dlm")
}

// pit returns the probability of a response that is not z sds above its mean. Where only rows far off are asked for, the
// state may be of two dozen rows, whose variance is so unsure that a normal law calls a hundred times as many far off as are.
func (m *rowWindow) pit(sh *cdf.Shard, z float64) float64 {
	if sh.Glance && m.n > 0 {
		return dist.StudentCDF(z, m.n)
	}
	return normal.CDF(z)
}

// Predict describes every row given the rows before it by normal laws, with
// the parameters at their posterior means.
func (m *rowWindow) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	m.walk(sh, func(i int, mean, v float64) {
		line, sd := math.Sqrt(v), math.Sqrt(v+m.hat[2])
		predictive.Normal(&out[i], mean, sd, line)
		z := (sh.Y[i] - mean) / sd
		out[i].LogDensity, out[i].PIT = -0.5*(z*z+math.Log(2*math.Pi))-math.Log(sd), normal.CDF(z)
	})
	return nil
}

// PredictQuantiles writes quantiles of the last row's observation, given the rows
// before it.
func (m *rowWindow) PredictQuantiles(sh *cdf.Shard, p, dst []float64) error {
	m.walk(sh, func(i int, mean, v float64) {
		if i == sh.Rows-1 {
			predictive.NormalQuantiles(mean, math.Sqrt(v+m.hat[2]), p, dst)
		}
	})
	return nil
}

// walk calls at with theta's law before each row.
func (m *rowWindow) walk(sh *cdf.Shard, at func(i int, mean, v float64)) {
	mean, v := m.level()
	c := m.clock
	for i, y := range sh.Y {
		power, sum := Carry(m.hat[0], c.Tick(sh, i))
		mean, v = power*mean, power*power*v+m.hat[1]*sum
		at(i, mean, v)
		if !math.IsNaN(y) {
			f := v + m.hat[2]
			mean, v = mean+v/f*(y-mean), v*m.hat[2]/f
		}
	}
}
