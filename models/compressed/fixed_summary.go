package compressed

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/codec"
	"github.com/credence-stream/credence/models/internal/describe"
	"github.com/credence-stream/credence/models/internal/dist"
	"github.com/credence-stream/credence/models/internal/predictive"
	"github.com/credence-stream/credence/models/internal/regression"
)

// format is the first byte of the state of every form.
const format = 3

// AppendBinary appends the format, the flag of discounting, n, the mean of the
// response, two sums of squared errors and the packed
// factor: 8(m(m+1)/2 + m + 5) + 2 bytes. The projection is not in it: the
// settings hold it.
func (m *Fixed) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, format, codec.Flag(1, m.forgot))
	b = codec.AppendFloats(b, m.n, m.ybar, m.sums.model, m.sums.null)
	return codec.AppendFloats(b, m.r...), nil
}

// UnmarshalBinary replaces the state.
func (m *Fixed) UnmarshalBinary(b []byte) error {
	m.ready = false
	if len(b) < 2 || b[0] != format || b[1] > 1 {
		return codec.Error("compressed fixed", "unknown format")
	}
	var head [4]float64
	if !codec.ReadFloats(b[2:], head[:], m.r) {
		return codec.Error("compressed fixed", "wrong length or numbers")
	}
	m.forgot, m.n, m.ybar, m.sums = b[1] == 1, head[0], head[1], prequential{head[2], head[3]}
	if min(m.n, m.sums.model, m.sums.null) < 0 {
		return codec.Error("compressed fixed", "rows out of range")
	}
	return nil
}

// Size returns the bytes held, the projection among them.
func (m *Fixed) Size() int64 {
	return int64(8*(len(m.phi)+len(m.r)+len(m.l)+m.m+m.P)) + 512
}

// Summarize fills the rows in closed form: gamma is t with 2a_n degrees of
// freedom, sigma2 inverse gamma. Moments are NaN where they do not exist.
func (m *Fixed) Summarize(functionals []cdf.Functional, rows []cdf.Row) error {
	if err := m.prepare(); err != nil {
		return err
	}
	w := m.work()
	defer m.scratch.Put(w)
	law, scale := m.law.At(m.a), math.Sqrt(m.b/m.a)
	return m.Describe(functionals, rows, law, m.a, m.b, func(r *cdf.Row, f *cdf.Functional) {
		mean := f.Const
		for k, j := range f.Param {
			mean += f.Weight[k] * m.gamma[j]
		}
		m.compress(f, w.u)
		describe.Student(r, law, mean, scale*math.Sqrt(m.spread(w.u)))
	})
}

// Positive is that of the laws that Summarize describes.
func (m *Fixed) Positive(functionals []cdf.Functional, p, mcse []float64) error {
	if err := m.prepare(); err != nil {
		return err
	}
	w := m.work()
	defer m.scratch.Put(w)
	scale := math.Sqrt(m.b / m.a)
	return m.Sides(functionals, p, mcse, m.a, m.b, func(f *cdf.Functional) float64 {
		mean := f.Const
		for k, j := range f.Param {
			mean += f.Weight[k] * m.gamma[j]
		}
		m.compress(f, w.u)
		return regression.StudentAbove(mean, scale*math.Sqrt(m.spread(w.u)), 2*m.a)
	})
}

// compress writes Phi times the functional's weights.
func (m *Fixed) compress(f *cdf.Functional, u []float64) {
	clear(u)
	for k, j := range f.Param {
		for c := range u {
			u[c] += f.Weight[k] * m.phi[c*m.P+j]
		}
	}
}

// PriorSD writes the prior sd of each functional, NaN where it is undefined.
func (m *Fixed) PriorSD(functionals []cdf.Functional, dst []float64) {
	v := math.NaN()
	if m.prepare() == nil {
		v = m.v
	}
	w := m.work()
	defer m.scratch.Put(w)
	prior := &m.settings.Prior
	sigma2, spread := dist.InvGammaMoments(prior.Sigma2Shape, prior.Sigma2Rate)
	for i := range functionals {
		f := &functionals[i]
		if factor, isSigma, _ := m.Split(f); isSigma {
			dst[i] = math.Abs(factor) * spread
			continue
		}
		m.compress(f, w.u)
		dst[i] = math.Sqrt(sigma2 * v * lin.Dot(w.u, w.u))
	}
}

// Score scores the rows that have a response by the t predictive law. Before
// the first row there is nothing to score with. The generator is not used.
func (m *Fixed) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	if m.n == 0 {
		return sh.Unscored(), nil
	}
	if err := m.prepare(); err != nil {
		return cdf.NoScore(), err
	}
	w := m.work()
	defer m.scratch.Put(w)
	return predictive.ScoreStudent("compressed fixed", m.law.At(m.a), sh, w, m.at)
}

// Predict describes a new observation and the regression line of every row.
func (m *Fixed) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	if err := m.prepare(); err != nil {
		return err
	}
	w := m.work()
	defer m.scratch.Put(w)
	predictive.PredictStudent(m.law.At(m.a), sh, out, w, m.at)
	return nil
}

// PredictQuantiles writes quantiles of a new observation at the last row.
func (m *Fixed) PredictQuantiles(sh *cdf.Shard, p, dst []float64) error {
	if err := m.prepare(); err != nil {
		return err
	}
	w := m.work()
	defer m.scratch.Put(w)
	mean, row, _ := m.at(w, lin.Row(sh.X, sh.Cols, sh.Rows-1))
	predictive.StudentQuantiles(2*m.a, mean, math.Sqrt(row), p, dst)
	return nil
}

// at returns the mean at x and the squared scales of a row and of the line.
func (m *Fixed) at(w *fixedWork, x []float64) (mean, row, line float64) {
	m.project(x, w.u)
	mean = lin.Dot(w.u, m.mu)
	s2, v := m.b/m.a, m.spread(w.u)
	return mean, s2 * (1 + v), s2 * v
}

// AppendFlags appends worse_than_null where the errors of prediction exceed
// those of the mean of the responses before.
func (m *Fixed) AppendFlags(dst []string) []string { return m.sums.appendFlags(dst, m.n) }

// LogEvidence returns log p(D_1, ..., D_t), NaN once a shard was discounted and
// where v is estimated:
//
//	-n/2 log 2pi - 1/2 log|I + v P'P| + a log b - a_n log b_n + log Gamma(a_n)/Gamma(a)
func (m *Fixed) LogEvidence() float64 {
	if m.forgot || m.settings.Prior.BetaVariance == 0 || m.prepare() != nil {
		return math.NaN()
	}
	prior := &m.settings.Prior
	det := float64(m.m) / 2 * math.Log(prior.BetaVariance)
	for i := range m.m {
		det += math.Log(math.Abs(m.l[i*m.m+i]))
	}
	a, b := prior.Sigma2Shape, prior.Sigma2Rate
	return -m.n/2*math.Log(2*math.Pi) - det + a*math.Log(b) - m.a*math.Log(m.b) + dist.LogGamma(m.a) - dist.LogGamma(a)
}
