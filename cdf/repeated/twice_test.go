package repeated

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"
)

var rowStreams = flag.Int("row-streams", 100, "streams of each sort by which rows that come again are counted")

// columns are those of a shard.
type columns [][]float64

func (c columns) SameColumns(i, j int32) bool {
	for _, v := range c {
		if v[i] != v[j] {
			return false
		}
	}
	return true
}

func (c columns) Columns(dst []uint64) {
	clear(dst)
	for _, v := range c {
		HashNumbers(dst, v, nil)
	}
}

// shardOf is a shard of rows: columns, and the response last.
type table struct {
	x columns
	y []float64
}

func (t *table) add(row ...float64) {
	if t.x == nil {
		t.x = make(columns, len(row)-1)
	}
	for j := range t.x {
		t.x[j] = append(t.x[j], row[j])
	}
	t.y = append(t.y, row[len(t.x)])
}

func (t *table) table() *Table {
	out := &Table{Y: t.y, Rows: t.x}
	if n := len(t.x); n > 0 {
		out.Ends = [2][]float64{t.x[0], t.x[n-1]}
	}
	return out
}

type sort struct {
	name   string
	n      int // rows
	shards int
	// row draws one of a shard.
	begin func(r *rand.Rand, shard int) func() []float64
	// double is the part of rows that come more than once, copies so often besides.
	double float64
	copies int
	told   bool
}

func (c *sort) shard(r *rand.Rand, shard int) *table {
	t, row := new(table), c.begin(r, shard)
	for len(t.y) < c.n {
		v := row()
		t.add(v...)
		if r.Float64() < c.double {
			for range c.copies {
				t.add(v...)
			}
		}
	}
	n := len(t.y)
	r.Shuffle(n, func(i, j int) {
		for _, v := range t.x {
			v[i], v[j] = v[j], v[i]
		}
		t.y[i], t.y[j] = t.y[j], t.y[i]
	})
	return t
}

func round(v, unit float64) float64 { return unit * math.Round(v/unit) }

func iid(row func(r *rand.Rand) []float64) func(*rand.Rand, int) func() []float64 {
	return func(r *rand.Rand, _ int) func() []float64 { return func() []float64 { return row(r) } }
}

func TestRows(t *testing.T) {
	five := func(unit float64) func(*rand.Rand, int) func() []float64 {
		return iid(func(r *rand.Rand) []float64 {
			v := make([]float64, 6)
			for j := range 5 {
				v[j] = r.NormFloat64()
				v[5] += v[j] / 2
			}
			v[5] += r.NormFloat64()
			if unit > 0 {
				v[5] = round(v[5], unit)
			}
			return v
		})
	}
	alone := func(unit float64) func(*rand.Rand, int) func() []float64 {
		return iid(func(r *rand.Rand) []float64 {
			y := r.NormFloat64()
			if unit > 0 {
				y = round(y, unit)
			}
			return []float64{y}
		})
	}
	levels := func(n int, unit float64) func(*rand.Rand, int) func() []float64 {
		return iid(func(r *rand.Rand) []float64 {
			g := float64(r.IntN(n))
			y := math.Sin(g) + r.NormFloat64()
			if unit > 0 {
				y = round(y, unit)
			}
			return []float64{g, y}
		})
	}
	grid := func(n int, sd, unit float64) func(*rand.Rand, int) func() []float64 {
		return iid(func(r *rand.Rand) []float64 {
			x := float64(r.IntN(n)) / float64(n)
			y := 2*x + 1 + sd*r.NormFloat64()
			if unit > 0 {
				y = round(y, unit)
			}
			return []float64{x, y}
		})
	}
	// machines have columns and a level of their own in each shard.
	machines := func(m int, spread, unit float64, f func(float64) float64) func(*rand.Rand, int) func() []float64 {
		return func(r *rand.Rand, _ int) func() []float64 {
			x, level := make([]float64, m), make([]float64, m)
			for k := range x {
				x[k], level[k] = r.NormFloat64(), spread*r.NormFloat64()
			}
			return func() []float64 {
				k := r.IntN(m)
				y := level[k] + r.NormFloat64()
				if unit > 0 {
					y = round(y, unit)
				}
				if f != nil {
					y = f(y)
				}
				return []float64{x[k], y}
			}
		}
	}
	heap := func(p float64, cols int, unit float64) func(*rand.Rand, int) func() []float64 {
		return iid(func(r *rand.Rand) []float64 {
			v := make([]float64, cols+1)
			for j := range cols {
				v[j] = r.NormFloat64()
			}
			if r.Float64() > p {
				v[cols] = math.Exp(r.NormFloat64())
				if unit > 0 {
					v[cols] = round(v[cols], unit)
				}
			}
			return v
		})
	}
	var list []sort
	for _, n := range []int{5, 20, 100, 1000} {
		shards := 60
		if n == 5 {
			shards = 400
		}
		if n == 1000 {
			shards = 15
		}
		add := func(name string, b func(*rand.Rand, int) func() []float64) {
			list = append(list, sort{name: name, n: n, shards: shards, begin: b})
		}
		add("five", five(0))
		add("five, tenths", five(.1))
		add("alone", alone(0))
		for _, u := range []float64{.001, .01, .1, 1, 1. / 15} {
			add("alone, rounded", alone(u))
			add("3 levels, rounded", levels(3, u))
			add("1000 levels, rounded", levels(1000, u))
			add("a grid of 10, rounded", grid(10, .3, u))
			add("a grid of 100, rounded", grid(100, .1, u))
			add("one machine, rounded", machines(1, 100, u, nil))
			add("one machine, near levels, rounded", machines(1, 3, u, nil))
			add("5 machines, rounded", machines(5, 100, u, nil))
			add("one machine, squares rounded", machines(1, 3, u, func(y float64) float64 { return y * y }))
			add("one machine, exp", machines(1, 3, u, math.Exp))
		}
		add("3 levels", levels(3, 0))
		add("grid of 10, exact", grid(10, 0, 0))
		add("grid of 100, exact", grid(100, 0, 0))
		add("grid of 1000, exact", grid(1000, 0, 0))
		add("grid of 1000, hardly noise, rounded", grid(1000, .001, .01))
		add("zeros, alone", heap(.5, 0, 0))
		add("zeros, alone, rounded", heap(.5, 0, .01))
		add("few zeros, alone, rounded", heap(.05, 0, .01))
		add("few zeros, alone, rounded finely", heap(.05, 0, .0001))
		add("zeros, a column", heap(.5, 1, 0))
		add("prices of a product", func(r *rand.Rand, _ int) func() []float64 {
			x, base := r.NormFloat64(), round(math.Exp(3+r.NormFloat64()), .01)
			prices := make([]float64, 4+r.IntN(8))
			for k := range prices {
				prices[k] = round(base*(1-.5*r.Float64()*r.Float64()), .01)
			}
			return func() []float64 {
				k := int(float64(len(prices)) * r.Float64() * r.Float64())
				return []float64{x, prices[k]}
			}
		})
		add("users twice, mostly zeros", func(r *rand.Rand, _ int) func() []float64 {
			var users []float64
			i := 0
			return func() []float64 {
				if i++; i%2 == 1 {
					users = append(users, r.NormFloat64())
				}
				y := 0.
				if r.Float64() < .1 {
					y = round(math.Exp(r.NormFloat64()), .01)
				}
				return []float64{users[len(users)-1], y}
			}
		})
		add("users twice, hundredths", func(r *rand.Rand, _ int) func() []float64 {
			var users []float64
			i := 0
			return func() []float64 {
				if i++; i%2 == 1 {
					users = append(users, r.NormFloat64())
				}
				u := users[len(users)-1]
				return []float64{u, round(u+.1*r.NormFloat64(), .01)}
			}
		})
		add("replicates, coarse", func(r *rand.Rand, _ int) func() []float64 {
			i, x := 0, 0.
			return func() []float64 {
				if i++; i%2 == 1 {
					x = r.NormFloat64()
				}
				return []float64{x, round(2*x+.3*r.NormFloat64(), 1)}
			}
		})
		told := func(name string, b func(*rand.Rand, int) func() []float64, double float64, copies int) {
			list = append(list, sort{name: name, n: n, shards: shards, begin: b, double: double, copies: copies, told: true})
		}
		for _, d := range []float64{.05, .2, 1} {
			told("five", five(0), d, 1)
			told("five, tenths", five(.1), d, 1)
			told("five, hundredths", five(.01), d, 1)
			told("five thrice", five(0), d, 2)
			told("alone", alone(0), d, 1)
			told("alone, thousandths", alone(.001), d, 1)
			told("3 levels", levels(3, 0), d, 1)
			told("3 levels, thousandths", levels(3, .001), d, 1)
			told("3 levels, hundredths", levels(3, .01), d, 1)
			told("5 machines", machines(5, 3, 0, nil), d, 1)
			told("grid of 100", grid(100, .1, 0), d, 1)
			told("zeros", heap(.5, 1, 0), d, 1)
			told("few zeros, hundredths", heap(.1, 1, .01), d, 1)
		}
	}
	for _, c := range list {
		ever, last, at := 0, 0, 0
		var big Twice
		for seed := range uint64(*rowStreams) {
			r := rand.New(rand.NewPCG(seed, 122))
			var a *Twice
			var room Room
			once, up := false, false
			rows := 0
			for s := range c.shards {
				sh := c.shard(r, s)
				rows += len(sh.y)
				a = a.Add(sh.table(), 1, &room)
				up = a.Part(float64(rows)) > 0
				if up && !once {
					at += s + 1
					once = true
				}
			}
			if a != nil {
				big = *a
				big.Last = [prints]Row{}
			}
			if once {
				ever++
			}
			if up {
				last++
			}
		}
		if c.told && last < *rowStreams || !c.told && ever > 0 {
			t.Logf("%s, %d rows, %g: up in %d of %d streams, at the end in %d, after %.1f: E %.1f %.0f", c.name, c.n, c.double, ever, *rowStreams, last, float64(at)/float64(max(ever, 1)), big.expected(), [...]float32{big.Again, big.Sets, big.Many, big.Squares, big.Natural, big.Found, big.Alike, big.Chances, big.Columns, big.Responses})
		} else if c.told {
			t.Logf("%s, %d rows, %g: after %.1f", c.name, c.n, c.double, float64(at)/float64(max(ever, 1)))
		}
	}
}
