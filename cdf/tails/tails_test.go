package tails

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// edges are those of ten classes: the tails beyond 95 %, and eight between.
var edges = []float64{.025, .125, .25, .375, .5, .625, .75, .875, .975}

var classes = sync.OnceValue(func() *Classes { return New(edges) })

// count adds a row by its normal score.
func count(rows []float32, score float64) {
	k, _ := slices.BinarySearch(edges, math.Erfc(-score/math.Sqrt2)/2)
	rows[k]++
}

func heavyTailed(r *rand.Rand) float64 {
	a, b, c := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
	return .6 * r.NormFloat64() / math.Sqrt((a*a+b*b+c*c)/3)
}

// told returns in how many of streams of rows something is told at any row, and at the last.
func told(is func(*Classes, []float32) bool, streams, rows int, score func(r *rand.Rand) float64) (ever, end int) {
	r := rand.New(rand.NewPCG(87, 1))
	for range streams {
		var counts [10]float32
		seen, last := false, false
		for range rows {
			count(counts[:], score(r))
			last = is(classes(), counts[:])
			seen = seen || last
		}
		if seen {
			ever++
		}
		if last {
			end++
		}
	}
	return ever, end
}

// Where transforms are uniform heavy tails, and skewed errors, are told in 1 of 1,000 streams at most, at any row.
func TestFalseAlarms(t *testing.T) {
	for name, is := range map[string]func(*Classes, []float32) bool{"heavy": (*Classes).Heavy, "skewed": (*Classes).Skewed} {
		ever, _ := told(is, 5000, 300, (*rand.Rand).NormFloat64)
		t.Logf("%s: told in %d of 5000 streams", name, ever)
		if ever > 5 {
			t.Errorf("%s: told in %d of 5000 streams, want 5 at most", name, ever)
		}
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
		if _, end := told((*Classes).Heavy, 20, 1000, c.score); end != want[c.heavy] {
			t.Errorf("%s: heavy tails are told in %d of 20 streams, want %d", c.name, end, want[c.heavy])
		}
		if _, end := told((*Classes).Skewed, 20, 1000, c.score); end != want[c.skewed] {
			t.Errorf("%s: skewed errors are told in %d of 20 streams, want %d", c.name, end, want[c.skewed])
		}
	}
}

// The laws are laws, and the chance of ten rows under them is that of their classes.
func TestLaws(t *testing.T) {
	c := classes()
	for name, r := range map[string][]float64{
		"t": c.heavy[0], "t, wider": c.heavy[1], "exponential": c.skewed[0][0], "of shape 4": c.skewed[0][1], "exponential, below": c.skewed[1][0],
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
	for k, l := range c.normal()[sds/2][sds/2][shifts/2] {
		if math.Abs(l) > 1e-12 {
			t.Errorf("class %d of the normal law has the log ratio %g", k, l)
		}
	}
	for k, l := range c.skewed[0][1] {
		if mirrored := c.skewed[1][1][len(c.widths)-1-k]; math.Abs(l-mirrored) > 1e-12 {
			t.Errorf("class %d of the law with the longer tail above has the log ratio %g, its mirror image %g", k, l, mirrored)
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
		var rows [10]float32
		for range 100 + 10*s {
			scale := .5 + float64(s%5)/4
			count(rows[:], []float64{scale * heavyTailed(r), r.ExpFloat64() - 1, .3 + scale*r.NormFloat64()}[s%3])
		}
		best := 0.
		for _, byBelow := range classes().normal() {
			for _, byAbove := range byBelow {
				for _, law := range byAbove {
					best = max(best, sum(law, rows[:]))
				}
			}
		}
		if got := classes().likeliest(rows[:], math.Inf(1), moves[:]); best-got > 1+best/20 {
			t.Errorf("stream %d: the climb ends at %g, the best is %g", s, got, best)
		}
	}
}

// Without rows, and of numbers that are none, nothing is told.
func TestNothing(t *testing.T) {
	var none [10]float32
	if classes().Heavy(none[:]) || classes().Skewed(none[:]) {
		t.Error("told of no rows")
	}
	none[3] = float32(math.NaN())
	if classes().Heavy(none[:]) || classes().Skewed(none[:]) {
		t.Error("told of what is no number")
	}
}
