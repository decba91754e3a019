package cdf_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// Rows that lack something are counted by what they lack first, whatever the cuts, the
// restarts and the refused shards.
func TestDropsAreWhatWasPutIn(t *testing.T) {
	nan := math.NaN()
	roles := cdf.Roles{
		Features: []cdf.Feature{{Name: "x"}, {Name: "d", Levels: []string{"a", "b"}, Other: "drop"}},
		Groups:   []cdf.Group{{Column: "g", Slopes: []string{"s"}}}, Exposure: "e",
	}
	spec, _, _ := recording(roles)
	spec.Limits.Rows = 0
	rng := rand.New(rand.NewPCG(3, 5))
	f, want, all := cdf.NewFilter(spec, "k"), map[string]int64{}, int64(0)
	for shard := range 40 {
		y, x, s, e := num("y"), num("x"), num("s"), num("e")
		var d, g []string
		var here int64
		for range 1 + rng.IntN(9) {
			row := [...]struct {
				name, reason string
				bad          bool
			}{
				{"x", "missing", rng.IntN(9) == 0}, {"d", "unlisted", rng.IntN(9) == 0}, {"d", "missing", rng.IntN(9) == 0},
				{"s", "missing", rng.IntN(9) == 0}, {"e", "missing", rng.IntN(9) == 0}, {"g", "missing", rng.IntN(9) == 0},
			}
			number := func(i int) float64 {
				if row[i].bad {
					return nan
				}
				return 1
			}
			level := "b"
			if row[1].bad {
				level = "q"
			}
			if row[2].bad && !row[1].bad {
				level = "-"
			}
			group := "h"
			if row[5].bad {
				group = "-"
			}
			y.Number = append(y.Number, 2)
			x.Number, s.Number, e.Number = append(x.Number, number(0)), append(s.Number, number(3)), append(e.Number, number(4))
			d, g = append(d, level), append(g, group)
			for _, c := range row {
				if c.bad {
					want[c.name+" "+c.reason]++
					here++
					break
				}
			}
		}
		b := batch(y, x, s, e, text("d", d...), text("g", g...))
		if shard%5 == 3 { // refused, which counts nothing
			b.Columns[0].Number[0] = math.Inf(1)
			if _, err := f.Update(b); !errors.Is(err, cdf.ErrShard) || f.LastDrops() != nil {
				t.Fatalf("shard %d: %v, %v", shard, err, f.LastDrops())
			}
			b.Columns[0].Number[0] = 2
		}
		sum := take(t, f, b)
		if all += here; sum.Dropped != here || total(f.LastDrops()) != here || total(sum.Drops) != all {
			t.Fatalf("shard %d: dropped %d, %v of it, %v so far; want %d and %d", shard, sum.Dropped, f.LastDrops(), sum.Drops, here, all)
		}
		f = loaded(t, cdf.NewFilter(spec, "k"), state(t, f))
	}
	sum, err := f.Summary()
	if err != nil {
		t.Fatal(err)
	}
	if got := counts(sum.Drops); fmt.Sprint(got) != fmt.Sprint(want) || len(got) != 6 {
		t.Errorf("dropped %v, put in %v", got, want)
	}
	if !slices.IsSortedFunc(sum.Drops, func(a, b cdf.Drop) int {
		return bytes.Compare([]byte(a.Column+" "+a.Reason), []byte(b.Column+" "+b.Reason))
	}) {
		t.Errorf("not in order: %v", sum.Drops)
	}
}

func total(list []cdf.Drop) (n int64) {
	for _, d := range list {
		n += d.Rows
	}
	return n
}

func counts(list []cdf.Drop) map[string]int64 {
	m := map[string]int64{}
	for _, d := range list {
		m[d.Column+" "+d.Reason] = d.Rows
	}
	return m
}

// A shard that is taken back takes its counts with it.
func TestDropsAreTakenBack(t *testing.T) {
	spec, _, _ := recording(cdf.Roles{})
	f := cdf.NewFilter(spec, "k")
	one := func() *cdf.Batch { return batch(num("y", 1, 2), num("x", math.NaN(), 1)) }
	take(t, f, one())
	before := state(t, f)
	take(t, f, one())
	if err := f.Revert(); err != nil {
		t.Fatal(err)
	}
	if sum, _ := f.Summary(); total(sum.Drops) != 1 || !bytes.Equal(state(t, f), before) {
		t.Errorf("dropped %v", sum.Drops)
	}
}

// Only a state that dropped rows has the counts, and one that did before they were
// counted still loads.
func TestSnapshotsOfDrops(t *testing.T) {
	spec, _, _ := recording(cdf.Roles{})
	f := cdf.NewFilter(spec, "k")
	take(t, f, batch(num("y", 1, 2), num("x", 3, 1)))
	if b := state(t, f); b[4] != 1 {
		t.Errorf("version %d where nothing was dropped", b[4])
	}
	take(t, f, batch(num("y", 1, 2), num("x", math.NaN(), 1)))
	b := state(t, f)
	if b[4] != 2 {
		t.Fatalf("version %d", b[4])
	}
	counts := []byte{1, 1, 'x', 0, 2} // one: of "x", missing, 1 row
	at := bytes.Index(b, counts)
	if at < 0 || bytes.Count(b, counts) != 1 {
		t.Fatalf("%x", b)
	}
	sealed := func(b []byte) []byte {
		return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
	}
	old := slices.Concat(b[:at], b[at+len(counts):len(b)-4])
	old[4] = 1
	g := loaded(t, cdf.NewFilter(spec, "k"), sealed(old))
	if sum, err := g.Summary(); err != nil || sum.Dropped != 1 || sum.Drops != nil || sum.N != 3 {
		t.Errorf("from before: %+v, %v", sum, err)
	}
	for name, bad := range map[string][]byte{
		"no rows": {1, 1, 'x', 0, 0}, "a reason of another build": {1, 1, 'x', 9, 2}, "none": {0},
		"twice": {2, 1, 'x', 0, 2, 1, 'x', 0, 2},
	} {
		if err := g.UnmarshalBinary(sealed(slices.Concat(b[:at], bad, b[at+len(counts):len(b)-4]))); !errors.Is(err, cdf.ErrSnapshot) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
