package poisson

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/simulate"
)

// crossing is a model of a shard of groups with a slope, or not, crossed with other levels.
func crossing(t *testing.T, seed uint64, groups, levels, rows int, slope bool) *Model {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 71))
	d := cdf.Dims{Columns: []string{"intercept", "x"}, Intercept: true, Groups: []cdf.Group{{Column: "g"}}}
	sh := &cdf.Shard{Rows: rows, Cols: 2, Group: [][]int32{nil}}
	if slope {
		d.Groups[0].Slopes = []string{"x"}
		sh.Slopes = [][]float64{nil}
	}
	if levels > 0 {
		d.Groups, sh.Group = append(d.Groups, cdf.Group{Column: "h"}), append(sh.Group, nil)
	}
	s := Defaults()
	s.Overdispersion = none
	m, err := New(s, d)
	if err != nil {
		t.Fatal(err)
	}
	effects := make([]float64, 2*groups+levels)
	for i := range effects {
		effects[i] = .7 * r.NormFloat64()
	}
	for range rows {
		g, x := r.IntN(groups), r.NormFloat64()
		eta := 1 + .2*x + effects[g]
		sh.X, sh.Group[0] = append(sh.X, 1, x), append(sh.Group[0], int32(g))
		if slope {
			eta += effects[groups+g] * x
			sh.Slopes[0] = append(sh.Slopes[0], x)
		}
		if levels > 0 {
			h := r.IntN(levels)
			eta += effects[2*groups+h]
			sh.Group[1] = append(sh.Group[1], int32(h))
		}
		sh.Y = append(sh.Y, simulate.Count(r, math.Exp(eta)))
	}
	step := modeltest.Stepper{Model: m}
	step.Must(t, sh, 1)
	return m
}

// With several variances beta and the effects have the means and sds of a dense grid over these.
func TestSeveralVariances(t *testing.T) {
	for _, c := range []struct {
		groups, levels, rows int
		slope                bool
	}{{8, 4, 80, false}, {12, 3, 150, false}, {10, 0, 150, true}, {40, 6, 300, false}, {6, 4, 120, true}} {
		for seed := range uint64(3) {
			m := crossing(t, seed, c.groups, c.levels, c.rows, c.slope)
			name := fmt.Sprintf("%+v, seed %d, %d normals", c, seed, len(m.post.gauss))
			mean, sd := denseGrid(t, m)
			worst, off := 0., 0.
			for j := range mean {
				row := modeltest.Summarize(t, m, []cdf.Functional{effect(j)})[0]
				worst, off = max(worst, math.Abs(row.SD/sd[j]-1)), max(off, math.Abs(row.Mean-mean[j])/sd[j])
			}
			t.Logf("%s: sds off by %.3f, means by %.3f sds", name, worst, off)
			if worst > .03 || off > .005 {
				t.Errorf("%s: sds are off by %.3f of them, means by %.3f sds", name, worst, off)
			}
		}
	}
}

// A factor of few levels is integrated beside one of many, whose core leaves room for fewer normals.
func TestSeveralVariancesOfALargeCore(t *testing.T) {
	for _, levels := range []int{40, 190} {
		m := newTest(t, plain(), []string{"intercept"}, "g", "h", "q")
		groups := levels + 10
		r := rand.New(rand.NewPCG(1, 73))
		sh := &cdf.Shard{Rows: 2 * groups, Cols: 1, Group: make([][]int32, 3)}
		for i := range sh.Rows {
			for k, n := range []int{groups, levels, 5} {
				sh.Group[k] = append(sh.Group[k], int32(i/(k+1)%n))
			}
			sh.X, sh.Y = append(sh.X, 1), append(sh.Y, simulate.Count(r, 3))
		}
		(&modeltest.Stepper{Model: m}).Must(t, sh, 1)
		modeltest.Summarize(t, m, []cdf.Functional{effect(0)})
		if got := len(m.post.gauss); got < 6 || got > mostOfTerms || got*m.stats.c*m.stats.c > termsNumbers {
			t.Errorf("%d levels: %d normals of a core of %d", levels, got, m.stats.c)
		}
	}
}

// denseGrid integrates means and variances of beta and the effects over the variances.
func denseGrid(t *testing.T, m *Model) (mean, sd []float64) {
	t.Helper()
	w := m.work()
	defer m.scratch.Put(w)
	steps := map[int]int{2: 33, 3: 15}[m.terms]
	at, total, top := make([]int, m.terms), 0., math.Inf(-1)
	xi, s2 := make([]float64, m.stats.c), make([]float64, m.terms)
	var means, squares []float64
	for {
		prior := 0.
		for i, k := range at {
			v := &m.post.vars[i]
			l := v.l[0] + float64(k)/float64(steps-1)*(v.l[nodes-1]-v.l[0])
			s2[i] = math.Exp(-l)
			prior += m.logPrior(l) + math.Log(v.l[nodes-1]-v.l[0])
		}
		var g gauss
		if !g.conditional(&m.shape, &m.stats, s2, w) {
			t.Fatal("no normal")
		}
		if log := g.log + prior; log > top {
			for j := range means {
				means[j] *= math.Exp(top - log)
				squares[j] *= math.Exp(top - log)
			}
			total *= math.Exp(top - log)
			top = log
		}
		weight := math.Exp(g.log + prior - top)
		total += weight
		for j := range m.k + m.stats.effects() {
			if _, err := m.locate(effect(j), &w.place); err != nil {
				t.Fatal(err)
			}
			a, v := g.at(&m.stats, &w.place, xi, &w.block)
			if len(means) == j {
				means, squares = append(means, 0), append(squares, 0)
			}
			means[j] += weight * a
			squares[j] += weight * (v + a*a)
		}
		i := 0
		for ; i < len(at); i++ {
			if at[i]++; at[i] < steps {
				break
			}
			at[i] = 0
		}
		if i == len(at) {
			break
		}
	}
	for j := range means {
		mean = append(mean, means[j]/total)
		sd = append(sd, math.Sqrt(squares[j]/total-mean[j]*mean[j]))
	}
	return mean, sd
}
