package simulate

import (
	"math"
)

// probit is the paper's first experiment with a binary response: 100
// predictors of sd 1/4, ten of them strong, no intercept, 25 rows a shard
// (arXiv:1401.3632, section 3.3.2).
func probit() Scenario {
	return binary("probit", 25, 0.25, func(seed uint64, key string, _ int64) []float64 {
		return Strong(seed, key, 100, 0.75)
	})
}

// probitWide is the paper's second experiment with a binary response: 500
// predictors of sd 1/4, ten of them strong, 190 weak and the others without
// effect, 100 rows a shard, 100 shards (section 3.3.2, case 2).
func probitWide() Scenario { return wide("probit-wide", 0.25) }

// probitWide20 is probitWide with predictors of sd 1/5, as in the program that
// the paper's authors published (rajguhaniyogi/Bayesian-Conditional-Density-Filtering,
// probit_code_CDF.R). The printed length of the intervals of streaming
// variational Bayes, which depends on nothing else, is .20 and fits it:
// 3.92 / (sd sqrt(10,000 - 500)).
func probitWide20() Scenario { return wide("probit-wide-20", 0.2) }

func wide(name string, sd float64) Scenario {
	return binary(name, 100, sd, func(seed uint64, key string, _ int64) []float64 { return StrongWide(seed, key) })
}

// probitLong has 20 predictors of sd 1 and a linear predictor of expected sd
// 2, 25 rows a shard: many shards of it show whether errors are forgotten.
func probitLong() Scenario {
	const p = 20
	return binary("probit-long", 25, 1, func(seed uint64, key string, _ int64) []float64 {
		r, beta := source(seed, key, 0), make([]float64, p)
		for j := range beta {
			beta[j] = 2 / math.Sqrt(p) * r.NormFloat64()
		}
		return beta
	})
}

// Strong returns the coefficients of the paper's first binary experiment: ten
// strong ones, the other p-10 uniform on (-reach, reach).
func Strong(seed uint64, key string, p int, reach float64) []float64 {
	beta := []float64{3.5, -3.5, -2, 2, -1.5, 1.5, -1.5, 1.5, -1, 1}
	r := source(seed, key, 0)
	for len(beta) < p {
		beta = append(beta, reach*(2*r.Float64()-1))
	}
	return beta
}

// StrongWide returns the 500 coefficients of its second one: of the weak ones,
// uniform on (-1/3, 1/3), all behind the 200th are 0.
func StrongWide(seed uint64, key string) []float64 {
	return append(Strong(seed, key, 200, 1./3), make([]float64, 300)...)
}

// probitDrift has five predictors of sd 1 and a first coefficient that jumps
// from 1 to -1 after shard 250, for forgetting factors.
func probitDrift() Scenario {
	beta := jumping(-1)
	return binary("probit-drift", 25, 1, func(_ uint64, _ string, t int64) []float64 { return beta(t) })
}

// binary has normal predictors of the given sd and y = 1 where x'beta plus a
// standard normal is positive.
func binary(name string, rows int, sd float64, beta func(seed uint64, key string, t int64) []float64) Scenario {
	return Scenario{
		Name: name, Kind: "probit", Rows: rows,
		Shard: func(seed uint64, key string, t int64, rows int) Data {
			r, b := source(seed, key, t), beta(seed, key, t)
			d, y := features(len(b), rows), make([]float64, rows)
			for i := range y {
				eta := r.NormFloat64()
				for j := range b {
					x := sd * r.NormFloat64()
					d.Columns[j][i] = x
					eta += float64(x * b[j])
				}
				if eta > 0 {
					y[i] = 1
				}
			}
			return d.with(y)
		},
		Truth: func(seed uint64, key string, t int64) []Truth {
			return appendTruths(nil, "beta", "x", beta(seed, key, t))
		},
	}
}
