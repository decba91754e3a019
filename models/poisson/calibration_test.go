package poisson

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/simulate"
)

// Row P6: coverage of 95 % intervals, 30 groups, 20 shards of 100 rows.
func TestAcceptanceCoverage(t *testing.T) {
	reps := accept.Reps(t, 0, 20, 100)
	beta := [3]float64{0.5, 0.3, -0.2}
	var inBeta, inU, inRows, rows float64
	for rep := range reps {
		r := rand.New(rand.NewPCG(uint64(modeltest.FirstSeed+rep), 11))
		u := make([]float64, 30)
		for g := range u {
			u[g] = 0.5 * r.NormFloat64()
		}
		m := newTest(t, plain(), []string{"intercept", "x1", "x2"}, "g")
		d := modeltest.Stepper{Model: m}
		for shard := range 20 {
			sh := &cdf.Shard{Rows: 100, Cols: 3, Group: [][]int32{make([]int32, 100)}}
			for i := range 100 {
				g, x1, x2 := i%30, r.NormFloat64(), r.NormFloat64()
				sh.Group[0][i] = int32(g)
				sh.X = append(sh.X, 1, x1, x2)
				sh.Y = append(sh.Y, simulate.Count(r, math.Exp(beta[0]+beta[1]*x1+beta[2]*x2+u[g])))
			}
			if shard > 0 {
				score, err := m.Score(sh, r)
				if err != nil {
					t.Fatal(err)
				}
				inRows += 100 * score.Coverage95
				rows += 100
			}
			d.Must(t, sh, 1)
		}
		for j, row := range modeltest.Summarize(t, m, everything(&m.base)) {
			switch {
			case j < 3 && row.Q025 <= beta[j] && beta[j] <= row.Q975:
				inBeta++
			case j >= 3 && j < 33 && row.Q025 <= u[j-3] && u[j-3] <= row.Q975:
				inU++
			}
		}
	}
	seeds := fmt.Sprintf("seeds %d-%d", modeltest.FirstSeed, modeltest.FirstSeed+reps-1)
	accept.Range(t, "P6", "coverage of beta", inBeta/float64(3*reps), .90, 1, seeds)
	accept.Range(t, "P6", "coverage of u", inU/float64(30*reps), .94, .99, seeds)
	accept.Range(t, "P6", "coverage of a new count", inRows/rows, .94, .96, seeds)
}

// Row P7: parameters from the prior beta ~ N(0, .25), s2 ~ IG(3, .5), data
// from them; the posterior probability below the truth is uniform. The
// Kolmogorov distance sqrt(n) D exceeds 2.2 in one of 8,000 runs per
// parameter. Four shards of 60 rows, 12 groups.
func TestAcceptanceCalibration(t *testing.T) {
	reps := accept.Reps(t, 0, 500, 2000)
	s := plain()
	s.Prior = Prior{BetaVariance: 0.25, Group: inverseGamma, GroupScale: 1, GroupShape: 3, GroupRate: 0.5}
	pits := make([][]float64, 4) // intercept, slope, u of the first group, s2
	for rep := range reps {
		r := rand.New(rand.NewPCG(uint64(rep), 12))
		s2 := 0.5 / (r.ExpFloat64() + r.ExpFloat64() + r.ExpFloat64())
		b0, b1 := 0.5*r.NormFloat64(), 0.5*r.NormFloat64()
		u := make([]float64, 12)
		for g := range u {
			u[g] = math.Sqrt(s2) * r.NormFloat64()
		}
		m := newTest(t, s, []string{"intercept", "x"}, "g")
		d := modeltest.Stepper{Model: m}
		for range 4 {
			sh := &cdf.Shard{Rows: 60, Cols: 2, Group: [][]int32{make([]int32, 60)}}
			for i := range 60 {
				x := r.NormFloat64()
				sh.Group[0][i] = int32(i % 12)
				sh.X = append(sh.X, 1, x)
				sh.Y = append(sh.Y, simulate.Count(r, math.Exp(b0+b1*x+u[i%12])))
			}
			d.Must(t, sh, 1)
		}
		w := m.work()
		for k, truth := range []float64{b0, b1, u[0]} {
			if _, err := m.locate(effect(k), &w.place); err != nil {
				t.Fatal(err)
			}
			m.mixAt(&w.place, 0, w)
			pits[k] = append(pits[k], w.mix.CDF(truth))
		}
		m.scratch.Put(w)
		v := &m.post.vars[0]
		i, _ := slices.BinarySearch(v.fine, math.Log(s2))
		pits[3] = append(pits[3], v.cum[min(i, len(v.cum)-1)])
	}
	n := float64(reps)
	for k, name := range []string{"intercept", "slope", "u", "sigma2_u"} {
		p := pits[k]
		slices.Sort(p)
		distance := 0.0
		for i, v := range p {
			distance = max(distance, v-float64(i)/n, float64(i+1)/n-v)
		}
		accept.Range(t, "P7", "sqrt(n) Kolmogorov distance of "+name, math.Sqrt(n)*distance, 0, 2.2, fmt.Sprintf("seeds 0-%d", reps-1))
	}
}

// overdispersed makes 60 groups of 24 rows, one group a shard, counts of about
// 100. The log rates vary by row with sd noise, the slopes by group with sd
// vary.
func overdispersed(seed uint64, noise, vary float64) []*cdf.Shard {
	r := rand.New(rand.NewPCG(seed, 13))
	var out []*cdf.Shard
	for g := range 60 {
		b0, b1, b2 := 4.6+0.4*r.NormFloat64(), 0.3+vary*r.NormFloat64(), -0.2+vary*r.NormFloat64()
		sh := &cdf.Shard{Rows: 24, Cols: 3, Group: [][]int32{make([]int32, 24)}}
		for i := range 24 {
			x1, x2 := r.NormFloat64(), r.NormFloat64()
			sh.Group[0][i] = int32(g)
			sh.X = append(sh.X, 1, x1, x2)
			sh.Y = append(sh.Y, simulate.Count(r, math.Exp(b0+b1*x1+b2*x2+noise*r.NormFloat64())))
		}
		out = append(out, sh)
	}
	return out
}

// Row P8: counts that vary more than Model ones. The error of the slopes in
// posterior sds, root mean square, and the distance of the stream to its
// batch. Slopes that vary by group and are not in the model leave an error of
// 2.7 sds also with effects of the rows' own: these see 1,440 rows where there
// are 60 groups.
func TestAcceptanceOverdispersion(t *testing.T) {
	reps := accept.Reps(t, 0, 5, 20)
	seeds := fmt.Sprintf("seeds %d-%d", modeltest.FirstSeed, modeltest.FirstSeed+reps-1)
	for _, c := range []struct {
		option          string
		buffer          int
		noise, vary     float64
		low, high       float64
		distance        float64
		s2eLow, s2eHigh float64
	}{
		{"none", 0, .6, 0, 4, 30, 4, 0, 0},
		{lognormal, 0, .6, 0, .6, 1.5, 1.5, .56, .64},
		{lognormal, 5, .6, 0, .6, 1.5, .5, .56, .64},
		{"none", 0, .4, .4, 10, 60, 4, 0, 0},
		{lognormal, 5, .4, .4, 1, 4, .8, .6, .75},
	} {
		s := plain()
		s.Overdispersion, s.Buffer = c.option, c.buffer
		errors, far, s2e := 0.0, 0.0, 0.0
		for rep := range reps {
			shards := overdispersed(uint64(modeltest.FirstSeed+rep), c.noise, c.vary)
			m := runStream(t, s, shards)
			rows := modeltest.Summarize(t, m, everything(&m.base))
			for j, truth := range []float64{0.3, -0.2} {
				z := (rows[1+j].Mean - truth) / rows[1+j].SD
				errors += z * z / float64(2*reps)
			}
			batch := s
			batch.Buffer = 0
			far += distances(t, m, runStream(t, batch, []*cdf.Shard{together(shards)})).beta / float64(reps)
			s2e += math.Sqrt(m.over.s2) / float64(reps)
		}
		what := fmt.Sprintf("noise %g, slopes vary by %g, overdispersion %s, buffer %d", c.noise, c.vary, c.option, c.buffer)
		accept.Range(t, "P8", what+": error of the slopes in sd", math.Sqrt(errors), c.low, c.high, seeds)
		accept.Range(t, "P8", what+": max |dz| to batch", far, 0, c.distance, seeds)
		accept.Range(t, "P8", what+": sd of the rows' effects", s2e, c.s2eLow, c.s2eHigh, seeds)
	}
}
