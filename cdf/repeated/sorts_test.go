package repeated

import (
	"fmt"
	"math"
	"math/rand/v2"
)

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

// shard is one of rows: columns, and the response last.
type shard struct {
	x columns
	y []float64
}

func (s *shard) add(row ...float64) {
	if s.x == nil {
		s.x = make(columns, len(row)-1)
	}
	for j := range s.x {
		s.x[j] = append(s.x[j], row[j])
	}
	s.y = append(s.y, row[len(s.x)])
}

func (s *shard) table() *Table {
	t := &Table{Y: s.y, Rows: s.x}
	if n := len(s.x); n > 0 {
		t.Ends = [2][]float64{s.x[0], s.x[n-1]}
	}
	return t
}

// law returns what draws the rows of a shard.
type law func(r *rand.Rand) func() []float64

// drawn returns a shard of n rows or a few more, of which a part comes as often again as copies says, in any order.
func (l law) shard(r *rand.Rand, n int, part float64, copies int) *shard {
	s, row := new(shard), l(r)
	for len(s.y) < n {
		v := row()
		s.add(v...)
		if part > 0 && r.Float64() < part {
			for range copies {
				s.add(v...)
			}
		}
	}
	r.Shuffle(len(s.y), func(i, j int) {
		for _, v := range append(s.x, s.y) {
			v[i], v[j] = v[j], v[i]
		}
	})
	return s
}

// rounded returns a multiple of a unit, 0: the value itself.
func rounded(v, unit float64) float64 {
	if unit == 0 {
		return v
	}
	return unit * math.Round(v/unit)
}

// alike is a law of which all rows are independent.
func alike(row func(r *rand.Rand) []float64) law {
	return func(r *rand.Rand) func() []float64 { return func() []float64 { return row(r) } }
}

// five are normal columns of which a response depends, none: it does on nothing.
func five(columns int, unit float64) law {
	return alike(func(r *rand.Rand) []float64 {
		v, eta := make([]float64, columns+1), 0.
		for j := range columns {
			v[j] = r.NormFloat64()
			eta += v[j] / 2
		}
		v[columns] = rounded(eta+r.NormFloat64(), unit)
		return v
	})
}

func levels(n int, unit float64) law {
	return alike(func(r *rand.Rand) []float64 {
		g := float64(r.IntN(n))
		return []float64{g, rounded(math.Sin(g)+r.NormFloat64(), unit)}
	})
}

func grid(n int, sd, unit float64) law {
	return alike(func(r *rand.Rand) []float64 {
		x := float64(r.IntN(n)) / float64(n)
		return []float64{x, rounded(2*x+1+sd*r.NormFloat64(), unit)}
	})
}

// heap has responses that are 0 in a part of the rows.
func heap(part float64, columns int, unit float64) law {
	return alike(func(r *rand.Rand) []float64 {
		v := make([]float64, columns+1)
		for j := range columns {
			v[j] = r.NormFloat64()
		}
		if r.Float64() > part {
			v[columns] = rounded(math.Exp(r.NormFloat64()), unit)
		}
		return v
	})
}

// machines are n in each shard, others than before: each has a column and a level.
func machines(n int, spread, unit float64, of func(float64) float64) law {
	return func(r *rand.Rand) func() []float64 {
		x, level := make([]float64, n), make([]float64, n)
		for k := range x {
			x[k], level[k] = r.NormFloat64(), spread*r.NormFloat64()
		}
		return func() []float64 {
			k := r.IntN(n)
			return []float64{x[k], of(rounded(level[k]+r.NormFloat64(), unit))}
		}
	}
}

func itself(y float64) float64 { return y }

// prices are those of one product in each shard, some of them more common.
func prices(r *rand.Rand) func() []float64 {
	x, base := r.NormFloat64(), math.Exp(3+r.NormFloat64())
	list := make([]float64, 4+r.IntN(8))
	for k := range list {
		list[k] = rounded(base*(1-.5*r.Float64()*r.Float64()), .01)
	}
	return func() []float64 { return []float64{x, list[int(float64(len(list))*r.Float64()*r.Float64())]} }
}

// users have a column, and two rows each with other responses.
func users(response func(r *rand.Rand, x float64) float64) law {
	return func(r *rand.Rand) func() []float64 {
		i, x := 0, 0.
		return func() []float64 {
			if i++; i%2 == 1 {
				x = r.NormFloat64()
			}
			return []float64{x, response(r, x)}
		}
	}
}

// once are laws of which no row comes again but by chance.
func once() map[string]law {
	list := map[string]law{
		"five columns":                      five(5, 0),
		"none":                              five(0, 0),
		"3 levels":                          levels(3, 0),
		"a grid of 10, exact":               grid(10, 0, 0),
		"a grid of 100, exact":              grid(100, 0, 0),
		"a grid of 1000, exact":             grid(1000, 0, 0),
		"a grid of 1000, hardly noise, .01": grid(1000, .001, .01),
		"zeros":                             heap(.5, 0, 0),
		"zeros, .01":                        heap(.5, 0, .01),
		"few zeros, .01":                    heap(.05, 0, .01),
		"few zeros, .0001":                  heap(.05, 0, .0001),
		"zeros and a column":                heap(.5, 1, 0),
		"prices":                            prices,
		"users, mostly zeros": users(func(r *rand.Rand, _ float64) float64 {
			if r.Float64() > .1 {
				return 0
			}
			return rounded(math.Exp(r.NormFloat64()), .01)
		}),
		"users, .01":        users(func(r *rand.Rand, x float64) float64 { return rounded(x+.1*r.NormFloat64(), .01) }),
		"replicates, rough": users(func(r *rand.Rand, x float64) float64 { return rounded(2*x+.3*r.NormFloat64(), 1) }),
	}
	for _, unit := range []float64{.001, .01, 1. / 15, .1, 1} {
		for name, l := range map[string]law{
			"five columns":            five(5, unit),
			"none":                    five(0, unit),
			"3 levels":                levels(3, unit),
			"1000 levels":             levels(1000, unit),
			"a grid of 10":            grid(10, .3, unit),
			"a grid of 100":           grid(100, .1, unit),
			"one machine":             machines(1, 100, unit, itself),
			"machines that are alike": machines(1, 3, unit, itself),
			"five machines":           machines(5, 100, unit, itself),
			"squares":                 machines(1, 3, unit, func(y float64) float64 { return y * y }),
			"exponentials":            machines(1, 3, unit, math.Exp),
		} {
			list[fmt.Sprintf("%s, %.2g", name, unit)] = l
		}
	}
	return list
}

// fine are laws of which rows that come again can be told.
func fine() map[string]law {
	return map[string]law{
		"five columns": five(5, 0), "five columns, .1": five(5, .1), "none": five(0, 0), "3 levels": levels(3, 0), "machines": machines(5, 3, 0, itself),
		"a grid of 100": grid(100, .1, 0), "few zeros and a column, .01": heap(.1, 1, .01),
	}
}
