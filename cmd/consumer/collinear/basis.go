package collinear

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
)

const (
	// exact is how large the rest of a column may be that follows from others, relative to
	// the column: what arithmetic with float64 leaves.
	exact = 1e-8
	// rounded is that of a column whose values were rounded to so many decimals.
	rounded = 1e-3
)

// basis is an orthonormal basis of columns whose means were taken off, made by the method of
// Gram and Schmidt, each column twice.
type basis struct {
	q     [][]float64
	r     [][]float64 // column i is the sum over k of r[i][k] q[k]
	of    []member
	means []float64
}

// member is a column of the basis.
type member struct {
	block int
	unit  float64 // see unitOf
	norm  float64 // without its mean
	size  float64 // norm with it
}

// split writes a column as a combination of the basis and a rest.
type split struct {
	along []float64 // coordinates
	rest  []float64
	mean  float64
	norm  float64 // of the column without its mean
	size  float64 // norm with it
	left  float64 // norm of the rest
}

func (b *basis) split(v []float64) split {
	s := split{along: make([]float64, len(b.q)), rest: make([]float64, len(v))}
	for _, x := range v {
		s.mean += x
	}
	s.mean /= float64(len(v))
	for i, x := range v {
		s.rest[i] = x - s.mean
	}
	s.norm = norm(s.rest)
	for range 2 {
		for k, q := range b.q {
			c := lin.Dot(q, s.rest)
			s.along[k] += c
			lin.Axpy(-c, q, s.rest)
		}
	}
	s.left = norm(s.rest)
	s.size = norm(v)
	return s
}

// spans reports a column that the basis has: the rest is what rounding of the values, which
// may be large where they are far from 0, and of the arithmetic leaves.
func (b *basis) spans(s *split) bool {
	if s.left > rounded*s.norm {
		return false
	}
	most := exact*s.norm + 1e-15*s.size
	for i, a := range b.coefficients(s) {
		most += 1e-15 * math.Abs(a) * b.of[i].size
	}
	return s.left <= most
}

// add takes a column into the basis.
func (b *basis) add(s split, m member) {
	for i := range s.rest {
		s.rest[i] /= s.left
	}
	m.norm, m.size = s.norm, s.size
	b.q, b.r = append(b.q, s.rest), append(b.r, append(s.along, s.left))
	b.of, b.means = append(b.of, m), append(b.means, s.mean)
}

// coefficients are those of the columns of the basis that make up a column.
func (b *basis) coefficients(s *split) []float64 {
	a := append([]float64(nil), s.along...)
	for i := len(a) - 1; i >= 0; i-- {
		a[i] /= b.r[i][i]
		for k := range i {
			a[k] -= a[i] * b.r[i][k]
		}
	}
	return a
}

// nearly reports a column that the basis has but for rounding: its rest is a thousandth of it,
// and no larger than the last decimals of the columns make it.
func (b *basis) nearly(s *split, unit float64) bool {
	if unit == 0 || s.left > rounded*s.norm {
		return false
	}
	most := unit / 2
	for i, a := range b.coefficients(s) {
		if math.Abs(a)*b.of[i].norm > 1e-6*s.norm {
			most += math.Abs(a) * b.of[i].unit / 2
		}
	}
	for _, x := range s.rest {
		if math.Abs(x) > 2*most {
			return false
		}
	}
	return true
}

// unitOf is the last decimal of the values, up to the sixth, 0 where they have more.
func unitOf(v []float64) float64 {
	for decimals := range 7 {
		scale := math.Pow(10, float64(decimals))
		whole := true
		for _, x := range v {
			if whole = math.Abs(x*scale-math.Round(x*scale)) <= 1e-12*math.Max(1, math.Abs(x*scale)); !whole {
				break
			}
		}
		if whole {
			return 1 / scale
		}
	}
	return 0
}

func norm(v []float64) float64 { return math.Sqrt(lin.Dot(v, v)) }
