package models

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// levelShards returns shards of a level with errors that noise draws, to which season is added, by step; of the steps those that skip
// wants are left out, and there is a column of time.
func levelShards(seed uint64, shards, rows int, noise func(*rand.Rand) float64, season func(step int) float64, skip func(*rand.Rand) bool) []*cdf.Batch {
	r, level, step := rand.New(rand.NewPCG(seed, 84)), 0., 0
	all := make([]*cdf.Batch, shards)
	for i := range all {
		time, steps, y := make([]float64, rows), make([]int64, rows), make([]float64, rows)
		for j := range y {
			for step++; ; step++ {
				level = .9*level + .5*r.NormFloat64()
				if !skip(r) {
					break
				}
			}
			time[j], steps[j], y[j] = float64(step), int64(step), level+noise(r)+season(step)
		}
		all[i] = &cdf.Batch{Rows: rows, Columns: []cdf.Column{{Name: "t", Type: cdf.Integer, Number: time, Int: steps}, {Name: "y", Number: y}}}
	}
	return all
}

// A level without a season has the flag at no shard, whatever its noise and where steps are missing; one that follows a day has it after
// ten days, and its period.
func TestSeasonOfALevel(t *testing.T) {
	normal := (*rand.Rand).NormFloat64
	heavy := func(r *rand.Rand) float64 {
		return r.NormFloat64() / math.Sqrt((r.ExpFloat64()*2+math.Pow(r.NormFloat64(), 2))/3)
	}
	none, all := func(int) float64 { return 0 }, func(*rand.Rand) bool { return false }
	third := func(r *rand.Rand) bool { return r.Float64() < 1./3 }
	day := func(step int) float64 { return 2 * math.Sin(2*math.Pi*float64(step)/24) }
	k, _ := Lookup("dlm")
	for name, c := range map[string]struct {
		noise  func(*rand.Rand) float64
		season func(int) float64
		skip   func(*rand.Rand) bool
		told   bool
	}{
		"a level":         {normal, none, all, false},
		"heavy tails":     {heavy, none, all, false},
		"missing steps":   {normal, none, third, false},
		"a day":           {normal, day, all, true},
		"a day with gaps": {normal, day, third, true},
	} {
		spec := streamOf(k)
		for seed := range uint64(20) {
			s := spec.spec(t, "corrected")
			s.Columns.Time = "t"
			f, ever, last := cdf.NewFilter(s, "k"), false, false
			for _, b := range levelShards(seed, 20, 24, c.noise, c.season, c.skip) {
				sum, err := f.Update(b)
				if err != nil {
					t.Fatal(err)
				}
				last = slices.Contains(sum.Flags, cdf.SeasonFlag)
				ever = ever || last
			}
			if ever != c.told || last != c.told {
				t.Errorf("%s, seed %d: ever %v, at last %v", name, seed, ever, last)
			}
			if period := f.Season(); c.told && math.Abs(period-24) > 1 {
				t.Errorf("%s, seed %d: a period of %v steps", name, seed, period)
			}
		}
	}
}

// Rows that all have the time of the last row are no step, and tell nothing of a season: the state of a key whose judged rows are
// such can be read.
func TestRowsOfOneTime(t *testing.T) {
	k, _ := Lookup("dlm")
	spec := streamOf(k).spec(t, "corrected")
	spec.Columns.Time = "t"
	f := cdf.NewFilter(spec, "k")
	for shard := range 12 {
		const rows = 20
		b := &cdf.Batch{Rows: rows, Columns: []cdf.Column{
			{Name: "t", Type: cdf.Integer, Number: make([]float64, rows), Int: make([]int64, rows)}, {Name: "y", Number: make([]float64, rows)},
		}}
		for i := range rows {
			at := 7
			if shard > 8 {
				at = rows*shard + i
			}
			b.Columns[0].Number[i], b.Columns[0].Int[i] = float64(at), int64(at)
			b.Columns[1].Number[i] = math.Sin(float64(i + 20*shard))
		}
		if _, err := f.Update(b); err != nil {
			t.Fatal(err)
		}
		snap, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if err := cdf.NewFilter(spec, "k").UnmarshalBinary(snap); err != nil {
			t.Fatalf("after shard %d: %v", shard+1, err)
		}
	}
}
