package compressed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/models/internal/codec"
	"github.com/credence-stream/credence/models/internal/describe"
	"github.com/credence-stream/credence/models/internal/dist"
	"github.com/credence-stream/credence/models/internal/predictive"
)

// prepare makes what follows from the state available: beta^, sigma2^ and,
// per column, mean and own variance of gamma_j. With V = sigma2^ W^{-1} and
// S_j the covariance of Phi_j at K^, independent over the columns given K:
//
//	E gamma_j = Phi^_j'beta^
//	Var gamma_j = beta^'S_j beta^ + tr(S_j V) + Phi^_j'V Phi^_j
//
// of which the first two terms are the column's own and the last is shared.
func (m *Learned) prepare(w *learnedWork) error {
	if m.ready {
		return nil
	}
	if err := m.solve1(w); err != nil {
		return err
	}
	k := m.m
	if m.lean {
		m.ownLean(w)
	} else {
		w.sweep.begin(m)
		for j := range m.P {
			if !w.sweep.column(m, w, j, lin.Row(w.phi0, k, j), m.kappa, w.u) {
				return errLearned("precision of the projection not positive definite")
			}
			m.own[j] = m.ownPacked(w)
		}
	}
	for j := range m.P {
		m.gamma[j] = lin.Dot(lin.Row(m.phi, k, j), m.beta)
	}
	if !lin.Finite(m.own...) || !lin.Finite(m.gamma...) {
		return errLearned("posterior of gamma not finite")
	}
	m.ready = true
	return nil
}

// ownPacked takes S_j = (L_s L_s')^{-1} from w.s. With W = LL' the trace is
// sigma2 times the sum of squares of the entries of L_s^{-1} L^{-T}.
func (m *Learned) ownPacked(w *learnedWork) float64 {
	k, u, trace := m.m, w.u, 0.
	for i := range k {
		clear(u)
		u[i] = 1
		lin.SolveLowerT(k, m.l, u)
		lin.SolveLower(k, w.s, u)
		trace += lin.Dot(u, u)
	}
	copy(u, m.beta)
	lin.SolveLower(k, w.s, u)
	return lin.Dot(u, u) + m.sigma2*trace
}

// ownLean takes S_j = K - K beta beta'K (1 - 1/(pr v))/v: then
// beta'S_j beta = 1/pr.
func (m *Learned) ownLean(w *learnedWork) {
	k := m.m
	line := m.line(m.kappa, w.u)
	trace, u := 0., w.v
	for i := range k {
		clear(u)
		u[i] = 1
		lin.SolveLower(k, m.l, u)
		trace += m.kappa[i] * lin.Dot(u, u)
	}
	copy(u, line.kb)
	lin.SolveLower(k, m.l, u)
	along := lin.Dot(u, u) / line.v
	for j := range m.P {
		precision, _ := line.at(m, j, lin.Row(w.phi0, k, j))
		left := 1 / (precision * line.v)
		m.own[j] = 1/precision + m.sigma2*max(trace-along*(1-left), 0)
	}
}

// shared returns u'V u and overwrites u.
func (m *Learned) shared(u []float64) float64 {
	lin.SolveLower(m.m, m.l, u)
	return m.sigma2 * lin.Dot(u, u)
}

// Summarize fills the rows in closed form given the estimate of K: gamma is
// taken as normal, sigma2 is inverse gamma.
func (m *Learned) Summarize(functionals []cdf.Functional, rows []cdf.Row) error {
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.prepare(w); err != nil {
		return err
	}
	shape, rate := m.sigmaLaw()
	return m.Describe(functionals, rows, &m.law, shape, rate, func(r *cdf.Row, f *cdf.Functional) {
		mean, v := f.Const, 0.
		clear(w.u)
		for c, j := range f.Param {
			mean += f.Weight[c] * m.gamma[j]
			v += f.Weight[c] * f.Weight[c] * m.own[j]
			lin.Axpy(f.Weight[c], lin.Row(m.phi, m.m, j), w.u)
		}
		describe.Normal(r, mean, math.Sqrt(v+m.shared(w.u)))
	})
}

// Positive is that of the laws that Summarize describes.
func (m *Learned) Positive(functionals []cdf.Functional, p, mcse []float64) error {
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.prepare(w); err != nil {
		return err
	}
	shape, rate := m.sigmaLaw()
	return m.Sides(functionals, p, mcse, shape, rate, func(f *cdf.Functional) float64 {
		mean, v := f.Const, 0.
		clear(w.u)
		for c, j := range f.Param {
			mean += f.Weight[c] * m.gamma[j]
			v += f.Weight[c] * f.Weight[c] * m.own[j]
			lin.Axpy(f.Weight[c], lin.Row(m.phi, m.m, j), w.u)
		}
		return normal.CDF(mean / math.Sqrt(v+m.shared(w.u)))
	})
}

// PriorSD leaves gamma undefined: the variances kappa have no mean.
func (m *Learned) PriorSD(functionals []cdf.Functional, dst []float64) {
	m.sigmaPriorSD(functionals, dst)
}

// predictLine returns mean and variance of x'gamma, after prepare.
func (m *Learned) predictLine(w *learnedWork, x []float64) (mean, v float64) {
	u := w.u
	clear(u)
	for j, z := range x {
		v += float64(float64(z*z) * m.own[j])
		lin.Axpy(z, lin.Row(m.phi, m.m, j), u)
	}
	return lin.Dot(x, m.gamma), v + m.shared(u)
}

// Score scores the rows that have a response by the normal predictive law
// with variance sigma2^ + Var x'gamma. Before the first row there is nothing
// to score with. The generator is not used.
func (m *Learned) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	if m.n == 0 {
		return sh.Unscored(), nil
	}
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.prepare(w); err != nil {
		return cdf.NoScore(), err
	}
	t := predictive.NewTally(cdf.NoScore())
	t.Expected = 0
	for i, y := range sh.Y {
		if t.Skip(y) {
			continue
		}
		mean, v := m.predictLine(w, lin.Row(sh.X, m.P, i))
		z := (y - mean) / math.Sqrt(m.sigma2+v)
		t.Logs += normalLogDensity(z, m.sigma2+v)
		t.Expected += normalLogDensity(1, m.sigma2+v) // z^2 is 1 in the mean
		t.Add(y-mean, normal.CDF(z), math.Abs(z) <= dist.NormalQuantiles[6])
		t.Share(v, m.sigma2+v)
	}
	if t.Shares() {
		predictive.MeanRow(sh, w.square)
		_, line := m.predictLine(w, w.square)
		t.Pairs(line)
	}
	return t.Score("compressed")
}

// normalLogDensity is that of a normal of the given variance at z sds.
func normalLogDensity(z, variance float64) float64 {
	return -(z*z + math.Log(2*math.Pi*variance)) / 2
}

// Predict describes a new observation and the regression line of every row.
func (m *Learned) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.prepare(w); err != nil {
		return err
	}
	for i, y := range sh.Y {
		mean, v := m.predictLine(w, lin.Row(sh.X, m.P, i))
		o := &out[i]
		predictive.Normal(o, mean, math.Sqrt(m.sigma2+v), math.Sqrt(v))
		z := (y - mean) / o.SD // NaN without a response
		o.LogDensity, o.PIT = normalLogDensity(z, m.sigma2+v), normal.CDF(z)
	}
	return nil
}

// PredictQuantiles writes quantiles of a new observation at the last row.
func (m *Learned) PredictQuantiles(sh *cdf.Shard, p, dst []float64) error {
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.prepare(w); err != nil {
		return err
	}
	mean, v := m.predictLine(w, lin.Row(sh.X, m.P, sh.Rows-1))
	predictive.NormalQuantiles(mean, math.Sqrt(m.sigma2+v), p, dst)
	return nil
}

func (m *Learned) scalars() [7]*float64 {
	return [7]*float64{&m.n, &m.weight, &m.yy, &m.ybar, &m.responses, &m.sums.model, &m.sums.null}
}

// AppendBinary appends the format, 7 numbers and the statistics; packed:
// 8(p(m(m+1)/2 + 2m) + m(m+1)/2 + 3m + 7) + 1 bytes, lean: 8(p(m+2) + ...).
// Phi0 is not in it: it follows from the settings.
func (m *Learned) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, format)
	for _, v := range m.scalars() {
		b = codec.AppendFloats(b, *v)
	}
	return codec.AppendAll(b, m.c11, m.c12, m.kappa, m.chain, m.c21, m.c22, m.phi), nil
}

// UnmarshalBinary replaces the state.
func (m *Learned) UnmarshalBinary(b []byte) error {
	m.ready = false
	m.failed = nil
	if len(b) < 1 || b[0] != format {
		return codec.Error("compressed", "unknown format")
	}
	var head [7]float64
	if !codec.ReadFloats(b[1:], head[:], m.c11, m.c12, m.kappa, m.chain, m.c21, m.c22, m.phi) {
		return codec.Error("compressed", "wrong length or numbers")
	}
	for i, v := range m.scalars() {
		*v = head[i]
	}
	if !m.inRange() {
		return codec.Error("compressed", "a number is out of range")
	}
	return nil
}

// inRange reports whether numbers that are finite are those of a state.
func (m *Learned) inRange() bool {
	for i := range m.m {
		if !(m.kappa[i] > 0 && m.chain[i] > 0) {
			return false
		}
	}
	return min(m.n, m.weight, m.yy, m.responses) >= 0
}

// loadable reports whether UnmarshalBinary takes the state.
func (m *Learned) loadable() bool {
	numbers := m.scalars()
	return finite(numbers[:], m.c11, m.c12, m.kappa, m.chain, m.c21, m.c22, m.phi) && m.inRange()
}

func errLearned(what string) error { return fmt.Errorf("%w: compressed: %s", cdf.ErrNumeric, what) }

// Size returns the bytes held.
func (m *Learned) Size() int64 {
	return int64(8*(len(m.c21)+len(m.c22)+len(m.phi)+2*m.P+2*m.m*m.m+6*m.m)) + 1024
}

// AppendFlags appends worse_than_null where the errors of prediction exceed
// those of the mean of the responses before.
func (m *Learned) AppendFlags(dst []string) []string { return m.sums.appendFlags(dst, m.n) }

// Fed implements cdf.Feeder. Packed statistics of a column are multiplied by estimates, and
// are none of it where these were 0, as they are while no response differs from 0.
func (m *Learned) Fed(column int) bool {
	n := m.width21()
	return slices.ContainsFunc(m.c21[column*n:(column+1)*n], func(v float64) bool { return v != 0 })
}
