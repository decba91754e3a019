package linear

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/dist"
)

// oracle is the exact posterior of linear regression by a method that shares
// nothing with the model's: Gram matrices, Cholesky factors of the precision
// and a dense grid on log sigma2.
type oracle struct {
	p        int
	xx       *mat.SymDense
	xy       *mat.VecDense
	yy, n    float64
	precise  []float64 // prior precisions
	a, b     float64
	l, w     []float64   // grid of log sigma2 and its normalised weights
	mean, sd [][]float64 // per grid point, per coefficient
	evidence float64
}

func newOracle(p int, prior Prior, intercept bool) *oracle {
	o := &oracle{p: p, xx: mat.NewSymDense(p, nil), xy: mat.NewVecDense(p, nil), a: prior.Sigma2Shape, b: prior.Sigma2Rate}
	for j := range p {
		v := prior.BetaVariance
		if intercept && j == 0 {
			v = prior.InterceptVariance
		}
		o.precise = append(o.precise, 1/v)
	}
	return o
}

func (o *oracle) add(sh *cdf.Shard) {
	for i, y := range sh.Y {
		if math.IsNaN(y) {
			continue
		}
		x := mat.NewVecDense(o.p, lin.Row(sh.X, o.p, i))
		o.xx.SymRankOne(o.xx, 1, x)
		o.xy.AddScaledVec(o.xy, y, x)
		o.yy += y * y
		o.n++
	}
}

// solve evaluates the posterior at size points where its log density is
// within 50 of the highest.
func (o *oracle) solve(size int) {
	coarse := 4000
	lo, hi := -30.0, 40.0
	var f []float64
	top := math.Inf(-1)
	for i := range coarse + 1 {
		v, _, _ := o.at(lo + (hi-lo)*float64(i)/float64(coarse))
		f = append(f, v)
		top = max(top, v)
	}
	first, last := -1, 0
	for i, v := range f {
		if v > top-50 {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	step := (hi - lo) / float64(coarse)
	lo, hi = lo+step*float64(first-1), lo+step*float64(last+1)
	h := (hi - lo) / float64(size-1)
	o.l, o.w, o.mean, o.sd = nil, nil, nil, nil
	total := 0.0
	for i := range size {
		l := lo + h*float64(i)
		v, mean, sd := o.at(l)
		o.l, o.w = append(o.l, l), append(o.w, math.Exp(v-top))
		o.mean, o.sd = append(o.mean, mean), append(o.sd, sd)
		total += o.w[i]
	}
	for i := range o.w {
		o.w[i] /= total
	}
	o.evidence = top + math.Log(total*h)
}

// at returns the log joint density of the data and l, and the moments of the
// coefficients there.
func (o *oracle) at(l float64) (f float64, mean, sd []float64) {
	s := math.Exp(l)
	q := mat.NewSymDense(o.p, nil)
	prior := 0.0
	for i := range o.p {
		for j := i; j < o.p; j++ {
			q.SetSym(i, j, o.xx.At(i, j)/s)
		}
		q.SetSym(i, i, q.At(i, i)+o.precise[i])
		prior += math.Log(o.precise[i])
	}
	var c mat.Cholesky
	if !c.Factorize(q) {
		panic("oracle: not positive definite")
	}
	m := mat.NewVecDense(o.p, nil)
	rhs := mat.NewVecDense(o.p, nil)
	rhs.ScaleVec(1/s, o.xy)
	if err := c.SolveVecTo(m, rhs); err != nil {
		panic(err)
	}
	var inv mat.SymDense
	if err := c.InverseTo(&inv); err != nil {
		panic(err)
	}
	for i := range o.p {
		mean = append(mean, m.AtVec(i))
		sd = append(sd, math.Sqrt(inv.At(i, i)))
	}
	f = o.a*math.Log(o.b) - dist.LogGamma(o.a) - o.a*l - o.b/s - o.n/2*(math.Log(2*math.Pi)+l) +
		0.5*prior - 0.5*c.LogDet() - 0.5*(o.yy/s-mat.Dot(m, rhs))
	return f, mean, sd
}

// beta returns the exact marginal of coefficient j as a mixture.
func (o *oracle) beta(j int) *dist.NormalMixture {
	x := new(dist.NormalMixture)
	x.Size(len(o.w))
	for k, w := range o.w {
		x.W[k], x.Mean[k], x.SD[k] = w, o.mean[k][j], o.sd[k][j]
	}
	return x
}

// accuracyBeta is 1 - half the distance of the published t law from the exact
// marginal of coefficient j.
func (o *oracle) accuracyBeta(j int, loc, scale, df float64) float64 {
	x := o.beta(j)
	mean, sd := x.Moments()
	const points = 300
	h := 16 * sd / points
	c := dist.StudentLogScale(df)
	sum := 0.0
	for i := range points + 1 {
		v := mean - 8*sd + h*float64(i)
		z := (v - loc) / scale
		q := math.Exp(c-(df+1)/2*math.Log1p(z*z/df)) / scale
		sum += math.Abs(math.Exp(x.LogDensity(v)) - q)
	}
	return 1 - 0.5*h*sum
}

// accuracySigma is the same for sigma2 ~ IG(shape, rate), on the log scale.
func (o *oracle) accuracySigma(shape, rate float64) float64 {
	c := shape*math.Log(rate) - dist.LogGamma(shape)
	h := o.l[1] - o.l[0]
	sum := 0.0
	for k, l := range o.l {
		sum += math.Abs(o.w[k]/h - math.Exp(c-shape*l-rate*math.Exp(-l)))
	}
	return 1 - 0.5*h*sum
}
