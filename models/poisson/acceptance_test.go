package poisson

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/simulate"
)

func TestMain(m *testing.M) { os.Exit(accept.Main(m)) }

// plain are the defaults without effects of the rows' own: the model that
// references and closed forms are of.
func plain() Settings {
	s := Defaults()
	s.Overdispersion = none
	return s
}

func newTest(t testing.TB, s Settings, columns []string, groups ...string) *Model {
	t.Helper()
	d := cdf.Dims{Columns: columns, Intercept: columns[0] == "intercept"}
	for _, g := range groups {
		d.Groups = append(d.Groups, cdf.Group{Column: g})
	}
	m, err := New(s, d)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// everything returns the functionals of all parameters in order.
func everything(m *base) []cdf.Functional {
	list := make([]cdf.Functional, m.k+m.stats.effects()+m.terms)
	for j := range list {
		list[j] = effect(j)
	}
	return list
}

// Rows P1: real data against long MCMC runs, the prior b ~ N(0, 10), s2 ~ IG(1, .1).
func TestAcceptanceReference(t *testing.T) {
	settings := plain()
	settings.Prior.BetaVariance, settings.Prior.Group = 10, inverseGamma
	for _, set := range []struct {
		name    string
		columns []string
		limits  map[int]float64 // of |dz| of beta, per rows of a shard
	}{
		{"epil", []string{"lbase", "trt", "lage", "V4"}, map[int]float64{24: .15, 50: .10, 236: .03}},
		{"grouseticks", []string{"year96", "year97", "h"}, map[int]float64{24: .45, 50: .25, 403: .06}},
	} {
		d := readMixed(t, set.name, set.columns)
		for _, rows := range []int{24, 50, len(d.y)} {
			m := newTest(t, settings, d.columns, "g")
			s := modeltest.Stepper{Model: m}
			for _, sh := range d.shards(rows) {
				s.Must(t, sh, 1)
			}
			got := modeltest.Summarize(t, m, everything(&m.base))
			dz, sdLow, sdHigh := 0.0, math.Inf(1), 0.0
			for j, name := range d.columns {
				r := d.reference[name]
				dz = max(dz, math.Abs(got[j].Mean-r.mean)/r.sd)
				sdLow, sdHigh = min(sdLow, got[j].SD/r.sd), max(sdHigh, got[j].SD/r.sd)
			}
			uLow, uHigh, udz := math.Inf(1), 0.0, 0.0
			for g, label := range d.label {
				r := d.reference["u["+label+"]"]
				row := got[m.k+g]
				udz = max(udz, math.Abs(row.Mean-r.mean)/r.sd)
				uLow, uHigh = min(uLow, row.SD/r.sd), max(uHigh, row.SD/r.sd)
			}
			s2, r := got[len(got)-1], d.reference["tau2"]
			cut := fmt.Sprintf("%s by %d rows", set.name, rows)
			accept.Range(t, "P1", cut+": max |dz| of beta", dz, 0, set.limits[rows], "data")
			accept.Range(t, "P1", cut+": least sd ratio of beta", sdLow, .95, 1.05, "data")
			accept.Range(t, "P1", cut+": greatest sd ratio of beta", sdHigh, .95, 1.05, "data")
			accept.Range(t, "P1", cut+": dz of sigma2_u", (s2.Mean-r.mean)/r.sd, -.25, .25, "data")
			accept.Range(t, "P1", cut+": sd ratio of sigma2_u", s2.SD/r.sd, .88, 1.12, "data")
			t.Logf("%s: u max |dz| %.3f, sd ratio %.3f to %.3f", cut, udz, uLow, uHigh)
			if set.name == "epil" {
				accept.Range(t, "P1", cut+": least sd ratio of u", uLow, .92, 1.08, "data")
				accept.Range(t, "P1", cut+": greatest sd ratio of u", uHigh, .92, 1.08, "data")
			}
		}
	}
}

// Rows P1: glmer's maximum likelihood estimates of the same data, under the
// vague default prior: all rows in one shard. Maximum likelihood takes the
// coefficients as known, which makes su some p/(2 groups), 4 % for epil, smaller.
func TestAcceptanceGlmer(t *testing.T) {
	for _, set := range []struct {
		name    string
		columns []string
	}{{"epil", []string{"lbase", "trt", "lage", "V4"}}, {"grouseticks", []string{"year96", "year97", "h"}}} {
		d := readMixed(t, set.name, set.columns)
		m := newTest(t, plain(), d.columns, "g")
		s := modeltest.Stepper{Model: m}
		s.Must(t, d.shards(len(d.y))[0], 1)
		mean, variance := qRows(t, m)
		dz, low, high := 0.0, math.Inf(1), 0.0
		for j, name := range d.columns {
			r := d.reference[name]
			dz = max(dz, math.Abs(mean[j]-r.glmer)/r.glmerSE)
			ratio := math.Sqrt(variance[j]) / r.glmerSE
			low, high = min(low, ratio), max(high, ratio)
		}
		accept.Range(t, "P1", set.name+", glmer: max |dz| of beta in se", dz, 0, .1, "data")
		accept.Range(t, "P1", set.name+", glmer: least sd ratio", low, .95, 1.05, "data")
		accept.Range(t, "P1", set.name+", glmer: greatest sd ratio", high, .95, 1.05, "data")
		accept.Range(t, "P1", set.name+", glmer: su ratio", math.Sqrt(1/(m.m[0]*d.reference["tau2"].glmer)), .95, 1.07, "data")
	}
}

// countShard turns simulated columns into a shard with an intercept and the
// offset; level maps the labels to indices.
func countShard(d simulate.Data, level map[float64]int32) *cdf.Shard {
	n := len(d.Columns[0])
	sh := &cdf.Shard{Rows: n, Cols: 3, Y: d.Columns[4], Offset: make([]float64, n), Group: [][]int32{make([]int32, n)}}
	for i := range n {
		sh.X = append(sh.X, 1, d.Columns[0][i], d.Columns[1][i])
		g := d.Columns[2][i]
		if _, ok := level[g]; !ok {
			level[g] = int32(len(level))
		}
		sh.Group[0][i] = level[g]
		sh.Offset[i] = math.Log(d.Columns[3][i])
	}
	return sh
}

// sparse makes shards of rows(r) rows with few events: groups appear one by
// one over the first half of the stream.
func sparse(seed uint64, beta [3]float64, sd float64, groups, shards int, rows func(r *rand.Rand) int, exposure bool) []*cdf.Shard {
	r := rand.New(rand.NewPCG(seed, 7))
	u := make([]float64, groups)
	for g := range u {
		u[g] = sd * r.NormFloat64()
	}
	level, out := map[float64]int32{}, []*cdf.Shard{}
	for t := range shards {
		d := simulate.Data{Columns: make([][]float64, 5)}
		for range rows(r) {
			x1, x2, e := r.NormFloat64(), r.NormFloat64(), 1.0
			if exposure {
				e = 0.2 + 2.8*r.Float64()
			}
			g := r.IntN(min(groups, groups/3+2*groups*t/shards))
			y := simulate.Count(r, e*math.Exp(beta[0]+beta[1]*x1+beta[2]*x2+u[g]))
			for j, v := range [...]float64{x1, x2, float64(g), e, y} {
				d.Columns[j] = append(d.Columns[j], v)
			}
		}
		out = append(out, countShard(d, level))
	}
	return out
}

// scenario makes the shards of a simulated scenario.
func scenario(t testing.TB, name string, seed uint64, shards int) []*cdf.Shard {
	t.Helper()
	s, ok := simulate.Lookup(name)
	if !ok {
		t.Fatalf("no scenario %s", name)
	}
	level, out := map[float64]int32{}, []*cdf.Shard{}
	for n := range shards {
		out = append(out, countShard(s.Shard(seed, "k", int64(n+1), s.Rows), level))
	}
	return out
}

// together returns the rows of all shards as one.
func together(shards []*cdf.Shard) *cdf.Shard {
	all := &cdf.Shard{Cols: shards[0].Cols, Group: make([][]int32, len(shards[0].Group)), Slopes: make([][]float64, len(shards[0].Slopes))}
	for _, sh := range shards {
		all.Rows += sh.Rows
		all.X, all.Y, all.Offset = append(all.X, sh.X...), append(all.Y, sh.Y...), append(all.Offset, sh.Offset...)
		for f := range sh.Group {
			all.Group[f] = append(all.Group[f], sh.Group[f]...)
		}
		for f := range sh.Slopes {
			all.Slopes[f] = append(all.Slopes[f], sh.Slopes[f]...)
		}
	}
	return all
}

// distance is how far a stream's q is from the batch's, in the batch's sds.
type distance struct{ beta, rms, worst, low, high, su float64 }

func distances(t testing.TB, stream, batch *Model) distance {
	t.Helper()
	m1, v1 := qRows(t, stream)
	m2, v2 := qRows(t, batch)
	d := distance{low: math.Inf(1), su: math.Sqrt(batch.m[0] / stream.m[0])}
	for j := range m1 {
		z := math.Abs(m1[j]-m2[j]) / math.Sqrt(v2[j])
		if j >= stream.k {
			d.rms += z * z / float64(len(m1)-stream.k)
			d.worst = max(d.worst, z)
			continue
		}
		ratio := math.Sqrt(v1[j] / v2[j])
		d.beta, d.low, d.high = max(d.beta, z), min(d.low, ratio), max(d.high, ratio)
	}
	d.rms = math.Sqrt(d.rms)
	return d
}

func runStream(t testing.TB, s Settings, shards []*cdf.Shard) *Model {
	t.Helper()
	m := newTest(t, s, []string{"intercept", "x1", "x2"}, "group")
	d := modeltest.Stepper{Model: m}
	for _, sh := range shards {
		d.Must(t, sh, 1)
	}
	return m
}

// Rows P2 and P3: streams against the same model with all rows in one shard.
// The mean distance over the seeds is recorded: the largest of ten is some
// twice as far, where the first shards hold next to no events.
func TestAcceptanceBatch(t *testing.T) {
	twenty := func(*rand.Rand) int { return 20 }
	few := func(r *rand.Rand) int { return 2 + r.IntN(9) }
	for _, c := range []struct {
		id, name         string
		buffer           int
		shards           func(seed uint64) []*cdf.Shard
		reps             [3]int
		beta, rms, worst float64
		low, high, su    float64
	}{
		{"P2", "A", 0, func(seed uint64) []*cdf.Shard { return scenario(t, "poisson", seed, 100) }, [3]int{1, 3, 10}, .06, .12, .9, .98, 1.01, .02},
		{"P2", "B", 0, func(seed uint64) []*cdf.Shard { return scenario(t, "poisson-late", seed, 100) }, [3]int{1, 3, 10}, .06, .12, .9, .98, 1.01, .02},
		{"P3", "C", 0, func(seed uint64) []*cdf.Shard {
			return sparse(seed, [3]float64{-2, .5, -.5}, 1, 60, 300, twenty, true)
		}, [3]int{3, 3, 10}, .30, .30, 1.5, .92, 1.01, .08},
		{"P3", "D", 0, func(seed uint64) []*cdf.Shard {
			return sparse(seed, [3]float64{0, .5, -.5}, .7, 30, 1000, few, false)
		}, [3]int{1, 3, 10}, .30, .30, 1.5, .92, 1.01, .08},
		{"P3", "C, buffer 20", 20, func(seed uint64) []*cdf.Shard {
			return sparse(seed, [3]float64{-2, .5, -.5}, 1, 60, 300, twenty, true)
		}, [3]int{0, 2, 5}, .12, .14, 1.5, .92, 1.01, .08},
		{"P3", "D, buffer 20", 20, func(seed uint64) []*cdf.Shard {
			return sparse(seed, [3]float64{0, .5, -.5}, .7, 30, 1000, few, false)
		}, [3]int{0, 2, 5}, .30, .09, 1.5, .92, 1.01, .08},
	} {
		t.Run(c.name, func(t *testing.T) {
			reps := accept.Reps(t, c.reps[0], c.reps[1], c.reps[2])
			settings := plain()
			settings.Buffer = c.buffer
			n, mean := float64(reps), distance{}
			for seed := range reps {
				shards := c.shards(uint64(modeltest.FirstSeed + seed))
				stream := runStream(t, settings, shards)
				batch := runStream(t, plain(), []*cdf.Shard{together(shards)})
				d := distances(t, stream, batch)
				t.Logf("seed %d: %+v", modeltest.FirstSeed+seed, d)
				mean.beta, mean.rms, mean.worst = mean.beta+d.beta/n, mean.rms+d.rms/n, mean.worst+d.worst/n
				mean.low, mean.high, mean.su = mean.low+d.low/n, mean.high+d.high/n, mean.su+math.Abs(d.su-1)/n
			}
			seeds := fmt.Sprintf("seeds %d-%d", modeltest.FirstSeed, modeltest.FirstSeed+reps-1)
			accept.Range(t, c.id, c.name+": max |dz| of beta", mean.beta, 0, c.beta, seeds)
			accept.Range(t, c.id, c.name+": rms dz of u", mean.rms, 0, c.rms, seeds)
			accept.Range(t, c.id, c.name+": max |dz| of u", mean.worst, 0, c.worst, seeds)
			accept.Range(t, c.id, c.name+": least sd ratio of beta", mean.low, c.low, c.high, seeds)
			accept.Range(t, c.id, c.name+": greatest sd ratio of beta", mean.high, c.low, c.high, seeds)
			accept.Range(t, c.id, c.name+": su to batch, relative", mean.su, 0, c.su, seeds)
		})
	}
}
