package dlm

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/modeltest"
)

// onGrid takes the model through shards of size steps and, where asked, a fixed grid
// over its final limits through the same data.
func onGrid(t *testing.T, s Settings, steps [][]float64, size int, forget float64, oracle int) (*Model, *fixedGrid) {
	t.Helper()
	d := modeltest.Stepper{Model: newTest(t, s)}
	m := d.Model.(*Model)
	for at := 0; at < len(steps); at += size {
		d.Must(t, stepsShard(steps[at:min(at+size, len(steps))], int64(at), false), forget)
		wellFormed(t, m)
	}
	if oracle == 0 {
		return m, nil
	}
	g := newFixedGrid(s.Prior, m.grid.low, m.grid.high, oracle)
	if !m.family.known {
		g.withMean()
	}
	for at := 0; at < len(steps); at += size {
		g.discount(forget)
		for _, y := range steps[at:min(at+size, len(steps))] {
			g.step(y)
		}
	}
	return m, g
}

func singly(y []float64) [][]float64 {
	out := make([][]float64, len(y))
	for i, v := range y {
		if !math.IsNaN(v) {
			out[i] = []float64{v}
		}
	}
	return out
}

// Row G1: the grid that moves against a fixed one of 161 x 161 nodes.
func TestAcceptanceRealSeries(t *testing.T) {
	prior := Defaults()
	prior.Prior.PhiVariance = 1
	for _, c := range []struct {
		name  string
		n     int
		level [3]int
	}{{"nile", 0, [3]int{1, 1, 1}}, {"treering", 2000, [3]int{0, 1, 1}}, {"treering", 0, [3]int{0, 0, 1}}} {
		t.Run(fmt.Sprint(c.name, c.n), func(t *testing.T) {
			accept.Reps(t, c.level[0], c.level[1], c.level[2])
			m, g := onGrid(t, prior, singly(readSeries(t, "data/"+c.name+".csv", c.n)), 20, 1, 161)
			mean, sd := g.against(t, m)
			what := fmt.Sprintf("%s, %d steps: ", c.name, int(g.n))
			accept.Range(t, "G1", what+"largest miss of a mean, sd", mean, 0, .05, "one series")
			accept.Range(t, "G1", what+"largest miss of an sd, relative", sd, 0, .02, "one series")
		})
	}
}

// Row R3: references by adaptive Metropolis and, for theta, Gibbs sampling.
// Their theta_0 ~ N(0, 1) is h = 1/E sigma2 here; theta's own Monte Carlo
// error on treering (98 effective draws) is a tenth of an sd.
func TestAcceptanceReferences(t *testing.T) {
	f, err := os.Open(accept.Shared(t, "data/reference/dlm.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, set := range []string{"nile", "treering", "treering_first2000"} {
		prior, path, n := Defaults(), "data/treering.csv", 0
		switch set {
		case "nile":
			path = "data/nile.csv"
		case "treering_first2000":
			n = 2000
		}
		want := map[string][2]float64{}
		for _, r := range records[1:] {
			if r[0] == set && r[1] == "trunc" {
				want[r[2]] = [2]float64{number(r[3]), number(r[4])}
			}
		}
		want["theta"] = want["theta_T"]
		prior.Prior.PhiVariance, prior.Prior.Theta0Variance = 1, 1/want["sigma2"][0]
		m, _ := onGrid(t, prior, singly(readSeries(t, path, n)), 20, 1, 0)
		for _, r := range modeltest.Summarize(t, m, functionals()) {
			w := want[r.Variable]
			accept.Range(t, "R3", set+": mean of "+r.Variable+", sd", (r.Mean-w[0])/w[1], -.15, .15, "one series")
			accept.Range(t, "R3", set+": sd of "+r.Variable+", ratio", r.SD/w[1], .92, 1.08, "one series")
		}
	}
}

// Row G5: hard series, against 161 x 161 nodes over the final limits (81 x 81
// in `make test`).
func TestAcceptanceHardSeries(t *testing.T) {
	fine := accept.Reps(t, 81, 161, 161)
	repeat := func(n int, f func(i int) []float64) (out [][]float64) {
		for i := range n {
			out = append(out, f(i))
		}
		return out
	}
	ar, _ := series{phi: constantly(.8), tau: 1, sigma: .7}.make(modeltest.FirstSeed, 1000)
	walk, _ := series{phi: constantly(1), tau: 1, sigma: .5}.make(modeltest.FirstSeed, 400)
	sharp, _ := series{phi: constantly(.6), tau: 1, sigma: 1e-3}.make(modeltest.FirstSeed, 400)
	jump, _ := series{phi: constantly(.7), tau: 1, sigma: 1}.make(modeltest.FirstSeed, 400)
	for _, c := range []struct {
		name   string
		steps  [][]float64
		forget float64
		limit  float64
	}{
		{"first 500 missing", repeat(1000, func(i int) []float64 {
			if i < 500 {
				return nil
			}
			return ar[i : i+1]
		}), 1, .25},
		{"unit root", singly(walk), 1, .25},
		{"tau2/sigma2 = 1e6", singly(sharp), 1, .25},
		{"constant", repeat(300, func(int) []float64 { return []float64{2} }), 1, .4},
		{"level and scale jump, lambda .9", repeat(400, func(i int) []float64 {
			if i < 200 {
				return jump[i : i+1]
			}
			return []float64{20 + 5*jump[i]}
		}), .9, .25},
		{"several a step", repeat(200, func(i int) []float64 { return ar[5*i : 5*i+i%6] }), 1, .25},
	} {
		for _, mean := range []string{"known", "unknown"} {
			s, what := Defaults(), c.name+", mean "+mean
			s.Mean = mean
			m, g := onGrid(t, s, c.steps, 10, c.forget, fine)
			miss, sd := g.against(t, m)
			t.Logf("%s: means %.3f sd, sds %.2f %%, limits %v %v", what, miss, 100*sd, m.grid.low, m.grid.high)
			accept.Range(t, "G5", what+": largest miss of a mean, sd", miss, 0, c.limit, "one series")
			again, _ := onGrid(t, s, c.steps, 10, c.forget, 0)
			a, _ := m.AppendBinary(nil)
			b, _ := again.AppendBinary(nil)
			if string(a) != string(b) {
				t.Errorf("%s: the same shards give other bits", what)
			}
		}
	}
}

// After a change of the parameters the posterior leaves the limits, which must
// follow it: against 161 x 161 nodes over the full range, since over the final limits
// a grid that stays behind looks right.
func TestAcceptanceWidens(t *testing.T) {
	smooth, _ := series{phi: constantly(.9), tau: 1, sigma: .2}.make(modeltest.FirstSeed, 300)
	rough, _ := series{phi: constantly(.3), tau: 1, sigma: 2}.make(modeltest.FirstSeed, 300)
	steps := singly(append(slices.Clone(smooth), rough...))
	narrow, _ := onGrid(t, Defaults(), steps[:300], 10, .97, 0)
	m, _ := onGrid(t, Defaults(), steps, 10, .97, 0)
	out := m.grid.low[etaAxis] < narrow.grid.low[etaAxis] || m.grid.low[logAxis] < narrow.grid.low[logAxis]
	if !out {
		t.Errorf("limits %v %v before, %v %v after", narrow.grid.low, narrow.grid.high, m.grid.low, m.grid.high)
	}
	g := newFixedGrid(Defaults().Prior, fullLow, fullHigh, 161)
	for at, y := range steps {
		if at%10 == 0 {
			g.discount(.97)
		}
		g.step(y)
	}
	mean, sd := g.against(t, m)
	t.Logf("means %.3f sd, sds %.2f %%; limits %v %v, then %v %v", mean, 100*sd, narrow.grid.low, narrow.grid.high, m.grid.low, m.grid.high)
	accept.Range(t, "G5", "change of all parameters, lambda .97: largest miss of a mean, sd", mean, 0, .25, "one series")
	accept.Range(t, "G5", "change of all parameters, lambda .97: largest miss of an sd", sd, 0, .1, "one series")
}

// wellFormed checks every number that leaves: finite and in order.
func wellFormed(t *testing.T, m cdf.Model) {
	t.Helper()
	for _, r := range modeltest.Summarize(t, m, functionals()) {
		if r.Open {
			if math.IsInf(r.Mean, 0) || math.IsInf(r.SD, 0) || r.SD < 0 {
				t.Fatalf("%+v", r)
			}
			continue
		}
		q := []float64{r.Q025, r.Q05, r.Q25, r.Median, r.Q75, r.Q95, r.Q975}
		for i, v := range q {
			if !lin.Finite(v) || i > 0 && v < q[i-1] || r.SD < 0 || math.IsInf(r.SD, 0) || math.IsInf(r.Mean, 0) {
				t.Fatalf("%+v", r)
			}
		}
	}
}

// Statistics that are polynomials of up to the fifth degree along both axes, as
// six nodes hold exactly, move to other limits exactly, beyond the old ones too.
func TestMovesLimits(t *testing.T) {
	at := func(low, high [2]float64) grid {
		g := newGrid(false)
		g.place(low, high)
		for k := range g.m {
			x, l := g.at(etaAxis, k/nodes), g.at(logAxis, k%nodes)
			g.m[k], g.v[k], g.sse[k], g.ld[k] = x*l*l, math.Exp(.2*l-.1*x*x), 30+x*x+l*l, x*x*x-l
			g.r[k], g.er[k], g.rr[k] = x*x*l, 1-l*l*x, 50+x*x*x-l
		}
		return g
	}
	reserve, g, want := at(fullLow, fullHigh), at([2]float64{-1, -3}, [2]float64{2, 1}), at([2]float64{-2, -2}, [2]float64{1, 3})
	var r regrid // of a mean that is not known
	r.clear()
	r.move(&g, &reserve, want.low, want.high)
	for i, field := range want.fields() {
		for k, v := range field {
			if got := g.fields()[i][k]; math.Abs(got-v) > 1e-8*(1+math.Abs(v)) {
				t.Fatalf("statistic %d at node %d is %v, want %v", i, k, got, v)
			}
		}
	}
}
