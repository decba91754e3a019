package models

import "math"

// handLevel is a dlm by hand: a grid of phi and log(tau2/sigma2), at each point a Kalman filter of the level given its mean, of which
// level and errors are linear, in units of sigma2. The mean and sigma2 are integrated out. What rows say of the mean is forgotten as what
// they say of phi and the variances is; the level given these is not.
type handLevel struct {
	known           bool // mu is 0
	a, b, c, d, h   float64
	phiMean, phiVar float64
	phi, q          []float64
	n, steps        float64   // observations, and steps that have any
	moved           bool      // the next observation is the first of its step
	m, r, v         []float64 // the level is m + r mu, its variance v
	log, ee, er, rr []float64 // sums of log F, and of the products of e and R over F, the error being e - R mu
	side, area      float64   // of the cell of a point: along eta, and all
}

func (g *handLevel) start(eta, l []float64) {
	g.phi, g.q, g.n, g.steps = nil, nil, 0, 0
	for _, e := range eta {
		for _, v := range l {
			g.phi, g.q = append(g.phi, math.Tanh(e)), append(g.q, math.Exp(v))
		}
	}
	k := len(g.phi)
	for _, f := range []*[]float64{&g.m, &g.r, &g.v, &g.log, &g.ee, &g.er, &g.rr} {
		*f = make([]float64, k)
	}
	for i := range k {
		g.v[i] = g.h
	}
}

// pass lets steps go by, one by one.
func (g *handLevel) pass(steps int) {
	g.moved = g.moved || steps > 0
	for i, phi := range g.phi {
		for range steps {
			g.m[i] *= phi
			g.r[i] = phi*g.r[i] + 1 - phi
			g.v[i] = phi*phi*g.v[i] + g.q[i]
		}
	}
}

// see takes an observation in.
func (g *handLevel) see(y float64) {
	if g.n++; g.moved {
		g.steps, g.moved = g.steps+1, false
	}
	for i := range g.phi {
		f, e, r := g.v[i]+1, y-g.m[i], g.r[i]
		g.log[i] += math.Log(f)
		g.ee[i] += e * e / f
		g.er[i] += e * r / f
		g.rr[i] += r * r / f
		gain := g.v[i] / f
		g.m[i] += gain * e
		g.r[i] -= gain * r
		g.v[i] /= f
	}
}

func (g *handLevel) forget(by float64) {
	g.n, g.steps = by*g.n, by*g.steps
	for _, f := range [][]float64{g.log, g.ee, g.er, g.rr} {
		for i := range f {
			f[i] *= by
		}
	}
}

// mean is the law of mu at a point, and what its integral adds to the sums of log F and of squares.
func (g *handLevel) mean(i int) (mu, v, log, squares float64) {
	if g.known {
		return 0, 0, 0, 0
	}
	prior := 1 + g.q[i]/(1-g.phi[i]*g.phi[i])
	v = 1 / (1/prior + g.rr[i])
	mu = v * g.er[i]
	return mu, v, math.Log(prior / v), -mu * mu / v
}

// weights are those of the nodes: shape and rates are those of sigma2 at each node.
func (g *handLevel) weights() (w []float64, shape float64, rate []float64) {
	w, shape, rate, top := g.logs()
	sum := 0.
	for i := range w {
		w[i] = math.Exp(w[i] - top)
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
	return w, shape, rate
}

// evidence is the log density of the observations in scaled units.
func (g *handLevel) evidence() float64 {
	w, shape, _, top := g.logs()
	sum := 0.
	for _, f := range w {
		sum += math.Exp(f - top)
	}
	all := 2. // of the prior of phi
	if g.phiVar > 0 {
		sd := math.Sqrt(g.phiVar)
		all = math.Sqrt(2*math.Pi) * sd * (phi((1-g.phiMean)/sd) - phi((-1-g.phiMean)/sd))
	}
	la, _ := math.Lgamma(g.a)
	lc, _ := math.Lgamma(g.c)
	l, _ := math.Lgamma(shape)
	return top + math.Log(sum*g.area/all) + l - la - lc + g.a*math.Log(g.b) + g.c*math.Log(g.d) - g.n/2*math.Log(2*math.Pi)
}

// logs are the logs of the densities of nodes, but for constants, and the greatest.
func (g *handLevel) logs() (w []float64, shape float64, rate []float64, top float64) {
	shape = g.a + g.c + g.n/2
	top = math.Inf(-1)
	for i, phi := range g.phi {
		_, _, log, squares := g.mean(i)
		r := g.b + g.d/g.q[i] + (g.ee[i]+squares)/2
		f := math.Log(1-phi*phi) - g.c*math.Log(g.q[i]) - (g.log[i]+log)/2 - shape*math.Log(r)
		if g.phiVar > 0 {
			f -= (phi - g.phiMean) * (phi - g.phiMean) / (2 * g.phiVar)
		}
		w, rate, top = append(w, f), append(rate, r), max(top, f)
	}
	return w, shape, rate, top
}

// students is a mixture of t laws of one number of degrees of freedom.
type students struct {
	w, at, scale []float64
	df           float64
}

// studentCDF by the incomplete beta function, as a table of its own: an integral over the density.
func (s *students) table() func(z float64) float64 {
	const n, most = 4000, 60.
	c, _ := math.Lgamma((s.df + 1) / 2)
	d, _ := math.Lgamma(s.df / 2)
	density := func(z float64) float64 {
		return math.Exp(c - d - .5*math.Log(s.df*math.Pi) - (s.df+1)/2*math.Log1p(z*z/s.df))
	}
	sums, step := make([]float64, n+1), most/n
	for i := range n {
		z := float64(i) * step
		sums[i+1] = sums[i] + step/6*(density(z)+4*density(z+step/2)+density(z+step))
	}
	return func(z float64) float64 {
		a := math.Abs(z)
		v := sums[n]
		if a < most {
			i := int(a / step)
			from := float64(i) * step
			v = sums[i] + (a-from)/6*(density(from)+4*density((from+a)/2)+density(a))
		}
		if z < 0 {
			return .5 - v
		}
		return .5 + v
	}
}

func (s *students) cdf(v float64, below func(float64) float64) (sum float64) {
	for i, w := range s.w {
		if w > 1e-12 {
			sum += w * below((v-s.at[i])/s.scale[i])
		}
	}
	return sum
}

func (s *students) moments() (mean, sd float64) {
	for i, w := range s.w {
		mean += w * s.at[i]
	}
	for i, w := range s.w {
		sd += w * (s.scale[i]*s.scale[i]*s.df/(s.df-2) + (s.at[i]-mean)*(s.at[i]-mean))
	}
	return mean, math.Sqrt(sd)
}

// laws are those of the level, of mu and of an observation next.
func (g *handLevel) laws() (theta, mu, y *students, w []float64, shape float64, rate []float64) {
	w, shape, rate = g.weights()
	theta, mu, y = &students{w: w, df: 2 * shape}, &students{w: w, df: 2 * shape}, &students{w: w, df: 2 * shape}
	for i := range w {
		at, v, _, _ := g.mean(i)
		level, spread := g.m[i]+g.r[i]*at, g.v[i]+g.r[i]*g.r[i]*v
		scale := rate[i] / shape
		theta.at, theta.scale = append(theta.at, level), append(theta.scale, math.Sqrt(spread*scale))
		mu.at, mu.scale = append(mu.at, at), append(mu.scale, math.Sqrt(v*scale))
		y.at, y.scale = append(y.at, level), append(y.scale, math.Sqrt((spread+1)*scale))
	}
	return theta, mu, y, w, shape, rate
}

// gammaBelow is P(X < x) of a gamma variable, by its series or continued fraction.
func gammaBelow(a, x float64) float64 {
	if x <= 0 {
		return 0
	}
	lg, _ := math.Lgamma(a)
	front := math.Exp(-x + a*math.Log(x) - lg)
	if x < a+1 {
		term, sum := 1/a, 1/a
		for n := a + 1; term > sum*1e-16; n++ {
			term *= x / n
			sum += term
		}
		return sum * front
	}
	b, c := x+1-a, 1e300
	d := 1 / b
	h := d
	for i := 1.; i < 10000; i++ {
		an := -i * (i - a)
		b += 2
		d = 1 / (an*d + b)
		c = b + an/c
		h *= d * c
		if math.Abs(d*c-1) < 1e-15 {
			break
		}
	}
	return 1 - front*h
}

// handSeries is a stream for a dlm key, in scaled units once its constants are known.
type handSeries struct {
	y      []float64
	steps  []int     // before each
	forget []float64 // before each: 1 but for the first row of a shard
}

// part is of rows from one to another.
func (s *handSeries) part(from, to int) *handSeries {
	return &handSeries{y: s.y[from:to], steps: s.steps[from:to], forget: s.forget[from:to]}
}

// observed is how many rows have a response.
func (s *handSeries) observed() (n float64) {
	for _, v := range s.y {
		if !math.IsNaN(v) {
			n++
		}
	}
	return n
}

// box is a part of the plane of eta and l.
type box struct{ lo, hi [2]float64 }

// grid is one of n points a side.
func (g *handLevel) grid(b box, n int) {
	var axes [2][]float64
	for a := range axes {
		for i := range n {
			axes[a] = append(axes[a], b.lo[a]+(b.hi[a]-b.lo[a])*float64(i)/float64(n-1))
		}
	}
	g.start(axes[0], axes[1])
	g.side = (b.hi[0] - b.lo[0]) / float64(n-1)
	g.area = (b.hi[0] - b.lo[0]) * (b.hi[1] - b.lo[1]) / float64((n-1)*(n-1))
}

// follow takes the rows of the series in.
func (g *handLevel) follow(s *handSeries, center, scale float64) {
	for i, y := range s.y {
		if s.forget[i] < 1 {
			g.forget(s.forget[i])
		}
		g.pass(s.steps[i])
		if !math.IsNaN(y) {
			g.see((y - center) / scale)
		}
	}
}

// fit finds where the posterior is.
func (g *handLevel) fit(s *handSeries, center, scale float64) box {
	const size = 41
	b := box{[2]float64{-5, -12}, [2]float64{5, 10}}
	for range 3 {
		g.grid(b, size)
		g.follow(s, center, scale)
		w, _, _ := g.weights()
		var sums [2][size]float64
		for i, v := range w {
			sums[0][i/size] += v
			sums[1][i%size] += v
		}
		for a := range sums {
			first, last := size, 0
			for i, v := range sums[a] {
				if v > 1e-12 { // moments are of what is far off, too
					first, last = min(first, i), i
				}
			}
			step := (b.hi[a] - b.lo[a]) / (size - 1)
			b.lo[a], b.hi[a] = b.lo[a]+step*float64(max(first-1, 0)), b.lo[a]+step*float64(min(last+1, size-1))
		}
	}
	return b
}

// run filters the series on a grid that is fitted to the posterior.
func (g *handLevel) run(s *handSeries, center, scale float64, n int) {
	g.grid(g.fit(s, center, scale), n)
	g.follow(s, center, scale)
}
