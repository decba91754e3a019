package compressed

import (
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models/simulate"
)

func TestMain(m *testing.M) { os.Exit(accept.Main(m)) }

// newTest builds a form of the model for p columns.
func newTest(t testing.TB, variant, settings string, names []string) cdf.Model {
	t.Helper()
	return modeltest.Model(t, Kind(), variant, strictyaml.Decode(settings), cdf.Dims{Columns: names, Draws: 500})
}

// scenarioRun is one run over a simulated case: excess of the mean squared
// prediction error over the noise, e'Re, and what is published about gamma.
type scenarioRun struct {
	excess map[int]float64 // at shards 100 and 200
	// leastSquares is the expected excess of least squares on all rows,
	// sigma2 p / (N - p - 1), at the end.
	leastSquares float64
	sigma2       float64 // at the end
	predictive   float64 // coverage of 1,000 fresh rows at the end
	gamma        float64 // coverage of the coefficients at the end
	width        float64 // their sd at the end, by the error that they have: root mean squares
	within5      int     // first shard with a population MSPE of at most 5
}

func runScenario(t *testing.T, scenario string, seed uint64, variant, settings string, shards int) scenarioRun {
	s, ok := simulate.Lookup(scenario)
	if !ok {
		t.Fatal("no scenario " + scenario)
	}
	truth := s.Truth(seed, "accept", 1)
	p := len(truth) - 1
	rho := .1
	if scenario == "compressed-3" || scenario == "compressed-4" {
		rho = .4
	}
	m := newTest(t, variant, settings, modeltest.Columns(p))
	d, f := modeltest.Stepper{Model: m}, modeltest.Coefficients(p)
	out := scenarioRun{excess: map[int]float64{}}
	for shard := 1; shard <= shards; shard++ {
		d.Must(t, modeltest.ScenarioShard(s.Shard(seed, "accept", int64(shard), s.Rows)), 1)
		rows := modeltest.Summarize(t, m, f)
		excess, before, covered := 0., 0., 0.
		squares, variances := 0., 0.
		for j, r := range rows[:p] {
			e := r.Mean - truth[j].Value
			excess += e * (e + 2*before)
			before = rho * (before + e)
			squares += e * e
			variances += r.SD * r.SD
			if r.Q025 <= truth[j].Value && truth[j].Value <= r.Q975 {
				covered++
			}
		}
		if out.within5 == 0 && excess <= 1 {
			out.within5 = shard
		}
		if shard == 100 || shard == shards {
			out.excess[shard] = excess
		}
		out.sigma2, out.gamma, out.width = rows[p].Mean, covered/float64(p), math.Sqrt(variances/squares)
	}
	out.leastSquares = truth[p].Value * float64(p) / float64(shards*s.Rows-p-1)
	fresh := modeltest.ScenarioShard(s.Shard(seed, "accept", int64(shards+1), 1000))
	score, err := m.(cdf.Predictor).Score(fresh, nil)
	if err != nil {
		t.Fatal(err)
	}
	out.predictive = score.Coverage95
	return out
}

// scenarios lists per case the seeds at the full level and the ranges.
var scenarios = []struct {
	seeds                   int
	sketch100, sketch200    float64 // largest excess
	sketchFirst, sketchLast int     // shards until the MSPE is 5
	packed100, packed200    float64
	packedFirst, packedLast int
	packedGamma             float64
	packedRatio             float64 // of the excess to that of least squares
}{
	{3, .37, .19, 28, 48, .36, .17, 28, 48, .90, 1.6},
	{2, .95, .37, 70, 105, .90, .38, 60, 95, .90, 1.8},
	{3, .42, .20, 30, 52, .53, .23, 33, 62, .90, 2.1},
	{2, 1.35, .52, 85, 125, 1.35, .52, 75, 125, .88, 2.5},
	{3, .55, .22, 50, 82, .85, .25, 58, 100, .90, 2.4},
	{3, .32, .18, 17, 40, .34, .16, 17, 38, .90, 1.5},
}

// mean averages a figure over runs.
func mean(runs []scenarioRun, f func(scenarioRun) float64) float64 {
	sum := 0.
	for _, r := range runs {
		sum += f(r) / float64(len(runs))
	}
	return sum
}

// runCase replicates a case. Short of the full level one seed and 100 shards
// of the smaller cases are enough to see that nothing is broken.
func runCase(t *testing.T, i, reps int, settings string) (runs []scenarioRun, full bool, seeds string) {
	t.Helper()
	full = accept.Asked() == accept.Full
	shards := 200
	if !full {
		reps, shards = 1, 100
	}
	for rep := range reps {
		runs = append(runs, runScenario(t, fmt.Sprintf("compressed-%d", i+1), uint64(1+rep), "corrected", settings, shards))
	}
	return runs, full, fmt.Sprintf("seeds 1-%d", reps)
}

// The default on the simulated cases. The ranges of the errors are the
// specification's, for designs of the same size and signal and another rule;
// the means that the full level records after 100 and 200 shards, and
// coverage and width of gamma's intervals, are
//
//	case              1      2      3      4      5      6
//	excess t=100     .270   .770   .313   1.07   .369   .212
//	       t=200     .127   .270   .142   .382   .145   .111
//	coverage         .957   .968   .936   .954   .959   .964
//	sd by error      1.05   1.09    .92    .81   1.08   1.09
func TestAcceptanceSketch(t *testing.T) {
	for _, i := range casesOf(t) {
		c := scenarios[i]
		runs, full, seeds := runCase(t, i, scenarios[i].seeds, "{}")
		name, at := fmt.Sprintf("sketch, case %d: ", i+1), func(shard int) func(scenarioRun) float64 {
			return func(r scenarioRun) float64 { return r.excess[shard] }
		}
		accept.Range(t, "CS1", name+"excess t=100", mean(runs, at(100)), 0, c.sketch100, seeds)
		if !full {
			continue
		}
		accept.Range(t, "CS1", name+"excess t=200", mean(runs, at(200)), 0, c.sketch200, seeds)
		accept.Range(t, "CS2", name+"predictive coverage t=200", mean(runs, predictiveCoverage), .935, .97, seeds)
		accept.Range(t, "CS3", name+"sigma2 t=200", mean(runs, sigma2), 3.6, 4.4, seeds)
		accept.Range(t, "CS4", name+"coverage of gamma t=200", mean(runs, gamma), .93, .98, seeds)
		accept.Range(t, "CS6", name+"sd of gamma by its error, t=200", mean(runs, width), .75, 1.2, seeds)
		accept.Range(t, "CS5", name+"first t with MSPE <= 5", mean(runs, within5), float64(c.sketchFirst), float64(c.sketchLast), seeds)
	}
}

// Packed statistics on the simulated cases.
func TestAcceptancePacked(t *testing.T) {
	for _, i := range casesOf(t) {
		c := scenarios[i]
		runs, full, seeds := runCase(t, i, scenarios[i].seeds, "statistics: packed")
		name := fmt.Sprintf("packed, case %d: ", i+1)
		accept.Range(t, "CP1", name+"excess t=100", mean(runs, func(r scenarioRun) float64 { return r.excess[100] }), 0, c.packed100, seeds)
		if !full {
			continue
		}
		accept.Range(t, "CP1", name+"excess t=200", mean(runs, func(r scenarioRun) float64 { return r.excess[200] }), 0, c.packed200, seeds)
		accept.Range(t, "CP6", name+"excess by that of least squares, t=200", mean(runs, func(r scenarioRun) float64 { return r.excess[200] / r.leastSquares }), 0, c.packedRatio, seeds)
		accept.Range(t, "CP2", name+"predictive coverage t=200", mean(runs, predictiveCoverage), .935, .975, seeds)
		accept.Range(t, "CP3", name+"sigma2 t=200", mean(runs, sigma2), 3.8, 4.9, seeds)
		accept.Range(t, "CP4", name+"coverage of gamma t=200", mean(runs, gamma), c.packedGamma, 1, seeds)
		for rep, r := range runs {
			accept.Range(t, "CP5", name+"first t with MSPE <= 5", within5(r), float64(c.packedFirst), float64(c.packedLast), fmt.Sprint("seed ", 1+rep))
		}
	}
}

// leanCases are the largest excess after 100 and 200 shards with lean
// statistics. They are as accurate as packed ones by the specification, whose
// errors are 1.0 to 1.5 times the packed ones (one seed per case), so the limits
// of packed hold, but where six seeds of designs of the same signal stayed far
// below them: there a tenth above the worst seed. Measured, means over seeds 1 to 3:
//
//	case        1          2          3          4          5          6
//	        .297 .150  .729 .285  .385 .180  .962 .372  .571 .170  .261 .141
var leanCases = [...]struct{ t100, t200 float64 }{{.35, .17}, {.85, .36}, {.53, .22}, {1.35, .51}, {.60, .19}, {.32, .16}}

// Lean statistics on the simulated cases.
//
// Their price is width: what is published has an sd of 1.3 to 2.1 times
// its error, and covers .987 to 1 of the coefficients on average, more
// than the .949 to .996 of the specification, whose intervals were those of 30
// draws. The lower limit of the width fails an sd of half the size, the upper
// one keeps what the documentation says of it.
func TestAcceptanceLean(t *testing.T) {
	for _, i := range casesOf(t) {
		c := scenarios[i]
		runs, full, seeds := runCase(t, i, 3, "statistics: lean")
		name := fmt.Sprintf("lean, case %d: ", i+1)
		accept.Range(t, "CL1", name+"excess t=100", mean(runs, func(r scenarioRun) float64 { return r.excess[100] }), 0, leanCases[i].t100, seeds)
		if !full {
			continue
		}
		accept.Range(t, "CL1", name+"excess t=200", mean(runs, func(r scenarioRun) float64 { return r.excess[200] }), 0, leanCases[i].t200, seeds)
		accept.Range(t, "CL6", name+"excess by that of least squares, t=200", mean(runs, func(r scenarioRun) float64 { return r.excess[200] / r.leastSquares }), 0, c.packedRatio, seeds)
		accept.Range(t, "CL2", name+"predictive coverage t=200", mean(runs, predictiveCoverage), .945, .98, seeds)
		accept.Range(t, "CL3", name+"sigma2 t=200", mean(runs, sigma2), 3.8, 4.9, seeds)
		accept.Range(t, "CL4", name+"coverage of gamma t=200", mean(runs, gamma), .97, 1, seeds)
		accept.Range(t, "CL7", name+"sd of gamma by its error, t=200", mean(runs, width), 1, 2.4, seeds)
		for rep, r := range runs {
			accept.Range(t, "CL5", name+"first t with MSPE <= 5", within5(r), float64(c.packedFirst), float64(c.packedLast), fmt.Sprint("seed ", 1+rep))
		}
	}
}

func predictiveCoverage(r scenarioRun) float64 { return r.predictive }
func width(r scenarioRun) float64              { return r.width }
func sigma2(r scenarioRun) float64             { return r.sigma2 }
func gamma(r scenarioRun) float64              { return r.gamma }
func within5(r scenarioRun) float64            { return float64(r.within5) }

// casesOf returns the cases of this run's level.
func casesOf(t *testing.T) []int {
	t.Helper()
	n := accept.Reps(t, 0, 1, 6)
	if n == 1 {
		return []int{0, 5}
	}
	return []int{0, 1, 2, 3, 4, 5}
}

// The paper's own rule keeps the early errors in sigma2, in proportion to the
// squared length of the coefficients, which is random: .097 of it over seeds 1
// to 3. The range of sigma2 at shard 100, 5.8 to
// 7.3, is stated for the length 24 that the figures beside it imply, and is
// therefore taken per unit of length.
func TestAcceptancePaper(t *testing.T) {
	reps := accept.Reps(t, 0, 1, 3)
	inflation, coverage := 0., 0.
	s, _ := simulate.Lookup("compressed-1")
	for rep := range reps {
		seed, length := uint64(1+rep), 0.
		truth := s.Truth(seed, "accept", 1)
		for _, v := range truth[:len(truth)-1] {
			length += v.Value * v.Value
		}
		r := runScenario(t, "compressed-1", seed, "paper", "{}", 100)
		inflation += (r.sigma2 - 4) / length / float64(reps)
		coverage += r.predictive / float64(reps)
	}
	seeds := fmt.Sprintf("seeds 1-%d", reps)
	accept.Range(t, "CD1", "paper, case 1: predictive coverage t=100", coverage, .98, 1, seeds)
	accept.Range(t, "CD2", "paper, case 1: excess of sigma2 by squared length, t=100", inflation, 1.8/24, 3.3/24, seeds)
}
