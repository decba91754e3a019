package compressed

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// strong are shards of a regression on p columns of correlation .3 with their
// neighbours, noise of variance 1 and coefficients uniform on (-reach, reach):
// the first shards of a lossy sketch meet a misfit of many times the noise.
func strong(seed uint64, p, rows, shards int, reach float64) (truth []float64, out []*cdf.Shard) {
	r := rand.New(rand.NewPCG(seed, 70))
	truth = make([]float64, p)
	for j := range truth {
		truth[j] = reach * (2*r.Float64() - 1)
	}
	own := math.Sqrt(1 - .3*.3)
	for range shards {
		sh := &cdf.Shard{Rows: rows, Cols: p}
		for range rows {
			x, y := r.NormFloat64(), r.NormFloat64()
			for j, g := range truth {
				if j > 0 {
					x = .3*x + own*r.NormFloat64()
				}
				sh.X = append(sh.X, x)
				y += x * g
			}
			sh.Y = append(sh.Y, y)
		}
		out = append(out, sh)
	}
	return truth, out
}

// fit is what a form makes of the coefficients: root mean squares of its
// errors and of its sds, and the share within the 95 % intervals.
type fit struct{ err, sd, coverage float64 }

func fitOf(t *testing.T, settings string, truth []float64, shards []*cdf.Shard) (f fit) {
	t.Helper()
	p := len(truth)
	m := newTest(t, "", settings, modeltest.Columns(p))
	d := modeltest.Stepper{Model: m}
	for _, sh := range shards {
		d.Must(t, sh, 1)
	}
	for j, r := range modeltest.Summarize(t, m, modeltest.Coefficients(p))[:p] {
		f.err += (r.Mean - truth[j]) * (r.Mean - truth[j]) / float64(p)
		f.sd += r.SD * r.SD / float64(p)
		if r.Q025 <= truth[j] && truth[j] <= r.Q975 {
			f.coverage += 1 / float64(p)
		}
	}
	f.err, f.sd = math.Sqrt(f.err), math.Sqrt(f.sd)
	return f
}

// Intervals that are too short because curvature was given up early come with a flag:
// 200 columns that all matter, two seeds. It is up while rows are fewer than columns, and goes once there are four rows to a column.
func TestFewRowsPerColumn(t *testing.T) {
	const p = 200
	for _, c := range []struct {
		rows, shards int
		raised       bool
	}{{50, 2, true}, {200, 1, true}, {50, 8, true}, {400, 1, true}, {400, 2, false}, {50, 16, false}} {
		for seed := range uint64(2) {
			truth, shards := strong(seed, p, c.rows, c.shards, 1)
			m := newTest(t, "", "", modeltest.Columns(p))
			d := modeltest.Stepper{Model: m}
			for _, sh := range shards {
				d.Must(t, sh, 1)
			}
			if got := slices.Contains(m.(cdf.Flagger).AppendFlags(nil), fewRowsPerColumn); got != c.raised {
				t.Errorf("%d shards of %d rows: flag %v", c.shards, c.rows, got)
			}
			if f := fitOf(t, "", truth, shards); !c.raised && f.coverage < .93 {
				t.Errorf("%d shards of %d rows: no flag, and intervals hold %.3f", c.shards, c.rows, f.coverage)
			}
		}
	}
}

// The largest coefficients of many are not drawn to 0 by what was given up while they were not known yet, or a
// flag says so: 300 columns of which two matter, three seeds. Where D has the mean of curvatures in directions
// that no row told of, they are 5.6 sds off after four rows to a column, without the flag, and 2.9 with this rule.
func TestLargeCoefficients(t *testing.T) {
	const p, seeds = 300, 3
	checks := map[int]struct {
		raised bool
		most   float64 // root mean square of what the two are off, in sds
	}{6: {true, 8}, 12: {true, 4}, 60: {false, 2}}
	squares := map[int]float64{}
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 26))
		m := newTest(t, "", "", modeltest.Columns(p))
		d := modeltest.Stepper{Model: m}
		for shard := 1; shard <= 60; shard++ {
			sh := modeltest.RegressionShard(r, 100, p, false)
			for i := range sh.Y {
				sh.Y[i] = 3*sh.X[i*p] - 2*sh.X[i*p+5] + r.NormFloat64()
			}
			d.Must(t, sh, 1)
			c, checked := checks[shard]
			if !checked {
				continue
			}
			if got := slices.Contains(m.(cdf.Flagger).AppendFlags(nil), fewRowsPerColumn); got != c.raised {
				t.Errorf("%d shards: flag %v", shard, got)
			}
			rows := modeltest.Summarize(t, m, modeltest.Coefficients(p))
			z0, z5 := (rows[0].Mean-3)/rows[0].SD, (rows[5].Mean+2)/rows[5].SD
			squares[shard] += (z0*z0 + z5*z5) / 2 / seeds
		}
	}
	for shard, square := range squares {
		t.Logf("%d shards: %.2f sds off", shard, math.Sqrt(square))
		if z := math.Sqrt(square); z > checks[shard].most {
			t.Errorf("%d shards: the two largest coefficients are %.1f sds off, want at most %g", shard, z, checks[shard].most)
		}
	}
}

// What was absorbed at a poor fit weighs less: few directions of a strong signal, two seeds. Without the gain of the
// fit sds are .80 of the errors, and intervals hold .91.
func TestThePastWeighsByItsMisfit(t *testing.T) {
	const p, seeds = 120, 2
	var all fit
	for seed := range uint64(seeds) {
		truth, shards := strong(seed, p, 100, 20, 3)
		f := fitOf(t, "rank: 12", truth, shards)
		all.err, all.sd, all.coverage = all.err+f.err/seeds, all.sd+f.sd/seeds, all.coverage+f.coverage/seeds
	}
	modeltest.Within(t, "sd by error", all.sd/all.err, 1.15, .1)
	modeltest.Within(t, "coverage", all.coverage, .97, .02)
}

// A sketch whose diagonal has little of what its rows had says so, though its coefficients are alike.
func TestLittleTold(t *testing.T) {
	const p = 120
	_, shards := strong(3, p, 60, 80, .2)
	m := newTest(t, "", "{rank: 12}", modeltest.Columns(p))
	d := modeltest.Stepper{Model: m}
	for i, sh := range shards {
		d.Must(t, sh, 1)
		told := m.(*Sketch).told()
		if got := slices.Contains(m.(cdf.Flagger).AppendFlags(nil), fewRowsPerColumn); i >= 8 && got != (told < leastTold) {
			t.Errorf("%d rows: flag %v, S has %.3f", 60*(i+1), got, told)
		}
		if (i == 11 || i == len(shards)-1) && (told < leastTold) != (i == 11) {
			t.Errorf("%d rows: S has %.3f", 60*(i+1), told)
		}
	}
}

// One prior for coefficients of which one is large draws that one to 0, and a flag says so while it does by more
// than two sds; where they are as the prior has them it never does. 100 columns, exact, two rows to a column and ten.
func TestFewLargeCoefficients(t *testing.T) {
	const p = 100
	for _, c := range []struct {
		one  bool
		rows int
		want bool
	}{{true, 2 * p, true}, {true, 10 * p, false}, {false, 2 * p, false}, {false, 10 * p, false}} {
		for seed := range uint64(10) {
			r := rand.New(rand.NewPCG(seed, 93))
			sh := modeltest.RegressionShard(r, c.rows, p, false)
			gamma := make([]float64, p)
			for j := range gamma {
				gamma[j] = .2 * r.NormFloat64()
			}
			if c.one {
				clear(gamma)
				gamma[0] = 2
			}
			for i := range sh.Y {
				sh.Y[i] = r.NormFloat64()
				for j, g := range gamma {
					sh.Y[i] += g * sh.X[i*p+j]
				}
			}
			m := newTest(t, "", "statistics: exact", modeltest.Columns(p))
			(&modeltest.Stepper{Model: m}).Must(t, sh, 1)
			if got := slices.Contains(m.(cdf.Flagger).AppendFlags(nil), fewRowsPerColumn); got != c.want {
				first := modeltest.Summarize(t, m, modeltest.Coefficients(p))[0]
				t.Errorf("%+v, seed %d: flag %v, the first coefficient is %v (%v)", c, seed, got, first.Mean, first.SD)
			}
		}
	}
}

// The prior variance, estimated from next to no rows, makes intervals too short, of few columns and of
// many. The flag goes with the 25th row where columns are fewer, and from there on they hold .93 to .96 of 60 data sets (standard
// error .015 or less).
func TestFewRows(t *testing.T) {
	for _, p := range []int{5, 60} {
		for _, settings := range []string{"", "{statistics: exact}"} {
			for _, n := range []int{2, leastRows - 1, leastRows} {
				covered := 0.0
				const seeds = 60
				for seed := range uint64(seeds) {
					truth, shards := strong(seed, p, n, 1, 1)
					covered += fitOf(t, settings, truth, shards).coverage / seeds
					m := newTest(t, "", settings, modeltest.Columns(p))
					d := modeltest.Stepper{Model: m}
					if up := slices.Contains(m.(cdf.Flagger).AppendFlags(nil), fewRowsPerColumn); up {
						t.Fatalf("%d columns: the flag is up without a row", p)
					}
					d.Must(t, shards[0], 1)
					if up := slices.Contains(m.(cdf.Flagger).AppendFlags(nil), fewRowsPerColumn); up != (n < leastRows || n < p) {
						t.Fatalf("%d columns, %d rows: flag %v", p, n, up)
					}
				}
				if n == leastRows && covered < .9 || n == 2 && covered > .93 {
					t.Errorf("%d columns, %d rows: intervals hold %.3f", p, n, covered)
				}
			}
		}
	}
}

// A small shard after a large one leaves sigma2 to a few errors of prediction, until fifty
// are there.
func TestFewErrors(t *testing.T) {
	const p = 120
	_, first := strong(1, p, 8*p, 1, 1)
	m := newTest(t, "", "{rank: 20}", modeltest.Columns(p))
	d := modeltest.Stepper{Model: m}
	raised := func() bool { return slices.Contains(m.(cdf.Flagger).AppendFlags(nil), fewRowsPerColumn) }
	d.Must(t, first[0], 1)
	if raised() {
		t.Error("the flag is up after eight rows to a column at once")
	}
	_, more := strong(2, p, 20, 3, 1)
	for i, sh := range more {
		d.Must(t, sh, 1)
		if got, want := raised(), i < 2; got != want {
			t.Errorf("after %d errors: flag %v", 20*(i+1), got)
		}
	}
}

// A sketch of less and less rank, of 60 columns over 80 shards of 40 rows, against
// exact statistics of the same rows, over seeds 0 to 5: its sds fit its errors and
// are those of the exact posterior, widened by a2 and by the shards that met
// a poor fit; and more rank is better. Where the kept directions have the
// diagonal too, rank 45 is worse than 30, with sds of 1.57 times the exact ones.
func TestSketchIsCalibrated(t *testing.T) {
	const seeds, p = 6, 60
	mean := func(settings string) (f fit) {
		for seed := range uint64(seeds) {
			truth, shards := strong(seed, p, 40, 80, 3)
			g := fitOf(t, settings, truth, shards)
			f.err += g.err / seeds
			f.sd += g.sd / seeds
			f.coverage += g.coverage / seeds
		}
		return f
	}
	exact := mean("statistics: exact")
	modeltest.Within(t, "exact: sd by error", exact.sd/exact.err, 1, .1)
	better := exact.err
	for _, settings := range []string{"rank: 45", "rank: 30", "rank: 15"} {
		f := mean(settings)
		t.Logf("%s: error %.3f and sd %.3f of the exact ones, sd by error %.3f, coverage %.3f (exact %.3f)",
			settings, f.err/exact.err, f.sd/exact.sd, f.sd/f.err, f.coverage, exact.coverage)
		modeltest.Within(t, settings+": sd by the exact one", f.sd/exact.sd, 1.17, .06)
		modeltest.Within(t, settings+": sd by error", f.sd/f.err, 1.04, .08)
		modeltest.Within(t, settings+": error by the exact one", f.err/exact.err, 1.07, .06)
		if f.err < better {
			t.Errorf("%s: error %v, %v with more rank", settings, f.err, better)
		}
		better = f.err
	}
}

// The past loses weight as the fit gets better than it ever was, by the ratio of
// the mean squares, and gains none where it gets worse; with forgetting the best
// fit is forgotten as its rows are, which by itself is no gain.
func TestGainOfTheFit(t *testing.T) {
	m := newTestSketch(t, 4, 2)
	m.lossN = 10
	for _, c := range []struct{ misfit, forget, gain, best float64 }{
		{0, 1, 1, 0}, {80, 1, 1, 8}, {40, 1, .5, 4}, {400, 1, 1, 4}, {60, 1, 1, 4}, {20, 1, .5, 2}, {100, .5, 1, 4}, {20, .5, .5, 2}, {20, .5, 1, 2}, {30, .5, 1, 3},
	} {
		m.misfit = c.misfit
		if got := m.gain(c.forget); got != c.gain || m.best != c.best {
			t.Errorf("mean square %v: gain %v, best %v, want %v, %v", c.misfit/10, got, m.best, c.gain, c.best)
		}
	}
}
