package models

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/credence-stream/credence/cdf"
)

// handBox is the posterior of at most three coefficients by a trapezoid rule in a box that is fitted to it. of returns the log
// likelihood of a row at its linear predictor, and the first two derivatives.
type handBox struct {
	w     []float64
	b     [][]float64
	cells [][]float64 // the sides of the cell of a node
}

func newHandBox(x [][]float64, weight, prior []float64, of func(row int, eta float64) (l, first, second float64)) *handBox {
	p := len(prior)
	eta := func(i int, b []float64) (v float64) {
		for j, x := range x[i] {
			v += x * b[j]
		}
		return v
	}
	log := func(b []float64) (f float64) {
		for j, v := range b {
			f -= v * v / prior[j] / 2
		}
		for i := range x {
			l, _, _ := of(i, eta(i, b))
			f += weight[i] * l
		}
		return f
	}
	mode := make([]float64, p)
	var chol mat.Cholesky
	for range 200 {
		h, g := mat.NewSymDense(p, nil), mat.NewVecDense(p, nil)
		for j := range p {
			h.SetSym(j, j, 1/prior[j])
			g.SetVec(j, -mode[j]/prior[j])
		}
		for i := range x {
			_, first, second := of(i, eta(i, mode))
			for j := range p {
				g.SetVec(j, g.AtVec(j)+weight[i]*first*x[i][j])
				for k := j; k < p; k++ {
					h.SetSym(j, k, h.At(j, k)-weight[i]*second*x[i][j]*x[i][k])
				}
			}
		}
		if !chol.Factorize(h) {
			panic("by hand: not concave")
		}
		var step mat.VecDense
		_ = chol.SolveVecTo(&step, g)
		by, now, moved := 1., log(mode), 0.
		for {
			next := make([]float64, p)
			for j := range next {
				next[j] = mode[j] + by*step.AtVec(j)
			}
			if log(next) >= now-1e-12*math.Abs(now) || by < 1e-9 {
				mode = next
				break
			}
			by /= 2
		}
		for j := range p {
			moved = math.Max(moved, math.Abs(step.AtVec(j))*math.Sqrt(h.At(j, j)))
		}
		if moved < 1e-9 {
			break
		}
	}
	// b = mode + U^-1 z, with the curvature U'U.
	var u mat.TriDense
	chol.UTo(&u)
	lo, hi := make([]float64, p), make([]float64, p)
	for j := range p {
		lo[j], hi[j] = -8, 8
	}
	n := []int{0, 801, 101, 33}[p]
	h := &handBox{}
	for range 12 {
		at := make([]int, p)
		edge := make([][]float64, p)
		for j := range edge {
			edge[j] = make([]float64, n)
		}
		h.w, h.b = nil, nil
		top := math.Inf(-1)
		for {
			z := mat.NewVecDense(p, nil)
			for j := range p {
				z.SetVec(j, lo[j]+(hi[j]-lo[j])*float64(at[j])/float64(n-1))
			}
			var d mat.VecDense
			_ = d.SolveVec(&u, z)
			b := make([]float64, p)
			for j := range b {
				b[j] = mode[j] + d.AtVec(j)
			}
			f := log(b)
			h.w, h.b, top = append(h.w, f), append(h.b, b), max(top, f)
			j := 0
			for ; j < p; j++ {
				if at[j]++; at[j] < n {
					break
				}
				at[j] = 0
			}
			if j == p {
				break
			}
		}
		sum := 0.
		for i, f := range h.w {
			h.w[i] = math.Exp(f - top)
			sum += h.w[i]
		}
		for i := range h.w {
			h.w[i] /= sum
			for j, k := 0, i; j < p; j, k = j+1, k/n {
				edge[j][k%n] += h.w[i]
			}
		}
		h.cells = nil
		for j := range p {
			z := mat.NewVecDense(p, nil)
			z.SetVec(j, (hi[j]-lo[j])/float64(n-1))
			var d mat.VecDense
			_ = d.SolveVec(&u, z)
			h.cells = append(h.cells, d.RawVector().Data)
		}
		done := true
		for j := range p {
			first, last := n, 0
			for i, v := range edge[j] {
				if v > 1e-9 {
					first, last = min(first, i), i
				}
			}
			width, step := hi[j]-lo[j], (hi[j]-lo[j])/float64(n-1)
			from, to := lo[j]+step*float64(first-1), lo[j]+step*float64(last+1)
			if first == 0 {
				from = lo[j] - width/2
			}
			if last == n-1 {
				to = hi[j] + width/2
			}
			if first == 0 || last == n-1 || to-from < .8*width {
				done = false
			}
			lo[j], hi[j] = from, to
		}
		if done {
			break
		}
	}
	return h
}

// moments are those of a function of the coefficients.
func (h *handBox) moments(of func(b []float64) float64) (mean, sd float64) {
	for i, w := range h.w {
		if w > 0 {
			mean += w * of(h.b[i])
		}
	}
	for i, w := range h.w {
		if w > 0 {
			v := of(h.b[i]) - mean
			sd += w * v * v
		}
	}
	return mean, math.Sqrt(sd)
}

// below returns P(w'b <= v): the mass of a node is spread over its cell.
func (h *handBox) below(w []float64, v float64) (p float64) {
	width := 0.
	for _, side := range h.cells {
		x := inner(0, w)(side)
		width += x * x / 12
	}
	at := inner(0, w)
	for i, m := range h.w {
		if m > 1e-12 {
			p += m * phi((v-at(h.b[i]))/math.Sqrt(width))
		}
	}
	return p
}

func inner(d float64, w []float64) func(b []float64) float64 {
	return func(b []float64) (v float64) {
		v = d
		for j, x := range w {
			v += x * b[j]
		}
		return v
	}
}

// box is the posterior of the key's rows by hand.
func (k *handKey) box(v, v0 float64, of func(row *handRow, eta float64) (l, first, second float64)) *handBox {
	var x [][]float64
	var w []float64
	for i := range k.rows {
		x, w = append(x, k.scaled(k.rows[i].x)), append(w, k.rows[i].weight)
	}
	var prior []float64
	if k.spec.Columns.Intercept {
		prior = append(prior, v0)
	}
	for range k.names {
		prior = append(prior, v)
	}
	return newHandBox(x, w, prior, func(row int, eta float64) (float64, float64, float64) { return of(&k.rows[row], eta) })
}

var (
	handCounts = .05
	handSpread = .06
)

// followCounts takes a poisson key without groups and overdispersion through shards that are all kept.
func followCounts(seed uint64) (string, error) {
	k := newHandKey(seed, 74, 2)
	k.unit, k.at, k.signal = 1, 0, min(k.signal, 1)
	total := 0
	for i := range k.columns {
		c := &k.columns[i]
		if c.sort == "level" {
			c.sort, c.labels = "number", nil
			c.feature = cdf.Feature{Name: c.feature.Name}
		}
		total++
	}
	roles := k.roles(k.of(.8) || total == 0)
	exposed := k.of(.5)
	if exposed {
		roles.Exposure = "exposure"
	}
	v := 10000.
	settings := "{overdispersion: none, buffer: 1000}"
	if k.of(.5) {
		v = math.Pow(10, 4*k.Float64()-2)
		settings = fmt.Sprintf("{overdispersion: none, buffer: 1000, prior: {beta_variance: %v}}", v)
	}
	if err := k.specify("poisson", "", roles, settings); err != nil {
		return settings, err
	}
	k.spec.Publish.Covariance = true
	f := cdf.NewFilter(k.spec, "key")
	level := choose(k.chance, []float64{-1, 1, 3, 8})
	k.about += fmt.Sprintf("\n\tlevel %v exposure %v", level, exposed)
	unit := power(k.chance, 5)
	var exposures []float64
	for range 1 + k.IntN(4) {
		rows := choose(k.chance, []int{1, 2, 3, 5, 12, 30})
		e := cdf.Column{Name: "exposure", Number: make([]float64, rows)}
		for i := range e.Number {
			e.Number[i] = unit * (.2 + 3*k.Float64())
		}
		row := -1
		b := k.batch(rows, func(effect float64) float64 {
			row++
			rate := math.Exp(level + effect)
			if exposed {
				rate *= e.Number[row] / unit
			}
			return poissonCount(k.chance, min(rate, 1e6))
		})
		plain := *b
		if exposed {
			b.Columns = append(b.Columns[:len(b.Columns):len(b.Columns)], e)
		}
		sum, err := k.update(f, b)
		if err != nil {
			return k.about, err
		}
		if sum == nil {
			continue
		}
		for i := range rows { // what is taken
			if _, ok := k.rowOf(b, i); ok {
				exposures = append(exposures, e.Number[i])
			}
		}
		k.take(&plain)
		where := k.where(sum)
		if len(k.rows) == 0 {
			continue
		}
		if err := k.constantsAre(sum); err != nil {
			return k.about, where(err)
		}
		for i := range k.rows {
			k.rows[i].shard = i
		}
		h := k.box(v, v, func(r *handRow, eta float64) (float64, float64, float64) {
			if exposed {
				eta += math.Log(exposures[r.shard])
			}
			rate := math.Exp(min(eta, 500))
			return r.y*eta - rate, r.y - rate, -rate
		})
		if len(sum.Flags) > 0 {
			continue
		}
		for i := range sum.Rows {
			r := &sum.Rows[i]
			d, c := k.original(r.Variable)
			if c == nil {
				return k.about, where(fmt.Errorf("a row of %s", r.Variable))
			}
			mean, sd := h.moments(inner(d, c))
			if !(math.Abs(r.Mean-mean) <= handCounts*sd && math.Abs(r.SD/sd-1) <= handSpread) {
				return k.about, where(fmt.Errorf("%s has mean %v and sd %v, by hand %v and %v", r.Variable, r.Mean, r.SD, mean, sd))
			}
		}
	}
	return k.about, nil
}

// rowOf is row of a row that has a response.
func (k *handKey) rowOf(b *cdf.Batch, i int) ([]float64, bool) {
	if k.shards == 0 && k.names == nil {
		k.begin(b)
		defer func() { k.names, k.numbers = nil, nil }()
	}
	x, ok := k.row(b, i)
	return x, ok && !math.IsNaN(b.Columns[len(k.columns)].Number[i])
}

func poissonCount(r chance, rate float64) float64 {
	n := 0.
	for rate > 500 { // normal beyond doubt
		return math.Max(0, math.Round(rate+math.Sqrt(rate)*r.NormFloat64()))
	}
	for t := r.ExpFloat64(); t < rate; t += r.ExpFloat64() {
		n++
	}
	return n
}

// TestCountsByHand: a poisson key that keeps its rows publishes about what quadrature makes of them.
func TestCountsByHand(t *testing.T) { handSeeds(t, 14, followCounts) }
