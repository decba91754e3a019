package simulate

import "strconv"

// linear is the paper's regression experiment: five predictors uniform on
// (0, 1), no intercept, noise sd 5, ten rows a shard (arXiv:1401.3632,
// section 3.1.1).
func linear() Scenario {
	beta := []float64{1, 0.5, 0.25, -1, 0.75}
	return regression("linear", 10, 5, func(int64) []float64 { return beta })
}

// linearDrift has unit noise and a first coefficient that jumps from 1 to -2
// after shard 250, for forgetting factors.
func linearDrift() Scenario {
	before := []float64{1, 0.5, 0.25, -1, 0.75}
	after := []float64{-2, 0.5, 0.25, -1, 0.75}
	return regression("linear-drift", 20, 1, func(t int64) []float64 {
		if t > 250 {
			return after
		}
		return before
	})
}

func regression(name string, rows int, sigma float64, beta func(t int64) []float64) Scenario {
	return Scenario{
		Name: name, Kind: "linear", Rows: rows,
		Shard: func(seed uint64, key string, t int64, rows int) Data {
			r, b := source(seed, key, t), beta(t)
			var d Data
			for j := range b {
				d.Names = append(d.Names, "x"+strconv.Itoa(j+1))
				d.Columns = append(d.Columns, make([]float64, rows))
			}
			y := make([]float64, rows)
			for i := range y {
				for j := range b {
					x := r.Float64()
					d.Columns[j][i] = x
					y[i] += float64(x * b[j])
				}
				y[i] += float64(sigma * r.NormFloat64())
			}
			d.Names, d.Columns = append(d.Names, "y"), append(d.Columns, y)
			return d
		},
		Truth: func(_ uint64, _ string, t int64) []Truth {
			var out []Truth
			for j, b := range beta(t) {
				out = append(out, Truth{"beta[x" + strconv.Itoa(j+1) + "]", b})
			}
			return append(out, Truth{"sigma2", sigma * sigma})
		},
	}
}
