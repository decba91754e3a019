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
)

// format is the first byte of the state of every form.
const format = 1

// AppendBinary appends the format, the flag of discounting, n and the packed
// factor: 8(m(m+1)/2 + m + 2) + 2 bytes. The projection is not in it: the
// settings hold it.
func (m *Fixed) AppendBinary(b []byte) ([]byte, error) {
	flag := byte(0)
	if m.forgot {
		flag = 1
	}
	b = append(b, format, flag)
	b = codec.AppendFloats(b, m.n)
	return codec.AppendFloats(b, m.r...), nil
}

// UnmarshalBinary replaces the state.
func (m *Fixed) UnmarshalBinary(b []byte) error {
	m.ready = false
	if len(b) < 2 || b[0] != format || b[1] > 1 {
		return codec.Error("compressed fixed", "unknown format")
	}
	var head [1]float64
	if !codec.ReadFloats(b[2:], head[:], m.r) {
		return codec.Error("compressed fixed", "wrong length or numbers")
	}
	m.forgot, m.n = b[1] == 1, head[0]
	if m.n < 0 {
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
	law := m.law.At(m.a)
	scale := math.Sqrt(m.b / m.a)
	for i := range functionals {
		f, r := &functionals[i], &rows[i]
		*r = describe.Row(f.Name)
		factor, isSigma, err := m.Split(f)
		if err != nil {
			return err
		}
		if isSigma {
			describe.InvGamma(r, law, m.a, m.b, f.Const, factor)
			continue
		}
		mean := f.Const
		clear(w.u)
		for k, j := range f.Param {
			mean += f.Weight[k] * m.gamma[j]
			for c := range w.u {
				w.u[c] += f.Weight[k] * m.phi[c*m.P+j]
			}
		}
		studentRow(r, law, mean, scale*math.Sqrt(m.spread(w.u)))
	}
	return nil
}

// studentRow describes loc + scale*t with 2*shape degrees of freedom.
func studentRow(r *cdf.Row, law *dist.Standard, loc, scale float64) {
	r.Mean = loc
	if law.Shape > 1 {
		r.SD = scale * math.Sqrt(law.Shape/(law.Shape-1))
	}
	q := law.Student(loc, scale)
	describe.Quantiles(r, &q)
}

// PriorSD writes the prior sd of each functional, NaN where it is undefined.
func (m *Fixed) PriorSD(functionals []cdf.Functional, dst []float64) {
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
		clear(w.u)
		for k, j := range f.Param {
			for c := range w.u {
				w.u[c] += f.Weight[k] * m.phi[c*m.P+j]
			}
		}
		dst[i] = math.Sqrt(sigma2 * prior.BetaVariance * lin.Dot(w.u, w.u))
	}
}

// Score scores the rows that have a response by the t predictive law. Before
// the first row there is nothing to score with. The generator is not used.
func (m *Fixed) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	t := predictive.NewTally(cdf.NoScore())
	if m.n == 0 {
		t.Out.PredictedRows = int64(sh.Rows - sh.Observed())
		return t.Out, nil
	}
	if err := m.prepare(); err != nil {
		return t.Out, err
	}
	w := m.work()
	defer m.scratch.Put(w)
	law := predictive.NewStudentScore(2*m.a, m.law.At(m.a).T[2])
	for i, y := range sh.Y {
		if t.Skip(y) {
			continue
		}
		m.project(lin.Row(sh.X, m.P, i), w.u)
		e := y - lin.Dot(w.u, m.mu)
		pit, covered := law.Add(e, m.b/m.a*(1+m.spread(w.u)))
		t.Add(e, pit, covered)
	}
	t.Logs = law.Log()
	return t.Score("compressed fixed")
}

// Predict describes a new observation and the regression line of every row.
func (m *Fixed) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	if err := m.prepare(); err != nil {
		return err
	}
	w := m.work()
	defer m.scratch.Put(w)
	law := m.law.At(m.a)
	for i := range sh.Rows {
		m.project(lin.Row(sh.X, m.P, i), w.u)
		mean := lin.Dot(w.u, m.mu)
		v := m.spread(w.u)
		s2 := m.b / m.a
		predictive.Student(law, mean, math.Sqrt(s2*(1+v)), math.Sqrt(s2*v), sh.Y[i], &out[i])
	}
	return nil
}

// LogEvidence returns log p(D_1, ..., D_t), NaN once a shard was discounted:
//
//	-n/2 log 2pi - 1/2 log|I + v P'P| + a log b - a_n log b_n + log Gamma(a_n)/Gamma(a)
func (m *Fixed) LogEvidence() float64 {
	if m.forgot || m.prepare() != nil {
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
