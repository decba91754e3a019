package study

import (
	"fmt"
	"slices"
)

// probits returns the experiments with a binary response: the two of section
// 3.3.2, the second as the text and as the authors' program have it, and a long
// stream that shows where errors go.
func probits() []*Experiment {
	one := binary("probit-1", "probit", "100 predictors, 25 rows a shard, a window of 500 (section 3.3.2, case 1)", 500)
	one.Measure = binaryShown(20, 50, 100)
	one.Size, one.Quick = Size{Reps: 10, Shards: 100}, Size{Reps: 2, Shards: 100}
	one.Methods = append(one.Methods, Method{Name: "smc", Settings: unitPrior, Draws: 500})

	long := binary("probit-long", "probit-long", "20 predictors, 1,600 shards of 25 rows, a window of 100: errors of frozen rows (not in the paper)", 100)
	long.Size, long.Quick = Size{Reps: 4, Shards: 1600}, Size{Reps: 1, Shards: 1600}
	// The sampler of all rows after each of 1,600 shards would take hours.
	long.Methods = without(long.Methods, "smcmc")
	long.Measure = func(shards int64) Measures {
		at := upTo(shards, 100, 200, 400, 800, 1600)
		return Measures{At: at, All: binaryMeasures(at, []int64{shards})}
	}
	two := wideBinary("probit-2", "probit-wide", "500 predictors, 100 rows a shard, a window of 3,500 (section 3.3.2, case 2)", 3)
	two.Measure = binaryShown(50, 100)
	two.Methods = append(two.Methods, Method{Name: "smc", Settings: unitPrior, Draws: 500})

	return []*Experiment{
		one, two,
		wideBinary("probit-2-sd20", "probit-wide-20", "the same, predictors of sd .20 in place of .25, as in the authors' program (section 3.3.2, case 2)", 1),
		long,
	}
}

// wideBinary is case 2 with predictors of some sd.
func wideBinary(name, data, about string, reps int) *Experiment {
	e := binary(name, data, about, 3500)
	e.Size, e.Quick = Size{Reps: reps, Shards: 100}, Size{Reps: 1, Shards: 40}
	e.Methods[len(e.Methods)-1].Draws = 4000
	return e
}

const unitPrior = "prior: {beta_variance: 1, intercept_variance: 1}"

// binary compares at shards 20 and 50 and at the end. Accuracy is that of the normal
// laws with the published moments, against a long run over all rows.
func binary(name, data, about string, window int) *Experiment {
	windowed := fmt.Sprintf("%s\nwindow: %d", unitPrior, window)
	return &Experiment{
		Name: name, About: about, Kind: "probit",
		Methods: slices.Concat(
			methods(windowed, 500, "cdf", "cdf-paper"), methods(unitPrior, 500, "smcmc", "svb"),
			[]Method{{Name: "smcmc[batch]", Settings: unitPrior, Draws: 10_000, Batch: true}}),
		Reference: "smcmc[batch]",
		Open:      scenario(data, 0),
		Measure:   binaryCompared,
		Drawn:     []string{"beta[x1]", "beta[x5]", "beta[x10]"},
	}
}

func binaryCompared(shards int64) Measures {
	at := upTo(shards, 20, 50, 100)
	return Measures{At: at, All: append([]Measure{errorsOfFirst(10, "beta", at)}, binaryMeasures(at, []int64{shards})...)}
}

// binaryShown also keeps the marginals after some shards.
func binaryShown(shown ...int64) func(int64) Measures {
	return func(shards int64) Measures {
		m := binaryCompared(shards)
		m.Shown = upTo(shards, shown...)
		return m
	}
}

func binaryMeasures(at, end []int64) []Measure {
	return []Measure{intervals("beta", 0, at), errorsOf("beta", at), normalAccuracies("beta", at), costs("beta", end)}
}

// without returns the methods but for one.
func without(list []Method, name string) []Method {
	return slices.DeleteFunc(list, func(m Method) bool { return m.Name == name })
}
