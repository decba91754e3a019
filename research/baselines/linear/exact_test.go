package linear

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/linear"
)

// exact is the posterior of linear regression on a dense grid of log
// sigma2, by Cholesky factors of the precision at every point.
type exact struct {
	weight, sigma2 []float64
	mean           []*mat.VecDense
	cov            []*mat.SymDense
}

// solve returns the exact posterior given all rows at once.
func solve(sh *cdf.Shard, prior linear.Prior, intercept bool) *exact {
	p := sh.Cols
	xx, xy, yy := mat.NewSymDense(p, nil), mat.NewVecDense(p, nil), 0.0
	for i, y := range sh.Y {
		x := mat.NewVecDense(p, lin.Row(sh.X, p, i))
		xx.SymRankOne(xx, 1, x)
		xy.AddScaledVec(xy, y, x)
		yy += y * y
	}
	o := &exact{}
	const points = 800
	var logs []float64
	top := math.Inf(-1)
	for i := range points {
		l := -12 + 20*float64(i)/points
		s := math.Exp(l)
		q := mat.NewSymDense(p, nil)
		q.ScaleSym(1/s, xx)
		for j := range p {
			v := prior.BetaVariance
			if intercept && j == 0 {
				v = prior.InterceptVariance
			}
			q.SetSym(j, j, q.At(j, j)+1/v)
		}
		var c mat.Cholesky
		if !c.Factorize(q) {
			panic("not positive definite")
		}
		mean, cov := mat.NewVecDense(p, nil), mat.NewSymDense(p, nil)
		right := mat.NewVecDense(p, nil)
		right.ScaleVec(1/s, xy)
		if c.SolveVecTo(mean, right) != nil || c.InverseTo(cov) != nil {
			panic("not solvable")
		}
		f := -prior.Sigma2Shape*l - prior.Sigma2Rate/s - float64(sh.Rows)/2*l - c.LogDet()/2 - (yy/s-mat.Dot(mean, right))/2
		top = max(top, f)
		logs = append(logs, f)
		o.sigma2, o.mean, o.cov = append(o.sigma2, s), append(o.mean, mean), append(o.cov, cov)
	}
	total := 0.0
	for _, f := range logs {
		o.weight = append(o.weight, math.Exp(f-top))
		total += math.Exp(f - top)
	}
	for k := range o.weight {
		o.weight[k] /= total
	}
	return o
}

// line returns mean and sd of x'beta, and those of a row there.
func (o *exact) line(x []float64) (mean, sd, rowSD float64) {
	v := mat.NewVecDense(len(x), x)
	square, noise := 0.0, 0.0
	for k, w := range o.weight {
		e := mat.Dot(v, o.mean[k])
		mean += w * e
		square += w * (e*e + mat.Inner(v, o.cov[k], v))
		noise += w * o.sigma2[k]
	}
	sd = math.Sqrt(square - mean*mean)
	return mean, sd, math.Sqrt(sd*sd + noise)
}

// variance returns mean and sd of sigma2.
func (o *exact) variance() (mean, sd float64) {
	square := 0.0
	for k, w := range o.weight {
		mean += w * o.sigma2[k]
		square += w * o.sigma2[k] * o.sigma2[k]
	}
	return mean, math.Sqrt(square - mean*mean)
}

// logDensity returns that of a row.
func (o *exact) logDensity(x []float64, y float64) float64 {
	v, sum := mat.NewVecDense(len(x), x), 0.0
	for k, w := range o.weight {
		s2 := o.sigma2[k] + mat.Inner(v, o.cov[k], v)
		e := y - mat.Dot(v, o.mean[k])
		sum += w * math.Exp(-e*e/(2*s2)) / math.Sqrt(2*math.Pi*s2)
	}
	return math.Log(sum)
}
