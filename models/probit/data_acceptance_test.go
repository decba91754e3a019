package probit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/simulate"
)

// readAdult returns the complete rows of the census data, in shards, and per
// coefficient the reference's line: an intercept, six standardised columns,
// 40 countries.
func readAdult(t *testing.T, rows int) (shards []*cdf.Shard, ref map[string]int, lines [][]string) {
	ref, lines = modeltest.ReadCSV(t, "data/reference/probit_adult_hmc.csv")
	data, all := modeltest.ReadCSV(t, "data/adult.csv")
	country := map[string]int{}
	for j, l := range lines {
		country[l[ref["coef"]]] = j
	}
	for _, r := range all {
		if slices.Contains(r, "?") {
			continue
		}
		if len(shards) == 0 || shards[len(shards)-1].Rows == rows {
			shards = append(shards, &cdf.Shard{Cols: len(lines)})
		}
		sh, x := shards[len(shards)-1], make([]float64, len(lines))
		x[0] = 1
		for j := 1; j <= 6; j++ {
			l := lines[j]
			x[j] = (modeltest.Number(t, r[data[l[ref["coef"]]]]) - modeltest.Number(t, l[ref["center"]])) / modeltest.Number(t, l[ref["scale"]])
		}
		if from := r[data["native_country"]]; from != "United-States" {
			j, ok := country["country_"+from]
			if !ok {
				t.Fatalf("the reference has no %s", from)
			}
			x[j] = 1
		}
		y := 0.0
		if r[data["income"]] == ">50K" {
			y = 1
		}
		sh.Rows, sh.X, sh.Y = sh.Rows+1, append(sh.X, x...), append(sh.Y, y)
	}
	return shards, ref, lines
}

// Rows P4: income in the census of 1994 against Hamiltonian Monte Carlo on
// all rows. Two countries have no row with y = 1: the prior decides them, and
// they are not judged.
func TestAcceptanceAdult(t *testing.T) {
	seeds := accept.Reps(t, 0, 1, 6)
	shards, ref, lines := readAdult(t, 300)
	all := joinShards(shards)
	if all.Rows != 30162 {
		t.Fatalf("%d complete rows", all.Rows)
	}
	s := windowOf(1500)
	s.Prior = Prior{BetaVariance: 10, InterceptVariance: 10}
	var worst struct{ error, spread, bias, narrow, wide, miss float64 }
	worst.narrow = 1
	for seed := range seeds {
		m := newTest(t, "corrected", s, dims(47, 500, true))
		d := driver(m)
		d.Seed = uint64(seed)
		for _, sh := range shards {
			d.Must(t, sh, 1)
		}
		p := posteriorOf(t, m)
		off, size := 0.0, 0.0
		for j, l := range lines {
			mean, sd := modeltest.Number(t, l[ref["mean"]]), modeltest.Number(t, l[ref["sd"]])
			ratio := p.sd[j] / sd
			switch name := l[ref["coef"]]; {
			case j < 7:
				off += math.Abs(p.mean[j] - mean)
				size += math.Abs(mean)
				worst.spread = max(worst.spread, math.Abs(ratio-1))
			case name == "country_Holand-Netherlands" || name == "country_Outlying-US(Guam-USVI-etc)":
			default:
				worst.bias = max(worst.bias, math.Abs(p.mean[j]-mean)/sd)
				worst.narrow, worst.wide = min(worst.narrow, ratio), max(worst.wide, ratio)
			}
		}
		worst.error = max(worst.error, off/size)
		out, wrong := make([]cdf.Prediction, all.Rows), 0.0
		if err := m.Predict(all, out); err != nil {
			t.Fatal(err)
		}
		for i, o := range out {
			if (o.Mean > .5) != (all.Y[i] == 1) {
				wrong += 1 / float64(all.Rows)
			}
		}
		worst.miss += wrong / float64(seeds)
	}
	what := fmt.Sprintf("seeds 0-%d", seeds-1)
	accept.Range(t, "P4", "sum |b-ref| / sum |ref|, intercept and 6 columns", worst.error, 0, .01, what)
	accept.Range(t, "P4", "worst |sd ratio - 1| of these", worst.spread, 0, .06, what)
	accept.Range(t, "P4", "worst |bias|/sd of a country", worst.bias, 0, .5, what)
	accept.Range(t, "P4", "least sd ratio of a country", worst.narrow, .7, 1.35, what)
	accept.Range(t, "P4", "greatest sd ratio of a country", worst.wide, .7, 1.35, what)
	accept.Range(t, "P4", "misclassified", worst.miss, .188, .192, what)
}

// Rows P5: what makes a stream hard, 1,000 rows of 10 columns in 40 shards
// through a window of 200 unless said, against a long run over all rows.
func TestAcceptanceEdges(t *testing.T) {
	reps := accept.Reps(t, 0, 1, 4)
	plain := func(*cdf.Shard) {}
	ones := func(*cdf.Shard) []int { return slices.Repeat([]int{25}, 40) }
	for _, c := range []struct {
		name      string
		window    int
		intercept float64
		edit      func(*cdf.Shard)
		sizes     func(*cdf.Shard) []int
		accuracy  float64 // 0: finite numbers are all that is asked for
		spread    bool    // the ratio of sds is judged
	}{
		{"regular", 200, 0, plain, ones, .95, true},
		{"2 shards of 500, window 100", 100, 0, plain, func(*cdf.Shard) []int { return []int{500, 500} }, .95, true},
		{"1 shard of 1000, window 100", 100, 0, plain, func(*cdf.Shard) []int { return []int{1000} }, .95, true},
		{"unequal shards", 200, 0, plain, func(*cdf.Shard) []int { return []int{1, 7, 60, 3, 120, 250, 11, 400, 25, 25, 98} }, .95, true},
		{"6 % positives", 200, -2.1, plain, ones, .88, false},
		{"separated", 200, 0, separate, ones, .80, false},
		{"all 0", 200, 0, func(sh *cdf.Shard) { clear(sh.Y) }, ones, .70, false},
		{"sorted", 100, 0, sortByResponse, ones, 0, false},
	} {
		accuracy, ratio := 0.0, 0.0
		for rep := range reps {
			r := rand.New(rand.NewPCG(uint64(seed+rep), 5))
			beta := normals01(r, 10, .5)
			beta[0] = c.intercept
			sh := newShard(r, 1000, beta, 1, true)
			c.edit(sh)
			m := newTest(t, "corrected", windowOf(c.window), dims(10, 500, true))
			d, from := driver(m), 0
			for _, size := range c.sizes(sh) {
				d.Must(t, modeltest.Cut(sh, from, from+size), 1)
				from += size
			}
			if from != 1000 {
				t.Fatal(from)
			}
			acc, sd, _, _ := posteriorOf(t, m).against(batch(t, m, sh, 16_000))
			accuracy += acc / float64(reps)
			ratio += sd / float64(reps)
		}
		t.Logf("%s: accuracy %.3f, sd ratio %.3f", c.name, accuracy, ratio)
		accept.Range(t, "P5", c.name+": accuracy", accuracy, c.accuracy, 1, seeds(reps))
		if c.spread {
			accept.Range(t, "P5", c.name+": sd ratio", ratio, .93, 1.06, seeds(reps))
		}
	}
}

// separate makes the response a function of the second column.
func separate(sh *cdf.Shard) {
	for i := range sh.Y {
		sh.Y[i] = (1 + math.Copysign(1, sh.X[i*sh.Cols+1])) / 2
	}
}

// sortByResponse puts the rows with response 0 first.
func sortByResponse(sh *cdf.Shard) {
	out := &cdf.Shard{}
	for y := range 2 {
		for i, v := range sh.Y {
			if v == float64(y) {
				out.X, out.Y = append(out.X, lin.Row(sh.X, sh.Cols, i)...), append(out.Y, v)
			}
		}
	}
	sh.X, sh.Y = out.X, out.Y
}

// Rows P6: a coefficient jumps from 1 to -1 after shard 250; lambda = .95 per
// shard, so n_eff is 500.
func TestAcceptanceDrift(t *testing.T) {
	sc, _ := simulate.Lookup("probit-drift")
	run := func(lambda float64) (rmse, settled, cov float64) {
		m := newTest(t, "corrected", unitPrior(0), dims(5, 128, false))
		d, n := driver(m), 0.0
		for at := int64(1); at <= 500; at++ {
			d.Must(t, modeltest.ScenarioShard(sc.Shard(seed, "drift", at, sc.Rows)), lambda)
			if at <= 100 {
				continue
			}
			p, truth := posteriorOf(t, m), values(sc.Truth(seed, "drift", at))
			e := (p.mean[0] - truth[0]) * (p.mean[0] - truth[0])
			rmse += e / 400
			if at <= 250 || at > 350 {
				settled += e
				cov += p.coverage(truth)
				n++
			}
		}
		return math.Sqrt(rmse), math.Sqrt(settled / n), cov / n
	}
	accept.Reps(t, 0, 1, 1)
	rmse, settled, cov := run(.95)
	accept.Range(t, "P6", "RMSE of beta_1, t > 100", rmse, .25, .40, seeds(1))
	accept.Range(t, "P6", "RMSE away from the jump", settled, 0, .12, seeds(1))
	accept.Range(t, "P6", "coverage away from the jump", cov, .93, 1, seeds(1))
	rmse, _, _ = run(1)
	accept.Range(t, "P6", "without forgetting: RMSE of beta_1", rmse, .7, 1.5, seeds(1))
}

// Rows P7: simulation-based calibration, parameters from the prior and data
// from them: the rank of the truth among 99 thinned draws is uniform, its
// distance from the mean has variance 1 in sds. 500 replicates; limits leave
// 4.5 standard errors (Kolmogorov: 1 in 1,600) on 2 x 3 parameters.
func TestAcceptanceCalibration(t *testing.T) {
	accept.Reps(t, 0, 1, 1)
	const reps, p, rows = 500, 3, 40
	for _, limit := range []int{500, 20} {
		ranks := make([][]float64, p)
		var mean, square, inside float64
		for rep := range reps {
			r := rand.New(rand.NewPCG(uint64(seed+rep), 7))
			truth := normals01(r, p, 1)
			sh := newShard(r, rows, truth, 1, true)
			m := newTest(t, "corrected", unitPrior(limit), dims(p, 1600, true))
			d := driver(m)
			d.Seed = uint64(rep)
			for from := 0; from < rows; from += 10 {
				d.Must(t, modeltest.Cut(sh, from, from+10), 1)
			}
			post := posteriorOf(t, m)
			inside += post.coverage(truth) / reps
			for j, v := range truth {
				z := (v - post.mean[j]) / post.sd[j]
				mean += z / (reps * p)
				square += z * z / (reps * p)
				below := r.Float64() // randomised, so that ranks are continuous
				for k := range 99 {
					if m.draws[(k*16+k%16)*p+j] < v {
						below++
					}
				}
				ranks[j] = append(ranks[j], below/100)
			}
		}
		what, worst := fmt.Sprintf("window %d of %d rows", limit, rows), 0.0
		for _, u := range ranks {
			slices.Sort(u)
			for i, v := range u {
				worst = max(worst, math.Sqrt(reps)*max(v-float64(i)/reps, float64(i+1)/reps-v))
			}
		}
		accept.Range(t, "P7", what+": worst sqrt(n) D of the ranks", worst, 0, 2, seeds(reps))
		accept.Range(t, "P7", what+": mean of z", mean, -.12, .12, seeds(reps))
		accept.Range(t, "P7", what+": mean of z^2", square, .83, 1.17, seeds(reps))
		accept.Range(t, "P7", what+": coverage", inside, .925, .975, seeds(reps))
	}
}
