package probit

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// coded returns the shard with 0 and 1 of its second column as other numbers.
func coded(sh *cdf.Shard, zero, one float64) *cdf.Shard {
	other := *sh
	other.X = slices.Clone(sh.X)
	for i := range sh.Rows {
		other.X[2*i+1] = zero + (one-zero)*sh.X[2*i+1]
	}
	return &other
}

// TestSeparatedCodings: a level of 12 rows, all 0, as TestSeparatedLevel has it, in other codings, against quadrature. Without
// bases the sd is .65 to .73 of the right one, and nothing says so.
func TestSeparatedCodings(t *testing.T) {
	const seeds = 6
	for _, c := range []struct{ zero, one float64 }{{1, 2}, {-.17, 5.7}, {1, 0}} {
		s := windowOf(50)
		s.Prior.BetaVariance = 10 / ((c.one - c.zero) * (c.one - c.zero))
		var miss, ratio float64
		for seed := range uint64(seeds) {
			m := newTest(t, "corrected", s, dims(2, 512, true))
			sh := coded(levelled(rand.New(rand.NewPCG(seed, 5)), 400, 12), c.zero, c.one)
			d := driver(m)
			d.Seed = seed
			for from := 0; from < sh.Rows; from += 20 {
				d.Must(t, modeltest.Cut(sh, from, from+20), 1)
			}
			g, row := findGrid(m, sh), modeltest.Summarize(t, m, betas(2))[1]
			miss += (row.Mean - g.mean[1]) / g.sd[1] / seeds
			ratio += row.SD / g.sd[1] / seeds
			if flags := m.AppendFlags(nil); !slices.Equal(flags, []string{separatedFlag}) {
				t.Errorf("%+v: the flags are %q", c, flags)
			}
		}
		t.Logf("%+v: the mean misses by %.3f sd, the sd by a factor of %.3f", c, miss, ratio)
		if !(math.Abs(miss) < .15) || !(math.Abs(ratio-1) < .08) {
			t.Errorf("%+v: the mean misses by %.3f sd, the sd by a factor of %.3f", c, miss, ratio)
		}
	}
}

// What is known of bases lasts over a restart, takes its own part in a state only where it must, and ends with a row
// of the other response, or with forgetting.
func TestBasesInAState(t *testing.T) {
	m, r := newTest(t, "corrected", windowOf(50), dims(2, 32, true)), rand.New(rand.NewPCG(1, 9))
	d := driver(m)
	again := func() *Model {
		t.Helper()
		state := modeltest.State(t, m)
		other := newTest(t, "corrected", windowOf(50), dims(2, 32, true))
		if err := other.UnmarshalBinary(state); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(modeltest.State(t, other), state) || other.anySeparated() != m.anySeparated() {
			t.Errorf("a state that is read is another: separated is %v, it was %v", other.anySeparated(), m.anySeparated())
		}
		return other
	}
	shard := func(n int, y func(level float64) float64) *cdf.Shard {
		sh := &cdf.Shard{Rows: n, Cols: 2}
		for i := range n {
			level := float64(i % 2)
			sh.X, sh.Y = append(sh.X, 1, 1+level), append(sh.Y, y(level))
		}
		return sh
	}
	apart := func(level float64) float64 {
		if level == 1 {
			return 1
		}
		return float64(r.IntN(2))
	}
	for i, c := range []struct {
		shard              *cdf.Shard
		forget             float64
		separated, amended bool
	}{
		{shard(18, apart), 1, false, false},
		{shard(20, apart), 1, true, false},
		{shard(30, apart), 1, true, true},
		{shard(30, apart), 1, true, true},
		{shard(30, func(float64) float64 { return 0 }), 1, false, false},
		{shard(300, apart), 1, false, false},
	} {
		d.Must(t, c.shard, c.forget)
		if got, amended := again().anySeparated(), m.Amended(); got != c.separated || amended != c.amended {
			t.Errorf("shard %d: separated is %v, want %v; amended %v, want %v", i+1, got, c.separated, amended, c.amended)
		}
	}
	m = newTest(t, "corrected", windowOf(50), dims(2, 32, true))
	d = driver(m)
	for range 3 {
		d.Must(t, shard(30, apart), .9)
		again()
	}
	if m.anySeparated() || m.Amended() {
		t.Error("a base of rows that are forgotten")
	}
	// A state that an earlier release wrote does not tell of rows that have left.
	m = newTest(t, "corrected", windowOf(50), dims(2, 32, true))
	d = driver(m)
	for range 3 {
		d.Must(t, shard(30, apart), 1)
	}
	m.edges.close()
	if again().anySeparated() {
		t.Error("a base that nothing tells of")
	}
}

func TestBase(t *testing.T) {
	for _, c := range []struct {
		name        string
		x           []float64 // of the second column, in turn of a row of response 0 and of 1
		base        float64
		ok, settled bool
	}{
		{"no row", nil, 0, false, false},
		{"one row", []float64{3}, 0, false, false},
		{"a base below", []float64{1, 2, 1, 1}, 1, true, false},
		{"a base above", []float64{1, 2, 2, 2}, 2, true, false},
		{"of the signs", []float64{0, 1, 0, 0}, 0, false, true},
		{"on both sides", []float64{1, 2, 1, 0}, 0, false, true},
		{"many values", []float64{1, 2, 2, 3}, 0, false, true},
		{"one row of a response", []float64{3, 2, 4}, 0, false, false},
		{"each its own", []float64{1, 2, 1, 2}, 1, true, false},
		{"all 0", []float64{0, 0, 0, 0}, 0, false, true},
		{"all equal", []float64{2, 2, 2, 2}, 0, false, false},
	} {
		e := newEdges(2, true)
		for i, v := range c.x {
			sign := float64(2*(i%2) - 1)
			e.add([]float64{sign, sign * v}, 2)
		}
		if base, ok := e.base(1, [2]float64{float64((len(c.x) + 1) / 2), float64(len(c.x) / 2)}); base != c.base || ok != c.ok || e.settled(1) != c.settled {
			t.Errorf("%s: base %g, %v, settled %v; want %g, %v, %v", c.name, base, ok, e.settled(1), c.base, c.ok, c.settled)
		}
	}
}

// A state goes on from its bytes as it does without: of columns that are settled only that is kept, whatever the shards in which
// their rows came, and rows whose class was so sure that they left nothing are known to have left.
func TestEdgesGoOnFromTheirBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, c := range []struct {
		name   string
		ones   int // first shards, of one class
		forget float64
	}{{"unsure", 0, 1}, {"sure", 5, 1}, {"all forgotten", 0, 0}} {
		m := newTest(t, "corrected", windowOf(30), dims(3, 32, true))
		d := driver(m)
		sent, left := 0, 0
		for shard := range 8 {
			sh := &cdf.Shard{Rows: 8 + 4*(shard%3), Cols: 3}
			for range sh.Rows {
				class, level := float64(r.IntN(2)), float64(r.IntN(2))
				if level == 1 || shard < c.ones {
					class = 1
				}
				if shard == 0 {
					level *= 4 // seen in rows that leave
				}
				sh.X, sh.Y = append(sh.X, 1, 1000+r.NormFloat64(), 1+level), append(sh.Y, class)
			}
			for i := 0; shard > 0 && shard <= c.ones && i < len(m.draws); i += 3 {
				copy(m.draws[i:], []float64{0, 1, 0}) // rows of the class, 1,000 sds on its side
			}
			before := modeltest.State(t, m)
			other := newTest(t, "corrected", windowOf(30), dims(3, 32, true))
			if err := other.UnmarshalBinary(before); err != nil {
				t.Fatal(err)
			}
			again := driver(other)
			again.T = d.T
			forget := 1.
			if shard%2 == 1 {
				forget = c.forget
			}
			d.Must(t, sh, forget)
			again.Must(t, sh, forget)
			if !slices.Equal(m.edges, other.edges) || !bytes.Equal(modeltest.State(t, other), modeltest.State(t, m)) || other.anySeparated() != m.anySeparated() {
				t.Errorf("%s, shard %d: the state goes on otherwise from its bytes: edges %v, want %v", c.name, shard, other.edges, m.edges)
			}
			if sent += sh.Rows; sent > m.rows() && slices.Max(m.xz) == 0 && slices.Min(m.xz) == 0 {
				left++
			}
		}
		if c.ones > 0 && left == 0 {
			t.Errorf("%s: all rows that left have left something", c.name)
		}
	}
}
