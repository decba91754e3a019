package describe

import (
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/internal/dist"
)

// quantiles of a row, at the levels of dist.Levels.
func quantiles(r *cdf.Row) [7]float64 {
	return [7]float64{r.Q025, r.Q05, r.Q25, r.Median, r.Q75, r.Q95, r.Q975}
}

// near compares a row with a mean, an sd and a quantile function.
func near(t *testing.T, what string, r *cdf.Row, mean, sd float64, quantile func(p float64) float64) {
	t.Helper()
	same := func(got, want float64) bool {
		return math.IsNaN(got) && math.IsNaN(want) || math.Abs(got-want) <= 1e-7*(1+math.Abs(want))
	}
	if !same(r.Mean, mean) || !same(r.SD, sd) {
		t.Errorf("%s: mean %v and sd %v, want %v and %v", what, r.Mean, r.SD, mean, sd)
	}
	q := quantiles(r)
	for k, p := range dist.Levels {
		if want := quantile(p); !same(q[k], want) {
			t.Errorf("%s: quantile %v is %v, want %v", what, p, q[k], want)
		}
	}
}

// A row begins with nothing of the one that was there, whatever fields it has.
func TestBegin(t *testing.T) {
	r := cdf.Row{Variable: "b", Open: true}
	fields := reflect.ValueOf(&r).Elem()
	for i := range fields.NumField() {
		if f := fields.Field(i); f.Kind() == reflect.Float64 {
			f.SetFloat(7)
		}
	}
	Begin(&r, "a")
	if r.Variable != "a" || r.Open {
		t.Errorf("%+v", r)
	}
	for i := range fields.NumField() {
		if f := fields.Field(i); f.Kind() == reflect.Float64 && f.Float() == 7 {
			t.Errorf("%s is of the row before", fields.Type().Field(i).Name)
		}
	}
	if q := quantiles(&r); q != [7]float64{} || !math.IsNaN(r.Mean) || !math.IsNaN(r.SD) || r.MCSEMean != 0 || !math.IsNaN(r.RHat) {
		t.Errorf("%+v", r)
	}
}

// Rows are those of their laws, as gonum computes them.
func TestRowsAreOfTheirLaws(t *testing.T) {
	var law dist.Standard
	var r cdf.Row
	begin := func() *cdf.Row { Begin(&r, "a"); return &r }

	for _, shape := range []float64{.8, 3, 60} {
		one := distuv.StudentsT{Mu: -1, Sigma: 2, Nu: 2 * shape}
		sd := math.NaN()
		if shape > 1 {
			sd = one.StdDev()
		}
		Student(begin(), law.At(shape), -1, 2)
		near(t, "t", &r, -1, sd, one.Quantile)

		inverse := distuv.InverseGamma{Alpha: shape, Beta: 4}
		gamma := distuv.Gamma{Alpha: shape, Beta: 4} // of 1/X
		mean, sd := math.NaN(), math.NaN()
		if shape > 1 {
			mean = inverse.Mean()
		}
		if shape > 2 {
			sd = math.Sqrt(inverse.Variance())
		}
		InvGamma(begin(), &law, shape, 4, 0, 1)
		near(t, "inverse gamma", &r, mean, sd, func(p float64) float64 { return 1 / gamma.Quantile(1-p) })
		InvGamma(begin(), &law, shape, 4, 10, -2)
		near(t, "inverse gamma, turned", &r, 10-2*mean, 2*sd, func(p float64) float64 { return 10 - 2/gamma.Quantile(p) })
	}

	one := distuv.Normal{Mu: 3, Sigma: .5}
	Normal(begin(), 3, .5)
	near(t, "normal", &r, 3, .5, one.Quantile)
	for _, factor := range []float64{2, -2} {
		Exp(begin(), 1, factor, one.Quantile)
		near(t, "exp", &r, math.NaN(), math.NaN(), func(p float64) float64 {
			if factor < 0 {
				p = 1 - p
			}
			return 1 + factor*math.Exp(one.Quantile(p))
		})
	}

	draws := make([]float64, 4001)
	for i := range draws {
		draws[i] = float64((i * 1000) % 4001) // 0 to 4000 in another order
	}
	Shifted(begin(), draws, 1, -1./4000)
	near(t, "draws", &r, math.NaN(), math.NaN(), func(p float64) float64 { return p })
	if Unknown(&r); !math.IsNaN(r.Median) || !math.IsNaN(r.Q975) || r.Variable != "a" {
		t.Errorf("of an improper prior %+v", r)
	}
}
