package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/simulate"
)

// bad are regimes of thin or bad data: next to no rows, rows that come twice, other units,
// values that are no measurements. Each has the verdict that is known of it.

// rowOf makes row i of a stream.
type rowOf func(i int) []float64

// badRegime has shards of as many rows as sizes say. Without a truth flags alone are judged.
func badRegime(kind, name, about, want string, columns cdf.Roles, names []string, sizes []int, stream func(r *rand.Rand) (rowOf, []simulate.Truth)) regime {
	return regime{
		kind: kind, name: "bad data: " + name, about: about, replicates: 100, columns: columns, want: want,
		simulate: func(r *rand.Rand) experiment {
			row, truth := stream(r)
			t := newTable(names...)
			t.Whole = []string{"g", "c"}
			var out []*cdf.Batch
			for shard, size := range sizes {
				part := newTable(names...)
				part.Whole = t.Whole
				for range size {
					values := row(len(t.Columns[0]))
					t.add(values...)
					part.add(values...)
				}
				out = append(out, part.Batch(int64(1000*(shard+1))))
			}
			return experiment{truth, out}
		},
	}
}

// equal are n shards of as many rows.
func equal(n, rows int) []int { return slices.Repeat([]int{rows}, n) }

// twice gives every other shard of as many rows the rows of the one before.
func (f rowOf) twice(rows int) rowOf {
	var last [][]float64
	return func(i int) []float64 {
		if i/rows%2 == 0 {
			if i%rows == 0 {
				last = last[:0]
			}
			last = append(last, f(i))
		}
		return slices.Clone(last[i%rows])
	}
}

// times multiplies a column from row first on.
func (f rowOf) times(first, column int, factor float64) rowOf {
	return f.from(first, func(row []float64) { row[column] *= factor })
}

// from edits the rows from row first on.
func (f rowOf) from(first int, edit func(row []float64)) rowOf {
	return func(i int) []float64 {
		row := f(i)
		if i >= first {
			edit(row)
		}
		return row
	}
}

// shuffled gives the rows of each shard of as many, no multiple of 17, in another order.
func (f rowOf) shuffled(rows int) rowOf {
	var kept [][]float64
	return func(i int) []float64 {
		if i%rows == 0 {
			kept = kept[:0]
			for k := range rows {
				kept = append(kept, f(i+k))
			}
		}
		return kept[(i%rows)*17%rows]
	}
}

// at edits one row.
func (f rowOf) at(one int, edit func(row []float64)) rowOf {
	return func(i int) []float64 {
		row := f(i)
		if i == one {
			edit(row)
		}
		return row
	}
}

func badLinear() []regime {
	one := func(name, about, want string, p int, sizes []int, edit func(f rowOf) rowOf, judged bool) regime {
		slopes := slices.Repeat([]float64{2, -1}, p/2)
		names, list := features(p)
		return badRegime("linear", name, about, want, cdf.Roles{Features: list, Intercept: true}, append(names, "y"), sizes, func(r *rand.Rand) (rowOf, []simulate.Truth) {
			f := rowOf(func(int) []float64 {
				row, y := make([]float64, p+1), 3+r.NormFloat64()
				for j, b := range slopes {
					row[j] = r.NormFloat64()
					y += b * row[j]
				}
				row[p] = y
				return row
			})
			if edit != nil {
				f = edit(f)
			}
			if !judged {
				return f, nil
			}
			return f, append(coefficients(3, slopes), simulate.Truth{Variable: "sigma2", Value: 1})
		})
	}
	const design = "Intercept 3, slopes 2 and -1 of normal columns, noise N(0, 1); "
	return []regime{
		one("two rows in all", design+"two shards of a row.", "flagged", 2, []int{1, 1}, nil, true),
		one("shards sent twice", design+"20 shards of 20 rows, every other one a copy of the one before.", "flagged", 2, equal(20, 20), func(f rowOf) rowOf { return f.twice(20) }, true),
		one("rows twice in their shard", design+"20 shards of 10 rows, each row twice in its shard.", "flagged", 2, equal(20, 10), func(f rowOf) rowOf { return f.twice(1) }, true),
		one("60 columns, 20 rows", "The same slopes in turn; two shards of 10 rows.", "flagged", 60, equal(2, 10), nil, true),
		one("the response by 100", design+"20 shards of 50 rows, the response a hundredth from the eleventh on.", "flagged", 2, equal(20, 50), func(f rowOf) rowOf { return f.times(500, 2, .01) }, false),
		one("the response with another sign", design+"20 shards of 50 rows, the response negated from the eleventh on.", "flagged", 2, equal(20, 50), func(f rowOf) rowOf { return f.times(500, 2, -1) }, false),
		one("a column times 100", design+"20 shards of 50 rows, x1 a hundredfold from the eleventh on.", "flagged", 2, equal(20, 50), func(f rowOf) rowOf { return f.times(500, 0, 100) }, false),
		one("a constant response", design+"10 shards of 20 rows, but the response is 0 in all.", "flagged", 2, equal(10, 20), func(f rowOf) rowOf { return f.times(0, 2, 0) }, false),
		one("a curve left out", design+"20 shards of 50 rows, the response .3 (x1^2 - 1) more.", "flagged", 2, equal(20, 50), func(f rowOf) rowOf {
			return f.from(0, func(row []float64) { row[2] += .3 * (row[0]*row[0] - 1) })
		}, false),
		one("responses cut off", design+"10 shards of 100 rows, responses below .94, a fifth of them, are .94.", "flagged", 2, equal(10, 100), func(f rowOf) rowOf {
			return f.from(0, func(row []float64) { row[2] = max(row[2], .94) })
		}, true),
	}
}

func badPoisson() []regime {
	one := func(name, about, want string, sizes []int, intercept, effect, square float64, judged bool) regime {
		columns := cdf.Roles{Features: []cdf.Feature{{Name: "x1"}, {Name: "c", Levels: []string{"1", "2", "3"}, Baseline: "1"}}, Intercept: true}
		return badRegime("poisson", name, about, want, columns, []string{"x1", "c", "y"}, sizes, func(r *rand.Rand) (rowOf, []simulate.Truth) {
			f := rowOf(func(i int) []float64 {
				x, c := r.NormFloat64(), i%3
				eta := intercept + .3*x + square*(x*x-1)
				if c == 2 {
					eta += effect
				}
				return []float64{x, float64(c + 1), simulate.Count(r, math.Exp(eta))}
			})
			if !judged {
				return f, nil
			}
			truth := append(coefficients(intercept, []float64{.3}), simulate.Truth{Variable: "beta[c=2]"}, simulate.Truth{Variable: "beta[c=3]", Value: effect})
			return f, truth
		})
	}
	const design = "Slope .3 of a normal column, three levels in turn; "
	return []regime{
		one("four rows of 0", design+"two shards of four rows, intercept -20.", "flagged", equal(2, 4), -20, 0, 0, true),
		one("counts of some 3", design+"10 shards of 30 rows, intercept 1.", "covered", equal(10, 30), 1, 0, 0, true),
		one("a level of 0 alone", design+"10 shards of 30 rows, intercept .5, the third level 20 less.", "flagged", equal(10, 30), .5, -20, 0, false),
		one("a row in 400 has a count", design+"40 shards of 50 rows, intercept -6.", "flagged", equal(40, 50), -6, 0, 0, true),
		one("a curve left out", design+"20 shards of 50 rows, intercept 1, the log rate .3 (x1^2 - 1) more.", "flagged", equal(20, 50), 1, 0, .3, false),
	}
}

func badAnova() []regime {
	one := func(name, about, want string, sizes []int, k int, group func(i int) int) regime {
		return badRegime("anova", name, about, want, cdf.Roles{Groups: []cdf.Group{{Column: "g"}}}, []string{"g", "y"}, sizes, func(r *rand.Rand) (rowOf, []simulate.Truth) {
			truth := []simulate.Truth{{Variable: "sigma2", Value: .49}}
			levels := make([]float64, k)
			for j := range levels {
				levels[j] = 5 + .7*r.NormFloat64()
				truth = append(truth, simulate.Truth{Variable: fmt.Sprintf("zeta[%d]", j+1), Value: levels[j]})
			}
			return func(i int) []float64 {
				return []float64{float64(group(i) + 1), levels[group(i)] + .7*r.NormFloat64()}
			}, truth
		})
	}
	const design = "Levels of sd .7, noise of sd .7; "
	return []regime{
		one("two rows in all", design+"two shards of a row, each of its own level.", "flagged", []int{1, 1}, 2, func(i int) int { return i }),
		one("levels of a row each", design+"10 shards of 10 rows.", "flagged", equal(10, 10), 100, func(i int) int { return i }),
		one("levels of a shard each", design+"10 shards of 20 rows.", "covered", equal(10, 20), 10, func(i int) int { return i / 20 }),
	}
}
