package anova

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/internal/dist"
)

// levels is a filter's worth of groups with few rows each: group j has
// 1 + j%4 of them, its level comes from N(0, spread^2) and rows from N(level, 1).
func levels(r *rand.Rand, groups int, spread float64) *cdf.Shard {
	sh := rowsOf(nil)
	for j := range groups {
		level := spread * r.NormFloat64()
		for range 1 + j%4 {
			sh.Group[0] = append(sh.Group[0], int32(j))
			sh.Y = append(sh.Y, level+r.NormFloat64())
		}
	}
	sh.Rows = len(sh.Y)
	return sh
}

// What the state tells of a level has the mean and sd that were published,
// and normal quantiles. Their distance from those of the law itself, an
// average over the draws of tau2 of normal laws, is small with many groups,
// which settle tau2, and considerable with five.
func TestStateSummary(t *testing.T) {
	for _, c := range []struct {
		groups       int
		spread, most float64 // of the groups' levels; the distance in sds
	}{{1200, 1, .01}, {1200, .3, .05}, {5, 1, .5}} {
		for _, variant := range []string{"corrected", "paper"} {
			t.Run(fmt.Sprintf("%s/%d/%g", variant, c.groups, c.spread), func(t *testing.T) {
				m := newVariant(t, variant, weak)
				s := &cdf.Step{Forget: 1, Draws: drawsFor(2000, c.groups), RNG: rand.New(rand.NewPCG(81, 4))}
				s.Shard = levels(rand.New(rand.NewPCG(81, 5)), c.groups, c.spread)
				m.Blocks()[0].Absorb(s)
				if err := m.Blocks()[0].Sample(s); err != nil {
					t.Fatal(err)
				}
				var exact func(level int, y float64) float64
				if a, ok := m.(*Model); ok {
					exact = levelLaw(a, s.Draws.Row(tau2Row), s.Draws.Row(sigma2Row))
				} else if err := m.Blocks()[1].Sample(s); err != nil {
					t.Fatal(err)
				}
				checkRecall(t, m, c.most, exact)
			})
		}
	}
}

// checkRecall compares what the state tells with what was said, and its
// quantiles with a distribution function per level where one is given.
func checkRecall(t *testing.T, m cdf.Model, most float64, exact func(level int, y float64) float64) {
	t.Helper()
	f := functionals(m)
	for i := range f {
		f[i].Const, f[i].Weight[0] = 7, -2
	}
	said := modeltest.Summarize(t, m, f)
	told := make([]cdf.Row, len(f))
	for i := range told {
		for _, v := range told[i].Numbers() {
			*v = math.NaN()
		}
	}
	if err := m.(cdf.StateSummarizer).SummarizeState(f, told); err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for i := range f {
		r := &told[i]
		if i < zetaRow {
			if !math.IsNaN(r.Median) {
				t.Errorf("%+v: the state does not tell it", *r)
			}
			continue
		}
		if r.Mean != said[i].Mean || r.SD != said[i].SD || r.Open || !math.IsNaN(r.MCSEMean) || !math.IsNaN(r.RHat) {
			t.Fatalf("%+v, published was %+v", *r, said[i])
		}
		for k, q := range [...]float64{r.Q025, r.Q05, r.Q25, r.Median, r.Q75, r.Q95, r.Q975} {
			p := normal.CDF(dist.NormalQuantiles[k])
			if math.Abs((q-r.Mean)/r.SD-dist.NormalQuantiles[k]) > 1e-9 {
				t.Fatalf("%+v: quantile %g is not normal", *r, p)
			}
			if exact != nil && i < zetaRow+40 {
				worst = max(worst, math.Abs(normal.Quantile(exact(i-zetaRow, (7-q)/2))+dist.NormalQuantiles[k]))
			}
		}
	}
	if t.Logf("quantiles at most %.4f sd apart", worst); worst > most {
		t.Errorf("a quantile is %.4f sd off, want at most %g", worst, most)
	}
}

// levelLaw returns the distribution functions of the levels: averages over draws
// of the variances of the normal laws with mu, under its flat prior, integrated out.
func levelLaw(m *Model, tau2, sigma2 []float64) func(level int, y float64) float64 {
	type mu struct{ s2, r, mean, v float64 }
	laws := make([]mu, len(tau2))
	for i, v := range tau2 {
		s2 := sigma2[i]
		r, weights, sum := s2/v, 0.0, 0.0
		for j, n := range m.n {
			w := 1 / (v + s2/n)
			weights += w
			sum += w * m.ybar[j]
		}
		laws[i] = mu{s2, r, sum / weights, 1 / weights}
	}
	return func(level int, y float64) float64 {
		n, p := m.n[level], 0.0
		for _, l := range laws {
			b := l.r / (n + l.r)
			mean, v := m.ybar[level]+b*(l.mean-m.ybar[level]), l.s2/(n+l.r)+b*b*l.v
			p += normal.CDF((y-mean)/math.Sqrt(v)) / float64(len(laws))
		}
		return p
	}
}

// Draws that nobody reads are not kept, and nothing else changes.
func TestUnreadDraws(t *testing.T) {
	for _, variant := range []string{"corrected", "paper"} {
		t.Run(variant, func(t *testing.T) {
			const groups = 1100
			spec := modeltest.Spec(t, Kind(), variant, cdf.Roles{Scaling: "none", Groups: []cdf.Group{{Column: "g"}}}, modeltest.Set(Settings{weak}))
			spec.Seed, spec.Draws, spec.Publish.Groups, spec.Publish.Draws = 3, 20, "none", true
			all := *spec
			all.Publish.Groups = "touched"
			few, many := cdf.NewFilter(spec, "k"), cdf.NewFilter(&all, "k")
			sh := levels(rand.New(rand.NewPCG(82, 5)), groups, 1)
			b := &cdf.Batch{Rows: sh.Rows, Columns: []cdf.Column{{Name: "g", Type: cdf.Integer}, {Name: "y", Number: sh.Y}}}
			for _, g := range sh.Group[0] {
				b.Columns[0].Int = append(b.Columns[0].Int, int64(g))
				b.Columns[0].Number = append(b.Columns[0].Number, float64(g))
			}
			for range 3 {
				less, err := few.Update(b)
				if err != nil {
					t.Fatal(err)
				}
				more, err := many.Update(b)
				if err != nil {
					t.Fatal(err)
				}
				if len(less.Rows) != 3 || len(more.Rows) != 3+groups || fmt.Sprint(less.Rows) != fmt.Sprint(more.Rows[:3]) {
					t.Fatalf("%v and %v", less.Rows, more.Rows[:3])
				}
				if d := few.LastDraws(); len(d.Data) != 3*20 {
					t.Errorf("%d numbers of three variables", len(d.Data))
				}
				one, err := few.AppendBinary(nil)
				if err != nil {
					t.Fatal(err)
				}
				if two, err := many.AppendBinary(nil); err != nil || !bytes.Equal(one, two) {
					t.Fatalf("the states differ (%v)", err)
				}
			}
		})
	}
}
