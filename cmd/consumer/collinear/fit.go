package collinear

import (
	"cmp"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
)

const (
	// perColumn is how many rows a coefficient needs, so that least squares say something of
	// all of them.
	perColumn = 3
	// leastNoise bounds the variance of residuals from below, by that of the response: rounding
	// leaves as much.
	leastNoise = 1e-8
	// dependent is the part of a column that others must leave of it.
	dependent = 1e-7
)

// Fit is what least squares say of the rows of a sample.
type Fit struct {
	Rows         int
	Coefficients []Coefficient // the first is the intercept
	Squares      float64       // of the residuals, their sum, in units of y^2
	Noise        float64       // variance of the rows, in units of y^2: more than 0, be the residuals what they are
}

// Coefficient is one of a fit, in units of the columns as they came.
type Coefficient struct {
	Name   string // as in beta[name]
	Column string // "" for the intercept
	Mean   float64
	SE     float64 // standard error, > 0
}

// regressor is a column of the design of a fit.
type regressor struct {
	name, column string
	values       []float64
}

// Fit fits the response by the features of roles and an intercept. False where that says
// nothing: of fewer than 3 rows per coefficient, of columns that follow from others, and of
// more than fit into the time.
func (r *Rows) Fit(roles *cdf.Roles) (Fit, bool) {
	b := r.Batch()
	y := find(b, cmp.Or(roles.Response.Name, "y"))
	if y == nil || len(y.Number) == 0 {
		return Fit{}, false
	}
	used, x := fitted(b, y, roles.Features)
	n, p := len(used), len(x)+1
	if n < perColumn*p || float64(n)*float64(p*p) > 10*work {
		return Fit{}, false
	}
	design := make([][]float64, 0, len(x))
	for i := range x {
		design = append(design, at(x[i].values, used))
	}
	return least(design, at(y.Number, used), x)
}

// fitted returns the rows that a model would learn from, and the columns of their design:
// of a column with levels one for each that some of the rows have, but for the baseline.
func fitted(b *cdf.Batch, y *cdf.Column, features []cdf.Feature) (used []int, x []regressor) {
	good := make([]bool, b.Rows)
	for i, v := range y.Number {
		good[i] = finite(v)
	}
	for i := range features {
		f := &features[i]
		c := find(b, f.Name)
		if c == nil {
			continue
		}
		if f.Levels == nil {
			x = append(x, regressor{name: f.Name, column: f.Name, values: c.Number})
			for row, v := range c.Number {
				good[row] = good[row] && finite(v)
			}
			continue
		}
		x = append(x, indicators(c, f, b.Rows)...)
	}
	for row, ok := range good {
		if ok {
			used = append(used, row)
		}
	}
	return used, slices.DeleteFunc(x, func(g regressor) bool { return constant(at(g.values, used)) })
}

// indicators are those of the levels of a column, and of a missing one.
func indicators(c *cdf.Column, f *cdf.Feature, rows int) (all []regressor) {
	of := map[string]int{}
	for row := range rows {
		label, ok := labelOf(c, row)
		switch {
		case !ok:
			label = "__missing__"
		case label == f.Baseline:
			continue
		case !slices.Contains(f.Levels, label):
			label = "__other__"
		}
		i, known := of[label]
		if !known {
			i = len(all)
			of[label] = i
			all = append(all, regressor{name: f.Name + "=" + label, values: make([]float64, rows)})
		}
		all[i].values[row] = 1
	}
	return all
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// least solves by the factor of the centred design, X = QR with every column of Q
// orthogonal to those before it twice over. Columns of x and y are changed.
func least(x [][]float64, y []float64, names []regressor) (Fit, bool) {
	n, p := len(y), len(x)
	means, r := make([]float64, p), make([][]float64, p)
	for j, v := range x {
		means[j] = center(v)
		r[j] = make([]float64, p)
		norm := math.Sqrt(dot(v, v))
		for range 2 {
			for k, q := range x[:j] {
				a := dot(q, v)
				r[k][j] += a
				subtract(v, a, q)
			}
		}
		left := math.Sqrt(dot(v, v))
		if !(left > dependent*norm) || math.IsInf(norm, 0) {
			return Fit{}, false
		}
		r[j][j] = left
		for i := range v {
			v[i] /= left
		}
	}
	mean := center(y)
	total := dot(y, y)
	if !(total > 0) || math.IsInf(total, 0) {
		return Fit{}, false
	}
	b := make([]float64, p)
	for j, q := range x {
		b[j] = dot(q, y)
		subtract(y, b[j], q)
	}
	left := dot(y, y)
	f := Fit{Rows: n, Squares: left, Noise: max(left/float64(n-p-1), leastNoise*total/float64(n-1))}
	inverse := inverted(r)
	first := Coefficient{Name: cdf.InterceptName, Mean: mean}
	spread := 1 / float64(n)
	along := make([]float64, p) // means times the inverse
	f.Coefficients = append(f.Coefficients, first)
	for j := range p {
		c := Coefficient{Name: names[j].name, Column: names[j].column, Mean: dot(inverse[j], b), SE: math.Sqrt(f.Noise * dot(inverse[j], inverse[j]))}
		f.Coefficients = append(f.Coefficients, c)
		f.Coefficients[0].Mean -= c.Mean * means[j]
		subtract(along, -means[j], inverse[j])
	}
	f.Coefficients[0].SE = math.Sqrt(f.Noise * (spread + dot(along, along)))
	for _, c := range f.Coefficients {
		if !finite(c.Mean) || !finite(c.SE) || c.SE == 0 {
			return Fit{}, false
		}
	}
	return f, true
}

// inverted returns the inverse of an upper triangular matrix, by rows.
func inverted(r [][]float64) [][]float64 {
	p := len(r)
	inverse := make([][]float64, p)
	for i := p - 1; i >= 0; i-- {
		inverse[i] = make([]float64, p)
		inverse[i][i] = 1 / r[i][i]
		for k := i + 1; k < p; k++ {
			subtract(inverse[i], r[i][k]/r[i][i], inverse[k])
		}
	}
	return inverse
}

// center takes the mean away from values, and returns it.
func center(v []float64) float64 {
	mean := 0.
	for i, x := range v {
		mean += (x - mean) / float64(i+1)
	}
	for i := range v {
		v[i] -= mean
	}
	return mean
}

// subtract takes a times b away from v.
func subtract(v []float64, a float64, b []float64) {
	for i, x := range b {
		v[i] -= a * x
	}
}
