package study

import (
	"fmt"
	"slices"

	"github.com/credence-stream/credence/cdf"
)

// adult is the census of 1994 of section 5: income above 50,000 dollars given
// six numbers and the country of birth, the first 30,000 complete rows in file
// order, 100 shards of 300. The windows are .05, .07, .10 and .20 of all rows:
// those of the text and of the tables.
func adult() *Experiment {
	const prior = unitPrior + "\nchains: 10"
	e := &Experiment{
		Name: "adult", About: "income in the census of 1994, 47 coefficients, 300 rows a shard (section 5); needs --data",
		Kind: "probit", Columns: cdf.Roles{Intercept: true},
		Size: Size{Reps: 2, Shards: 100}, Quick: Size{Reps: 1, Shards: 30},
		Reference: "smcmc[batch]",
		Open:      openAdult,
		// The paper's first, eighth and tenth, in our order of the columns.
		Drawn: []string{"beta[age]", "beta[native_country=Canada]", "beta[native_country=Columbia]"},
		Measure: func(shards int64) Measures {
			end, at := []int64{shards}, upTo(shards, 50, 100)
			return Measures{At: at, Shown: at, All: []Measure{
				normalAccuracies("beta", at), relativeDeviances("beta", at), classes(end), costs("beta", end),
			}}
		},
	}
	for _, name := range []string{"cdf", "cdf-paper"} {
		for _, window := range []struct {
			label string
			rows  int
		}{{"", 3000}, {"[.05]", 1500}, {"[.07]", 2100}, {"[.20]", 6000}} {
			e.Methods = append(e.Methods, Method{
				Name: name + window.label, Settings: fmt.Sprintf("%s\nwindow: %d", prior, window.rows), Draws: 500,
			})
		}
	}
	e.Methods = append(e.Methods,
		Method{Name: "smcmc", Settings: prior, Draws: 500},
		Method{Name: "svb", Settings: unitPrior, Draws: 500},
		// Four long chains: the capital gains mix slowly.
		Method{Name: "smcmc[batch]", Settings: unitPrior + "\nchains: 4", Draws: 10_000, Batch: true},
	)
	return e
}

const adultShard = 300

// openAdult reads the file; every replication has the same rows.
func openAdult(o Options) (Open, error) {
	all, err := readAdult(o.Data)
	if err != nil {
		return nil, err
	}
	return func(_ uint64, shards int64) (*Stream, error) {
		if rows := shards * adultShard; rows > int64(all.Rows) {
			return nil, fmt.Errorf("%d shards of %d rows are more than the %d rows of %s", shards, adultShard, all.Rows, o.Data)
		}
		return &Stream{
			Shard: func(t int64) *cdf.Batch { return cut(all, int(t-1)*adultShard, int(t)*adultShard, t) },
			Truth: func(int64) map[string]float64 { return nil },
			Fresh: all,
		}, nil
	}, nil
}

// cut returns copies of rows lo to hi as shard t.
func cut(all *cdf.Batch, lo, hi int, t int64) *cdf.Batch {
	b := &cdf.Batch{Rows: hi - lo, Time: 1000 * t}
	for _, c := range all.Columns {
		c.Number = slices.Clone(c.Number[lo:hi])
		b.Columns = append(b.Columns, c)
	}
	return b
}

// classes reports the shares of all rows, absorbed or not, by their class and
// the likelier one (share01: class 0, taken for 1), and the share of those
// where the two differ.
func classes(at []int64) Measure {
	return when(at, func(l *Look) ([]Figure, error) {
		found, err := l.Filter.Predict(l.Stream.Fresh)
		if err != nil {
			return nil, err
		}
		var rows [2][2]float64
		for i, y := range response(l.Stream.Fresh) {
			taken := 0
			if found[i].Mean > .5 {
				taken = 1
			}
			rows[int(y)][taken]++
		}
		n := float64(len(found))
		return []Figure{
			{l.T, "misclassification", (rows[0][1] + rows[1][0]) / n},
			{l.T, "share00", rows[0][0] / n}, {l.T, "share01", rows[0][1] / n},
			{l.T, "share10", rows[1][0] / n}, {l.T, "share11", rows[1][1] / n},
		}, nil
	})
}
