package compressed

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/models/internal/codec"
)

// Summarize fills the rows in closed form.
func (m *Exact) Summarize(functionals []cdf.Functional, rows []cdf.Row) error {
	return summarize(m, functionals, rows)
}

// Positive is that of the laws that Summarize describes.
func (m *Exact) Positive(functionals []cdf.Functional, p, mcse []float64) error {
	return positive(m, functionals, p, mcse)
}

// PriorSD leaves gamma undefined, whose prior variance is estimated, but for columns that no row told of (untoldPriorSD).
func (m *Exact) PriorSD(functionals []cdf.Functional, dst []float64) {
	m.sigmaPriorSD(functionals, dst)
	if m.absorbed() {
		m.untoldPriorSD(functionals, dst, m.shape(), m.rate, m.logKappa, m.constant)
	}
}

// Score scores the rows that have a response. The generator is not used.
func (m *Exact) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	return score("compressed exact", m, sh)
}

// Predict describes a new observation and the regression line of every row.
func (m *Exact) Predict(sh *cdf.Shard, out []cdf.Prediction) error { return predict(m, sh, out) }

// Fit implements cdf.Fitted.
func (m *Exact) Fit(sh *cdf.Shard, dst []float64) bool { return fitRows(m, sh, dst) }

// PredictQuantiles writes quantiles of a new observation at the last row.
func (m *Exact) PredictQuantiles(sh *cdf.Shard, p, dst []float64) error {
	return predictQuantiles(m, sh, p, dst)
}

// draw fills the draws: gamma = (g + sigma L'^{-1}e)/s, e ~ N(0, I).
func (m *Exact) draw(w *exactWork, st *cdf.Step) error {
	if err := m.solve(w); err != nil {
		return err
	}
	d, p := st.Draws, m.P
	sigma2 := d.Row(p)
	for i := range d.S {
		sigma2[i] = rnd.InvGamma(st.RNG, m.shape(), m.rate)
		rnd.Normals(st.RNG, w.z)
		lin.SolveLowerT(p, w.l, w.z)
		sigma := math.Sqrt(sigma2[i])
		for j, v := range w.z {
			d.Data[j*d.S+i] = (m.g[j] + float64(sigma*v)) / w.scale[j]
		}
	}
	return nil
}

// scalars lists the numbers of the state that are not vectors.
func (m *Exact) scalars() [8]*float64 {
	return [8]*float64{&m.ybar, &m.yy, &m.n, &m.weight, &m.logKappa, &m.rate, &m.sums.model, &m.sums.null}
}

// AppendBinary appends the format, 8 numbers, three vectors and the triangle:
// 8(p(p+1)/2 + 3p + 8) + 1 bytes.
func (m *Exact) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, format)
	for _, v := range m.scalars() {
		b = codec.AppendFloats(b, *v)
	}
	return codec.AppendAll(b, m.xy, m.xbar, m.g, m.xx), nil
}

// UnmarshalBinary replaces the state.
func (m *Exact) UnmarshalBinary(b []byte) error {
	m.version++
	const name = "compressed exact"
	if len(b) < 1 || b[0] != format {
		return codec.Error(name, "unknown format")
	}
	var head [8]float64
	if !codec.ReadFloats(b[1:], head[:], m.xy, m.xbar, m.g, m.xx) {
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
func (m *Exact) inRange() bool {
	for i, at := 0, -1; i < m.P; i++ {
		if at += i + 1; m.xx[at] < 0 {
			return false
		}
	}
	return min(m.n, m.weight, m.yy) >= 0 && m.rate > 0 && math.Abs(m.logKappa) <= -leastLogKappa && !(m.weight > 0 && m.weight < negligibleWeight)
}

// loadable reports whether UnmarshalBinary takes the state.
func (m *Exact) loadable() bool {
	numbers := m.scalars()
	return finite(numbers[:], m.xy, m.xbar, m.g, m.xx) && m.inRange()
}

// Size returns the bytes held.
func (m *Exact) Size() int64 { return int64(8*(len(m.xx)+3*m.P)) + 1024 }

// AppendFlags appends worse_than_null where the errors of prediction exceed
// those of the mean of the responses before, and few_rows_per_column where there are few rows for the prior, or few columns matter and are drawn (isDrawn).
func (m *Exact) AppendFlags(dst []string) []string {
	sigma2 := m.rate / (m.settings.Prior.Sigma2Shape + m.weight/2)
	if few(m.n, m.g, m.logKappa, sigma2, func(int) float64 { return m.weight }) || m.absorbed() && isDrawn(m) {
		dst = append(dst, fewRowsPerColumn)
	}
	return m.sums.appendFlags(dst, m.n)
}

// Fed implements cdf.Feeder.
func (m *Exact) Fed(column int) bool {
	return m.xbar[column] != 0 || !m.constant(column)
}
