// Package tails tells whether the errors of predictions have heavier tails than these say: more rows near the middle and
// far out, fewer between. So have rare large errors, and errors whose sd differs from row to row. And it tells whether they are
// skewed, with one tail longer than the other, as those of prices, durations and counts.
//
// The probability integral transforms of rows are uniform under the model, each given the rows before it. The mean
// likelihood ratio of laws with heavy tails, or of skewed ones, against the uniform one is then a martingale with mean 1, and is ever above
// 1/p with a probability of p at most, however often one looks (Ville 1939; as an e-process Ramdas et al.,
// Statistical Science 38, 2023). It is a function of how many rows there are in each class of transforms.
package tails

import (
	"math"
	"sync"

	"github.com/credence-stream/credence/cdf/normal"
)

const (
	// freedom is that of the laws that are tried: Student's t.
	freedom = 3
	// doubtful is the logarithm of 1,000: a right model is ever called one of heavy tails, or of skewed errors, with a chance of as many to one.
	doubtful = 6.9078
	// plain is by how much the logarithm of the ratio has to exceed that of every normal law, so that predictions that are too sure, too
	// wide or to one side are not called what they are not: that of 100. Heavy tails have to exceed those of another sd on each
	// side of the mode, too, so that skewed errors are none.
	plain = 4.6052
	// either is the part of a normal law that skewed ones have, so that a row which is where they have none is no proof against them.
	either = .02
	// uneven is that quantile of lopsided which one pair of classes exceeds by chance in one of 10,000.
	uneven = 15
)

// scales are those of the laws that are tried, beside the sd of a normal law: where a sample has few of the
// values far out, and where it has some.
var scales = [tried]float64{.55, .7}

// shapes are those of the gamma laws that are tried with each of the two tails as the longer one: of skewness 2 and 1. A law
// of skewness .5, for which the variance of a variance is 1.2 times as large as it is taken for, is nearer to a normal one.
var shapes = [tried]int{1, 4}

// Rows are how many rows there are in each class.
type Rows = [2 * half]float32

// half is how many classes there are on each side of the middle.
const half = 5

// Classes are logarithms of likelihood ratios against uniform transforms, by class.
type Classes struct {
	quantiles, widths []float64 // normal quantiles of the edges, and the transforms between these
	heavy             [tried]pairs
	skewed            [tried]pairs // with the longer tail above
	// Made when a key first looks heavy or skewed, which few do.
	normal func() *[sds][sds][shifts]law
}

// tried is how many laws are tried of each departure.
const tried = 2

// law has the logarithm of its likelihood ratio by class.
type law = [2 * half]float64

// pairs have the same by two classes at a time, which are as far from the middle: what a row in either adds, and what it adds more in the one below
// than that. A law with the other tail as the longer one has the second with the other sign.
type pairs struct{ either, below [half]float64 }

func pairsOf(l law) (p pairs) {
	for k := range half {
		one, other := l[k], l[2*half-1-k]
		p.either[k], p.below[k] = (one+other)/2, (one-other)/2
	}
	return p
}

// Normal laws have an sd on each side of a shift that is step to a power, the middle one 1.
const (
	sds, shifts = 17, 9
	step, shift = 1.12, .15
)

// New returns those of classes that are divided at ascending transforms in (0, 1), the middle one .5 and the others as far from it on both sides.
func New(edges [2*half - 1]float64) *Classes {
	c, last := new(Classes), 0.
	for _, edge := range edges {
		c.quantiles = append(c.quantiles, normal.Quantile(edge))
		c.widths = append(c.widths, edge-last)
		last = edge
	}
	c.widths = append(c.widths, 1-last)
	for i, scale := range scales {
		c.heavy[i] = pairsOf(c.ratios(func(q float64) float64 { return student(q / scale) }))
	}
	for i, shape := range shapes {
		c.skewed[i] = pairsOf(c.ratios(func(q float64) float64 { return gamma(q, shape) }))
	}
	c.normal = sync.OnceValue(c.normals)
	return c
}

func (c *Classes) normals() *[sds][sds][shifts]law {
	laws := new([sds][sds][shifts]law)
	for i := range laws {
		for j := range laws[i] {
			below, above := math.Pow(step, float64(i-sds/2)), math.Pow(step, float64(j-sds/2))
			for k := range laws[i][j] {
				mode := shift * float64(k-shifts/2)
				laws[i][j][k] = c.ratios(func(q float64) float64 { return split(q-mode, below, above) })
			}
		}
	}
	return laws
}

// ratios are those of the law of a normal score, by its distribution function.
func (c *Classes) ratios(cdf func(q float64) float64) (r law) {
	below := 0.
	for k, width := range c.widths {
		all := 1.
		if k < len(c.quantiles) {
			all = cdf(c.quantiles[k])
		}
		r[k] = math.Log(max(all-below, math.SmallestNonzeroFloat64) / width)
		below = all
	}
	return r
}

// split is the distribution function of a normal law with another sd on each side of its mode.
func split(z, below, above float64) float64 {
	all := below + above
	if z < 0 {
		return below / all * math.Erfc(-z/below/math.Sqrt2)
	}
	return 1 - above/all*math.Erfc(z/above/math.Sqrt2)
}

// student is the distribution function of t with 3 degrees of freedom.
func student(t float64) float64 {
	const root = 1.7320508075688772
	return .5 + (t/root/(1+t*t/freedom)+math.Atan(t/root))/math.Pi
}

// gamma is the distribution function of a gamma law of a whole shape with mean 0 and variance 1, with a part of the normal one.
func gamma(z float64, shape int) float64 {
	all := either * split(z, 1, 1)
	if x := float64(shape) + z*math.Sqrt(float64(shape)); x > 0 {
		term, sum := 1., 1.
		for k := 1; k < shape; k++ {
			term *= x / float64(k)
			sum += term
		}
		all += (1 - either) * (1 - math.Exp(-x)*sum)
	}
	return all
}

// Judge reports whether as many rows have heavy tails, and whether one of their tails is longer than the other. Errors of two values, which are
// as far from a normal law as skewed ones, are not skewed: they are as many on both sides, but for chance.
func (c *Classes) Judge(rows *Rows) (heavy, skewed bool) {
	var both, below [half]float64
	for k := range half {
		one, other := float64(rows[k]), float64(rows[2*half-1-k])
		both[k], below[k] = one+other, one-other
	}
	var tails, sides [tried]float64
	for i := range tried {
		t, g := &c.heavy[i], &c.skewed[i]
		either, more := 0., 0.
		for k, n := range both {
			tails[i] += float64(n * t.either[k])
			either += float64(n * g.either[k])
			more += float64(below[k] * g.below[k])
		}
		sides[i] = either + math.Abs(more)
	}
	if e := evidence(&tails); e > doubtful {
		heavy = c.likeliest(rows, e-plain, moves[:]) <= e-plain
	}
	if e := evidence(&sides) - math.Ln2; e > doubtful && lopsided(&both, &below) > uneven {
		skewed = c.likeliest(rows, e-plain, moves[:alike]) <= e-plain
	}
	return heavy, skewed
}

// lopsided is Pearson's statistic of as many rows in each class as in the one on the other side of the middle.
func lopsided(both, below *[half]float64) (s float64) {
	for k, n := range both {
		if n > 0 {
			s += float64(below[k]*below[k]) / n
		}
	}
	return s
}

// evidence is the logarithm of the mean of likelihood ratios with such logarithms, 0 where none is above doubtful.
func evidence(logs *[tried]float64) float64 {
	greatest := max(logs[0], logs[1])
	if !(greatest > doubtful) {
		return 0
	}
	mean := 0.
	for _, v := range logs {
		mean += math.Exp(v-greatest) / tried
	}
	return greatest + math.Log(mean)
}

// likeliest returns the ratio of the likeliest normal law that moves lead to, or of one above enough: it climbs from that
// of the predictions, as far as it gets by each move.
func (c *Classes) likeliest(rows *Rows, enough float64, moves [][3]int) float64 {
	laws := c.normal()
	at := [3]int{sds / 2, sds / 2, shifts / 2}
	best := 0.
	for better := true; better && best <= enough; {
		better = false
		for _, move := range moves {
			for {
				to := [3]int{at[0] + move[0], at[1] + move[1], at[2] + move[2]}
				if min(to[0], to[1], to[2]) < 0 || max(to[0], to[1]) >= sds || to[2] >= shifts {
					break
				}
				s := sum(&laws[to[0]][to[1]][to[2]], rows)
				if !(s > best) {
					break
				}
				best, at, better = s, to, true
			}
		}
	}
	return best
}

// moves are those of a climb: both sds and the mode, of which alike leave the sds equal; then one sd, and the mode with them, which then
// have the same mean.
var moves = [...][3]int{
	{1, 1, 0}, {-1, -1, 0}, {0, 0, 1}, {0, 0, -1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {1, -1, 1}, {-1, 1, -1}, {1, 0, 1}, {-1, 0, -1}, {0, 1, -1}, {0, -1, 1},
}

// alike is how many of the moves leave both sds equal.
const alike = 4

func sum(l *law, rows *Rows) (s float64) {
	for k, n := range rows {
		s += float64(float64(n) * l[k])
	}
	return s
}
