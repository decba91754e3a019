package tails

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// edges are those of ten classes: the tails beyond 95 %, and eight between.
var edges = [...]float64{.025, .125, .25, .375, .5, .625, .75, .875, .975}

var classes = sync.OnceValue(func() *Classes { return New(edges) })

// count adds a row by its normal score.
func count(rows *Rows, score float64) {
	k, _ := slices.BinarySearch(edges[:], math.Erfc(-score/math.Sqrt2)/2)
	rows[k]++
}

func heavyTailed(r *rand.Rand) float64 {
	a, b, c := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
	return .6 * r.NormFloat64() / math.Sqrt((a*a+b*b+c*c)/3)
}

// told returns in how many of streams of rows heavy tails, and skewed errors, are told at any row, and at the last.
func told(streams, rows int, score func(r *rand.Rand) float64) (ever, end [2]int) {
	r := rand.New(rand.NewPCG(87, 1))
	for range streams {
		var counts Rows
		var seen, last [2]bool
		for range rows {
			count(&counts, score(r))
			last[0], last[1] = classes().Judge(&counts)
			seen[0], seen[1] = seen[0] || last[0], seen[1] || last[1]
		}
		for i := range seen {
			if seen[i] {
				ever[i]++
			}
			if last[i] {
				end[i]++
			}
		}
	}
	return ever, end
}

// Where transforms are uniform heavy tails, and skewed errors, are told in 1 of 1,000 streams at most, at any row.
func TestFalseAlarms(t *testing.T) {
	ever, _ := told(5000, 300, (*rand.Rand).NormFloat64)
	t.Logf("told in %v of 5000 streams", ever)
	if max(ever[0], ever[1]) > 5 {
		t.Errorf("told in %v of 5000 streams, want 5 at most", ever)
	}
}

// What has heavy tails is told, and so is what has one tail that is longer, by whatever name each has; what is wrong in another way is neither.
func TestHeavyAndSkewed(t *testing.T) {
	gamma := func(r *rand.Rand, shape int) float64 {
		sum := 0.
		for range shape {
			sum += r.ExpFloat64()
		}
		return (sum - float64(shape)) / math.Sqrt(float64(shape))
	}
	for _, c := range []struct {
		name          string
		score         func(r *rand.Rand) float64
		heavy, skewed bool
	}{
		{"t with 3 degrees of freedom", heavyTailed, true, false},
		{"two sds", func(r *rand.Rand) float64 { return []float64{.3, 1.4}[r.IntN(2)] * r.NormFloat64() }, true, false},
		{"Laplace", func(r *rand.Rand) float64 { return float64(2*r.IntN(2)-1) * r.ExpFloat64() / math.Sqrt2 }, true, false},
		{"too sure", func(r *rand.Rand) float64 { return 1.6 * r.NormFloat64() }, false, false},
		{"too wide", func(r *rand.Rand) float64 { return .5 * r.NormFloat64() }, false, false},
		{"to one side", func(r *rand.Rand) float64 { return .5 + .8*r.NormFloat64() }, false, false},
		{"far to one side", func(r *rand.Rand) float64 { return 1.5 + r.NormFloat64() }, false, false},
		{"exponential", func(r *rand.Rand) float64 { return gamma(r, 1) }, false, true},
		{"exponential, below", func(r *rand.Rand) float64 { return -gamma(r, 1) }, false, true},
		{"gamma of shape 4", func(r *rand.Rand) float64 { return gamma(r, 4) }, false, true},
		{"gamma of shape 4, below", func(r *rand.Rand) float64 { return -gamma(r, 4) }, false, true},
		{"lognormal", func(r *rand.Rand) float64 { return (math.Exp(r.NormFloat64()/2) - 1.133) / .604 }, false, true},
		{"exponential, and one row of 100 far below", func(r *rand.Rand) float64 { return gamma(r, 1) - 4*float64(r.IntN(100)/99) }, false, true},
		{"hardly skewed", func(r *rand.Rand) float64 { return gamma(r, 40) }, false, false},
		{"uniform", func(r *rand.Rand) float64 { return math.Sqrt(12) * (r.Float64() - .5) }, false, false},
		{"two values", func(r *rand.Rand) float64 { return float64(2*r.IntN(2) - 1) }, false, false},
	} {
		want := map[bool]int{true: 20}
		if _, end := told(20, 1000, c.score); end != [2]int{want[c.heavy], want[c.skewed]} {
			t.Errorf("%s: heavy tails and skewed errors are told in %d of 20 streams, want %d and %d", c.name, end, want[c.heavy], want[c.skewed])
		}
	}
}

// of is the law of pairs, with the longer tail above or below.
func of(p pairs, side float64) (l law) {
	for k := range half {
		l[k], l[2*half-1-k] = p.either[k]+side*p.below[k], p.either[k]-side*p.below[k]
	}
	return l
}

// The laws are laws, and the chance of ten rows under them is that of their classes.
func TestLaws(t *testing.T) {
	c := classes()
	for name, r := range map[string]law{
		"t": of(c.heavy[0], 1), "t, wider": of(c.heavy[1], 1), "exponential": of(c.skewed[0], 1), "of shape 4": of(c.skewed[1], 1), "exponential, below": of(c.skewed[0], -1),
		"the middle": c.normal()[sds/2][sds/2][shifts/2], "a corner": c.normal()[0][sds-1][0], "another": c.normal()[sds-1][0][shifts-1],
	} {
		all := 0.
		for k, l := range r {
			all += c.widths[k] * math.Exp(l)
		}
		if math.Abs(all-1) > 1e-12 {
			t.Errorf("%s: all classes have %g", name, all)
		}
	}
	below := c.ratios(func(q float64) float64 { return 1 - gamma(-q, shapes[1]) })
	for k, l := range of(c.skewed[1], -1) {
		if math.Abs(l-below[k]) > 1e-12 {
			t.Errorf("class %d of the law with the longer tail below has the log ratio %g, want %g", k, l, below[k])
		}
	}
	for k, l := range c.normal()[sds/2][sds/2][shifts/2] {
		if math.Abs(l) > 1e-12 {
			t.Errorf("class %d of the normal law has the log ratio %g", k, l)
		}
	}
	// An exponential time is below its median, log 2, in half of all, and P(X < 6) of shape 4 is 1 - 61 exp(-6).
	for shape, at := range map[int][2]float64{1: {math.Ln2 - 1, .5}, 4: {1, 1 - 61*math.Exp(-6)}} {
		if got := gamma(at[0], shape); math.Abs(got-((1-either)*at[1]+either*split(at[0], 1, 1))) > 1e-12 {
			t.Errorf("gamma of shape %d: %g below %g", shape, got, at[0])
		}
	}
	// P(|T| < 1.5) and P(T < 3.182446) of 3 degrees of freedom.
	if p := student(1.5) - student(-1.5); math.Abs(p-.76942) > 1e-5 || math.Abs(student(3.182446)-.975) > 1e-7 {
		t.Errorf("t with 3 degrees of freedom: %g within 1.5, %g below its quantile of .975", p, student(3.182446))
	}
}

// The climb ends at about the likeliest of all normal laws, whatever the rows are.
func TestClimb(t *testing.T) {
	r := rand.New(rand.NewPCG(87, 2))
	for s := range 150 {
		var rows Rows
		for range 100 + 10*s {
			scale := .5 + float64(s%5)/4
			count(&rows, []float64{scale * heavyTailed(r), r.ExpFloat64() - 1, .3 + scale*r.NormFloat64()}[s%3])
		}
		best := 0.
		for _, byBelow := range classes().normal() {
			for _, byAbove := range byBelow {
				for _, law := range byAbove {
					best = max(best, sum(&law, &rows))
				}
			}
		}
		if got := classes().likeliest(&rows, math.Inf(1), moves[:]); best-got > 1+best/20 {
			t.Errorf("stream %d: the climb ends at %g, the best is %g", s, got, best)
		}
	}
}

// Without rows, and of numbers that are none, nothing is told.
func TestNothing(t *testing.T) {
	var none Rows
	for _, rows := range []float32{0, float32(math.NaN())} {
		none[3] = rows
		if heavy, skewed := classes().Judge(&none); heavy || skewed {
			t.Errorf("of %g rows heavy tails are told: %t, and skewed errors: %t", rows, heavy, skewed)
		}
	}
}
