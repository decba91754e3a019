package collinear

import (
	"cmp"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
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
	b, features, ok := r.made(roles)
	y := Column(b, cmp.Or(roles.Response.Name, "y"))
	if !ok || y == nil || len(y.Number) == 0 {
		return Fit{}, false
	}
	used, x := fitted(b, y, features)
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
		c := Column(b, f.Name)
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

// least solves by the triangular factor of the centred design with the response behind it.
// Columns of x and y are changed.
func least(x [][]float64, y []float64, names []regressor) (Fit, bool) {
	n, p := len(y), len(x)
	means := make([]float64, p)
	for j, v := range x {
		means[j] = center(v)
	}
	mean := center(y)
	r := factor(x, y)
	norm := make([]float64, p+1) // of the columns: what is above the diagonal is along those before
	for i := range p + 1 {
		for j, v := range r[lin.PackedRow(p+1, i):][:p+1-i] {
			norm[i+j] = math.Hypot(norm[i+j], v)
		}
		own := math.Abs(r[lin.PackedRow(p+1, i)])
		if i < p && !(own > dependent*norm[i]) || !finite(norm[i]) {
			return Fit{}, false
		}
	}
	if norm[p] == 0 {
		return Fit{}, false
	}
	left := square(r[len(r)-1])
	f := Fit{Rows: n, Squares: left, Noise: max(left/float64(n-p-1), leastNoise*square(norm[p])/float64(n-1))}
	inverse := make([]float64, p*p)
	lin.InvertPacked(p, r, inverse)
	b := make([]float64, p)
	for i := range p {
		b[i] = r[lin.PackedRow(p+1, i)+p-i]
	}
	along := make([]float64, p) // means times the inverse
	f.Coefficients = append(f.Coefficients, Coefficient{Name: cdf.InterceptName, Mean: mean})
	for j := range p {
		row := inverse[j*p : (j+1)*p]
		c := Coefficient{Name: names[j].name, Column: names[j].column, Mean: lin.Dot(row, b), SE: math.Sqrt(f.Noise * lin.Dot(row, row))}
		f.Coefficients = append(f.Coefficients, c)
		f.Coefficients[0].Mean -= c.Mean * means[j]
		lin.Axpy(means[j], row, along)
	}
	f.Coefficients[0].SE = math.Sqrt(f.Noise * (1/float64(n) + lin.Dot(along, along)))
	for _, c := range f.Coefficients {
		if !finite(c.Mean) || !finite(c.SE) || c.SE == 0 {
			return Fit{}, false
		}
	}
	return f, true
}

// factor returns the packed triangular factor of the columns of x and, behind them, y.
func factor(x [][]float64, y []float64) []float64 {
	order := len(x) + 1
	r, block, row := make([]float64, lin.PackedLen(order)), make([]float64, lin.BlockLen(lin.PanelRows, order)), make([]float64, len(x))
	for from := 0; from < len(y); from += lin.PanelRows {
		to := min(from+lin.PanelRows, len(y))
		for i := from; i < to; i++ {
			for j := range x {
				row[j] = x[j][i]
			}
			lin.PutRow(block, i-from, row, y[i])
		}
		lin.UpdateQR(r, order, block, to-from)
	}
	return r
}

func square(x float64) float64 { return x * x }

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
