package simulate

// linear is the paper's regression experiment: five predictors uniform on
// (0, 1), no intercept, noise sd 5, ten rows a shard (arXiv:1401.3632,
// section 3.1.1).
func linear() Scenario {
	beta := []float64{1, 0.5, 0.25, -1, 0.75}
	return regression("linear", 10, 5, func(int64) []float64 { return beta })
}

// linearDrift has unit noise and a first coefficient that jumps from 1 to -2
// after shard 250, for forgetting factors.
func linearDrift() Scenario { return regression("linear-drift", 20, 1, jumping(-2)) }

func regression(name string, rows int, sigma float64, beta func(t int64) []float64) Scenario {
	return Scenario{
		Name: name, Kind: "linear", Rows: rows,
		Shard: func(seed uint64, key string, t int64, rows int) Data {
			r, b := source(seed, key, t), beta(t)
			d, y := features(len(b), rows), make([]float64, rows)
			for i := range y {
				for j := range b {
					x := r.Float64()
					d.Columns[j][i] = x
					y[i] += float64(x * b[j])
				}
				y[i] += float64(sigma * r.NormFloat64())
			}
			return d.with(y)
		},
		Truth: func(_ uint64, _ string, t int64) []Truth {
			return append(appendTruths(nil, "beta", "x", beta(t)), Truth{"sigma2", sigma * sigma})
		},
	}
}
