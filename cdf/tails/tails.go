// Package tails tells whether the errors of predictions have heavier tails than these say: more rows near the middle and
// far out, fewer between. So have rare large errors, and errors whose sd differs from row to row.
//
// The probability integral transforms of rows are uniform under the model, each given the rows before it. The mean
// likelihood ratio of laws with heavy tails against the uniform one is then a martingale with mean 1, and is ever above
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
	// doubtful is the logarithm of 1,000: a right model is ever called one of heavy tails with a chance of as many to one.
	doubtful = 6.9078
	// plain is by how much the logarithm of the ratio has to exceed that of every normal law, also of one with
	// another sd on each side of its mode, so that predictions that are too sure, too wide, to one side or of errors that are skewed are not
	// called what they are not: that of 100.
	plain = 4.6052
)

// scales are those of the laws that are tried, beside the sd of a normal law: where a sample has few of the
// values far out, and where it has some.
var scales = [...]float64{.55, .7}

// Classes are logarithms of likelihood ratios against uniform transforms, by class.
type Classes struct {
	quantiles, widths []float64 // normal quantiles of the edges, and the transforms between these
	heavy             [len(scales)][]float64
	// Made when a key first looks heavy, which few do.
	normal func() *[sds][sds][shifts][]float64
}

// Normal laws have an sd on each side of a shift that is step to a power, the middle one 1.
const (
	sds, shifts = 17, 9
	step, shift = 1.12, .15
)

// New returns those of classes that are divided at ascending transforms in (0, 1).
func New(edges []float64) *Classes {
	c, last := new(Classes), 0.
	for _, edge := range edges {
		c.quantiles = append(c.quantiles, normal.Quantile(edge))
		c.widths = append(c.widths, edge-last)
		last = edge
	}
	c.widths = append(c.widths, 1-last)
	for i, scale := range scales {
		c.heavy[i] = c.ratios(func(q float64) float64 { return student(q / scale) })
	}
	c.normal = sync.OnceValue(c.normals)
	return c
}

func (c *Classes) normals() *[sds][sds][shifts][]float64 {
	laws := new([sds][sds][shifts][]float64)
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
func (c *Classes) ratios(cdf func(q float64) float64) []float64 {
	r, below := make([]float64, len(c.widths)), 0.
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

// Heavy reports whether as many rows in the classes have heavy tails.
func (c *Classes) Heavy(rows []float32) bool {
	var logs [len(scales)]float64
	r, s := c.heavy[0][:len(rows)], c.heavy[1][:len(rows)]
	for k, n := range rows {
		logs[0] += float64(float64(n) * r[k])
		logs[1] += float64(float64(n) * s[k])
	}
	greatest := max(logs[0], logs[1])
	if !(greatest > doubtful) { // nor is their mean
		return false
	}
	mean := 0.
	for _, l := range logs {
		mean += math.Exp(l-greatest) / float64(len(logs))
	}
	evidence := greatest + math.Log(mean)
	if !(evidence > doubtful) {
		return false
	}
	return c.likeliest(rows, evidence-plain) <= evidence-plain
}

// likeliest returns the ratio of the likeliest normal law, or of one above enough: it climbs from that
// of the predictions, as far as it gets by each move.
func (c *Classes) likeliest(rows []float32, enough float64) float64 {
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
				s := sum(laws[to[0]][to[1]][to[2]], rows)
				if !(s > best) {
					break
				}
				best, at, better = s, to, true
			}
		}
	}
	return best
}

// moves are those of a climb: both sds, one of them, and the mode alone or with them, which then have the same mean.
var moves = [...][3]int{
	{1, 1, 0}, {-1, -1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}, {1, -1, 1}, {-1, 1, -1}, {1, 0, 1}, {-1, 0, -1}, {0, 1, -1}, {0, -1, 1},
}

func sum(ratios []float64, rows []float32) (s float64) {
	ratios = ratios[:len(rows)]
	for k, n := range rows {
		s += float64(float64(n) * ratios[k])
	}
	return s
}
