package compressed

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/internal/codec"
	"github.com/credence-stream/credence/models/internal/describe"
	"github.com/credence-stream/credence/models/internal/predictive"
)

// scalars lists the numbers of the state that are not vectors.
func (m *Sketch) scalars() [13]*float64 {
	return [13]*float64{&m.ybar, &m.yy, &m.n, &m.weight, &m.loss, &m.lossN, &m.misfit, &m.best, &m.logKappa, &m.shape, &m.rate,
		&m.sums.model, &m.sums.null}
}

// AppendBinary appends the format, whether curvature was given up, the number
// of rows of B, 13 numbers, six vectors and B: 8(rp + 6p + 13) + 6 bytes.
func (m *Sketch) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, format, codec.Flag(1, m.lossy))
	b = binary.LittleEndian.AppendUint32(b, uint32(m.rows))
	for _, v := range m.scalars() {
		b = codec.AppendFloats(b, *v)
	}
	return codec.AppendAll(b, m.c, m.h, m.g, m.xbar, m.ss, m.scale, m.b), nil
}

// UnmarshalBinary replaces the state.
func (m *Sketch) UnmarshalBinary(b []byte) error {
	m.version++
	m.failed = nil
	const name = "compressed sketch"
	if len(b) < 6 || b[0] != format || b[1] > 1 {
		return codec.Error(name, "unknown format")
	}
	rows := binary.LittleEndian.Uint32(b[2:])
	if rows > uint32(min(m.rank, m.P)) {
		return codec.Error(name, "too many rows")
	}
	m.lossy, m.rows = b[1] == 1, int(rows)
	m.b = lin.Grow(m.b, m.rows*m.P)
	var head [13]float64
	if !codec.ReadFloats(b[6:], head[:], m.c, m.h, m.g, m.xbar, m.ss, m.scale, m.b) {
		return codec.Error(name, "wrong length or numbers")
	}
	for i, v := range m.scalars() {
		*v = head[i]
	}
	for j, s := range m.scale {
		if !(s > 0) || m.ss[j] < 0 || m.c[j] < 0 {
			return codec.Error(name, "scale or curvature out of range")
		}
	}
	if m.n < 0 || m.weight < 0 || m.yy < 0 || m.loss < 0 || m.lossN < 0 || m.misfit < 0 || m.best < 0 || !(m.shape > 0) || !(m.rate > 0) ||
		math.Abs(m.logKappa) > -leastLogKappa || m.weight > 0 && m.weight < negligibleWeight {
		return codec.Error(name, "rows or variance out of range")
	}
	return nil
}

// Size returns the bytes held.
func (m *Sketch) Size() int64 { return int64(8*(cap(m.b)+6*m.P)) + 1024 }

// AppendFlags appends worse_than_null where the errors of prediction exceed
// those of the mean of the responses before.
func (m *Sketch) AppendFlags(dst []string) []string { return m.sums.appendFlags(dst, m.n) }

// prequential compares the predictions of shards not yet absorbed with those
// of the running mean of the response, in discounted sums of squares.
type prequential struct{ model, null float64 }

func (s *prequential) discount(d float64) {
	s.model *= d
	s.null *= d
}

func (s *prequential) add(model, null float64) {
	s.model += model * model
	s.null += null * null
}

// leastJudged is the number of rows from which on predictions are judged.
const leastJudged = 30

func (s *prequential) appendFlags(dst []string, rows float64) []string {
	if rows >= leastJudged && s.model > s.null {
		return append(dst, worseThanNull)
	}
	return dst
}

// Summarize fills the rows in closed form: gamma is t, sigma2 inverse gamma.
// Moments are NaN where they do not exist.
func (m *Sketch) Summarize(functionals []cdf.Functional, rows []cdf.Row) error {
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.solveStored(w); err != nil {
		return err
	}
	law, sigma := m.law.At(m.shape), math.Sqrt(m.rate/m.shape)
	return m.Describe(functionals, rows, law, m.shape, m.rate, func(r *cdf.Row, f *cdf.Functional) {
		mean := f.Const
		for k, j := range f.Param {
			mean += f.Weight[k] * m.g[j] / m.scale[j]
		}
		describe.Student(r, law, mean, sigma*math.Sqrt(m.variance(w, f)))
	})
}

// variance returns the variance of the functional over sigma2, after solveStored.
func (m *Sketch) variance(w *sketchWork, f *cdf.Functional) float64 {
	if len(f.Param) == 1 {
		j := f.Param[0]
		s := f.Weight[0] / m.scale[j]
		return s * s * w.stored.diag[j]
	}
	z := w.v1[:m.P]
	clear(z)
	for k, j := range f.Param {
		z[j] += f.Weight[k] / m.scale[j]
	}
	return w.stored.quadratic(m.P, z)
}

// PriorSD leaves gamma undefined: its prior variance is estimated.
func (m *Sketch) PriorSD(functionals []cdf.Functional, dst []float64) {
	m.sigmaPriorSD(functionals, dst)
}

// Score scores the rows that have a response by the t predictive law. Before
// the first row there is nothing to score with. The generator is not used.
func (m *Sketch) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	if m.weight == 0 {
		return sh.Unscored(), nil
	}
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.solveStored(w); err != nil {
		return cdf.NoScore(), err
	}
	return predictive.ScoreStudent("compressed sketch", m.law.At(m.shape), sh, w, m.at)
}

// Predict describes a new observation and the regression line of every row,
// undefined before the first row fixes the level.
func (m *Sketch) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	if m.weight == 0 {
		for i := range sh.Rows {
			out[i] = cdf.NoPrediction()
		}
		return nil
	}
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.solveStored(w); err != nil {
		return err
	}
	predictive.PredictStudent(m.law.At(m.shape), sh, out, w, m.at)
	return nil
}

// at returns the mean at x and the squared scales of a row and of the line.
func (m *Sketch) at(w *sketchWork, x []float64) (mean, row, line float64) {
	mean, v := m.predictRow(w, x)
	s2 := m.rate / m.shape
	return mean, s2 * (1 + v), s2 * v
}

// draw fills the draws: x ~ N(0, A) is made of e1 ~ N(0, I_p), e2 ~ N(0, I_r)
// as u - T'L^{-1}(B u + e2), u = D^{-1/2} e1, and gamma = (g + sigma x)/s.
func (m *Sketch) draw(st *cdf.Step) error {
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.solveStored(w); err != nil {
		return err
	}
	s, d, p := &w.stored, st.Draws, m.P
	u, e := w.v1[:p], s.u[:m.rows]
	sigma2 := d.Row(p)
	for i := range d.S {
		sigma2[i] = rnd.InvGamma(st.RNG, m.shape, m.rate)
		rnd.Normals(st.RNG, u)
		rnd.Normals(st.RNG, e)
		for j := range u {
			u[j] *= s.root[j]
		}
		for k := range e {
			e[k] += lin.Dot(lin.Row(m.b, p, k), u)
		}
		lin.SolveLower(m.rows, s.l, e)
		for j := range u {
			u[j] /= s.root[j]
		}
		for k, v := range e {
			lin.Axpy(-v, lin.Row(s.t, p, k), u)
		}
		sigma := math.Sqrt(sigma2[i])
		for j := range u {
			d.Data[j*d.S+i] = (m.g[j] + float64(sigma*u[j]*s.root[j])) / m.scale[j]
		}
	}
	return nil
}
