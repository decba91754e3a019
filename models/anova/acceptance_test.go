package anova

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/simulate"
	"github.com/credence-stream/credence/research/measure"
)

func TestMain(m *testing.M) { os.Exit(accept.Main(m)) }

// weak is the prior of the paper's setting that lets ten groups inform tau2;
// strong is the one that does not.
var (
	weak   = Prior{Tau2Shape: .5, Tau2Rate: .005, Sigma2Shape: 1, Sigma2Rate: 1}
	strong = Prior{Tau2Shape: 1, Tau2Rate: 1, Sigma2Shape: 1, Sigma2Rate: 1}
)

// intervals collects how often 95 % intervals of draws hold the truth.
type intervals struct{ covered, length, count float64 }

func (c *intervals) add(draws []float64, truth float64) {
	lo, hi := measure.Interval(draws, .95)
	c.count++
	c.length += hi - lo
	if lo <= truth && truth <= hi {
		c.covered++
	}
}

// accuracies are overlaps with the exact posterior.
type accuracies struct {
	zeta, mu, tau2, sigma2 float64
	count                  float64
}

// compare takes the last shard's draws and as many again of the exact
// posterior, five times over.
func (a *accuracies) compare(d *cdf.Draws, g *gibbs) {
	g.run(5 * d.S)
	a.count++
	for j := range g.zeta {
		a.zeta += measure.Overlap(d.Row(zetaRow+j), g.zeta[j]) / float64(len(g.zeta))
	}
	a.mu += measure.Overlap(d.Row(muRow), g.mu)
	a.tau2 += measure.Overlap(measure.Logs(d.Row(tau2Row)), measure.Logs(g.tau))
	a.sigma2 += measure.Overlap(measure.Logs(d.Row(sigma2Row)), measure.Logs(g.sig))
}

func (a *accuracies) accept(t *testing.T, id, at, seeds string) {
	t.Helper()
	for _, v := range []struct {
		what string
		got  float64
	}{{"zeta", a.zeta}, {"mu", a.mu}, {"tau2", a.tau2}, {"sigma2", a.sigma2}} {
		accept.Range(t, id, "accuracy of "+v.what+" "+at, v.got/a.count, .95, 1, seeds)
	}
}

// run is what the paper's setting is judged by, over all replications.
type run struct {
	intervals
	mse float64 // at the last shard
	at  map[int]*accuracies
}

// runPaper takes a prior through 500 shards of the paper's experiment; at the
// given shards 10,000 draws are compared with the exact posterior.
func runPaper(t *testing.T, p Prior, reps int, at ...int) run {
	s, ok := simulate.Lookup("anova")
	if !ok {
		t.Fatal("no scenario")
	}
	out := run{at: map[int]*accuracies{}}
	for _, shard := range at {
		out.at[shard] = new(accuracies)
	}
	for rep := range reps {
		seed := uint64(modeltest.FirstSeed + rep)
		truth := s.Truth(seed, "paper", 1)[3:]
		d := newStepper(t, p, seed, 500, len(truth))
		few, many := d.Draws, drawsFor(10_000, len(truth))
		g := &gibbs{prior: p, rng: rand.New(rand.NewPCG(seed, 72))}
		for shard := 1; shard <= 500; shard++ {
			sh := modeltest.GroupShard(s.Shard(seed, "paper", int64(shard), s.Rows))
			g.add(sh)
			d.Draws = few
			if out.at[shard] != nil {
				d.Draws = many
			}
			d.Must(t, sh, 1)
			for i, z := range truth {
				out.add(d.Draws.Row(zetaRow+i), z.Value)
			}
			if out.at[shard] != nil {
				out.at[shard].compare(d.Draws, g)
			}
		}
		for i, z := range truth {
			e := d.m.zeta[i] - z.Value
			out.mse += e * e / float64(len(truth)*reps)
		}
	}
	return out
}

// Rows N1 to N3: coverage over all shards has a standard error of .009 with 32
// replications, whose intervals move together; the length one of .008.
func TestAcceptanceWeakPrior(t *testing.T) {
	reps := accept.Reps(t, 8, 32, 32)
	r, seeds := runPaper(t, weak, reps, 50, 500), modeltest.Seeds(reps)
	accept.Range(t, "N1", "coverage of zeta", r.covered/r.count, .925, .985, seeds)
	accept.Range(t, "N1", "length", r.length/r.count, .53, .62, seeds)
	accept.Range(t, "N2", "MSE t=500", r.mse, .004, .012, seeds)
	r.at[50].accept(t, "N3", "t=50", seeds)
	r.at[500].accept(t, "N3", "t=500", seeds)
}

// Row N4.
func TestAcceptanceStrongPrior(t *testing.T) {
	reps := accept.Reps(t, 2, 6, 24)
	r, seeds := runPaper(t, strong, reps, 50), modeltest.Seeds(reps)
	accept.Range(t, "N4", "length, tau2 ~ IG(1, 1)", r.length/r.count, .88, .95, seeds)
	accept.Range(t, "N4", "accuracy of tau2 t=50, IG(1, 1)", r.at[50].tau2/r.at[50].count, .95, 1, seeds)
}

// The paper's rule on the same data: it must be as wrong as it is, with the
// intervals of the groups drawn together. Measured elsewhere .47 and .147.
func TestAcceptancePaperRule(t *testing.T) {
	reps := accept.Reps(t, 2, 8, 32)
	s, _ := simulate.Lookup("anova")
	var c intervals
	for rep := range reps {
		seed := uint64(modeltest.FirstSeed + rep)
		truth := s.Truth(seed, "paper", 1)[3:]
		m, err := NewPaper(Settings{Prior: weak})
		if err != nil {
			t.Fatal(err)
		}
		d := modeltest.Stepper{Model: m, Draws: drawsFor(500, len(truth))}
		for shard := int64(1); shard <= 500; shard++ {
			d.Must(t, modeltest.GroupShard(s.Shard(seed, "paper", shard, s.Rows)), 1)
			for i, z := range truth {
				c.add(d.Draws.Row(zetaRow+i), z.Value)
			}
		}
	}
	accept.Range(t, "N1p", "paper: coverage of zeta", c.covered/c.count, .30, .65, modeltest.Seeds(reps))
	accept.Range(t, "N1p", "paper: length", c.length/c.count, .11, .19, modeltest.Seeds(reps))
}

// unbalanced deals Poisson numbers of rows to ten groups at rates from .2 to
// 20 a shard; the last two join at shard 100.
func unbalanced(r *rand.Rand, shard int, zeta []float64) *cdf.Shard {
	sh := &cdf.Shard{Group: [][]int32{nil}}
	for j, z := range zeta {
		if j >= 8 && shard < 100 {
			continue
		}
		rate := .2 * math.Pow(100, float64((j*7)%10)/9)
		for wait := r.ExpFloat64(); wait < rate; wait += r.ExpFloat64() {
			sh.Y = append(sh.Y, z+10*r.NormFloat64())
			sh.Group[0] = append(sh.Group[0], int32(j))
		}
	}
	sh.Rows = len(sh.Y)
	return sh
}

// Row N5: against exact Gibbs sampling of the same groups after each shard.
func TestAcceptanceUnbalanced(t *testing.T) {
	reps := accept.Reps(t, 1, 4, 12)
	var ours, exact intervals
	var acc accuracies
	for rep := range reps {
		seed := uint64(modeltest.FirstSeed + rep)
		r := rand.New(rand.NewPCG(seed, 73))
		zeta := make([]float64, 10)
		for i := range zeta {
			zeta[i] = 4 + .1*r.NormFloat64()
		}
		d := newStepper(t, strong, seed, 500, len(zeta))
		few, many := d.Draws, drawsFor(10_000, len(zeta))
		g := &gibbs{prior: strong, rng: rand.New(rand.NewPCG(seed, 74))}
		var order []int32 // index of a group in the state, in order of appearance
		place := slices.Repeat([]int32{-1}, len(zeta))
		for shard := 1; shard <= 300; shard++ {
			sh := unbalanced(r, shard, zeta)
			for i, j := range sh.Group[0] {
				if place[j] < 0 {
					place[j], order = int32(len(order)), append(order, j)
				}
				sh.Group[0][i] = place[j]
			}
			g.add(sh)
			d.Draws = few
			if shard%50 == 0 {
				d.Draws = many
			}
			d.Must(t, sh, 1)
			g.run(500)
			for i, j := range order {
				ours.add(d.Draws.Row(zetaRow+i), zeta[j])
				exact.add(g.zeta[i], zeta[j])
			}
			if shard%50 == 0 {
				acc.compare(d.Draws, g)
			}
		}
	}
	accept.Range(t, "N5", "coverage of zeta less the exact one", ours.covered/ours.count-exact.covered/exact.count, -.02, .02, modeltest.Seeds(reps))
	acc.accept(t, "N5", "t=50..300", modeltest.Seeds(reps))
}

// Row N7: a level jumps, lambda = .95. The first measurement, .31 over four
// replications whose mean has a standard error of .067, was low: over 200 it is
// .442 (.009) with a coverage of .884, and exact sampling from the discounted
// statistics gives the same (.437 to our .437 over 60). Forgotten, .05 of the
// old level's weight is left at t = 208, and a level that is 11 standard errors
// from the others is still shrunk. With lambda ignored the error is 2.4.
func TestAcceptanceJump(t *testing.T) {
	reps := accept.Reps(t, 8, 32, 32)
	s, ok := simulate.Lookup("anova-jump")
	if !ok {
		t.Fatal("no scenario")
	}
	var c intervals
	rmse, exact := 0.0, 0.0
	for rep := range reps {
		seed := uint64(modeltest.FirstSeed + rep)
		d := newStepper(t, weak, seed, 500, 10)
		g := &gibbs{prior: weak, rng: rand.New(rand.NewPCG(seed, 75))}
		sum, sumExact := 0.0, 0.0
		for shard := int64(1); shard <= 300; shard++ {
			sh := modeltest.GroupShard(s.Shard(seed, "jump", shard, s.Rows))
			g.discount(.95)
			g.add(sh)
			d.Must(t, sh, .95)
			if shard <= 200 || shard%4 != 0 {
				continue
			}
			e := d.m.zeta[0] - 8
			sum += e * e / 25
			c.add(d.Draws.Row(zetaRow), 8)
			g.run(1000)
			mean, _ := meanAndVariance(g.zeta[0])
			sumExact += (mean - 8) * (mean - 8) / 25
		}
		rmse += math.Sqrt(sum) / float64(reps)
		exact += math.Sqrt(sumExact) / float64(reps)
	}
	accept.Range(t, "N7", "RMSE of zeta_1, t > 200", rmse, .34, .54, modeltest.Seeds(reps))
	accept.Range(t, "N7", "RMSE over that of the exact posterior", rmse/exact, .97, 1.03, modeltest.Seeds(reps))
	accept.Range(t, "N7", "coverage of zeta_1, t > 200", c.covered/c.count, .78, .97, modeltest.Seeds(reps))
}

// Row R2: pupils of 65 schools and houses of 85 counties in shards of 300 rows
// in file order, 500 draws, against the exact posterior by quadrature of
// another program.
func TestAcceptanceRealData(t *testing.T) {
	reps := accept.Reps(t, 2, 2, 2) // seeds change nothing but draws
	for _, set := range []string{"exam", "radon_mn"} {
		data, rows := modeltest.ReadCSV(t, "data/"+set+".csv")
		ref, refs := modeltest.ReadCSV(t, "data/reference/anova_"+set+".csv")
		want := map[string][2]float64{}
		for _, r := range refs {
			want[r[ref["param"]]] = [2]float64{modeltest.Number(t, r[ref["mean"]]), modeltest.Number(t, r[ref["sd"]])}
		}
		var worst [4][2]float64
		for seed := range uint64(reps) {
			prior := Prior{MuVariance: 100, Tau2Shape: 1, Tau2Rate: .1, Sigma2Shape: 1, Sigma2Rate: .1}
			d := newStepper(t, prior, modeltest.FirstSeed+seed, 500, len(refs))
			var labels labelled
			for from := 0; from < len(rows); from += 300 {
				var g []string
				var y []*float64
				for _, r := range rows[from:min(from+300, len(rows))] {
					v := modeltest.Number(t, r[data["y"]])
					g, y = append(g, r[data["group"]]), append(y, &v)
				}
				d.Must(t, labels.shard(g, y), 1)
			}
			if len(want) != len(labels)+3 {
				t.Fatalf("%s: %d groups, %d references", set, len(labels), len(want))
			}
			got := modeltest.Summarize(t, d.m, functionals(d.m))
			miss := func(i int, r cdf.Row, ref [2]float64) {
				worst[i][0] = max(worst[i][0], math.Abs(r.Mean-ref[0])/ref[1])
				worst[i][1] = max(worst[i][1], modeltest.Relative(r.SD, ref[1]))
			}
			for i, name := range []string{"mu", "tau2", "sigma2"} {
				miss(i+1, got[i], want[name])
			}
			for i, label := range labels {
				miss(0, got[zetaRow+i], want["theta["+label+"]"])
			}
		}
		for i, what := range []string{"zeta", "mu", "tau2", "sigma2"} {
			accept.Range(t, "R2", set+": mean of "+what+", sds", worst[i][0], 0, 1e-4, modeltest.Seeds(reps))
			accept.Range(t, "R2", set+": sd of "+what+", relative", worst[i][1], 0, 1e-4, modeltest.Seeds(reps))
		}
	}
}
