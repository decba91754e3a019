package main

import (
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/simulate"
)

// badProbit has one class alone, and classes and columns that a producer has turned.
func badProbit() []regime {
	one := func(name, about, want string, sizes []int, intercept float64, edit func(f rowOf) rowOf, judged bool) regime {
		slopes := []float64{1, -.5}
		names, list := features(len(slopes))
		return badRegime("probit", name, about, want, cdf.Roles{Features: list, Intercept: true}, append(names, "y"), sizes, func(r *rand.Rand) (rowOf, []simulate.Truth) {
			f := rowOf(func(int) []float64 {
				row, eta := make([]float64, len(slopes)+1), intercept+r.NormFloat64()
				for j, b := range slopes {
					row[j] = r.NormFloat64()
					eta += b * row[j]
				}
				if eta > 0 {
					row[len(slopes)] = 1
				}
				return row
			})
			if edit != nil {
				f = edit(f)
			}
			if !judged {
				return f, nil
			}
			return f, coefficients(intercept, slopes)
		})
	}
	const design = "Intercept 0, slopes 1 and -.5 of normal columns; "
	return []regime{
		one("two rows in all", design+"two shards of a row.", "flagged", []int{1, 1}, 0, nil, true),
		one("one class alone", design+"10 shards of 20 rows, the response 0 in all.", "flagged", equal(10, 20), 0, func(f rowOf) rowOf { return f.times(0, 2, 0) }, false),
		one("shards sent twice", design+"20 shards of 20 rows, every other one a copy of the one before.", "flagged", equal(20, 20), 0, func(f rowOf) rowOf { return f.twice(20) }, true),
		one("the classes swapped", design+"20 shards of 50 rows, the other class from the eleventh on.", "flagged", equal(20, 50), 0, func(f rowOf) rowOf { return f.from(500, func(row []float64) { row[2] = 1 - row[2] }) }, false),
		one("the classes of rare events swapped", "The same, intercept -2.5.", "flagged", equal(20, 50), -2.5, func(f rowOf) rowOf { return f.from(500, func(row []float64) { row[2] = 1 - row[2] }) }, false),
		one("a column by 100", design+"20 shards of 50 rows, x1 a hundredth from the eleventh on.", "flagged", equal(20, 50), 0, func(f rowOf) rowOf { return f.times(500, 0, .01) }, false),
		one("a column times 100", design+"20 shards of 50 rows, x1 a hundredfold from the eleventh on.", "flagged", equal(20, 50), 0, func(f rowOf) rowOf { return f.times(500, 0, 100) }, false),
		one("columns in another order", design+"20 shards of 50 rows, x1 and x2 exchanged from the eleventh on.", "flagged", equal(20, 50), 0, func(f rowOf) rowOf { return f.from(500, func(row []float64) { row[0], row[1] = row[1], row[0] }) }, false),
		one("a column of 1e6", design+"20 shards of 50 rows, but x1 of row 400 is 1e6, of class 0.", "flagged", equal(20, 50), 0, func(f rowOf) rowOf { return f.at(400, func(row []float64) { row[0], row[2] = 1e6, 0 }) }, true),
	}
}
