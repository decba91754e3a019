package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/simulate"
)

// badCompressed has fewer rows than columns, and columns that a producer has turned.
func badCompressed() []regime {
	const p = 20
	one := func(name, about, want string, sizes []int, edit func(f rowOf) rowOf, judged bool) regime {
		names, list := features(p)
		return badRegime("compressed", name, about, want, cdf.Roles{Features: list}, append(names, "y"), sizes, func(r *rand.Rand) (rowOf, []simulate.Truth) {
			f := rowOf(func(int) []float64 {
				row, y := make([]float64, p+1), 2*r.NormFloat64()
				for j := range p {
					if row[j] = r.NormFloat64(); j < p/2 {
						y += row[j]
					}
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
			var truth []simulate.Truth
			for j := range p {
				truth = append(truth, simulate.Truth{Variable: fmt.Sprintf("gamma[x%d]", j+1), Value: map[bool]float64{true: 1}[j < p/2]})
			}
			return f, truth
		})
	}
	halves := func(row []float64) {
		for j := range p / 2 {
			row[j], row[j+p/2] = row[j+p/2], row[j]
		}
	}
	const design = "Ten coefficients 1, ten 0, noise of sd 2; "
	return []regime{
		one("two rows in all", design+"two shards of a row.", "flagged", []int{1, 1}, nil, true),
		one("ten rows", design+"ten shards of a row.", "flagged", equal(10, 1), nil, true),
		one("50 rows a shard", design+"20 shards of 50 rows.", "covered", equal(20, 50), nil, true),
		one("shards sent twice", design+"20 shards of 50 rows, every other one a copy of the one before.", "flagged", equal(20, 50), func(f rowOf) rowOf { return f.twice(50) }, true),
		one("a coefficient with another sign", design+"20 shards of 50 rows, x1 negated from the eleventh on.", "off", equal(20, 50), func(f rowOf) rowOf { return f.times(500, 0, -1) }, false),
		one("the same behind more shards", design+"60 shards of 50 rows, x1 negated from the 41st on.", "flagged", equal(60, 50), func(f rowOf) rowOf { return f.times(2000, 0, -1) }, false),
		one("the response with another sign", design+"20 shards of 50 rows, the response negated from the eleventh on.", "flagged", equal(20, 50), func(f rowOf) rowOf { return f.times(500, p, -1) }, false),
		one("columns in another order", design+"20 shards of 50 rows, the first ten columns behind the others from the eleventh on.", "flagged", equal(20, 50), func(f rowOf) rowOf { return f.from(500, halves) }, false),
		one("columns in another order behind more shards", design+"60 shards of 50 rows, the first ten columns behind the others from the 41st on.", "flagged", equal(60, 50), func(f rowOf) rowOf { return f.from(2000, halves) }, false),
		one("a constant response", design+"10 shards of 50 rows, but the response is 0 in all.", "flagged", equal(10, 50), func(f rowOf) rowOf { return f.times(0, p, 0) }, false),
		one("a column of 1e6", design+"20 shards of 50 rows, x1 of row 400 is 1e6.", "flagged", equal(20, 50), func(f rowOf) rowOf { return f.at(400, func(row []float64) { row[0] = 1e6 }) }, true),
	}
}
