package main

import (
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/models"
)

func tabulate(t *testing.T, f faults, seed uint64, n int) *table {
	t.Helper()
	s := toyStudy()
	r, err := s.replicate(t.Context(), toyKind(f), seed, n)
	if err != nil {
		t.Fatal(err)
	}
	return s.tabulate(r)
}

// An exact posterior passes. Each of 100 tables has a false alarm with a
// probability of at most .01; 5 or more have a probability of .0034.
func TestExactPosteriorPasses(t *testing.T) {
	alarms := 0
	for seed := range uint64(100) {
		if tabulate(t, exact(), seed, 500).verdict() != calibrated {
			alarms++
		}
	}
	if alarms >= 5 {
		t.Errorf("%d false alarms in 100 tables", alarms)
	}
}

// Planted faults are found, by the tests that can see them and by no others.
// The seed is fixed.
func TestPlantedFaultsAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		plant func(*faults)
		n     int
		finds []string
		not   []string
	}{
		"draws too narrow":     {func(f *faults) { f.scale = .8 }, 2000, []string{"KS", "χ²", "band"}, []string{"z", "z²", "coverage"}},
		"draws too wide":       {func(f *faults) { f.scale = 1.25 }, 2000, []string{"KS", "χ²", "band"}, []string{"z", "z²", "coverage"}},
		"draws shifted":        {func(f *faults) { f.shift = .3 }, 500, []string{"KS", "band"}, []string{"z", "z²", "coverage"}},
		"published too narrow": {func(f *faults) { f.published = .8 }, 500, []string{"z²", "coverage"}, []string{"KS", "χ²", "band", "z"}},
		"published too wide":   {func(f *faults) { f.published = 1.25 }, 500, []string{"z²", "coverage"}, []string{"KS", "χ²", "band", "z"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := exact()
			c.plant(&f)
			row := tabulate(t, f, 1, c.n).rows[0]
			for _, d := range c.finds {
				if !slices.Contains(row.departures, d) {
					t.Errorf("found %q, not %s", row.departures, d)
				}
			}
			for _, d := range c.not {
				if slices.Contains(row.departures, d) {
					t.Errorf("found %q, with %s", row.departures, d)
				}
			}
		})
	}
}

// A posterior sd of .9 of the right one leaves the 99 % band in about .31 of
// the studies of 500 replicates and .95 of those of 2,000, the reason for the
// number of replicates. 60 and 20 studies; the limits leave 3 standard errors.
func TestPowerOfTheBand(t *testing.T) {
	f := exact()
	f.scale = .9
	for _, c := range []struct {
		n, studies int
		low        float64
	}{{500, 60, .15}, {2000, 20, .80}} {
		outside := 0.
		for seed := range uint64(c.studies) {
			if tabulate(t, f, seed, c.n).rows[0].band < .01 {
				outside++
			}
		}
		t.Logf("%d replicates: outside in %g of %d", c.n, outside, c.studies)
		if got := outside / float64(c.studies); got < c.low {
			t.Errorf("%d replicates: outside the band in %g of the studies", c.n, got)
		}
	}
}

// A chain is thinned, and made longer until it has 99 effective draws.
func TestChainIsThinned(t *testing.T) {
	f := exact()
	f.correlation = .6 // 25 effective draws in 99
	got := tabulate(t, f, 1, 500)
	if !got.chain || got.short > 0 || !(got.least >= ranked) || got.verdict() != calibrated {
		t.Errorf("chain %t, short %d, least %g, %s", got.chain, got.short, got.least, got.verdict())
	}
	f.correlation = .999
	if got := tabulate(t, f, 1, 20); got.short == 0 {
		t.Errorf("no replicate is short of draws, least %g", got.least)
	}
}

func TestRefusedReplicatesAreCounted(t *testing.T) {
	f := exact()
	f.refuse = true
	got := tabulate(t, f, 1, 200)
	if got.refused == 0 || got.rows[0].n != 200-got.refused || got.verdict() == calibrated {
		t.Errorf("%d refused, %d left, %s", got.refused, got.rows[0].n, got.verdict())
	}
	text := got.result()
	if !strings.Contains(text, "were refused**, the first with: shard 1: shard: planted") &&
		!strings.Contains(text, "were refused**, the first with: shard 2: shard: planted") {
		t.Error(text)
	}
}

func TestSameOnAnyNumberOfCores(t *testing.T) {
	many := tabulate(t, exact(), 1, 100)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if one := tabulate(t, exact(), 1, 100); !reflect.DeepEqual(one.rows, many.rows) {
		t.Errorf("one core %+v, many %+v", one.rows, many.rows)
	}
}

// The band of 3 cells and 5 ranks against all 243 outcomes.
func TestBandAgainstEnumeration(t *testing.T) {
	const cells, n = 3, 5
	statistic := func(counts []int) float64 {
		g, sum := 1., 0
		for k := 1; k < cells; k++ {
			sum += counts[k-1]
			g = min(g, newTail(n, float64(k)/cells).nearer(sum))
		}
		return g
	}
	var all [][]int
	for code := range 243 {
		counts := make([]int, cells)
		for range n {
			counts[code%cells]++
			code /= cells
		}
		all = append(all, counts)
	}
	for _, counts := range all {
		want := 0.
		for _, other := range all {
			if statistic(other) <= statistic(counts)+1e-12 {
				want += 1. / 243
			}
		}
		if got := bandP(counts); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v: p = %v, want %v", counts, got, want)
		}
	}
}

// Critical values of the tables: KS 1.3581 / sqrt(n) and chi-square 30.144
// with 19 degrees of freedom at .05.
func TestPValues(t *testing.T) {
	const n = 10000
	u := make([]float64, n)
	for i := range u {
		u[i] = (float64(i)+.5)/n*(1-.0135) + .0135 // D = .0135 + .5/n: sqrt(n) D = 1.355
	}
	if p := ksP(u); math.Abs(p-.05) > .002 {
		t.Errorf("KS: %v", p)
	}
	counts := make([]int, bins) // 20 x 1000, two cells d off: 2 d^2/1000
	for i := range counts {
		counts[i] = 1000
	}
	counts[0] += 123
	counts[9] -= 123
	if p := chiSquareP(counts); math.Abs(p-.0487) > .001 {
		t.Errorf("chi-square: %v", p)
	}
	if p := normalP(-1.959964); math.Abs(p-.05) > 1e-6 {
		t.Errorf("normal: %v", p)
	}
}

// Every kind has a study, and every study runs: a few replicates, all
// variables found, nothing refused. They start with the fewest draws that can
// be ranked, since a chain's are doubled anyway, and one replicate is enough
// where a shorter study of the same form has three.
func TestStudiesRun(t *testing.T) {
	studied := map[string]bool{}
	titles := map[string]bool{}
	for _, s := range studies() {
		studied[s.kind] = true
		if titles[s.title()] {
			t.Errorf("two studies %s share their random numbers", s.title())
		}
		titles[s.title()] = true
		kind, ok := models.Lookup(s.kind)
		if !ok {
			t.Errorf("there is no kind %s", s.kind)
			continue
		}
		t.Run(s.title(), func(t *testing.T) {
			s.draws = ranked
			n := 3
			if len(s.simulate(rand.New(rand.NewPCG(1, 1))).shards) > 30 {
				n = 1
			}
			r, err := s.replicate(t.Context(), kind, 1, n)
			if err != nil {
				t.Fatal(err)
			}
			if r.refused > 0 {
				t.Errorf("%d of %d replicates refused: %v", r.refused, n, r.refusal)
			}
			s.tabulate(r).result()
		})
	}
	for _, name := range models.Kinds().Names() {
		if !studied[name] {
			t.Errorf("kind %s has no study", name)
		}
	}
}

// Mean and variance of 20,000 draws within 4.5 standard errors, either side
// of the mean that is split: 4 tests, a false alarm in 37,000 seeds.
func TestPoissonDraw(t *testing.T) {
	const n = 20000
	r := rand.New(rand.NewPCG(1, 1))
	for _, mean := range []float64{3.7, 1200} {
		var sum, squares float64
		for range n {
			d := poissonDraw(r, mean) - mean
			sum += d
			squares += d * d
		}
		if z := sum / math.Sqrt(n*mean); math.Abs(z) > 4.5 {
			t.Errorf("mean %g: z = %g", mean, z)
		}
		if z := (squares/mean - n) / math.Sqrt(n*(2+1/mean)); math.Abs(z) > 4.5 {
			t.Errorf("mean %g: variance, z = %g", mean, z)
		}
	}
}

// The 99 ranked draws are spread over all draws, in whatever order these come;
// ties are broken and ranks made continuous at random.
func TestRank(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	x := make([]float64, 990)
	for i := range x {
		x[i] = float64(i) // 5, 15, 25, ... are ranked
	}
	for truth, want := range map[float64]int{-1: 0, 100.5: 10, 494.5: 49, 800.5: 80, 1000: 99} {
		below, u, spread := rank(x, truth, 495, 1, r)
		if below != want || !(u > float64(want)/100 && u < float64(want+1)/100) {
			t.Errorf("truth %g: rank %d, %g, want %d", truth, below, u, want)
		}
		// Variance of d^2, d = -490, -480, .., 490: 100 (n^2-1)(n^2-4)/180.
		if want := 1e4 * (99*99 - 1) * (99*99 - 4) / 180; math.Abs(spread/want-1) > 1e-9 {
			t.Errorf("spread %g, want %g", spread, want)
		}
	}
	ranks, parts := map[int]bool{}, map[float64]bool{}
	for range 2000 {
		below, u, _ := rank(make([]float64, 99), 0, 0, 1, r)
		ranks[below], parts[u*100-float64(below)] = true, true
	}
	if len(ranks) != 100 || len(parts) < 1000 {
		t.Errorf("ties have %d ranks, continuous in %d ways", len(ranks), len(parts))
	}
}

// No two replicates share their data or the numbers that break ties.
func TestReplicatesAreIndependent(t *testing.T) {
	r, err := toyStudy().replicate(t.Context(), toyKind(exact()), 1, 100)
	if err != nil {
		t.Fatal(err)
	}
	z, parts := map[float64]bool{}, map[float64]bool{}
	for _, o := range r.of[0] {
		z[o.z], parts[math.Round(1e9*(o.u*100-float64(o.rank)))] = true, true
	}
	if len(z) != 100 || len(parts) != 100 {
		t.Errorf("%d standardised errors and %d broken ties in 100 replicates", len(z), len(parts))
	}
}

// Where the posteriors' draws spread z^2 more than the replicates happen to,
// the standard error is the draws'.
func TestHeavyTailsWidenTheStandardError(t *testing.T) {
	outcomes := make([]outcome, 1000)
	for i := range outcomes {
		outcomes[i] = outcome{z: float64(1 - i%2*2), spread: 100}
	}
	outcomes[0].z = math.NaN() // no moments
	var c calibration
	c.standardised(outcomes)
	if c.moments != 999 || c.z2.value != 1 || math.Abs(c.z2.se-math.Sqrt(100./998)) > 1e-12 {
		t.Errorf("%d moments, z^2 %+v", c.moments, c.z2)
	}
}
