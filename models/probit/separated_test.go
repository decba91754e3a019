package probit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// levelled returns n rows of an intercept and a level, whose rows are spread over
// the first half and all 0.
func levelled(r *rand.Rand, n, rows int) *cdf.Shard {
	sh := &cdf.Shard{Rows: n, Cols: 2, X: make([]float64, 2*n), Y: make([]float64, n)}
	for i := range n {
		sh.X[2*i] = 1
		if r.NormFloat64() > 0 {
			sh.Y[i] = 1
		}
	}
	for _, i := range r.Perm(n / 2)[:rows] {
		sh.X[2*i+1], sh.Y[i] = 1, 0
	}
	return sh
}

// TestSeparatedLevel: a level of 12 rows, all 0, that have long left the newest 50
// of 400, against quadrature. Frozen, they left .63 of the sd. Averages of six
// seeds, of about .04 and .015: limits of three of these.
func TestSeparatedLevel(t *testing.T) {
	const seeds = 6
	s := windowOf(50)
	s.Prior.BetaVariance = 10
	var miss, ratio float64
	for seed := range uint64(seeds) {
		m := newTest(t, "corrected", s, dims(2, 512, true))
		sh, d := levelled(rand.New(rand.NewPCG(seed, 5)), 400, 12), driver(m)
		d.Seed = seed
		for from := 0; from < sh.Rows; from += 20 {
			d.Must(t, modeltest.Cut(sh, from, from+20), 1)
		}
		if m.rows() != 50 {
			t.Errorf("%d rows in a window of 50", m.rows())
		}
		g, row := findGrid(m, sh), modeltest.Summarize(t, m, betas(2))[1]
		miss += (row.Mean - g.mean[1]) / g.sd[1] / seeds
		ratio += row.SD / g.sd[1] / seeds
		if flags := m.AppendFlags(nil); !slices.Equal(flags, []string{separatedFlag}) {
			t.Errorf("the flags are %q", flags)
		}
	}
	t.Logf("the level's mean misses by %.3f sd, its sd by a factor of %.3f", miss, ratio)
	if !(math.Abs(miss) < .12) || !(math.Abs(ratio-1) < .05) {
		t.Errorf("the level's mean misses by %.3f sd, its sd by a factor of %.3f", miss, ratio)
	}
}

// TestSeparatedFlag: it takes ten rows of a column, lasts over a restart, and ends
// with the first row of the other class.
func TestSeparatedFlag(t *testing.T) {
	m := newTest(t, "corrected", windowOf(50), dims(2, 32, true))
	d := driver(m)
	level := func(y float64, n int) *cdf.Shard {
		sh := &cdf.Shard{Rows: n + 2, Cols: 2, X: []float64{1, 0, 1, 0}, Y: []float64{0, 1}}
		for range n {
			sh.X, sh.Y = append(sh.X, 1, 1), append(sh.Y, y)
		}
		return sh
	}
	for i, c := range []struct {
		y    float64
		rows int
		want bool
	}{{0, 9, false}, {0, 1, true}, {0, 100, true}, {1, 1, false}, {0, 100, false}} {
		d.Must(t, level(c.y, c.rows), 1)
		again := newTest(t, "corrected", windowOf(50), dims(2, 32, true))
		if err := again.UnmarshalBinary(modeltest.State(t, m)); err != nil {
			t.Fatal(err)
		}
		for _, m := range []*Model{m, again} {
			if got := len(m.AppendFlags(nil)) > 0; got != c.want {
				t.Errorf("shard %d: separated is %v, want %v", i+1, got, c.want)
			}
		}
	}
	// What is forgotten by more than half does not hold it.
	for range 40 {
		d.Must(t, level(0, 1), .5)
	}
	if len(m.AppendFlags(nil)) != 0 {
		t.Error("separated by the two rows that a factor of a half lets count")
	}
	if a := Defaults().Advise(separatedFlag); a == "" || Defaults().Advise("other") != "" || Defaults().Advise(cdf.MiscalibratedFlag) == cdf.Advise(cdf.MiscalibratedFlag) {
		t.Errorf("the advice is %q", a)
	}
}

func TestLeaving(t *testing.T) {
	for _, c := range []struct {
		name    string
		variant string
		xs      []float64 // of the first column; the second is not separated
		k       int
		want    []int
	}{
		{"nothing leaves", "corrected", []float64{1, 1, 0, 0}, 0, nil},
		{"the oldest, but the separated", "corrected", []float64{1, 0, 1, 0, 0, 0}, 3, []int{1, 3, 4}},
		{"half of the window at most", "corrected", []float64{1, 1, 1, 1, 0, 0}, 3, []int{0, 4, 5}},
		{"even for one row", "corrected", []float64{1, 1, 1, 1, 1, 0}, 1, []int{0}},
		{"all", "corrected", []float64{1, 1, 0, 0}, 4, []int{0, 1, 2, 3}},
		{"all are separated", "corrected", []float64{1, 1, 1, 1, 1, 1}, 2, []int{0, 1}},
		{"more than the others", "corrected", []float64{0, 1, 1, 1, 0, 0}, 4, []int{0, 1, 4, 5}},
		{"of both classes", "corrected", []float64{1, -1, 1, 0, 0, 0}, 3, []int{0, 1, 2}},
		{"the paper's rule", "paper", []float64{1, 0, 1, 0, 0, 0}, 3, []int{0, 1, 2}},
	} {
		m := newTest(t, c.variant, windowOf(6), dims(2, 32, false))
		for i, x := range c.xs {
			m.window.x = append(m.window.x, x, float64(1-2*(i%2)))
		}
		m.classes.add(m.window.x, 2)
		w := m.work()
		got := m.leaving(c.k, w)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: rows %v leave, want %v", c.name, got, c.want)
		}
		var left []float64
		for i, x := range c.xs {
			if !slices.Contains(got, i) {
				left = append(left, x, float64(1-2*(i%2)))
			}
		}
		m.window.drop(got, 2)
		if !slices.Equal(m.window.x, left) {
			t.Errorf("%s: %v is left, want %v", c.name, m.window.x, left)
		}
		m.scratch.Put(w)
	}
}
