package probit

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// Of levels that are alike prior and posterior are those of the covariance v (I + 1 1'), by dense matrices.
func TestLevelsAreAlike(t *testing.T) {
	const p, first, levels, v = 7, 2, 4, .7
	set := Defaults()
	set.Prior.BetaVariance = v
	m, err := New(set, cdf.Dims{Columns: modeltest.Columns(p), Intercept: true, Draws: 160, Siblings: []cdf.Siblings{{First: first, Columns: levels}}})
	if err != nil {
		t.Fatal(err)
	}
	prior := mat.NewSymDense(p, nil)
	for i := range p {
		prior.SetSym(i, i, m.Variance(i))
	}
	for i := first; i < first+levels; i++ {
		for j := i; j < first+levels; j++ {
			prior.SetSym(i, j, prior.At(i, j)+v)
		}
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-9*(1e-3+math.Abs(want))) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	list := append(modeltest.Coefficients(p)[:p], cdf.Functional{Name: "sum", Param: []int{1, 2, 3, 5}, Weight: []float64{1, 2, -.5, 1}})
	weights := func(f *cdf.Functional) *mat.VecDense {
		w := mat.NewVecDense(p, nil)
		for k, j := range f.Param {
			w.SetVec(j, w.AtVec(j)+f.Weight[k])
		}
		return w
	}
	sds := make([]float64, len(list))
	m.PriorSD(list, sds)
	before := modeltest.Summarize(t, m, list)
	for i := range list {
		w := weights(&list[i])
		near("the prior's sd of "+list[i].Name, sds[i], math.Sqrt(mat.Inner(w, prior, w)))
		near("the sd before rows of "+list[i].Name, before[i].SD, sds[i])
	}

	r := rand.New(rand.NewPCG(132, 1))
	sh := modeltest.RegressionShard(r, 200, p, true)
	gram := mat.NewSymDense(p, nil)
	for i := range sh.Rows {
		x := lin.Row(sh.X, p, i)
		clear(x[first : first+levels])
		if is := r.IntN(levels + 1); is < levels {
			x[first+is] = 1
		}
		sh.Y[i] = math.Round(1 / (1 + math.Exp(-sh.Y[i])))
	}
	rows := mat.NewDense(sh.Rows, p, sh.X)
	d := modeltest.Stepper{Model: m}
	d.Must(t, sh, 1)
	var inverse, covariance mat.SymDense
	var chol mat.Cholesky
	if !chol.Factorize(prior) {
		t.Fatal("no factor")
	}
	_ = chol.InverseTo(&inverse)
	gram.SymOuterK(1, rows.T())
	gram.AddSym(gram, &inverse)
	if !chol.Factorize(gram) {
		t.Fatal("no factor")
	}
	_ = chol.InverseTo(&covariance)
	for i := range p {
		for j := range p {
			near("the covariance given latent variables", m.post.cov[i*p+j], covariance.At(i, j))
		}
	}

	// Of all draws: the laws given the latent variables, and their means.
	means := mat.NewDense(p, m.s, m.post.means)
	center := mat.NewVecDense(p, nil)
	for j := range p {
		for k := range m.s {
			center.SetVec(j, center.AtVec(j)+means.At(j, k)/float64(m.s))
		}
	}
	logs, mean := make([]float64, m.s), 0.
	for k := range logs {
		of := means.ColView(k)
		logs[k] = -mat.Inner(of, &inverse, of) / 2
		mean += logs[k] / float64(m.s)
	}
	share, pull := make([]float64, len(list)), make([]float64, len(list))
	m.PriorShare(list, share)
	m.PriorSensitivity(list, pull)
	for i := range list {
		w := weights(&list[i])
		var all, given, pulled mat.VecDense
		given.MulVec(&covariance, w)
		all.CloneFromVec(&given)
		cross, between := 0., 0.
		for k := range m.s {
			var off mat.VecDense
			off.SubVec(means.ColView(k), center)
			of := mat.Dot(&off, w) / float64(m.s-1)
			all.AddScaledVec(&all, of, &off)
			cross += of * (logs[k] - mean)
			between += of * mat.Dot(&off, w)
		}
		near("the prior's share of "+list[i].Name, share[i], mat.Inner(&all, &inverse, &all)/mat.Dot(&all, w))
		pulled.MulVec(&inverse, center)
		cross -= mat.Dot(&given, &pulled)
		near("the pull of "+list[i].Name, pull[i], math.Abs(cross)/math.Sqrt(mat.Dot(&given, w)+between))
	}
}
