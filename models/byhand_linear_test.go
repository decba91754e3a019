package models

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/credence-stream/credence/cdf"
)

// handLinear is the posterior of a linear model: normal laws of the coefficients at the points of a grid of log sigma2.
type handLinear struct {
	w, s     []float64 // evenly spaced up to a point, and far beyond it
	even     int
	mean     []*mat.VecDense
	chol     []*mat.Cholesky
	unit     []float64     // of the columns, whose coefficients mean and chol are in
	xx       *mat.SymDense // of the columns in these units, weighted
	xy       *mat.VecDense
	evidence float64
	alike    [][]int // columns of the levels of a factor beside its baseline
}

// newHandLinear sums over sigma2. prior are variances of the coefficients, or of the levels that they are differences of.
func newHandLinear(x [][]float64, y, w, prior []float64, alike [][]int, a, b float64) *handLinear {
	h := &handLinear{unit: make([]float64, len(prior)), alike: alike}
	for j := range prior {
		for i := range x {
			h.unit[j] += w[i] * x[i][j] * x[i][j]
		}
		if h.unit[j] = math.Sqrt(h.unit[j]); h.unit[j] == 0 {
			h.unit[j] = 1
		}
	}
	h.xx, h.xy = mat.NewSymDense(len(prior), nil), mat.NewVecDense(len(prior), nil)
	for i := range x {
		for j := range prior {
			v := w[i] * x[i][j] / h.unit[j]
			h.xy.SetVec(j, h.xy.AtVec(j)+v*y[i])
			for k := j; k < len(prior); k++ {
				h.xx.SetSym(j, k, h.xx.At(j, k)+v*x[i][k]/h.unit[k])
			}
		}
	}
	rows, squares := 0., 0.
	for i := range y {
		rows, squares = rows+w[i], squares+w[i]*y[i]*y[i]
	}
	lo, hi, n := math.Log(b/(a+rows/2))-6, math.Log(b+squares/2)+60/(a+rows/2), 300
	for range 2 {
		var f []float64
		top := math.Inf(-1)
		for i := range n + 1 {
			v, _, _ := h.at(x, y, w, prior, a, b, lo+(hi-lo)*float64(i)/float64(n))
			f, top = append(f, v), max(top, v)
		}
		first, last := n, 0
		for i, v := range f {
			if v > top-60 {
				first, last = min(first, i), i
			}
		}
		step := (hi - lo) / float64(n)
		lo, hi = lo+step*float64(first-1), lo+step*float64(last+1)
		n = 100
	}
	n = 400
	top, total, step := math.Inf(-1), 0., (hi-lo)/float64(n)
	h.even = n + 1
	for i := range n + 1 + 120 {
		l := lo + step*float64(min(i, n))
		if i > n { // of what lies far off
			l += float64(i-n) / 120 * 300 / (a + rows/2)
		}
		v, mean, chol := h.at(x, y, w, prior, a, b, l)
		h.w, h.s, h.mean, h.chol = append(h.w, v), append(h.s, math.Exp(l)), append(h.mean, mean), append(h.chol, chol)
		top = max(top, v)
	}
	for i, v := range h.w {
		h.w[i] = math.Exp(v - top)
		if i > n {
			h.w[i] *= 300 / (a + rows/2) / 120 / step
		}
		total += h.w[i]
	}
	for i := range h.w {
		h.w[i] /= total
	}
	h.evidence = top + math.Log(total*step)
	return h
}

// at returns the log of the joint density of responses and log sigma2, and the law of the coefficients in their units.
func (h *handLinear) at(x [][]float64, y, w, prior []float64, a, b, l float64) (float64, *mat.VecDense, *mat.Cholesky) {
	p, s := len(prior), math.Exp(l)
	lgamma, _ := math.Lgamma(a)
	f := a*math.Log(b) - lgamma - a*l - b/s
	q, r := mat.NewSymDense(p, nil), mat.NewVecDense(p, nil)
	for j := range p {
		q.SetSym(j, j, 1/(prior[j]*h.unit[j]*h.unit[j]))
		f -= .5 * math.Log(prior[j]*h.unit[j]*h.unit[j])
	}
	for _, levels := range h.alike { // the inverse of v(I + 11') is (I - 11'/(m+1))/v, its determinant that of vI over m+1
		m := float64(len(levels))
		f -= .5 * math.Log(m+1)
		for at, j := range levels {
			for _, k := range levels[at:] {
				q.SetSym(j, k, q.At(j, k)-1/(prior[j]*h.unit[j]*h.unit[k]*(m+1)))
			}
		}
	}
	for j := range p {
		r.SetVec(j, h.xy.AtVec(j)/s)
		for k := j; k < p; k++ {
			q.SetSym(j, k, q.At(j, k)+h.xx.At(j, k)/s)
		}
	}
	chol, mean := new(mat.Cholesky), mat.NewVecDense(p, nil)
	if !chol.Factorize(q) {
		panic("by hand: not positive definite")
	}
	_ = chol.SolveVecTo(mean, r)
	f -= .5 * chol.LogDet()
	for i := range x {
		e := y[i]
		for j := range p {
			e -= x[i][j] / h.unit[j] * mean.AtVec(j)
		}
		f -= .5 * w[i] * (e*e/s + l + math.Log(2*math.Pi))
	}
	for j := range p {
		m := mean.AtVec(j) / h.unit[j]
		f -= .5 * m * m / prior[j]
	}
	for _, levels := range h.alike {
		sum := 0.
		for _, j := range levels {
			sum += mean.AtVec(j) / h.unit[j]
		}
		f += .5 * sum * sum / (prior[levels[0]] * float64(len(levels)+1))
	}
	return f, mean, chol
}

// of is the law of d + c'beta, and with noise that of a new observation, times the unit and on the centre of the response.
func (h *handLinear) of(d float64, c []float64, noise float64) *law {
	l := &law{w: h.w}
	v := mat.NewVecDense(len(c), nil)
	for j := range c {
		v.SetVec(j, c[j]/h.unit[j])
	}
	var u mat.VecDense
	for i := range h.w {
		_ = h.chol[i].SolveVecTo(&u, v)
		l.mean, l.sd = append(l.mean, d+mat.Dot(v, h.mean[i])), append(l.sd, math.Sqrt(mat.Dot(v, &u)+noise*noise*h.s[i]))
	}
	return l
}

// sigma2 is its law, in original units.
func (h *handLinear) sigma2(unit float64) (mean, sd float64, below func(v float64) float64) {
	for i, w := range h.w {
		mean += w * unit * unit * h.s[i]
	}
	for i, w := range h.w {
		d := unit*unit*h.s[i] - mean
		sd += w * d * d
	}
	step := math.Log(h.s[1] / h.s[0])
	return mean, math.Sqrt(sd), func(v float64) float64 {
		// The density of log sigma2 is smooth: its integral up to a point by cubic corrections of the trapezoid rule.
		at := math.Log(v/(unit*unit)/h.s[0]) / step
		n := int(math.Floor(at))
		if n < 1 {
			return 0
		}
		if n >= h.even-2 {
			return 1
		}
		sum := 0.
		for _, w := range h.w[:n] {
			sum += w
		}
		sum += h.w[n] / 2 // up to node n by the trapezoid rule
		d := at - float64(n)
		sum -= (h.w[n+1] - h.w[n-1]) / 24 // Euler and Maclaurin
		// from n by a cubic through four points
		f := func(t float64) float64 {
			return h.w[n-1]*(-t*(t-1)*(t-2)/6) + h.w[n]*((t+1)*(t-1)*(t-2)/2) + h.w[n+1]*(-(t+1)*t*(t-2)/2) + h.w[n+2]*((t+1)*t*(t-1)/6)
		}
		return sum + d/6*(f(0)+4*f(d/2)+f(d))
	}
}

// handLinearOf is the posterior of the key's rows, and its linear posterior's prior.
func (k *handKey) linear(v, v0, a, b float64) *handLinear {
	var x [][]float64
	var y, w []float64
	for i := range k.rows {
		x, y, w = append(x, k.scaled(k.rows[i].x)), append(y, (k.rows[i].y-k.cy)/k.sy), append(w, k.rows[i].weight)
	}
	var prior []float64
	if k.spec.Columns.Intercept {
		prior = append(prior, v0)
	}
	for range k.names {
		prior = append(prior, v)
	}
	var alike [][]int
	if k.spec.Columns.Intercept {
		alike = k.siblings(1)
	}
	return newHandLinear(x, y, w, prior, alike, a, b)
}

// siblings are the columns, behind so many others, of each factor of three levels and more.
func (k *handKey) siblings(behind int) (all [][]int) {
	last := ""
	for j, name := range k.names {
		of, _, level := strings.Cut(name, "=")
		switch {
		case !level:
		case of == last:
			all[len(all)-1] = append(all[len(all)-1], behind+j)
		default:
			all = append(all, []int{behind + j})
		}
		last = of
	}
	return slices.DeleteFunc(all, func(levels []int) bool { return len(levels) < 2 })
}

const handTail = .02

// handFar is within, and handTail of rows that are far off: the density there is extrapolated.
func handFar(within, z float64) float64 {
	if z > 100 {
		return max(within, handTail)
	}
	return within
}

// followLinear takes a linear key through shards and compares all that is published.
func followLinear(seed uint64) (string, error) {
	k := newHandKey(seed, 71, 6)
	roles := k.roles(k.of(.75) || len(k.columns) == 0)
	if k.of(.15) {
		center, scale := k.unit*(k.at+k.NormFloat64()), k.unit*math.Exp(k.NormFloat64())
		if k.of(.6) {
			roles.Response.Center = &center
		}
		if k.of(.6) {
			roles.Response.Scale = &scale
		}
	}
	draw := func() float64 { return math.Round(1000*math.Pow(10, 4*k.Float64()-2)) / 1000 }
	v, v0, a, b := 1., 100., 1., 1.
	settings := "{}"
	if k.of(.7) {
		v, v0, a, b = draw(), draw(), max(.2, draw()/10), draw()
		settings = fmt.Sprintf("{prior: {beta_variance: %v, intercept_variance: %v, sigma2_shape: %v, sigma2_rate: %v}}", v, v0, a, b)
	}
	if err := k.specify("linear", "", roles, settings); err != nil {
		return settings, err
	}
	f := cdf.NewFilter(k.spec, "key")
	var before *handLinear
	evidence, listed := 0., false
	for range 1 + k.IntN(7) {
		rows := choose(k.chance, []int{1, 1, 2, 3, 5, 12, 30, 80})
		batch := k.batch(rows, func(effect float64) float64 { return k.unit * (k.at + effect + k.NormFloat64()) })
		var preds []cdf.Prediction
		if before != nil {
			p, err := f.Predict(batch)
			if errors.Is(err, cdf.ErrShard) != k.refuses(batch) || err != nil && !k.refuses(batch) {
				return k.about, err
			}
			preds = append(preds, p...)
		}
		was := *k
		was.rows = slices.Clone(k.rows)
		sum, err := k.update(f, batch)
		if err != nil {
			return k.about, err
		}
		if sum == nil {
			continue
		}
		k.take(batch)
		where := func(err error) error { return fmt.Errorf("shard %d, %d rows: %w", k.shards, len(k.rows), err) }
		neff := 0.
		for i := range k.rows {
			neff += k.rows[i].weight
		}
		if sum.N != int64(len(k.rows)) || math.Abs(sum.NEff-neff) > 1e-9*neff || sum.Dropped != k.dropped {
			return k.about, where(fmt.Errorf("n %d, n_eff %v, dropped %d; by hand %d, %v, %d", sum.N, sum.NEff, sum.Dropped, len(k.rows), neff, k.dropped))
		}
		if len(k.rows) == 0 {
			continue
		}
		if err := k.constantsAre(sum); err != nil {
			return k.about, where(err)
		}
		within := func(n float64, p int) float64 {
			if n < math.Max(50, 10*float64(p)) {
				return 2e-6
			}
			return handLate
		}
		p := len(k.names)
		if roles.Intercept {
			p++
		}
		if before != nil {
			n := 0.
			for i := range was.rows {
				n += was.rows[i].weight
			}
			exact := within(n, p)
			if exact > .001 && listed {
				exact = .5
			}
			if err := k.linearPredicted(&was, before, batch, preds, &sum.Score, exact, a+n/2 < 3); err != nil {
				return k.about, where(err)
			}
		}
		h := k.linear(v, v0, a, b)
		late := within(neff, p)
		if k.spec.Forget == 1 {
			evidence += sum.Score.LogEvidence
			if want := h.evidence - float64(len(k.rows))*math.Log(k.sy); !(math.Abs(evidence-want) <= 1e-6*(1+math.Abs(want))) {
				return k.about, where(fmt.Errorf("log evidence %v, by hand %v", evidence, want))
			}
		} else if !math.IsNaN(sum.Score.LogEvidence) {
			return k.about, where(fmt.Errorf("log evidence %v", sum.Score.LogEvidence))
		}
		for i := range sum.Rows {
			r := &sum.Rows[i]
			if r.Variable == "sigma2" {
				if late > .001 && slices.Contains(sum.PriorDominated, r.Variable) {
					continue
				}
				mean, sd, below := h.sigma2(k.sy)
				shape := a + neff/2
				if !math.IsNaN(r.Mean) && shape > 2 && !(math.Abs(r.Mean/mean-1) <= 3*late) || !math.IsNaN(r.SD) && shape > 3 && !(math.Abs(r.SD/sd-1) <= 10*late) {
					return k.about, where(fmt.Errorf("sigma2 has mean %v and sd %v, by hand %v and %v", r.Mean, r.SD, mean, sd))
				}
				for i, q := range quantilesOf(r) {
					if at := below(q); !(math.Abs(at-rowLevels[i]) <= late+1e-4) {
						return k.about, where(fmt.Errorf("sigma2 has quantile %v at %v, which by hand is %v", rowLevels[i], q, at))
					}
				}
				continue
			}
			d, c := k.original(r.Variable)
			if c == nil {
				return k.about, where(fmt.Errorf("a row of %s", r.Variable))
			}
			if late > .001 && slices.Contains(sum.PriorDominated, r.Variable) {
				continue
			}
			if err := rowIs(r, h.of(d, c, 0), late, !math.IsNaN(r.SD) && a+neff/2 > 3); err != nil {
				return k.about, where(err)
			}
		}
		before, listed = h, len(sum.PriorDominated) > 0
	}
	return k.about, nil
}

// handLate is how far the closed form of many rows is from the integral.
var handLate = .02

// linearPredicted compares predictions and scores of a shard.
func (k *handKey) linearPredicted(was *handKey, h *handLinear, b *cdf.Batch, preds []cdf.Prediction, score *cdf.Score, within float64, heavy bool) error {
	density, squares, covered, n := 0., 0., 0., 0.
	near, exact := false, within
	for i := range b.Rows {
		x, ok := k.row(b, i)
		if !ok {
			if !math.IsNaN(preds[i].Mean) {
				return fmt.Errorf("row %d is dropped, and predicted", i)
			}
			continue
		}
		c := was.scaled(x)
		for j := range c {
			c[j] *= was.sy
		}
		expected, all := h.of(was.cy, c, 0), h.of(was.cy, c, was.sy)
		y := b.Columns[len(b.Columns)-1].Number[i]
		if err := predictionIs(&preds[i], all, expected, y, within, heavy); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
		if !math.IsNaN(y) {
			mean, _ := all.moments()
			if math.Abs(y-mean) > 30*(all.quantile(.75)-all.quantile(.25)) {
				exact = max(within, handTail)
			}
			n, density, squares = n+1, density+all.logDensity(y), squares+(y-mean)*(y-mean)
			p := all.cdf(y)
			if p >= .025 && p <= .975 {
				covered++
			}
			near = near || min(math.Abs(p-.025), math.Abs(p-.975)) < within
		}
	}
	if n == 0 {
		return nil
	}
	if score.Rows != int64(n) || !(math.Abs(score.LogDensity-density/n) <= exact*max(10, math.Abs(density/n))) || !(math.Abs(score.RMSE/math.Sqrt(squares/n)-1) <= 10*within) || !near && math.Abs(score.Coverage95-covered/n) > 1e-9 {
		return fmt.Errorf("score %+v, by hand %v rows, %v, %v, %v", *score, n, density/n, math.Sqrt(squares/n), covered/n)
	}
	return nil
}

// TestLinearByHand: a linear key publishes the integral over sigma2 of the rows as they were sent, whatever its settings.
func TestLinearByHand(t *testing.T) { handSeeds(t, 10, followLinear) }
