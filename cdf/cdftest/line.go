package cdftest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// Line returns the configuration of regression on an intercept and one
// column, "x", with known noise:
//
//	y_i | a, b ~ N(a + b x_i, noise),  a, b ~ N(0, prior) independent
//
// One block with C = (n, sum x, sum x^2, sum y, sum xy, sum y^2), all exact.
func Line() *cdf.Spec { return newLineSpec(LineSettings{Noise: .5, Prior: 4}) }

func newLineSpec(settings LineSettings) *cdf.Spec {
	s := cdf.NewSpec("line", "exact", settings, func(d cdf.Dims) (cdf.Model, error) { return newLine(settings, d) })
	s.Columns.Features, s.Columns.Intercept = []cdf.Feature{{Name: "x"}}, true
	s.Draws = 100
	return s
}

// LineSettings holds the settings of Line: variances of noise and prior, whether scores
// tell what rows share, and whether they tell of classes.
type LineSettings struct {
	Noise   float64 `json:"noise"`
	Prior   float64 `json:"prior"`
	Shared  bool    `json:"shared,omitempty"`
	Classes bool    `json:"classes,omitempty"`
}

// SharedLine is Line with scores that tell what rows share.
func SharedLine() *cdf.Spec { return newLineSpec(LineSettings{Noise: .5, Prior: 4, Shared: true}) }

// ClassedLine is Line that tells, too, of the classes of its responses: whether they are
// above what was predicted.
func ClassedLine() *cdf.Spec {
	return newLineSpec(LineSettings{Noise: .5, Prior: 4, Shared: true, Classes: true})
}

type line struct {
	set  LineSettings
	sums [6]float64 // n, x, xx, y, xy, yy
	tilt bool       // forgetting took place: no marginal likelihood
	// Posterior: mean of (a, b) and its covariance (aa, ab, bb).
	mean [2]float64
	cov  [3]float64
}

func newLine(set LineSettings, d cdf.Dims) (*line, error) {
	if len(d.Columns) != 2 || !d.Intercept {
		return nil, fmt.Errorf("%w: columns %q, want an intercept and one more", cdf.ErrSchema, d.Columns)
	}
	m := &line{set: set}
	return m, m.settle()
}

func (m *line) Params() []cdf.Param { return lineParams[:] }

var lineParams = [...]cdf.Param{{Name: "beta", Len: 2}}

func (m *line) Check(sh *cdf.Shard) error {
	for i, v := range sh.X {
		if math.Abs(v) > 1e100 {
			return fmt.Errorf("%w: %g in row %d is too large", cdf.ErrShard, v, i/sh.Cols+1)
		}
	}
	return nil
}

func (m *line) Blocks() []cdf.Block { return []cdf.Block{m} }

func (m *line) Absorb(s *cdf.Step) {
	m.tilt = m.tilt || s.Forget < 1
	for i := range m.sums {
		m.sums[i] *= s.Forget
	}
	for i, y := range s.Shard.Y {
		if math.IsNaN(y) {
			continue
		}
		x := s.Shard.X[2*i+1]
		for j, v := range [...]float64{1, x, x * x, y, x * y, y * y} {
			m.sums[j] += v
		}
	}
}

func (m *line) Sample(s *cdf.Step) error {
	if err := m.settle(); err != nil || s.Draws == nil {
		return err
	}
	// Cholesky factor of the covariance.
	l00 := math.Sqrt(m.cov[0])
	l10 := m.cov[1] / l00
	l11 := math.Sqrt(m.cov[2] - l10*l10)
	a, b := s.Draws.Row(0), s.Draws.Row(1)
	for i := range a {
		z0, z1 := s.RNG.NormFloat64(), s.RNG.NormFloat64()
		a[i], b[i] = m.mean[0]+l00*z0, m.mean[1]+l10*z0+l11*z1
	}
	return nil
}

// precision returns the posterior precision (aa, ab, bb).
func (m *line) precision() [3]float64 {
	return [...]float64{
		m.sums[0]/m.set.Noise + 1/m.set.Prior,
		m.sums[1] / m.set.Noise,
		m.sums[2]/m.set.Noise + 1/m.set.Prior,
	}
}

func (m *line) settle() error {
	p := m.precision()
	det := p[0]*p[2] - p[1]*p[1]
	if !(det > 0) || math.IsInf(det, 0) || !lin.Finite(m.sums[5]) {
		return fmt.Errorf("%w: determinant %g", cdf.ErrNumeric, det)
	}
	m.cov = [...]float64{p[2] / det, -p[1] / det, p[0] / det}
	h := [...]float64{m.sums[3] / m.set.Noise, m.sums[4] / m.set.Noise}
	m.mean = [...]float64{m.cov[0]*h[0] + m.cov[1]*h[1], m.cov[1]*h[0] + m.cov[2]*h[1]}
	return nil
}

// moments returns mean and variance of a functional under (mean, cov).
func moments(f *cdf.Functional, mean [2]float64, cov [3]float64) (mu, v float64) {
	var w [2]float64
	for k, p := range f.Param {
		w[p] += f.Weight[k]
	}
	return f.Const + w[0]*mean[0] + w[1]*mean[1], w[0]*w[0]*cov[0] + 2*w[0]*w[1]*cov[1] + w[1]*w[1]*cov[2]
}

func (m *line) Summarize(list []cdf.Functional, rows []cdf.Row) error {
	for i := range list {
		mu, v := moments(&list[i], m.mean, m.cov)
		sd, r := math.Sqrt(v), &rows[i]
		r.Mean, r.SD, r.Median, r.MCSEMean = mu, sd, mu, 0
		r.Q025, r.Q975 = mu-1.959963984540054*sd, mu+1.959963984540054*sd
		r.Q05, r.Q95 = mu-1.6448536269514722*sd, mu+1.6448536269514722*sd
		r.Q25, r.Q75 = mu-.6744897501960817*sd, mu+.6744897501960817*sd
	}
	return nil
}

func (m *line) PriorSD(list []cdf.Functional, dst []float64) {
	for i := range list {
		_, v := moments(&list[i], [2]float64{}, [3]float64{m.set.Prior, 0, m.set.Prior})
		dst[i] = math.Sqrt(v)
	}
}

func (m *line) Covariance(list []cdf.Functional, dst []float64) error {
	k := 0
	for i := range list {
		_, vi := moments(&list[i], m.mean, m.cov)
		for j := range i {
			_, vj := moments(&list[j], m.mean, m.cov)
			sum := cdf.Functional{
				Param:  append(append([]int{}, list[i].Param...), list[j].Param...),
				Weight: append(append([]float64{}, list[i].Weight...), list[j].Weight...),
			}
			_, both := moments(&sum, m.mean, m.cov)
			dst[k] = (both - vi - vj) / 2
			k++
		}
		dst[k] = vi
		k++
	}
	return nil
}

func (m *line) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	for i := range out {
		x := sh.X[2*i+1]
		mu := m.mean[0] + m.mean[1]*x
		e := m.cov[0] + 2*x*m.cov[1] + x*x*m.cov[2]
		se, sd := math.Sqrt(e), math.Sqrt(e+m.set.Noise)
		z := (sh.Y[i] - mu) / sd
		out[i] = cdf.Prediction{
			Mean: mu, SD: sd, Q025: mu - 1.959963984540054*sd, Q975: mu + 1.959963984540054*sd,
			EpredSD: se, EpredQ025: mu - 1.959963984540054*se, EpredQ975: mu + 1.959963984540054*se,
			Inner:      [4]float64{mu - 1.2815515655446004*sd, mu - 0.6744897501960817*sd, mu + 0.6744897501960817*sd, mu + 1.2815515655446004*sd},
			LogDensity: -.5*(z*z+math.Log(2*math.Pi)) - math.Log(sd), PIT: .5 * math.Erfc(-z/math.Sqrt2),
		}
	}
	return nil
}

func (m *line) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	var s cdf.Score
	line, variance, told := 0., 0., sh.Reliability
	if told != nil && m.set.Classes {
		told.Begin(sh.Cols)
	}
	for i, y := range sh.Y {
		if math.IsNaN(y) {
			continue
		}
		row := cdf.Shard{Rows: 1, Cols: 2, Y: sh.Y[i : i+1], X: sh.X[2*i : 2*i+2]}
		var p [1]cdf.Prediction
		if err := m.Predict(&row, p[:]); err != nil {
			return s, err
		}
		s.Rows++
		s.LogDensity += p[0].LogDensity
		s.RMSE += (y - p[0].Mean) * (y - p[0].Mean)
		covered := p[0].PIT >= .025 && p[0].PIT <= .975
		if covered {
			s.Coverage95++
		}
		s.Transformed(p[0].PIT, covered)
		if told != nil && m.set.Classes {
			above := math.Round(p[0].PIT)
			told.Add(above, .5, p[0].EpredSD*p[0].EpredSD/100, row.X)
		}
		line, variance = line+p[0].EpredSD*p[0].EpredSD, variance+p[0].SD*p[0].SD
	}
	if m.set.Shared {
		s.Shared = line / variance
	}
	n := float64(s.Rows)
	s.LogDensity, s.RMSE, s.Coverage95 = s.LogDensity/n, math.Sqrt(s.RMSE/n), s.Coverage95/n
	return s, nil
}

// LogEvidence integrates a and b out of the normal likelihood.
func (m *line) LogEvidence() float64 {
	if m.tilt {
		return math.NaN()
	}
	p := m.precision()
	fit := m.mean[0]*m.sums[3] + m.mean[1]*m.sums[4]
	return -.5*m.sums[0]*math.Log(2*math.Pi*m.set.Noise) - .5*(m.sums[5]-fit)/m.set.Noise -
		.5*math.Log((p[0]*p[2]-p[1]*p[1])*m.set.Prior*m.set.Prior)
}

func (m *line) AppendBinary(b []byte) ([]byte, error) {
	for _, v := range m.sums {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	if m.tilt {
		return append(b, 1), nil
	}
	return append(b, 0), nil
}

func (m *line) UnmarshalBinary(b []byte) error {
	if len(b) != 8*len(m.sums)+1 || b[len(b)-1] > 1 {
		return fmt.Errorf("%w: a line of %d bytes", cdf.ErrSnapshot, len(b))
	}
	m.tilt = b[len(b)-1] == 1
	for i := range m.sums {
		m.sums[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	if !(m.sums[0] >= 0 && m.sums[2] >= 0 && m.sums[5] >= 0) || m.settle() != nil {
		return fmt.Errorf("%w: sums %g", cdf.ErrSnapshot, m.sums)
	}
	return nil
}
