package anova

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/models/internal/dist"
	"github.com/credence-stream/credence/models/internal/predictive"
)

// A row of a known group is t with 2*shape degrees of freedom about zeta's
// mean, scale^2 = Var zeta + s2. One of a group without rows is taken as
// normal with mean E mu and variance Var mu + E tau2 + E sigma2; where one of
// these is undefined nothing is said of it.

// unseen returns mean and variance of the level of a new group, and the
// variance of a row of it; NaN where undefined.
func (m *statistics) unseen() (mean, level, row float64) {
	mean, sd := m.muMoments()
	tau2, _ := m.tauMoments()
	sigma2, _ := m.sigmaMoments()
	level = sd*sd + tau2
	return mean, level, level + sigma2
}

// known reports whether group g has rows.
func (m *statistics) known(g int32) bool { return g >= 0 && int(g) < len(m.n) }

// Score scores the rows that have a response, but for those of an unseen
// group whose predictive law has no variance. The generator is not used.
func (m *statistics) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	t := predictive.NewTally(cdf.NoScore())
	shape, _ := m.sigmaLaw()
	law := predictive.NewStudentScore(2*shape, m.law.At(shape).T[2])
	mean, level, variance := m.unseen()
	scale := math.Sqrt(variance)
	constant := -math.Log(scale) - 0.5*math.Log(2*math.Pi)
	logs, expected := 0.0, 0.0
	for i, y := range sh.Y {
		if t.Skip(y) {
			continue
		}
		if g := sh.Group[0][i]; m.known(g) {
			e, scale2 := y-m.zeta[g], m.vari[g]+m.s2
			pit, covered := law.Add(e, scale2)
			t.Add(e, pit, covered)
			t.Share(m.vari[g], scale2)
		} else if !math.IsNaN(scale) {
			z := (y - mean) / scale
			logs += constant - 0.5*z*z
			expected += constant - 0.5
			t.Add(y-mean, normal.CDF(z), math.Abs(z) <= dist.NormalQuantiles[6])
			t.Share(level, variance)
		}
	}
	if t.Logs, t.Expected = logs, expected; law.Rows > 0 {
		known, expected := law.Logs()
		t.Logs += known
		t.Expected += expected
	}
	return t.Score("anova")
}

// AppendArrivals appends the groups. Before a new one has a law nothing is scored of it.
func (m *statistics) AppendArrivals(dst []cdf.Arrivals) []cdf.Arrivals {
	a := cdf.Arrivals{Groups: len(m.n)}
	if _, level, row := m.unseen(); row > 0 {
		a.Shared = level / row
	}
	for _, n := range m.n {
		a.Rows += n
		a.Squares += float64(n * n)
	}
	return append(dst, a)
}

// Predict describes a new observation of every row's group, and the level of
// that group.
func (m *statistics) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	shape, _ := m.sigmaLaw()
	law := m.law.At(shape)
	mean, level, row := m.unseen()
	sd := math.Sqrt(row)
	varies, spreads := m.noiseTail() > 1, m.spreads()
	for i, y := range sh.Y {
		p := &out[i]
		if g := sh.Group[0][i]; m.known(g) {
			predictive.Student(law, m.zeta[g], math.Sqrt(m.vari[g]+m.s2), 0, y, p)
			predictive.NormalLine(p, m.zeta[g], math.Sqrt(m.vari[g]))
			switch {
			case !varies:
				p.SD = math.NaN()
			case law.Shape <= 1: // the t law has no sd, what it stands for has
				sigma2, _ := m.sigmaMoments()
				p.SD = math.Sqrt(m.vari[g] + sigma2)
			}
			if !spreads {
				p.EpredSD = math.NaN()
			}
			continue
		}
		predictive.Normal(p, mean, sd, math.Sqrt(level)) // a NaN sd leaves all but the mean NaN
		z := (y - mean) / sd                             // NaN without a response
		p.LogDensity, p.PIT = -math.Log(sd)-0.5*math.Log(2*math.Pi)-0.5*z*z, normal.CDF(z)
	}
	return nil
}

// Fit implements cdf.Fitted.
func (m *statistics) Fit(sh *cdf.Shard, dst []float64) bool {
	for i, g := range sh.Group[0] {
		if !m.known(g) {
			return false
		}
		dst[i] = m.zeta[g]
	}
	return true
}

// PredictQuantiles writes quantiles of a new observation of the last row's group.
func (m *statistics) PredictQuantiles(sh *cdf.Shard, p, dst []float64) error {
	if g := sh.Group[0][sh.Rows-1]; m.known(g) {
		shape, _ := m.sigmaLaw()
		predictive.StudentQuantiles(2*shape, m.zeta[g], math.Sqrt(m.vari[g]+m.s2), p, dst)
		return nil
	}
	mean, _, row := m.unseen()
	predictive.NormalQuantiles(mean, math.Sqrt(row), p, dst)
	return nil
}
