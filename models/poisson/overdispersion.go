package poisson

import (
	"math"

	"github.com/credence-stream/credence/models/internal/dist"
)

// The variance s2e of the rows' own effects lives on these nodes of log2 s2e,
// from 2^-27 to 2^4 = 16.
const (
	overNodes = 32
	overFirst = -27
)

// overScale is the scale of the prior of the effects' sd,
//
//	p(tau) = exp(-tau/overScale) / overScale,
//
// whose mode is Poisson counts, and under which s2e has a mean.
//
// Source: Simpson et al., Statistical Science 32 (2017), 1-28.
const overScale = 0.5

// rowVariance is what the rows say about s2e: their marginal log likelihood
// over the nodes, where each row's predictor is held at the fit to its shard.
// It adds up over rows, is discounted like other statistics, and holds no
// estimate of s2e: with statistics of the effects themselves, which are
// predicted from an estimate, a stream would hardly move away from its first.
type rowVariance struct {
	like rowLike // of the rows that left the buffer, discounted
	s2   float64 // posterior mean of s2e, 0 without overdispersion
}

// overNode returns node k of s2e.
func overNode(k int) float64 { return overTable[k].s2 }

// overTable has for each node of s2e what does not depend on rows: s2e, its
// inverse and logarithm, and the log density of the prior over log2 s2e but for a constant.
var overTable = func() (table [overNodes]struct{ s2, inv, log, prior float64 }) {
	for k := range table {
		s2 := math.Ldexp(1, overFirst+k)
		tau := math.Sqrt(s2)
		table[k].s2, table[k].inv, table[k].log = s2, 1/s2, math.Log(s2)
		table[k].prior = math.Log(tau) - tau/overScale
	}
	return table
}()

// rowsLike sums log likelihoods over rows, those of their logarithms that it
// can as one logarithm of a product.
type rowsLike struct {
	sum   rowLike
	roots [overNodes]dist.LogProduct // of 1 + s2e r
	// slight has at k the sum over the rows whose series in s2e ends before node k.
	slight [overNodes + 1]float64
	// What the fit took: shares of information, and their sum times the rate.
	taken, at float64
}

func (l *rowsLike) reset() {
	*l = rowsLike{}
	for k := range l.roots {
		l.roots[k] = dist.NewLogProduct()
	}
}

// add adds, but for a constant, the log likelihood of the count y of rate mu,
//
//	log int Poisson(y; mu e^e) N(e; -s2e/2, s2e) de
//
// by Laplace's method with its next term. The row itself determined the part h
// of its information.
//
// The mode over t = e + s2e/2 is where t = s2e (y - r), r = mu e^(t-s2e/2): with
// x = s2e r that is x + log x = log(s2e mu) + s2e (y - 1/2), and the log density
// there mu + s2e y(y-1)/2 - (x + x^2/2)/s2e, relative to that of a Poisson count.
//
// lift is the variance of the predictor, the half of which is in logMu, where the fit took s2e.
func (l *rowsLike) add(weight, y, logMu, h, lift, s2e float64) {
	mu := math.Exp(logMu)
	l.taken += weight * h
	l.at += float64(weight*h) * mu
	slight := overSlight / max(mu, y, 1)
	first := 0
	for first < overNodes && overNode(first) < slight { // the first term of a series in s2e
		first++
	}
	logY := math.Log(max(y, 1))
	if lift *= 0.5; !(lift*math.Sqrt(mu) > overLift) {
		lift = 0
	}
	low := mu
	if lift > 0 {
		for k := range first {
			_, low = l.lower(k, weight, y, logMu, mu, lift, s2e)
		}
	}
	l.slight[first] += float64(0.5*weight) * (float64((y-low)*(y-low)) - y)
	full, fullMu := logMu, mu
	for k := first; k < overNodes; k++ {
		node := &overTable[k]
		s2 := node.s2
		if lift > 0 {
			logMu, mu = l.lower(k, weight, y, full, fullMu, lift, s2e)
		}
		at := node.log + logMu + float64(s2*(y-0.5))
		if at > omegaLast {
			l.far(k, weight, y, logY, logMu)
			continue
		}
		x := omega(at)
		one := 1 + x
		u := 1 / one
		next := s2 * x * u * u * (float64(5./24*x*u) - 0.125)
		like := mu + float64(0.5*s2*y*(y-1)) - (x+float64(0.5*x*x))*node.inv + next
		l.sum[k] += float64(weight * like)
		l.root(k, weight, one)
	}
}

// overLift bounds half the variance of a predictor, in sds of a Poisson count of its rate, that is the
// same at all nodes.
const overLift = 1e-3

// lower returns the rate of the row at node k, and adds what it makes of the likelihood of a Poisson
// count. What rows of variance s2e + 1/mu leave open of a predictor is less where they vary
// less. Without that the first rows of a key, of which hardly more is known than of s2e, are taken
// for wild ones: counts of 5,000, four coefficients and shards of one row had an s2e of 20/mu after
// 400 rows, of which .03/mu is right.
func (l *rowsLike) lower(k int, weight, y, logMu, mu, lift, s2e float64) (logRate, rate float64) {
	off := lift * max(1-(1+float64(overNode(k)*mu))/(1+float64(s2e*mu)), 0)
	if rate = mu; off != 0 {
		rate *= math.Exp(-off)
	}
	l.sum[k] += weight * (mu - rate - float64(y*off))
	return logMu - off, rate
}

// far adds the row at node k where x is large, and the terms that cancel above
// are left out. x is near s2e y, where logarithms are known.
func (l *rowsLike) far(k int, weight, y, logY, logMu float64) {
	s2 := overNode(k)
	inv, m := overTable[k].inv, logMu-0.5*s2
	x, left := float64(s2*y), m-logY
	if math.Abs(left) < 0.03*x {
		x = omegaStep(x, left)
	} else {
		x = omega(overTable[k].log + m + x)
	}
	t := float64(s2*y) - x
	r, a := 0.0, 0.0
	for range 20 { // Newton's method; what a step leaves is of the order of its cube
		r = math.Exp(m + t)
		a = r + inv
		step := min(max((y-r-float64(t*inv))/a, -2), 2)
		t += step
		if math.Abs(step)*float64(step*step)*r < 1e-10 {
			r *= 1 + step + 0.5*float64(step*step)
			a = r + inv
			break
		}
	}
	next := (float64(5*r*r)/(24*a) - 0.125*r) / (a * a)
	l.sum[k] += float64(weight * (float64(y*(t-0.5*s2)) - (r - math.Exp(logMu)) - float64(0.5*float64(t*t)*inv) + next))
	l.root(k, weight, 1+float64(s2*r))
}

// root takes in the curvature at node k's mode.
func (l *rowsLike) root(k int, weight, x float64) {
	if weight == 1 {
		l.roots[k].Mul(x)
	} else {
		l.sum[k] -= float64(0.5 * weight * math.Log(x))
	}
}

// rate returns the rows' mean rate, weighted by what the fit took from them.
func (l *rowsLike) rate() float64 { return l.at / max(l.taken, math.SmallestNonzeroFloat64) }

// total writes the sum to like. The restricted likelihood's
// -1/2 log|sum w x x'|, w = mu/(1 + s2e mu), restores what the fit took, at the
// mean rate of the rows that it took it from.
func (l *rowsLike) total(like *rowLike) {
	mu, slight := l.rate(), 0.0
	for k := overNodes - 1; k >= 0; k-- {
		slight += l.slight[k+1]
		like[k] = l.sum[k] + float64(overNode(k)*slight) + 0.5*(float64(l.taken*math.Log1p(overNode(k)*mu))-l.roots[k].Log())
	}
}

// overSlight bounds s2e times the count or rate where the series is taken.
const overSlight = 1e-3

// rowLike is a log likelihood at the nodes.
type rowLike [overNodes]float64

// overWork is scratch space of estimate.
type overWork struct{ f, second, work [overNodes]float64 }

// estimate returns the posterior mean of s2e given the log likelihoods at the
// nodes, whose sum a natural cubic spline goes through.
func (w *overWork) estimate(likes ...*rowLike) float64 {
	for k := range w.f {
		w.f[k] = overTable[k].prior
		for _, l := range likes {
			w.f[k] += l[k]
		}
	}
	n := overNodes
	for i := 1; i < n-1; i++ {
		p := 0.5*w.second[i-1] + 2
		w.second[i] = -0.5 / p
		w.work[i] = (float64(3*(w.f[i+1]-2*w.f[i]+w.f[i-1])) - 0.5*w.work[i-1]) / p
	}
	w.second[n-1] = 0
	for i := n - 2; i > 0; i-- {
		w.second[i] = float64(w.second[i]*w.second[i+1]) + w.work[i]
	}
	low, high := 0.0, float64(n-1)
	mean := math.NaN()
	// What has weight is looked at closer until it fills the range.
	for range 10 {
		const points = 96
		h := (high - low) / points
		var at [points + 1]float64
		top := math.Inf(-1)
		for i := range at {
			at[i] = w.spline(low + float64(float64(i)*h))
			top = max(top, at[i])
		}
		sum, first := 0.0, 0.0
		left, right := points, 0
		s2, ratio := math.Exp2(overFirst+low), math.Exp2(h)
		for i, f := range at {
			if f -= top; f >= -20 {
				left, right = min(left, i), max(right, i)
				p := math.Exp(f)
				sum += p
				first += float64(p * s2)
			}
			s2 *= ratio
		}
		mean = first / sum
		wide := high - low
		low, high = max(low+float64(float64(left-1)*h), low), min(low+float64(float64(right+1)*h), high)
		if high-low > 0.5*wide {
			break
		}
	}
	return mean
}

// spline is the log density at x nodes from the first.
func (w *overWork) spline(x float64) float64 {
	i := min(int(x), overNodes-2)
	b := x - float64(i)
	a := 1 - b
	return float64(a*w.f[i]) + float64(b*w.f[i+1]) +
		(float64((float64(a*a*a)-a)*w.second[i])+float64((float64(b*b*b)-b)*w.second[i+1]))/6
}

// logMean returns the logarithm of row i's rate at the fit.
func (f *fit) logMean(i int) float64 {
	return min(f.now.lifted[i], etaMax)
}

// likelihood writes the log likelihood of rows first to last-1.
func (f *fit) likelihood(like *rowLike, first, last int) {
	f.likes.reset()
	for i := first; i < last; i++ {
		f.likes.add(f.rows.weight[i], f.rows.y[i], f.logMean(i), min(f.now.v[i]*f.wbar[i], 1), min(f.now.v[i], vague), f.s2e)
	}
	f.likes.total(like)
}

// overdispersed estimates s2e and returns what the next fit takes for it, the
// present one where they hardly differ.
func (f *fit) overdispersed(o *rowVariance) float64 {
	if f.s2e == 0 {
		return 0
	}
	f.likelihood(&f.like, 0, f.rows.n)
	f.estimate = f.over.estimate(&o.like, &f.like)
	// A change that is small beside s2e + 1/mu, the variance of a log count,
	// moves no coefficient.
	if math.Abs(f.estimate-f.s2e)*f.likes.rate() < overTol*(1+float64(f.s2e*f.likes.rate())) {
		return f.s2e
	}
	return f.estimate
}

// overBegin is s2e before the first row: the prior's mean.
const overBegin = 2 * overScale * overScale
