package probit

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
)

var calmStreams = flag.Int("calm-streams", 4, "streams of each design in which rows agree, by which false alarms are counted")

// turned makes of a shard what a producer's mistake makes of it.
var turned = map[string]func(sh *cdf.Shard){
	"the classes swapped": func(sh *cdf.Shard) {
		for i := range sh.Y {
			sh.Y[i] = 1 - sh.Y[i]
		}
	},
	"a column with another sign": func(sh *cdf.Shard) { scaled(sh, -1) },
	"a column by 100":            func(sh *cdf.Shard) { scaled(sh, .01) },
}

func scaled(sh *cdf.Shard, factor float64) {
	for i := range sh.Rows {
		lin.Row(sh.X, sh.Cols, i)[1] *= factor
	}
}

// What a producer does to its data from the eleventh shard of 50 rows on is told within 200 rows, of
// a column's unit within 300, in all of 15 streams, never before, and still after ten
// shards; also after a restart, of the state alone. A swap of rare events, 2 % of the rows, is told
// with the first shard.
func TestWhatIsTurnedIsTold(t *testing.T) {
	const streams, calm = 5, 10
	for name, turn := range turned {
		told, within := func(m *Model) bool { return slices.Contains(m.AppendFlags(nil), disagreeFlag) }, 4
		if name == "a column by 100" {
			told, within = func(m *Model) bool { return len(m.AppendNarrowed(nil)) > 0 }, 6
		}
		for seed := range uint64(streams) {
			r := rand.New(rand.NewPCG(seed, 81))
			m := newTest(t, "corrected", Defaults(), dims(3, 128, true))
			d := driver(m)
			d.Seed = seed
			first := 0
			for shard := 1; shard <= calm+10; shard++ {
				sh := newShard(r, 50, []float64{0, 1, -.5}, 1, true)
				if shard > calm {
					turn(sh)
				}
				d.Must(t, sh, 1)
				up := told(m)
				if up && first == 0 {
					first = shard
				}
				if !up && shard >= calm+within {
					t.Errorf("%s, stream %d: nothing said at shard %d", name, seed, shard)
				}
			}
			if first <= calm {
				t.Errorf("%s, stream %d: told at shard %d", name, seed, first)
			}
			again := newTest(t, "corrected", Defaults(), dims(3, 128, true))
			b, err := m.AppendBinary(nil)
			if err != nil || again.UnmarshalBinary(b) != nil {
				t.Fatal(err)
			}
			if was, is := m.AppendFlags(nil), again.AppendFlags(nil); !slices.Equal(was, is) || told(m) != told(again) {
				t.Errorf("%s: %q, and %q of the state that was stored", name, was, is)
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 82))
	m := newTest(t, "corrected", Defaults(), dims(2, 128, true))
	d := driver(m)
	for shard := range 5 {
		sh := newShard(r, 50, []float64{-2.2, .5}, 1, true)
		if shard == 4 {
			turned["the classes swapped"](sh)
		}
		d.Must(t, sh, 1)
		if up := slices.Contains(m.AppendFlags(nil), disagreeFlag); up != (shard == 4) {
			t.Errorf("rare events, shard %d: %v", shard+1, up)
		}
	}
}

// Where one set of coefficients makes all rows neither flag is ever up. The bound is 1 in 100
// streams; make regimes counts 1,000 of each design.
func TestWhatAgreesIsNotTold(t *testing.T) {
	normal := func(r *rand.Rand, _ int) float64 { return r.NormFloat64() }
	for name, c := range map[string]struct {
		shards, rows int
		beta         []float64
		column       func(r *rand.Rand, shard int) float64
		forget       float64
	}{
		"50 rows":         {20, 50, []float64{0, 1, -.5}, normal, 1},
		"5 rows":          {40, 5, []float64{0, 1, -.5}, normal, 1},
		"rare events":     {20, 50, []float64{-2.5, .3, 0}, normal, 1},
		"columns decide":  {12, 50, []float64{0, 6, -3}, normal, 1},
		"twelve columns":  {12, 50, []float64{0, .5, -.5, .5, -.5, .2, 0, 0, 0, 0, 0, 0}, normal, 1},
		"forgotten rows":  {20, 50, []float64{0, 1, -.5}, normal, .95},
		"large shards":    {3, 1500, []float64{-1, 1, -.5}, normal, 1},
		"a skewed column": {20, 50, []float64{0, .5, 0}, func(r *rand.Rand, _ int) float64 { return r.ExpFloat64()*r.ExpFloat64() - 1 }, 1},
		"a rare column":   {20, 50, []float64{0, .5, 0}, func(r *rand.Rand, _ int) float64 { return 5 * float64(max(0, r.IntN(40)-38)) }, 1},
		"a level that ends": {20, 50, []float64{0, .5, 0}, func(r *rand.Rand, shard int) float64 {
			return float64(r.IntN([]int{2, 200}[min(shard/10, 1)]) / []int{1, 199}[min(shard/10, 1)])
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := 0
			for seed := range uint64(*calmStreams) {
				r := rand.New(rand.NewPCG(seed, 83))
				m := newTest(t, "corrected", Defaults(), dims(len(c.beta), 512, true))
				d, up := driver(m), false
				d.Seed = seed
				for shard := range c.shards {
					d.Must(t, shardOf(r, c.rows, c.beta, func() float64 { return c.column(r, shard) }), c.forget)
					up = up || slices.ContainsFunc(m.AppendFlags(nil), func(f string) bool { return f != separatedFlag })
				}
				if up {
					told++
				}
			}
			t.Logf("told in %d of %d streams", told, *calmStreams)
			if told*100 > *calmStreams {
				t.Errorf("told in %d of %d streams", told, *calmStreams)
			}
		})
	}
}

// shardOf makes rows of an intercept, a given column and normal ones.
func shardOf(r *rand.Rand, rows int, beta []float64, column func() float64) *cdf.Shard {
	p := len(beta)
	sh := &cdf.Shard{Rows: rows, Cols: p, X: make([]float64, rows*p), Y: make([]float64, rows)}
	for i := range rows {
		x := lin.Row(sh.X, p, i)
		for j := range x {
			x[j] = r.NormFloat64()
		}
		x[0], x[1] = 1, column()
		if lin.Dot(x, beta)+r.NormFloat64() > 0 {
			sh.Y[i] = 1
		}
	}
	return sh
}

// The doubt against its definition, with inverses by elimination and sums row by row, of rows that are
// frozen and not, agree and do not; rows that agree differ from what is expected of them as
// they should: the mean square of the standardised difference is 1, also where the prior
// draws a slope of 6 aside. 60 streams of 2 coefficients: within 4 standard errors.
func TestDoubtIsItsDefinition(t *testing.T) {
	s := windowOf(60)
	for _, slope := range []float64{.5, 6} {
		square, n := 0.0, 0.0
		for seed := range uint64(60) {
			r := rand.New(rand.NewPCG(seed, 85))
			m := newTest(t, "corrected", s, dims(2, 256, true))
			d := driver(m)
			d.Seed = seed
			for range 4 {
				d.Must(t, newShard(r, 50, []float64{.2, slope}, 1, true), 1)
			}
			want := 0.0
			for _, newest := range []int{60, 30} {
				z2, doubts := defined(m, newest)
				for j := range z2 {
					want = max(want, doubts[j])
					if newest == 30 {
						square, n = square+z2[j], n+1
					}
				}
			}
			if got, looks := m.doubt(); !(math.Abs(got-want) < 1e-9*(1+want)) || looks != 4 {
				t.Fatalf("the doubt is %v of %d, want %v of 4", got, looks, want)
			}
		}
		mean := square / n
		t.Logf("slope %v: the mean square is %.2f", slope, mean)
		if !(math.Abs(mean-1) < 4*math.Sqrt(2/n)) {
			t.Errorf("slope %v: the mean square is %.2f", slope, mean)
		}
	}
}

// defined returns, for each of two coefficients, the squared standardised difference of the newest
// rows' gradient from what is expected, and its doubt.
func defined(m *Model, newest int) (z2, doubts [2]float64) {
	var beta, all, mine, greatest [2]float64
	var k, j [2][2]float64
	for s := range m.s {
		for c := range beta {
			beta[c] += m.draws[2*s+c] / float64(m.s)
		}
	}
	at := func(a, b int) float64 { return m.xx[2*max(a, b)+min(a, b)] }
	for a := range all {
		all[a] = m.xz[a] - at(a, 0)*beta[0] - at(a, 1)*beta[1]
		for b := range all {
			k[a][b] = at(a, b)
		}
		k[a][a] += 1 / m.Variance(a)
	}
	for i := range m.rows() {
		xs := lin.Row(m.window.x, 2, i)
		u, w := normal.Hazard(xs[0]*beta[0] + xs[1]*beta[1])
		for a := range all {
			all[a] += u * xs[a]
			for b := range all {
				k[a][b] += w * xs[a] * xs[b]
			}
			if i >= m.rows()-newest {
				mine[a] += u * xs[a]
				greatest[a] = max(greatest[a], math.Abs(u*xs[a]))
				for b := range all {
					j[a][b] += w * xs[a] * xs[b]
				}
			}
		}
	}
	det := k[0][0]*k[1][1] - k[0][1]*k[1][0]
	inverse := [2][2]float64{{k[1][1] / det, -k[0][1] / det}, {-k[1][0] / det, k[0][0] / det}}
	for a := range all {
		off, variance := mine[a], j[a][a]
		for b := range all {
			for c := range all {
				off -= j[a][b] * inverse[b][c] * all[c]
				variance -= j[a][b] * inverse[b][c] * j[c][a]
			}
		}
		z2[a] = off * off / variance
		doubts[a] = z2[a] / 2 / (1 + greatest[a]*math.Abs(off)/3/variance)
	}
	return z2, doubts
}

// What varies from row to row, and a tenth as much as before, is narrow, also far from 0; a level that
// is not seen again, a column that varies rarely, one of equal values, one that was wide by outliers, and 199
// rows are not.
func TestNarrow(t *testing.T) {
	for name, c := range map[string]struct {
		rows        int
		before, now func(r *rand.Rand, i int) float64
		want        bool
	}{
		"a hundredth":          {400, func(r *rand.Rand, _ int) float64 { return r.NormFloat64() }, func(r *rand.Rand, _ int) float64 { return r.NormFloat64() / 100 }, true},
		"a hundredth, far off": {400, func(r *rand.Rand, _ int) float64 { return 5 + r.NormFloat64() }, func(r *rand.Rand, _ int) float64 { return 5 + r.NormFloat64()/100 }, true},
		"a seventh":            {400, func(r *rand.Rand, _ int) float64 { return r.NormFloat64() }, func(r *rand.Rand, _ int) float64 { return r.NormFloat64() / 7 }, false},
		"few rows":             {398, func(r *rand.Rand, _ int) float64 { return r.NormFloat64() }, func(r *rand.Rand, _ int) float64 { return r.NormFloat64() / 100 }, false},
		"a level that ends":    {400, func(r *rand.Rand, i int) float64 { return float64(i % 2) }, func(_ *rand.Rand, i int) float64 { return float64(max(i-398, 0)) }, false},
		"varies rarely":        {400, func(r *rand.Rand, i int) float64 { return 2 * float64(i%2) }, func(_ *rand.Rand, i int) float64 { return float64(i/250) / 50 }, false},
		"equal values":         {400, func(r *rand.Rand, _ int) float64 { return r.NormFloat64() }, func(*rand.Rand, int) float64 { return .3 }, false},
		"wide by outliers":     {400, func(r *rand.Rand, i int) float64 { return float64(i%2) * 20 }, func(r *rand.Rand, _ int) float64 { return r.NormFloat64() / 20 }, false},
		"of another scale":     {400, func(r *rand.Rand, _ int) float64 { return r.NormFloat64() / 10 }, func(r *rand.Rand, _ int) float64 { return r.NormFloat64() / 2000 }, false},
	} {
		r := rand.New(rand.NewPCG(1, 86))
		m := newTest(t, "corrected", Defaults(), dims(2, 16, true))
		for i := range c.rows {
			sign, v := float64(2*r.IntN(2)-1), 0.0
			if i < c.rows/2 {
				v = c.before(r, i)
			} else {
				v = c.now(r, i)
			}
			m.window.x = append(m.window.x, sign, sign*v)
		}
		if got := len(m.AppendNarrowed(nil)) > 0; got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The paper's frozen rows weigh more than they tell: nothing is compared with them.
func TestNothingIsComparedWithThePapersRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 84))
	m := newTest(t, "paper", Defaults(), dims(2, 64, true))
	d := driver(m)
	for _, slope := range []float64{2, -2} {
		d.Must(t, newShard(r, 500, []float64{0, slope}, 1, true), 1)
		if flags := m.AppendFlags(nil); len(flags) > 0 {
			t.Errorf("the flags are %q", flags)
		}
	}
}
