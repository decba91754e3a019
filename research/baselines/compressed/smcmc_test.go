package compressed

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/research/baselines/internal/methodtest"
)

// batchMean returns the mean of a chain and its standard error by 50 batches.
func batchMean(x []float64) (mean, se float64) {
	batches := make([]float64, 50)
	size := len(x) / len(batches)
	for i, v := range x[:size*len(batches)] {
		batches[i/size] += v / float64(size)
	}
	mean, v := moments(batches)
	return mean, math.Sqrt(v / float64(len(batches)))
}

// plainGibbs draws from the same posterior another way: every block given all
// others, nothing integrated out, columns by their joint normal law, from the
// rows instead of the statistics. It calls keep with gamma and sigma2.
func plainGibbs(t *testing.T, set smcmcSettings, phi0 []float64, sh *cdf.Shard, draws int, keep func(gamma []float64, sigma2 float64)) {
	const m = 2
	r := rand.New(rand.NewPCG(21, 4))
	p, prior := sh.Cols, set.Prior
	phi, kappa, beta := append([]float64(nil), phi0...), []float64{1, 1}, []float64{1, 0}
	gamma := make([]float64, p)
	normal := func(precision [3]float64, b [2]float64) (x [2]float64) { // of precision (0,0), (0,1), (1,1); mean P^{-1}b
		var c mat.Cholesky
		if !c.Factorize(mat.NewSymDense(m, []float64{precision[0], precision[1], precision[1], precision[2]})) {
			t.Fatal("not positive definite")
		}
		var cov mat.SymDense
		if err := c.InverseTo(&cov); err != nil {
			t.Fatal(err)
		}
		// A lower factor of the covariance by hand.
		l11 := math.Sqrt(cov.At(0, 0))
		l21 := cov.At(0, 1) / l11
		l22 := math.Sqrt(cov.At(1, 1) - l21*l21)
		z1, z2 := r.NormFloat64(), r.NormFloat64()
		return [2]float64{
			cov.At(0, 0)*b[0] + cov.At(0, 1)*b[1] + l11*z1,
			cov.At(0, 1)*b[0] + cov.At(1, 1)*b[1] + l21*z1 + l22*z2,
		}
	}
	for s := -draws / 20; s < draws; s++ {
		rss := 0.
		for i, y := range sh.Y {
			e := y
			for j := range p {
				e -= sh.X[i*p+j] * (phi[j*m]*beta[0] + phi[j*m+1]*beta[1])
			}
			rss += e * e
		}
		squares := (beta[0]*beta[0] + beta[1]*beta[1]) / prior.BetaVariance
		sigma2 := rnd.InvGamma(r, prior.Sigma2Shape+float64(sh.Rows+m)/2, prior.Sigma2Rate+(rss+squares)/2)

		var a [3]float64
		var b [2]float64
		for i, y := range sh.Y {
			z := [2]float64{}
			for j := range p {
				z[0] += sh.X[i*p+j] * phi[j*m]
				z[1] += sh.X[i*p+j] * phi[j*m+1]
			}
			a[0], a[1], a[2] = a[0]+z[0]*z[0]/sigma2, a[1]+z[0]*z[1]/sigma2, a[2]+z[1]*z[1]/sigma2
			b[0], b[1] = b[0]+z[0]*y/sigma2, b[1]+z[1]*y/sigma2
		}
		own := 1 / (sigma2 * prior.BetaVariance)
		x := normal([3]float64{a[0] + own, a[1], a[2] + own}, b)
		beta[0], beta[1] = x[0], x[1]

		for j := range p {
			square, cross := 0., 0.
			for i, y := range sh.Y {
				e := y
				for l := range p {
					if l != j {
						e -= sh.X[i*p+l] * (phi[l*m]*beta[0] + phi[l*m+1]*beta[1])
					}
				}
				square += sh.X[i*p+j] * sh.X[i*p+j] / sigma2
				cross += sh.X[i*p+j] * e / sigma2
			}
			x := normal(
				[3]float64{square*beta[0]*beta[0] + 1/kappa[0], square * beta[0] * beta[1], square*beta[1]*beta[1] + 1/kappa[1]},
				[2]float64{cross*beta[0] + phi0[j*m]/kappa[0], cross*beta[1] + phi0[j*m+1]/kappa[1]})
			phi[j*m], phi[j*m+1] = x[0], x[1]
		}
		for i := range kappa {
			away := 0.
			for j := range p {
				away += (phi[j*m+i] - phi0[j*m+i]) * (phi[j*m+i] - phi0[j*m+i])
			}
			kappa[i] = rnd.InvGamma(r, float64(1+p)/2, (1+away)/2)
		}
		if s < 0 {
			continue
		}
		for j := range p {
			gamma[j] = phi[j*m]*beta[0] + phi[j*m+1]*beta[1]
		}
		keep(gamma, sigma2)
	}
}

// The chain has the posterior of a plain Gibbs sampler: means of gamma_j,
// |gamma_j|, gamma_j^2 and log sigma2 over 150,000 draws of each at p=3, m=2 and
// 8 rows, where the prior matters. Ten comparisons at 5 standard errors of 50
// batches, whose t law has 50 or more degrees of freedom: one false alarm in
// 10,000 seeds; the seeds are fixed.
func TestSMCMCHasThePosteriorOfPlainGibbs(t *testing.T) {
	const draws = 150_000
	sh := wideRegression(11, 8, 3)
	for i := range sh.Y {
		sh.Y[i] *= 3 // so that sigma and its square are far apart
	}
	m := build(t, "smcmc", "{dimension: 2, burn: 5000, prior: {sigma2_shape: 3, sigma2_rate: 2, beta_variance: .8}}",
		cdf.Dims{Columns: make([]string, 3), Draws: draws}).(*smcmc)
	methodtest.Drive(m, 3, 0).Must(t, sh, 1)
	var ours, theirs [10][]float64
	add := func(to *[10][]float64, gamma []float64, sigma2 float64) {
		for j, g := range gamma {
			to[3*j] = append(to[3*j], g)
			to[3*j+1] = append(to[3*j+1], math.Abs(g))
			to[3*j+2] = append(to[3*j+2], g*g)
		}
		to[9] = append(to[9], math.Log(sigma2))
	}
	for i := range draws {
		add(&ours, lin.Row(m.gamma, 3, i), m.sigma2[i])
	}
	plainGibbs(t, m.set, m.phi0, sh, draws, func(gamma []float64, sigma2 float64) { add(&theirs, gamma, sigma2) })
	for k := range ours {
		a, sa := batchMean(ours[k])
		b, sb := batchMean(theirs[k])
		t.Logf("quantity %d: %.4f (%.4f), plain Gibbs %.4f (%.4f)", k, a, sa, b, sb)
		if math.Abs(a-b) > 5*math.Hypot(sa, sb) {
			t.Errorf("quantity %d: %.4f (%.4f), plain Gibbs has %.4f (%.4f)", k, a, sa, b, sb)
		}
	}
}

// Predictions are moments over the draws that were handed out.
func TestSMCMCPredictsFromItsDraws(t *testing.T) {
	const p, s = 4, 12
	m := build(t, "smcmc", "dimension: 3", cdf.Dims{Columns: make([]string, p), Draws: s}).(*smcmc)
	stepper := methodtest.Drive(m, 3, s)
	stepper.Must(t, wideRegression(12, 30, p), 1)
	d := stepper.Draws
	fresh := wideRegression(13, 100, p) // more rows than are predicted at once
	out := make([]cdf.Prediction, fresh.Rows)
	if err := m.Predict(fresh, out); err != nil {
		t.Fatal(err)
	}
	noise, _ := moments(d.Row(p))
	for i, got := range out {
		line := make([]float64, s)
		for k := range line {
			for j := range p {
				line[k] += fresh.X[i*p+j] * d.Row(j)[k]
			}
		}
		mean, v := moments(line)
		if math.Abs(got.Mean-mean) > 1e-12 || math.Abs(got.SD-math.Sqrt(noise+v)) > 1e-12 || math.Abs(got.EpredSD-math.Sqrt(v)) > 1e-12 {
			t.Errorf("row %d: %+v, want mean %v, sd %v, line %v", i, got, mean, math.Sqrt(noise+v), math.Sqrt(v))
		}
	}
}
