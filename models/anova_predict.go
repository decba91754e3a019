package models

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/normal"
)

// A row of a known group is t with 2*shape degrees of freedom about zeta's
// mean, scale^2 = Var zeta + s2. One of a group without rows is taken as
// normal with mean E mu and variance Var mu + E tau2 + E sigma2; where one of
// these is undefined nothing is said of it.

// unseen returns mean and variance of the level of a new group, and the
// variance of a row of it; NaN where undefined.
func (m *anovaState) unseen() (mean, level, row float64) {
	mean, sd := m.muMoments()
	tau2, _ := m.tauMoments()
	sigma2, _ := invGammaMoments(m.sigmaLaw())
	level = sd*sd + tau2
	return mean, level, level + sigma2
}

// known reports whether group g has rows.
func (m *anovaState) known(g int32) bool { return g >= 0 && int(g) < len(m.n) }

// Score scores the rows that have a response, but for those of an unseen
// group whose predictive law has no variance. The generator is not used.
func (m *anovaState) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	t := newTally(cdf.NoScore())
	shape, _ := m.sigmaLaw()
	law := newStudentScore(2*shape, m.law.at(shape).t[2])
	mean, _, variance := m.unseen()
	scale := math.Sqrt(variance)
	constant := -math.Log(scale) - 0.5*math.Log(2*math.Pi)
	logs := 0.0
	for i, y := range sh.Y {
		if t.skip(y) {
			continue
		}
		if g := sh.Group[0][i]; m.known(g) {
			e := y - m.zeta[g]
			pit, covered := law.add(e, m.vari[g]+m.s2)
			t.add(e, pit, covered)
		} else if scale == scale {
			z := (y - mean) / scale
			logs += constant - 0.5*z*z
			t.add(y-mean, normal.CDF(z), math.Abs(z) <= normals[6])
		}
	}
	if t.logs = logs; law.rows > 0 {
		t.logs += law.log()
	}
	return t.score("anova")
}

// Predict describes a new observation of every row's group, and the level of
// that group.
func (m *anovaState) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	shape, _ := m.sigmaLaw()
	law := m.law.at(shape)
	mean, level, row := m.unseen()
	for i := range sh.Rows {
		p, center, sd := &out[i], mean, math.Sqrt(level)
		if g := sh.Group[0][i]; m.known(g) {
			center, sd = m.zeta[g], math.Sqrt(m.vari[g])
			predictStudent(law, center, math.Sqrt(m.vari[g]+m.s2), 0, sh.Y[i], p)
		} else {
			predictNormal(center, math.Sqrt(row), sh.Y[i], p)
		}
		p.EpredSD, p.EpredQ025, p.EpredQ975 = sd, center+normals[0]*sd, center+normals[6]*sd
	}
	return nil
}

// predictNormal fills a prediction of an observation with a normal law; a NaN
// sd leaves all but the mean NaN.
func predictNormal(mean, sd, y float64, p *cdf.Prediction) {
	p.Mean, p.SD = mean, sd
	p.Q025, p.Q975 = mean+normals[0]*sd, mean+normals[6]*sd
	z := (y - mean) / sd // NaN without a response
	p.LogDensity = -math.Log(sd) - 0.5*math.Log(2*math.Pi) - 0.5*z*z
	p.PIT = normal.CDF(z)
}
