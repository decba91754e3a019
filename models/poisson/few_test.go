package poisson

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// The rule has the moments of the weights, of even ones and of random ones, also of a
// law to one side of its end; weights are positive and sum to 1.
func TestFewHaveTheMoments(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 8))
	var f few
	for trial := range 200 {
		n := enough + r.IntN(nodes-enough)
		l, wt := make([]float64, n), make([]float64, n)
		scale, total := .05+.1*r.Float64(), 0.0
		for i := range l {
			x := 10*float64(i)/float64(n-1) - 5
			l[i] = -3 + scale*x
			wt[i] = math.Exp(-x * x / 2)
			switch trial % 3 {
			case 1:
				wt[i] *= .1 + r.Float64()
			case 2:
				wt[i] = math.Exp(-2 * (x + 5))
			}
			total += wt[i]
		}
		for i := range wt {
			wt[i] /= total
		}
		if !f.find(l, wt) {
			t.Fatalf("no rule of %d weights", n)
		}
		for degree := range 2 * len(f.at) {
			want, got, size := 0.0, 0.0, 0.0
			for i, w := range wt {
				v := math.Pow((l[i]+3)/scale, float64(degree))
				want += w * v
				size += w * math.Abs(v)
			}
			for k, w := range f.wt {
				if !(w > 0) {
					t.Fatalf("weights %v", f.wt)
				}
				got += w * math.Pow((f.at[k]+3)/scale, float64(degree))
			}
			if !(math.Abs(got-want) < 1e-9*size) {
				t.Errorf("trial %d, %d points, degree %d: %v, want %v", trial, len(f.at), degree, got, want)
			}
		}
	}
	for _, bad := range []float64{0, .3, math.NaN()} {
		l, wt := make([]float64, enough), make([]float64, enough)
		for i := range l {
			l[i], wt[i] = bad*4*float64(i%2), 1./enough
		}
		if f.find(l, wt) {
			t.Errorf("a rule at an sd of %v", 2*bad)
		}
	}
}

// What is described by few normals is described so by all, at few groups and many,
// before rows and with many of them; few do from some hundred groups on.
func TestFewDescribeAsAll(t *testing.T) {
	for _, c := range []struct{ groups, rows, columns, few int }{
		{2, 4, 2, 0}, {20, 60, 2, 0}, {60, 600, 2, 12}, {400, 400, 2, 12}, {400, 4000, 4, 12}, {1000, 3000, 1, 10}, {5000, 5000, 3, 10},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			work := newWork(t, c.groups, c.rows, c.columns)
			for range 2 {
				work.Update(t)
			}
			m := work.Model.(*Model)
			w := m.work()
			defer m.scratch.Put(w)
			if err := m.prepare(w); err != nil {
				t.Fatal(err)
			}
			if len(m.post.few) != c.few {
				t.Errorf("%d normals of %d, want %d", len(m.post.few), len(m.post.wt), c.few)
			}
			for j := range min(c.groups, 100) {
				f := cdf.Functional{Param: []int{j}, Weight: []float64{1 + float64(j%3)}, Const: float64(j % 2 * 1000)}
				if _, err := m.locate(f, &w.place); err != nil {
					t.Fatal(err)
				}
				m.mixAt(&w.place, 0, w)
				mean, sd := w.mix.Moments()
				want := w.mix.Quantiles()
				m.mixFew(&w.place, w)
				gotMean, gotSD := w.mix.Moments()
				got := w.mix.Quantiles()
				tolerance := 2e-11*sd + 1e-15*f.Const
				if !(math.Abs(gotMean-mean) < tolerance && math.Abs(gotSD-sd) < tolerance) {
					t.Errorf("parameter %d: mean %v and sd %v, want %v and %v", j, gotMean, gotSD, mean, sd)
				}
				for k := range got {
					if !(math.Abs(got[k]-want[k]) < tolerance) {
						t.Errorf("parameter %d: quantile %d is %v, want %v", j, k, got[k], want[k])
					}
				}
			}
		})
	}
}

// Once forgetting has made the law of the variance wide again all normals describe.
func TestFewEnd(t *testing.T) {
	work := newWork(t, 400, 400, 2)
	m := work.Model.(*Model)
	normals := func() int {
		w := m.work()
		defer m.scratch.Put(w)
		if err := m.prepare(w); err != nil {
			t.Fatal(err)
		}
		return len(m.post.few)
	}
	if work.Update(t); normals() == 0 {
		t.Fatal("no few normals to begin with")
	}
	work.Step.Forget = .02
	work.Step.Shard = &cdf.Shard{Rows: 1, Cols: 2, X: []float64{1, 0}, Y: []float64{1}, Group: [][]int32{{0}}}
	if work.Update(t); normals() != 0 {
		t.Errorf("%d normals at an sd of %v", normals(), m.post.vars[0].spread())
	}
}
