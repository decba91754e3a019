package cdf

import (
	"cmp"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf/vec"
)

// product is a column of X that is centred in each of its factors: what is added are its parts, each times what pull says.
type product struct {
	column int
	parts  []part
}

// part is a column of X that a product holds.
type part struct {
	column  int
	centers []int // columns of X
	times   float64
}

// holding says which product holds a column of X, and as which of its parts.
type holding struct{ column, product, part int }

// layProducts finds the columns of products, and those that they hold.
func (d *design) layProducts() {
	for i := range d.sources {
		s := &d.sources[i]
		if len(s.feature.Margins) == 0 {
			continue
		}
		p := product{column: s.first}
		for _, m := range s.feature.Margins {
			more := part{column: d.sources[m.Column].first, times: m.Times}
			for _, at := range m.Centers {
				more.centers = append(more.centers, d.sources[at].first)
			}
			d.held = append(d.held, holding{more.column, len(d.products), len(p.parts)})
			p.parts = append(p.parts, more)
		}
		d.products = append(d.products, p)
	}
	slices.SortFunc(d.held, func(a, b holding) int { return cmp.Or(a.column-b.column, a.product-b.product, a.part-b.part) })
}

// holders are the products that hold column i of X.
func (d *design) holders(i int) []holding {
	at := func(column int) int {
		k, _ := slices.BinarySearchFunc(d.held, column, func(h holding, column int) int { return h.column - column })
		return k
	}
	return d.held[at(i):at(i+1)]
}

// pull is how much of a part a product has to be rid of; 0 where none of the centres moves it.
func (s *scaling) pull(p *part) float64 {
	v := p.times
	for _, column := range p.centers {
		v *= -s.x[column].Center
	}
	return v
}

// centred returns the n values of a product of centred columns, in room, and how large the numbers are that they are sums of; nil where they are those
// of the product itself. Raw lays out the values of a column of X as they came.
func (s *scaling) centred(p *product, n int, room *[]float64, raw func(column int, dst []float64)) (sum []float64, size float64) {
	for i := range p.parts {
		v := s.pull(&p.parts[i])
		if v == 0 {
			continue
		}
		if sum == nil {
			*room = slices.Grow((*room)[:0], 2*n)[:2*n]
			sum = (*room)[:n]
			raw(p.column, sum)
		}
		other := (*room)[n:]
		raw(p.parts[i].column, other)
		for k := range sum {
			part := float64(v * other[k])
			size = max(size, math.Abs(sum[k]), math.Abs(part))
			sum[k] += part
		}
	}
	return sum, size
}

// noSpread is the part of the numbers that a product of centred columns is a sum of below which its spread is their rounding: it is a constant then.
const noSpread = 0x1p-47

// put lays values out as a column of X, centred and scaled, and reports whether all are finite.
func (r *rows) put(column int, values []float64, c *Constant) bool {
	finite := vec.Standardize(values, values, c.Center, c.Scale)
	for k, v := range values {
		r.x[k*r.cols+column] = v
	}
	r.finite = r.finite && finite
	return finite
}

// column lays a column of X out.
func (r *rows) column(at int, dst []float64) {
	for k := range dst {
		dst[k] = r.x[k*r.cols+at]
	}
}

// takeUp adds to a coefficient what the products that hold its column were rid of.
func (s *state) takeUp(room *weights, row int, held []holding) {
	for _, h := range held {
		p := &s.design.products[h.product]
		if v := s.scaling.pull(&p.parts[h.part]); v != 0 {
			room.add(row+p.column, v*s.scaling.y.Scale/s.scaling.x[p.column].Scale)
		}
	}
}
