package models

import "math"

// handTerm is a term of a poisson model with several: the rows of its levels, and what multiplies their effects.
type handTerm struct {
	level []int     // of a row
	z     []float64 // of a row
	rows  [][]int   // of a level
	u     []float64 // effects
	l     float64   // log of their variance
	start int       // of its draws
}

// handTerms samples such a model: effects one by one, the variances given them and together with them, and the level of each intercept
// against that of all.
type handTerms struct {
	chance
	y, offset, weight, x []float64
	v                    float64                 // of coefficients
	prior                func(l float64) float64 // log density of the log of a variance
	beta                 []float64               // intercept, and a slope of x
	terms                []*handTerm
	eta                  []float64
	draws                [][]float64 // beta, then effects of each term and the log of their variance
}

func (h *handTerms) log(rows []int, z []float64, d float64) (sum float64) {
	for _, i := range rows {
		by := d
		if z != nil {
			by *= z[i]
		}
		sum += h.weight[i] * (h.y[i]*by - math.Exp(h.eta[i])*(math.Exp(by)-1))
	}
	return sum
}

// move proposes to add d times z to the rows, with a change of the prior.
func (h *handTerms) move(rows []int, z []float64, d, prior float64) bool {
	if math.Log(h.Float64()) >= h.log(rows, z, d)+prior {
		return false
	}
	for _, i := range rows {
		by := d
		if z != nil {
			by *= z[i]
		}
		h.eta[i] += by
	}
	return true
}

// step is a width for a coordinate: its sd given all others, about.
func (h *handTerms) step(rows []int, z []float64, precision float64) float64 {
	for _, i := range rows {
		by := 1.
		if z != nil {
			by = z[i]
		}
		precision += h.weight[i] * (h.y[i] + .3) * by * by
	}
	return 2.2 / math.Sqrt(precision) * h.NormFloat64()
}

func (h *handTerms) sweep(all []int) {
	for j := range h.beta {
		var z []float64
		if j > 0 {
			z = h.x
		}
		d, b := h.step(all, z, 1/h.v), h.beta[j]
		if h.move(all, z, d, (b*b-(b+d)*(b+d))/h.v/2) {
			h.beta[j] += d
		}
	}
	for _, t := range h.terms {
		s2 := math.Exp(t.l)
		for g, rows := range t.rows {
			d, u := h.step(rows, t.z, 1/s2), t.u[g]
			if h.move(rows, t.z, d, (u*u-(u+d)*(u+d))/s2/2) {
				t.u[g] += d
			}
		}
		// The variance given the effects, twice.
		squares, n := 0., float64(len(t.u))
		for _, u := range t.u {
			squares += u * u
		}
		for range 2 {
			to := t.l + h.NormFloat64()*2.5/math.Sqrt(n)
			of := func(l float64) float64 { return h.prior(l) - n*l/2 - squares*math.Exp(-l)/2 }
			if math.Log(h.Float64()) < of(to)-of(t.l) {
				t.l = to
			}
		}
		// Effects and their sd by one factor: the effects' own law cancels, and the prior of the log of the variance stays.
		by := .3 * h.NormFloat64()
		d := make([]float64, len(h.eta))
		for i, g := range t.level {
			d[i] = t.u[g] * t.z[i]
		}
		if h.move(all, d, math.Exp(by)-1, h.prior(t.l+2*by)-h.prior(t.l)) {
			t.l += 2 * by
			for g := range t.u {
				t.u[g] *= math.Exp(by)
			}
		}
		// The level of the term against the coefficient of the same column.
		j := t.against(h)
		if j < 0 {
			continue
		}
		s2 = math.Exp(t.l)
		shift, sum := h.NormFloat64()*1.5*math.Sqrt(s2/n), 0.
		for _, u := range t.u {
			sum += (u*u - (u+shift)*(u+shift)) / s2 / 2
		}
		if b := h.beta[j]; math.Log(h.Float64()) < sum+(b*b-(b-shift)*(b-shift))/h.v/2 {
			h.beta[j] -= shift
			for g := range t.u {
				t.u[g] += shift
			}
		}
	}
}

// against is the coefficient whose column is what multiplies the effects, -1: none.
func (t *handTerm) against(h *handTerms) int {
	for j, v := range [][]float64{nil, h.x} {
		same := j < len(h.beta)
		for i := range t.z {
			w := 1.
			if v != nil {
				w = v[i]
			}
			same = same && t.z[i] == w
		}
		if same {
			return j
		}
	}
	return -1
}

func (h *handTerms) run(sweeps int) {
	all := make([]int, len(h.y))
	h.eta = make([]float64, len(h.y))
	y, e := .5, .5
	for i := range all {
		all[i] = i
		y, e = y+h.weight[i]*h.y[i], e+h.weight[i]*math.Exp(h.offset[i])
	}
	h.beta[0] = math.Log(y / e)
	for i := range all {
		h.eta[i] = h.offset[i] + h.beta[0]
	}
	for k := range sweeps + sweeps/5 {
		h.sweep(all)
		if k < sweeps/5 || k%4 > 0 {
			continue
		}
		var d []float64
		d = append(d, h.beta...)
		for _, t := range h.terms {
			t.start = len(d)
			d = append(append(d, t.u...), t.l)
		}
		h.draws = append(h.draws, d)
	}
}

// below is the part of draws whose number at is at most v.
func (h *handTerms) below(at int, v float64) (p float64) {
	for _, d := range h.draws {
		if d[at] <= v {
			p += 1 / float64(len(h.draws))
		}
	}
	return p
}

func (h *handTerms) moments(at int) (mean, sd float64) {
	m := &handMarginal{unit: 1}
	for _, d := range h.draws {
		m.add(d[at], 1)
	}
	return m.moments()
}
