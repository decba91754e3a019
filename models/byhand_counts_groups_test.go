package models

import (
	"math"
)

// handCountLevels is a poisson model with effects of one factor by hand: sums over the variance of the effects, that of the rows' own,
// a slope and the intercept, and for each level one over its log rate.
type handCountLevels struct {
	v     float64                 // of coefficients
	prior func(l float64) float64 // log density of the log of the variance of effects
	rows  [][]handCount           // of each level
	slope bool                    // there is one
	own   bool                    // rows have effects of their own
	w     []float64               // of the points
	at    []handPoint             // points of any weight
	table [][]float64             // of each level, where rows have effects of their own
	laws  map[float64][]float64   // of a count
}

type handCount struct{ y, x, offset, weight float64 }

type handPoint struct{ l, b, slope, own float64 }

// Log rates of tables.
const (
	tableFrom, tableStep = -45., .05
	tableNodes           = 1400
)

// level returns the log likelihood of a level at a log rate and its derivatives.
func (h *handCountLevels) level(g int, eta, slope float64) (l, d1, d2 float64) {
	if h.own {
		t := h.table[g]
		i := min(max(int((eta-tableFrom)/tableStep+.5), 1), tableNodes-2)
		u := (eta-tableFrom)/tableStep - float64(i)
		d1, d2 = (t[i+1]-t[i-1])/2, t[i+1]-2*t[i]+t[i-1]
		return t[i] + u*d1 + u*u*d2/2, (d1 + u*d2) / tableStep, d2 / tableStep / tableStep
	}
	for i := range h.rows[g] {
		r := &h.rows[g][i]
		e := eta + slope*r.x + r.offset
		rate := math.Exp(min(e, 500))
		l += r.weight * (r.y*e - rate)
		d1 += r.weight * (r.y - rate)
		d2 -= r.weight * rate
	}
	return l, d1, d2
}

// compact makes one row of those of a level that differ in nothing which matters.
func (h *handCountLevels) compact() {
	if h.own || h.slope {
		return
	}
	for g, rows := range h.rows {
		y, e := 0., 0.
		for _, r := range rows {
			y += r.weight * r.y
			e += r.weight * math.Exp(r.offset)
		}
		h.rows[g] = []handCount{{y: y / e, weight: e}} // y*eta - e*exp(eta)
	}
}

// logCount is the log probability of a count, but for the factorial, of a log rate with an effect of the given sd.
func logCount(y, eta, sd float64) float64 {
	if sd == 0 {
		return y*eta - math.Exp(min(eta, 500))
	}
	// The mode of the effect, and a sum about it.
	v := sd * sd
	m := -v / 2
	for range 60 {
		rate := math.Exp(min(eta+m, 300))
		d := y - rate - (m+v/2)/v
		step := d / (rate + 1/v)
		m += max(-2, min(2, step))
		if math.Abs(step) < 1e-9 {
			break
		}
	}
	s := 1 / math.Sqrt(math.Exp(min(eta+m, 300))+1/v)
	at := func(e float64) float64 {
		return y*(eta+e) - math.Exp(min(eta+e, 300)) - (e+v/2)*(e+v/2)/v/2
	}
	if eta > 60 {
		return -math.Exp(60)
	}
	top, sum := at(m), 0.
	for k := -24; k <= 16; k++ {
		sum += math.Exp(at(m+s*.4*float64(k)) - top)
	}
	return top + math.Log(sum*.4*s/sd/math.Sqrt(2*math.Pi))
}

// tabulate makes the tables of levels for an sd of the rows' own effects.
func (h *handCountLevels) tabulate(sd float64) {
	h.laws = map[float64][]float64{}
	h.table = make([][]float64, len(h.rows))
	for g, rows := range h.rows {
		h.table[g] = make([]float64, tableNodes)
		for _, r := range rows {
			t := h.laws[r.y]
			if t == nil {
				t = make([]float64, tableNodes+200)
				for i := range t {
					t[i] = logCount(r.y, tableFrom-5+tableStep*float64(i), sd)
				}
				h.laws[r.y] = t
			}
			by := r.offset/tableStep + 100
			at := int(math.Floor(by))
			u := by - float64(at)
			for i := range h.table[g] {
				h.table[g][i] += r.weight * ((1-u)*t[i+at] + u*t[i+at+1])
			}
		}
	}
}

// effects are nodes and weights of the log rate of a level given all else, and the log of their integral.
func (h *handCountLevels) effects(g int, p handPoint, begin *float64) (eta, w []float64, log float64) {
	s2 := math.Exp(p.l)
	of := func(e float64) float64 {
		l, _, _ := h.level(g, e, p.slope)
		return l - (e-p.b)*(e-p.b)/s2/2
	}
	// The mode is between where the derivative is positive and where it is negative.
	m, curvature := *begin, 0.
	low, high := math.Inf(-1), math.Inf(1)
	for range 200 {
		_, d1, d2 := h.level(g, m, p.slope)
		curvature = 1/s2 - d2
		d := d1 - (m-p.b)/s2
		if d > 0 {
			low = m
		} else {
			high = m
		}
		step := max(-200, min(200, d/curvature))
		next := m + step
		if math.Abs(step)*math.Sqrt(curvature) < 1e-4 {
			break
		}
		if next <= low || next >= high {
			next = (low + high) / 2
		} else if step > 3 && math.IsInf(high, 1) {
			next = m + 3
		}
		m = next
	}
	*begin = m
	top := of(m)
	sd := 1 / math.Sqrt(curvature)
	edge := func(by float64) float64 {
		d := by
		for of(m+d) > top-22 {
			d *= 1.4
		}
		return m + d
	}
	lo, hi := edge(-2*sd), edge(2*sd)
	n := 40
	step := (hi - lo) / float64(n)
	sum := 0.
	eta, w = make([]float64, n+1), make([]float64, n+1)
	for i := range w {
		eta[i] = lo + step*float64(i)
		w[i] = math.Exp(of(eta[i]) - top)
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
	return eta, w, top + math.Log(sum*step) - p.l/2 - .5*math.Log(2*math.Pi)
}

// solve finds the points.
func (h *handCountLevels) solve() {
	h.compact()
	y, n, e := 0., 0., 0.
	for _, rows := range h.rows {
		for _, r := range rows {
			y += r.weight * r.y
			n += r.weight
			e += r.weight * math.Exp(r.offset)
		}
	}
	center := math.Log((y + .3) / e)
	wide := min(.5, .7/math.Sqrt(y+.3))
	slopes, weights := []float64{0}, []float64{1}
	if h.slope {
		slopes, weights = nil, nil
		for t := -6.; t <= 6; t += .2 {
			slopes = append(slopes, .6*wide*math.Sinh(t))
			weights = append(weights, .6*wide*math.Cosh(t))
		}
	}
	sds, sdw := []float64{0}, []float64{1}
	if h.own {
		sds, sdw = nil, nil
		for i := 1.; i <= 9; i++ {
			t := (i - .5) / 9
			sds = append(sds, 3*t*math.Sqrt(t))
			sdw = append(sdw, math.Sqrt(t)*math.Exp(-2*3*t*math.Sqrt(t)))
		}
	}
	top := math.Inf(-1)
	var w []float64
	var at []handPoint
	for k, sd := range sds {
		if h.own {
			h.tabulate(sd)
		}
		for i, slope := range slopes {
			for l := -14.; l <= 16; l += logStep {
				begin := make([]float64, len(h.rows))
				for g := range begin {
					begin[g] = center
				}
				for t := -9.; t <= 9; t += .25 {
					b := center + wide*math.Sinh(t)
					if math.Abs(b) > 6*math.Sqrt(h.v)+3 {
						continue
					}
					p := handPoint{l: l, b: b, slope: slope, own: sd}
					f := h.prior(l) - b*b/h.v/2 - slope*slope/h.v/2 + math.Log(wide*math.Cosh(t)*weights[i]*sdw[k])
					for g := range h.rows {
						_, _, log := h.effects(g, p, &begin[g])
						f += log
					}
					if f != f {
						panic(p)
					}
					w, at = append(w, f), append(at, p)
					top = max(top, f)
				}
			}
		}
	}
	h.w, h.at = nil, nil
	sum := 0.
	for i, f := range w {
		if f > top-16 {
			h.w, h.at = append(h.w, math.Exp(f-top)), append(h.at, at[i])
			sum += math.Exp(f - top)
		}
	}
	for i := range h.w {
		h.w[i] /= sum
	}
}

// marginals are the laws of the intercept, of a slope, of the log of the variance of effects, shifted by half a cell and 14, and of effects.
func (h *handCountLevels) marginals(unit float64) (b, slope, l *handMarginal, u []handMarginal) {
	b, slope, l, u = &handMarginal{unit: unit}, &handMarginal{unit: .02}, &handMarginal{unit: logStep}, make([]handMarginal, len(h.rows))
	own := -1.
	for i, w := range h.w {
		p := h.at[i]
		if h.own && p.own != own {
			h.tabulate(p.own)
			own = p.own
		}
		b.add(p.b, w)
		slope.add(p.slope, w)
		l.add(p.l+logStep/2+14, w)
		for g := range u {
			u[g].unit = unit
			begin := p.b
			eta, ew, _ := h.effects(g, p, &begin)
			for k := range eta {
				if ew[k] > 1e-7 {
					u[g].add(eta[k]-p.b, w*ew[k])
				}
			}
		}
	}
	return b, slope, l, u
}

// logStep is the distance of nodes of the log of a variance.
const logStep = .6

// handMarginal is a law by weights of values.
type handMarginal struct {
	mean, square, all float64
	bins              map[int]float64
	unit              float64
}

func (m *handMarginal) add(v, w float64) {
	m.mean += w * v
	m.square += w * v * v
	m.all += w
	if m.bins == nil {
		m.bins = map[int]float64{}
	}
	m.bins[int(math.Floor(v/m.unit))] += w
}

func (m *handMarginal) moments() (mean, sd float64) {
	mean = m.mean / m.all
	return mean, math.Sqrt(m.square/m.all - mean*mean)
}

func (m *handMarginal) below(v float64) (p float64) {
	at := math.Floor(v / m.unit)
	for i, w := range m.bins {
		switch {
		case float64(i) < at:
			p += w
		case float64(i) == at:
			p += w * (v/m.unit - at)
		}
	}
	return p / m.all
}
