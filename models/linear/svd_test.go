package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// svdWay is the posterior by singular values of R D^{-1}: all sums are over p
// independent directions. It shares the factor with the model and nothing else.
type svdWay struct {
	m             *Model
	d2, g2, dg, v []float64 // v: p x p, D^{-1} V
	rho2          float64
}

// newSVDWay makes the columns of R D^{-1} orthogonal by rotating pairs of them
// (Hestenes), which is accurate relative to each column's own size.
func newSVDWay(t *testing.T, m *Model) *svdWay {
	t.Helper()
	p := m.P
	rho := m.r[len(m.r)-1]
	o := &svdWay{m: m, rho2: rho * rho, v: make([]float64, p*p)}
	a, v, z := make([]float64, p*p), make([]float64, p*p), make([]float64, p)
	for i := range p {
		row := m.r[lin.PackedRow(p+1, i):lin.PackedRow(p+1, i+1)]
		for j := i; j < p; j++ {
			a[j*p+i] = row[j-i] * math.Sqrt(m.variance(j))
		}
		v[i*p+i], z[i] = math.Sqrt(m.variance(i)), row[p-i]
	}
	for rotated, sweeps := true, 0; rotated; sweeps++ {
		if rotated = false; sweeps > 60 {
			t.Fatal("no singular values")
		}
		for j := range p {
			for i := range j {
				x, y := lin.Row(a, p, i), lin.Row(a, p, j)
				c, xx, yy := lin.Dot(x, y), lin.Dot(x, x), lin.Dot(y, y)
				if min(xx, yy) < 1e-60*max(xx, yy) || !(math.Abs(c) > float64(p)*0x1p-53*math.Sqrt(xx)*math.Sqrt(yy)) {
					continue
				}
				rotated = true
				zeta := (yy - xx) / (2 * c)
				tan := math.Copysign(1, zeta) / (math.Abs(zeta) + math.Hypot(1, zeta))
				cos := 1 / math.Hypot(1, tan)
				for _, w := range [][]float64{a, v} {
					for k := range p {
						f, g := w[i*p+k], w[j*p+k]
						w[i*p+k], w[j*p+k] = cos*(f-tan*g), cos*(tan*f+g)
					}
				}
			}
		}
	}
	left := slices.Clone(z) // what no direction explains
	longest := 0.0
	for j := range p {
		u := lin.Row(a, p, j)
		longest = max(longest, lin.Dot(u, u))
	}
	for j := range p {
		u := lin.Row(a, p, j)
		dg, d2 := lin.Dot(u, z), lin.Dot(u, u)
		g2 := 0.0
		if d2 > 1e-55*longest { // not what rounding leaves of a dependent column
			lin.Axpy(-dg/d2, u, left)
			g2 = dg / d2 * dg
		}
		for i := range p {
			o.v[i*p+j] = v[j*p+i]
		}
		o.d2, o.g2, o.dg = append(o.d2, d2), append(o.g2, g2), append(o.dg, dg)
	}
	o.rho2 += lin.Dot(left, left)
	return o
}

func (o *svdWay) logJoint(l float64) float64 {
	s := math.Exp(l)
	det, quad := 0.0, 2*o.m.prior.Sigma2Rate+o.rho2
	for j, d2 := range o.d2 {
		det += math.Log1p(d2 / s)
		quad += o.g2[j] * s / (s + d2)
	}
	return -(o.m.prior.Sigma2Shape+o.m.n/2)*l - 0.5*(det+quad/s)
}

// next is a step of the fixed point, and the number of coefficients that the
// data tell.
func (o *svdWay) next(s2 float64) (next, effective float64) {
	rss := o.rho2
	for j, d2 := range o.d2 {
		k := s2 / (s2 + d2)
		rss += o.g2[j] * k * k
		effective += d2 / (s2 + d2)
	}
	return (o.m.prior.Sigma2Rate + 0.5*(rss+s2*effective)) / (o.m.prior.Sigma2Shape + o.m.n/2), effective
}

// at returns the mean and variance of c'beta at sigma2 = s.
func (o *svdWay) at(c []float64, s float64) (mean, variance float64) {
	for j, d2 := range o.d2 {
		x := 0.0
		for i, v := range c {
			x += v * o.v[i*o.m.P+j]
		}
		mean += x * o.dg[j] / (s + d2)
		variance += x * x * s / (s + d2)
	}
	return mean, variance
}

// hardShard is a regression with what makes columns difficult.
func hardShard(r *rand.Rand, rows, p int, how string) *cdf.Shard {
	sh := modeltest.RegressionShard(r, rows, p, true)
	for i := range rows {
		x := lin.Row(sh.X, p, i)
		switch how {
		case "nearly equal columns":
			x[p-1] = x[p-2] + 1e-8*x[p-1]
		case "constant columns":
			x[p-1], x[1] = 3, 0
		case "a large column":
			x[p-1] *= 1e8
		case "an offset":
			x[p-1] += 1e8
		case "next to no noise":
			sh.Y[i] = x[0] - 2*x[p-1] + 1e-5*r.NormFloat64()
		}
	}
	return sh
}

// The sums by the bidiagonal form, or near one sigma2 by an expansion, are those over singular values, before there
// are as many rows as columns, while the rows are few, and after.
func TestAgainstSingularValues(t *testing.T) {
	for _, p := range []int{2, 3, 6, 21, 51, seriesColumns} {
		for _, how := range []string{"", "nearly equal columns", "constant columns", "a large column", "an offset", "next to no noise"} {
			m := newTest(t, p)
			d := modeltest.Stepper{Model: m}
			r := rand.New(rand.NewPCG(51, uint64(p)))
			for _, rows := range []int{1, p / 2, p, 60, 12 * p, 40 * p} {
				d.Must(t, hardShard(r, rows, p, how), 1)
				compareSVD(t, fmt.Sprintf("p=%d %s n=%v", p, how, m.n), m)
			}
		}
	}
}

func compareSVD(t *testing.T, name string, m *Model) {
	t.Helper()
	o := newSVDWay(t, m)
	const tol = 1e-10
	near := func(what string, got, want, unit float64) {
		t.Helper()
		if !(math.Abs(got-want) <= tol*unit) {
			t.Errorf("%s: %s is %v, want %v: %.1e", name, what, got, want, math.Abs(got-want)/unit)
		}
	}
	next, effective := o.next(m.s2)
	near("the plug-in", m.s2, next, next)
	near("shape", m.post.shape, m.prior.Sigma2Shape+0.5*(m.n-effective), 1)
	w := m.work()
	defer m.scratch.Put(w)
	evidence := m.logEvidence(w)
	n := &w.nodes
	if m.early() {
		n = &w.far
	}
	joint := func(at ...float64) {
		t.Helper()
		for _, l := range at {
			f := o.logJoint(l)
			near(fmt.Sprintf("f at %v", l), m.logJoint(l), f, 1+math.Abs(f))
			const h = 1e-4
			first, _ := m.slope(math.Exp(l))
			if want := (o.logJoint(l+h) - o.logJoint(l-h)) / (2 * h); !(math.Abs(first-want) < 1e-6*(1+math.Abs(f))) {
				t.Errorf("%s: slope at %v is %v, want %v", name, l, first, want)
			}
		}
	}
	if m.inSeries() { // further away nothing has weight
		joint(n.l[len(n.l)/3], n.l[len(n.l)/2], n.l[2*len(n.l)/3])
	} else {
		joint(n.l[0], n.l[len(n.l)/2], n.l[len(n.l)-1])
		if m.post.s0 > 0 && !m.form(w) { // what is further away needs the form
			t.Fatal(name)
		}
		joint(n.l[0], n.l[len(n.l)/2], n.l[len(n.l)-1], -20, 15)
	}
	// The evidence once more by 2,001 nodes.
	sum, h := 0.0, (n.l[len(n.l)-1]-n.l[0])/2000
	for i := range 2001 {
		sum += math.Exp(o.logJoint(n.l[0]+h*float64(i)) - n.top)
	}
	want := math.Log(sum*h) - math.Log(n.total*n.h)
	near("evidence", evidence+want, evidence, 1+math.Abs(evidence))
	m.mixNodes(w)
	c, z := make([]float64, m.P), make([]float64, m.P)
	for j := range m.P {
		c[j] = 1
		mean, variance := o.at(c, m.s2)
		near("mean", m.post.beta[j], mean, math.Sqrt(variance))
		near("scale", closedScale(m, j, j), variance, variance)
		if m.early() {
			copy(z, lin.Row(m.post.m, m.P, j))
			m.mixRows(&w.mix, 1, z)
			w.mix.take(0, 0, false)
			for k, s := range w.mix.s {
				if w.mix.W[k] > 1e-12 {
					mean, variance = o.at(c, s)
					unit := math.Sqrt(variance)
					if m.inSeries() {
						unit /= w.mix.W[k]
					}
					near("mean at a node", w.mix.Mean[k], mean, unit)
					near("sd at a node", w.mix.SD[k], math.Sqrt(variance), unit)
				}
			}
		}
		c[j] = 0
	}
}

// The sums at the nodes against the pivots one by one, where their products go
// beyond floats and where they do not, of few and of many pivots.
func TestJointOfFarFactors(t *testing.T) {
	for i, size := range []float64{1, 1e70, 1e140, 1e-70, 1e-140, 1, 1e11, 1e70} {
		a2, c2 := []float64{3, .1, 2, 5, .7}, []float64{.2, 4, 1, .5, 0}
		if i >= 5 {
			a2, c2 = slices.Repeat(a2, 8), slices.Repeat(c2, 8)
		}
		q := &bidiagonal{a2: a2, c2: c2, b2: 7, rho2: 2}
		for i := range q.a2 {
			q.a2[i] *= size
			q.c2[i] *= size
		}
		s := []float64{.01 * size, size, 1.5 * size, 30 * size, 1e4 * size, size / 3, 2 * size, .7 * size, 9 * size}
		f, work := make([]float64, len(s)), make([]float64, 3*len(s))
		q.joint(3, s, f, work)
		for k, v := range s {
			last := len(a2) - 1
			want, at := 0.0, v+q.a2[last]
			for i := last - 1; i >= 0; i-- {
				pivot := q.c2[i] + at
				want += math.Log(pivot)
				at = v + q.a2[i]*(at/pivot)
			}
			want += math.Log(at) + (3+q.rho2+q.b2*(v/at))/v
			if !(math.Abs(f[k]-want) < 1e-13*(1+math.Abs(want))) {
				t.Errorf("size %g, shift %g: %v, want %v", size, v, f[k], want)
			}
		}
	}
}
