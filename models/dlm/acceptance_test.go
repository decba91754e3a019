package dlm

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/mcmc"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/research/measure"
)

func TestMain(m *testing.M) { os.Exit(accept.Main(m)) }

// The series of the acceptance list, 3,000 steps each. V and A are the paper's,
// under a vague and an informative prior; L has as much noise as signal.
var (
	seriesA       = series{phi: constantly(.7), tau: math.Sqrt2, sigma: .1}
	seriesL       = series{phi: constantly(.7), tau: 1, sigma: 1}
	seriesMissing = series{phi: constantly(.7), tau: 1, sigma: 1, missing: .2}
	seriesDrift   = series{tau: 1, sigma: .5, phi: func(step int) float64 {
		if step <= 1500 {
			return .9
		}
		return .2
	}}
)

const acceptanceSteps = 3000

func prior(sigmaShape, sigmaRate, tauShape, tauRate float64) Settings {
	s := Defaults()
	s.Prior.Sigma2Shape, s.Prior.Sigma2Rate, s.Prior.Tau2Shape, s.Prior.Tau2Rate = sigmaShape, sigmaRate, tauShape, tauRate
	return s
}

var (
	priorV     = prior(1, 1, 1, 1)
	priorA     = prior(2, .01, 2, 2)
	priorDrift = prior(3, .5, 2, 1)
)

// replication is one setting of the list.
type replication struct {
	data   series
	prior  Settings
	mode   string // grid, compact, filtered or paper
	window int
	draws  int
	forget float64
}

func (r replication) model(t testing.TB) cdf.Model {
	t.Helper()
	s, d := r.prior, cdf.Dims{}
	var m cdf.Model
	var err error
	if s.Window = r.window; s.Window == 0 {
		s.Window = 50
	}
	switch r.mode {
	case "compact":
		m, err = NewCompact(s, d)
	case "filtered":
		m, err = NewFiltered(s, d)
	case "paper":
		m, err = NewPaper(s, d)
	default:
		m, err = New(s, d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// mean runs the replications and returns what they are on average.
func (r replication) mean(t testing.TB, reps int) (out tracked) {
	t.Helper()
	out.phi = map[int]float64{}
	out.rows = make([]cdf.Row, 4)
	if r.forget == 0 {
		r.forget = 1
	}
	w := 1 / float64(reps)
	for rep := range reps {
		y, theta := r.data.make(uint64(modeltest.FirstSeed+rep), acceptanceSteps)
		one := track(t, r.model(t), y, theta, r.forget, r.draws)
		out.coverage += w * one.coverage
		out.length += w * one.length
		out.mse += w * one.mse
		for step, phi := range one.phi {
			out.phi[step] += w * phi
		}
		for k := range out.rows {
			out.rows[k].Mean += w * one.rows[k].Mean
		}
	}
	return out
}

func seeds(reps int) string {
	return fmt.Sprintf("seeds %d-%d", modeltest.FirstSeed, modeltest.FirstSeed+reps-1)
}

func TestAcceptanceGrid(t *testing.T) {
	reps := accept.Reps(t, 0, 4, 8)
	seeds := seeds(reps)
	r := replication{data: seriesA, prior: priorA}.mean(t, reps)
	accept.Range(t, "G2", "A: coverage of theta", r.coverage, .93, .96, seeds)
	accept.Range(t, "G2", "A: MSE", r.mse, .0094, .0106, seeds)
	r = replication{data: seriesL, prior: priorV}.mean(t, reps)
	accept.Range(t, "G2", "L: coverage of theta", r.coverage, .93, .96, seeds)
	accept.Range(t, "G2", "L: MSE", r.mse, .54, .59, seeds)
	r = replication{data: seriesMissing, prior: priorV}.mean(t, reps)
	accept.Range(t, "G2", "L, 20 % missing: coverage of theta", r.coverage, .93, .96, seeds)
	accept.Range(t, "G2", "L, 20 % missing: MSE", r.mse, .70, .82, seeds)
	r = replication{data: seriesDrift, prior: priorDrift, forget: .99}.mean(t, reps)
	accept.Range(t, "G3", "drift, lambda .99: phi at 2000", r.phi[2000], .15, .45, seeds)
}

func TestAcceptanceKnownParameters(t *testing.T) {
	reps := accept.Reps(t, 4, 4, 8)
	var cov, length, mse float64
	for rep := range reps {
		y, theta := seriesA.make(uint64(modeltest.FirstSeed+rep), acceptanceSteps)
		m, v, w := 0.0, 10.0, 1/float64(reps*acceptanceSteps)
		for i := range y {
			s := Step{n: 1, mean: y[i]}
			m, v = s.kalman(m, v, .7, 2, .01)
			e := m - theta[i]
			if math.Abs(e) <= 1.96*math.Sqrt(v) {
				cov += w
			}
			length += w * 2 * 1.96 * math.Sqrt(v)
			mse += w * e * e
		}
	}
	seeds := seeds(reps)
	accept.Range(t, "D1", "known parameters: coverage", cov, .94, .955, seeds)
	accept.Range(t, "D1", "known parameters: length", length, .389, .392, seeds)
	accept.Range(t, "D1", "known parameters: MSE", mse, .0096, .0106, seeds)
}

func TestAcceptanceFiltered(t *testing.T) {
	reps := accept.Reps(t, 0, 4, 8)
	seeds := seeds(reps)
	r := replication{data: seriesA, prior: priorA, mode: "filtered", window: 100, draws: 50}.mean(t, reps)
	accept.Range(t, "D2", "A, filtered: coverage of theta", r.coverage, .86, .98, seeds)
	accept.Range(t, "D2", "A, filtered: MSE", r.mse, 0, .0115, seeds)
	accept.Range(t, "D2", "A, filtered: sigma2", r.rows[sigma2Row].Mean, .004, .03, seeds)
	r = replication{data: seriesL, prior: priorV, mode: "filtered", window: 100, draws: 50}.mean(t, reps)
	accept.Range(t, "D3", "L, filtered: coverage of theta", r.coverage, .90, .95, seeds)
	accept.Range(t, "D3", "L, filtered: MSE", r.mse, .56, .64, seeds)
	accept.Range(t, "D3", "L, filtered: phi", r.rows[phiRow].Mean, .60, .74, seeds)
	r = replication{data: seriesMissing, prior: priorV, mode: "filtered", window: 100, draws: 50}.mean(t, reps)
	accept.Range(t, "D7", "L, 20 % missing, filtered: coverage", r.coverage, .90, .95, seeds)
	// Exact inference (mode grid) has .734, .737, .742 in three blocks of 8
	// seeds, this mode .737, .742, .749: the range is that of G2.
	accept.Range(t, "D7", "L, 20 % missing, filtered: MSE", r.mse, .70, .82, seeds)
	r = replication{data: seriesDrift, prior: priorDrift, mode: "filtered", window: 100, draws: 50, forget: .99}.mean(t, reps)
	accept.Range(t, "D8", "drift, lambda .99, filtered: phi at 2000", r.phi[2000], .05, .35, seeds)
}

// Medians: one series in sixteen collapses the other way, tau2 to 0, with a
// length of 1.7 and a coverage of .39.
func TestAcceptancePaper(t *testing.T) {
	reps := accept.Reps(t, 0, 8, 16)
	run := replication{data: seriesA, prior: priorV, mode: "paper", window: 100, draws: 50}
	var cov, length []float64
	for rep := range reps {
		y, theta := run.data.make(uint64(modeltest.FirstSeed+rep), acceptanceSteps)
		one := track(t, run.model(t), y, theta, 1, run.draws)
		cov, length = append(cov, one.coverage), append(length, one.length)
	}
	slices.Sort(cov)
	slices.Sort(length)
	accept.Range(t, "D6", "V, paper: median coverage of theta", mcmc.Quantile(cov, .5), .60, .85, seeds(reps))
	accept.Range(t, "D6", "V, paper: median length", mcmc.Quantile(length, .5), .30, .42, seeds(reps))
}

// Mode compact against the exact posterior: its means and sds are those of the
// draws of the last 100 steps together.
func TestAcceptanceCompact(t *testing.T) {
	reps := accept.Reps(t, 0, 4, 8)
	seeds := seeds(reps)
	r := replication{data: seriesMissing, prior: priorV, mode: "compact", window: 50, draws: 200}.mean(t, reps)
	accept.Range(t, "D7", "L, 20 % missing, compact: coverage", r.coverage, .92, .955, seeds)
	run := replication{data: seriesL, prior: priorV, mode: "compact", window: 50, draws: 500}
	var cov float64
	var spread, miss, ratio, overlap [3]float64
	for rep := range reps {
		y, theta := seriesL.make(uint64(modeltest.FirstSeed+rep), acceptanceSteps)
		m := run.model(t)
		cov += track(t, m, y[:2900], theta[:2900], 1, run.draws).coverage / float64(reps)
		pooled := pool(t, m, y[2900:], run.draws)
		exact := replication{prior: priorV}.model(t)
		d := modeltest.Stepper{Model: exact, Draws: &cdf.Draws{S: 10_000, Chains: 1, Data: make([]float64, 40_000)}}
		d.Must(t, rowsShard(y), 1)
		for k := range 3 {
			a, va := measure.Moments(pooled[k])
			b, vb := measure.Moments(d.Draws.Row(k))
			w := 1 / float64(reps)
			spread[k] += w * math.Sqrt(va)
			miss[k] += w * math.Abs(a-b) / math.Sqrt(vb)
			ratio[k] += w * math.Sqrt(va/vb)
			overlap[k] += w * measure.Overlap(pooled[k], d.Draws.Row(k))
		}
	}
	accept.Range(t, "D4", "L, compact: coverage of theta", cov, .925, .955, seeds)
	for k, limits := range [3][2]float64{{.021, .036}, {.075, .15}, {.07, .14}} {
		name := params[k].Name
		accept.Range(t, "D4", "L, compact: sd of "+name, spread[k], limits[0], limits[1], seeds)
		accept.Range(t, "D5", "L, compact: miss of the mean of "+name, miss[k], 0, .9, seeds)
		accept.Range(t, "D5", "L, compact: sd ratio of "+name, ratio[k], .8, 1.25, seeds)
		accept.Range(t, "D5", "L, compact: overlap of "+name, overlap[k], .70, 1, seeds)
	}
}

// pool returns the draws of phi, tau2 and sigma2 of all further steps.
func pool(t testing.TB, m cdf.Model, y []float64, draws int) (out [3][]float64) {
	t.Helper()
	d := modeltest.Stepper{Model: m, T: 10_000, Draws: &cdf.Draws{S: draws, Chains: 1, Data: make([]float64, 4*draws)}}
	for i := range y {
		d.Must(t, rowsShard(y[i:i+1]), 1)
		for k := range out {
			out[k] = append(out[k], d.Draws.Row(k)...)
		}
	}
	return out
}
