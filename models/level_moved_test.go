package models

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// A level whose mean jumps by two or five sds of its rows has the flag, with about as many steps as there were since. One
// without a jump has it at no shard.
func TestLevelMoved(t *testing.T) {
	k, _ := Lookup("dlm")
	for _, c := range []struct {
		name      string
		phi, jump float64 // in sds
		seeds     int
		least     int // streams with the flag at last
	}{
		{"no jump", .8, 0, 6, 0}, {"no jump of a slow level", .99, 0, 6, 0}, {"two sds", .5, 2, 6, 5}, {"five sds", .5, 5, 6, 5},
	} {
		last, ever, near := 0, 0, 0
		for seed := range c.seeds {
			r := rand.New(rand.NewPCG(uint64(seed), 101))
			f := cdf.NewFilter(streamOf(k).spec(t, "corrected"), "k")
			const rows, shards, from = 40, 30, 500
			level, up, raised := 0., false, false
			for shard := range shards {
				y := make([]float64, rows)
				for i := range y {
					level = c.phi*level + .6*r.NormFloat64()
					y[i] = level + r.NormFloat64()
					if rows*shard+i >= from {
						y[i] += c.jump * math.Sqrt(1+.36/(1-c.phi*c.phi))
					}
				}
				sum, err := f.Update(&cdf.Batch{Rows: rows, Columns: []cdf.Column{{Name: "y", Number: y}}})
				if err != nil {
					t.Fatal(err)
				}
				up = slices.Contains(sum.Flags, cdf.LevelMovedFlag)
				raised = raised || up
			}
			if up != (f.LevelMoved() > 0) {
				t.Errorf("%s, seed %d: up %v, %v steps ago", c.name, seed, up, f.LevelMoved())
			}
			if raised {
				ever++
			}
			if up {
				last++
			}
			if math.Abs(rows*shards-f.LevelMoved()-from) < 50 {
				near++
			}
		}
		t.Logf("%s: %d of %d, at last %d, near %d", c.name, ever, c.seeds, last, near)
		if last < c.least || c.jump == 0 && ever > 0 || near < c.least-2 {
			t.Errorf("%s: up at any shard of %d, at last in %d, with about the time in %d of %d", c.name, ever, last, near, c.seeds)
		}
	}
}

// A key whose level moved has a state that releases before refuse, and that is read to the same bits.
func TestLevelMovedIsRestored(t *testing.T) {
	k, _ := Lookup("dlm")
	spec := streamOf(k).spec(t, "corrected")
	f, r, level := cdf.NewFilter(spec, "k"), rand.New(rand.NewPCG(3, 102)), 0.
	for shard := range 20 {
		y := make([]float64, 40)
		for i := range y {
			level = .5*level + .6*r.NormFloat64()
			y[i] = level + r.NormFloat64() + 8*math.Floor(float64(shard)/10)
		}
		if _, err := f.Update(&cdf.Batch{Rows: len(y), Columns: []cdf.Column{{Name: "y", Number: y}}}); err != nil {
			t.Fatal(err)
		}
	}
	snap, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	again := cdf.NewFilter(spec, "k")
	if err := again.UnmarshalBinary(snap); err != nil {
		t.Fatal(err)
	}
	back, err := again.MarshalBinary()
	if err != nil || !slices.Equal(back, snap) || again.LevelMoved() != f.LevelMoved() || f.LevelMoved() == 0 {
		t.Errorf("moved %v steps ago, and %v when it is read, error %v, the same bytes: %v", f.LevelMoved(), again.LevelMoved(), err, slices.Equal(back, snap))
	}
}
