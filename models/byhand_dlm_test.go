package models

import (
	"math"
	"slices"
)

// handLevel is a dlm by hand: a grid of phi and log(tau2/sigma2), at each point a Kalman filter of the level and its mean, in units of
// sigma2, which is integrated out.
type handLevel struct {
	known           bool // mu is 0
	a, b, c, d, h   float64
	phiMean, phiVar float64
	phi, q          []float64
	n               float64
	m, u            []float64 // means of level and mu
	vm, vu, vc      []float64 // their covariance
	log, squares    []float64 // sums of log F and e^2/F
}

func (g *handLevel) start(eta, l []float64) {
	g.phi, g.q, g.n = nil, nil, 0
	for _, e := range eta {
		for _, v := range l {
			g.phi, g.q = append(g.phi, math.Tanh(e)), append(g.q, math.Exp(v))
		}
	}
	k := len(g.phi)
	for _, f := range []*[]float64{&g.m, &g.u, &g.vm, &g.vu, &g.vc, &g.log, &g.squares} {
		*f = make([]float64, k)
	}
	for i := range k {
		g.vm[i] = g.h
		if !g.known {
			g.vu[i] = 1 + g.q[i]/(1-g.phi[i]*g.phi[i])
		}
	}
}

// pass lets steps go by, one by one.
func (g *handLevel) pass(steps int) {
	for i, phi := range g.phi {
		for range steps {
			g.m[i] = phi*g.m[i] + (1-phi)*g.u[i]
			g.vm[i] = phi*phi*g.vm[i] + 2*phi*(1-phi)*g.vc[i] + (1-phi)*(1-phi)*g.vu[i] + g.q[i]
			g.vc[i] = phi*g.vc[i] + (1-phi)*g.vu[i]
		}
	}
}

// see takes an observation in.
func (g *handLevel) see(y float64) {
	g.n++
	for i := range g.phi {
		f, e := g.vm[i]+1, y-g.m[i]
		g.squares[i] += e * e / f
		g.log[i] += math.Log(f)
		km, ku := g.vm[i]/f, g.vc[i]/f
		g.m[i] += km * e
		g.u[i] += ku * e
		g.vu[i] -= ku * g.vc[i]
		g.vc[i] -= km * g.vc[i]
		g.vm[i] /= f
	}
}

func (g *handLevel) forget(by float64) {
	g.n *= by
	for i := range g.log {
		g.log[i] *= by
		g.squares[i] *= by
	}
}

// weights are the logs of those of the nodes, all of one size: shape and rates are those of sigma2 at each node.
func (g *handLevel) weights() (w []float64, shape float64, rate []float64) {
	shape = g.a + g.c + g.n/2
	top := math.Inf(-1)
	for i, phi := range g.phi {
		r := g.b + g.d/g.q[i] + g.squares[i]/2
		f := math.Log(1-phi*phi) - g.c*math.Log(g.q[i]) - g.log[i]/2 - shape*math.Log(r)
		if g.phiVar > 0 {
			f -= (phi - g.phiMean) * (phi - g.phiMean) / (2 * g.phiVar)
		}
		w, rate, top = append(w, f), append(rate, r), max(top, f)
	}
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
	law := func(at, v []float64, plus float64) *students {
		s := &students{w: w, at: at, df: 2 * shape}
		for i := range v {
			s.scale = append(s.scale, math.Sqrt((v[i]+plus)*rate[i]/shape))
		}
		return s
	}
	return law(slices.Clone(g.m), g.vm, 0), law(slices.Clone(g.u), g.vu, 0), law(slices.Clone(g.m), g.vm, 1), w, shape, rate
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

// run filters the series on a grid that is fitted to the posterior.
func (g *handLevel) run(s *handSeries, center, scale float64, n int) {
	lo, hi := [2]float64{-5, -12}, [2]float64{5, 10}
	for round := range 4 {
		size := 41
		if round == 3 {
			size = n
		}
		var axes [2][]float64
		for a := range axes {
			for i := range size {
				axes[a] = append(axes[a], lo[a]+(hi[a]-lo[a])*float64(i)/float64(size-1))
			}
		}
		g.start(axes[0], axes[1])
		for i, y := range s.y {
			if s.forget[i] < 1 {
				g.forget(s.forget[i])
			}
			g.pass(s.steps[i])
			if !math.IsNaN(y) {
				g.see((y - center) / scale)
			}
		}
		w, _, _ := g.weights()
		if round == 3 {
			return
		}
		var sums [2][]float64
		for a := range sums {
			sums[a] = make([]float64, size)
		}
		for i, v := range w {
			sums[0][i/size] += v
			sums[1][i%size] += v
		}
		for a := range sums {
			first, last := size, 0
			for i, v := range sums[a] {
				if v > 1e-9 {
					first, last = min(first, i), i
				}
			}
			step := (hi[a] - lo[a]) / float64(size-1)
			from, to := lo[a]+step*float64(max(first-1, 0)), lo[a]+step*float64(min(last+1, size-1))
			lo[a], hi[a] = from, to
		}
	}
}
