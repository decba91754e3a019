package poisson

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// wideCore is a model of some groups that are crossed with as many of another factor as make a core of so many numbers, after some shards.
func wideCore(t *testing.T, core int) *Model {
	t.Helper()
	const groups = 7
	m, r := newTest(t, Defaults(), []string{"intercept", "x"}, "g", "h"), rand.New(rand.NewPCG(1, 32))
	d, others := modeltest.Stepper{Model: m}, core-2
	for range 4 {
		sh := &cdf.Shard{Rows: 4 * core, Cols: 2, Group: make([][]int32, 2)}
		for i := range sh.Rows {
			x := r.NormFloat64()
			sh.Group[0], sh.Group[1] = append(sh.Group[0], int32(i%groups)), append(sh.Group[1], int32(i/2%others))
			sh.X, sh.Y = append(sh.X, 1, x), append(sh.Y, math.Floor(3*math.Exp(.3*x+float64(i%groups)/5+float64(i%5)/10)*r.ExpFloat64()))
		}
		d.Must(t, sh, 1)
	}
	if m.stats.c != core {
		t.Fatalf("a core of %d, want %d", m.stats.c, core)
	}
	return m
}

// What levels leave of a wide core is what they leave one by one, but for rounding: also of more levels than are taken at a time.
func TestReduceWide(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 8))
	for _, c := range []int{wide, wide + 1, 70} {
		for _, levels := range []int{0, 1, 127, 128, 300} {
			s := randomStats(r, levels, c)
			var one, all reduced
			one.reset(1, c, false)
			all.reset(1, c, false)
			m := math.Exp(3 * r.NormFloat64())
			if s.reduceScalar(&one, m, nil, false) != s.reduceAll(&all, m) || one.logs != all.logs || one.count != all.count {
				t.Fatal("not the same verdict")
			}
			if !takeRounded(all.lam, one.lam) || !takeRounded(all.h, one.h) || !cdf.RoundedSame(all.quad, one.quad) {
				t.Errorf("c %d, %d levels: %v, want %v", c, levels, all.h, one.h)
			}
		}
	}
}

// Variances of rows of a wide core are those that solving for each row gives, but for rounding.
func TestVariancesOfAWideCore(t *testing.T) {
	for _, core := range []int{wide - 1, wide, 60} {
		m := wideCore(t, core)
		w := m.work()
		rows := blockRows + 5
		sh := &cdf.Shard{Rows: rows, Cols: 2, Group: make([][]int32, 2)}
		for i := range rows {
			sh.Group[0], sh.Group[1] = append(sh.Group[0], int32(i%3)), append(sh.Group[1], int32(i%(core-2)))
			sh.X, sh.Y = append(sh.X, 1, float64(i%7)-3), append(sh.Y, float64(i%4))
		}
		if !m.absorb(sh, w) {
			t.Fatal("not absorbed")
		}
		f := &w.fit
		want := make([]float64, f.rows.n)
		for i := range want {
			v := f.depends(f.now, i, f.xi)
			lin.SolveLower(core, f.now.core, f.xi)
			want[i] = v + lin.Dot(f.xi, f.xi)
		}
		if len(want) < rows {
			t.Fatalf("%d rows", len(want))
		}
		for i, v := range f.now.v {
			if !cdf.RoundedSame(v, want[i]) {
				t.Errorf("core %d, row %d has the variance %g, want %g", core, i, v, want[i])
			}
		}
		m.scratch.Put(w)
	}
}

// States of a wide core are the same where they differ by the order of operations alone; those of another sum are not, and a core that is not
// wide has one order.
func TestStatesOfAWideCore(t *testing.T) {
	for _, c := range []struct {
		name string
		core int
		far  float64
		same bool
	}{{"rounding", 40, 1e-13, true}, {"other sums", 40, 1e-6, false}, {"rounding of a core that is not wide", 20, 1e-13, false}} {
		m, o := wideCore(t, c.core), wideCore(t, c.core)
		for _, change := range []struct {
			name string
			of   []float64
		}{{"statistics of levels", o.stats.records}, {"precision", o.stats.lam}, {"moments", o.stats.h}, {"precisions of terms", o.m}, {"likelihood of the variance", o.over.like[:]}} {
			largest := 0
			for i, v := range change.of {
				if math.Abs(v) > math.Abs(change.of[largest]) {
					largest = i
				}
			}
			was := change.of[largest]
			change.of[largest] *= 1 + c.far
			want, err := o.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			copied := wideCore(t, c.core)
			same := copied.TakeRounded(o)
			if got, err := copied.AppendBinary(nil); err != nil || (same && bytes.Equal(got, want)) != c.same {
				t.Errorf("%s of %s: the same is %t, want %t; %v", c.name, change.name, same && bytes.Equal(got, want), c.same, err)
			}
			change.of[largest] = was
		}
		if before, err := m.AppendBinary(nil); err != nil || !m.TakeRounded(o) {
			t.Error("another state", err)
		} else if after, _ := m.AppendBinary(nil); !bytes.Equal(before, after) {
			t.Error("what is the same changes")
		}
	}
	if wideCore(t, 40).TakeRounded(wideCore(t, 41)) {
		t.Error("states of other cores are the same")
	}
}
