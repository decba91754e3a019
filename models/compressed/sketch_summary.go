package compressed

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/internal/codec"
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
	if !m.inRange() {
		return codec.Error(name, "a number is out of range")
	}
	return nil
}

// inRange reports whether numbers that are finite are those of a state.
func (m *Sketch) inRange() bool {
	for j, s := range m.scale {
		if !(s > 0) || m.ss[j] < 0 || m.c[j] < 0 {
			return false
		}
	}
	return min(m.n, m.weight, m.yy, m.loss, m.lossN, m.misfit, m.best) >= 0 && m.shape > 0 && m.rate > 0 &&
		math.Abs(m.logKappa) <= -leastLogKappa && !(m.weight > 0 && m.weight < negligibleWeight)
}

// loadable reports whether UnmarshalBinary takes the state.
func (m *Sketch) loadable() bool {
	numbers := m.scalars()
	return finite(numbers[:], m.c, m.h, m.g, m.xbar, m.ss, m.scale, m.b) && m.inRange()
}

// Size returns the bytes held.
func (m *Sketch) Size() int64 { return int64(8*(cap(m.b)+6*m.P)) + 1024 }

// AppendFlags appends worse_than_null where the errors of prediction exceed those of
// the mean of the responses before, and few_rows_per_column where there are few rows for the prior (few), where curvature was given up
// with less than fourfold as many rows as columns or S has less than nine tenths of it, where
// sigma2 comes from a few errors of prediction: those of a small shard after a large one, or where few columns matter and are drawn (isDrawn).
func (m *Sketch) AppendFlags(dst []string) []string {
	if m.lossy && m.early() || few(m.n, m.g, m.logKappa, m.rate/m.shape, m.curvature) || m.absorbed() && isDrawn(m) {
		dst = append(dst, fewRowsPerColumn)
	}
	return m.sums.appendFlags(dst, m.n)
}

// early reports whether a sketch that has given curvature up had too few rows for that.
func (m *Sketch) early() bool {
	return m.n < float64(4*m.P) || m.lossN > 0 && m.lossN < leastErrors || m.told() < leastTold
}

// curvature returns S_jj.
func (m *Sketch) curvature(j int) float64 {
	sum := m.c[j]
	for i := range m.rows {
		sum += float64(m.b[i*m.P+j] * m.b[i*m.P+j])
	}
	return sum
}

// told returns how much of the diagonal of X'X is in that of S.
func (m *Sketch) told() float64 {
	have, all := lin.Dot(m.b, m.b), 0.
	for j, c := range m.c {
		have += c
		all += m.ss[j] / float64(m.scale[j]*m.scale[j])
	}
	return have / all
}

// Summarize fills the rows in closed form.
func (m *Sketch) Summarize(functionals []cdf.Functional, rows []cdf.Row) error {
	return summarize(m, functionals, rows)
}

// Positive is that of the laws that Summarize describes.
func (m *Sketch) Positive(functionals []cdf.Functional, p, mcse []float64) error {
	return positive(m, functionals, p, mcse)
}

// PriorSD leaves gamma undefined, whose prior variance is estimated, but for columns that no row told of (untoldPriorSD).
func (m *Sketch) PriorSD(functionals []cdf.Functional, dst []float64) {
	m.sigmaPriorSD(functionals, dst)
	if m.absorbed() {
		m.untoldPriorSD(functionals, dst, m.shape, m.rate, m.logKappa, m.constant)
	}
}

// Score scores the rows that have a response. The generator is not used.
func (m *Sketch) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	return score("compressed sketch", m, sh)
}

// Predict describes a new observation and the regression line of every row.
func (m *Sketch) Predict(sh *cdf.Shard, out []cdf.Prediction) error { return predict(m, sh, out) }

// Fit implements cdf.Fitted.
func (m *Sketch) Fit(sh *cdf.Shard, dst []float64) bool { return fitRows(m, sh, dst) }

// PredictQuantiles writes quantiles of a new observation at the last row.
func (m *Sketch) PredictQuantiles(sh *cdf.Shard, p, dst []float64) error {
	return predictQuantiles(m, sh, p, dst)
}

// draw fills the draws: x ~ N(0, A) is made of e1 ~ N(0, I_p), e2 ~ N(0, I_r)
// as u - T'L^{-1}(B u + e2), u = D^{-1/2} e1, and gamma = (g + sigma x)/s.
func (m *Sketch) draw(st *cdf.Step) error {
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.solve(w); err != nil {
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

// Fed implements cdf.Feeder.
func (m *Sketch) Fed(column int) bool { return m.xbar[column] != 0 || m.ss[column] != 0 }
