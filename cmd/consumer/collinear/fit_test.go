package collinear

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// TestFitIsTheNormalEquations: X'(y - Xb) is 0 and X'X times the covariance is s^2, of columns
// far from 0, correlated, of levels and with rows that lack something.
func TestFitIsTheNormalEquations(t *testing.T) {
	rnd := rand.New(rand.NewPCG(96, 1))
	const n = 120
	a, b, y := cdf.Column{Name: "a"}, cdf.Column{Name: "b"}, cdf.Column{Name: "y"}
	g := cdf.Column{Name: "g", Type: cdf.Text, Levels: []string{"u", "v", "w"}}
	for i := range n {
		a.Number = append(a.Number, 1e4+rnd.NormFloat64())
		b.Number = append(b.Number, a.Number[i]+.1*rnd.NormFloat64())
		g.Code = append(g.Code, int32(i%4)-1) // -1: missing
		y.Number = append(y.Number, 3*a.Number[i]-b.Number[i]+float64(i%4)+rnd.NormFloat64())
	}
	y.Number[5], a.Number[6] = math.NaN(), math.NaN()
	rows := new(Rows)
	rows.Add("k", &cdf.Batch{Rows: n, Columns: []cdf.Column{a, b, g, y}})
	f, ok := rows.Fit(&cdf.Roles{Features: []cdf.Feature{{Name: "a"}, {Name: "b"}, {Name: "g", Levels: []string{"u", "v"}, Baseline: "u"}}})
	if !ok || f.Rows != n-2 {
		t.Fatalf("%v, %d rows", ok, f.Rows)
	}
	// The columns, by what the names say.
	value := func(name string, i int) float64 {
		is := map[bool]float64{true: 1}
		switch name {
		case "intercept":
			return 1
		case "a":
			return a.Number[i]
		case "b":
			return b.Number[i]
		case "g=v":
			return is[g.Code[i] == 1]
		case "g=__other__":
			return is[g.Code[i] == 2]
		case "g=__missing__":
			return is[g.Code[i] == -1]
		}
		t.Fatalf("a coefficient %q", name)
		return 0
	}
	if len(f.Coefficients) != 6 {
		t.Fatalf("%+v", f.Coefficients)
	}
	ssr := 0.
	gradient := make([]float64, 6)
	for i := range n {
		if i == 5 || i == 6 {
			continue
		}
		left := y.Number[i]
		for _, c := range f.Coefficients {
			left -= c.Mean * value(c.Name, i)
		}
		ssr += left * left
		for k, c := range f.Coefficients {
			gradient[k] += left * value(c.Name, i)
		}
	}
	for k, c := range f.Coefficients {
		if math.Abs(gradient[k]) > 1e-5*math.Sqrt(float64(n))*max(1, math.Abs(value(c.Name, 0))) {
			t.Errorf("%s: gradient %g", c.Name, gradient[k])
		}
	}
	if s2 := ssr / float64(n-2-6); math.Abs(f.Noise/s2-1) > 1e-9 {
		t.Errorf("noise %g, want %g", f.Noise, s2)
	}
}

// TestSimpleFit has the textbook's standard errors of slope and intercept.
func TestSimpleFit(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	y := []float64{2.1, 3.9, 6.2, 7.8, 10.1, 12.2, 13.8, 16.1}
	rows := new(Rows)
	rows.Add("k", &cdf.Batch{Rows: 8, Columns: []cdf.Column{{Name: "x", Number: x}, {Name: "y", Number: y}}})
	f, ok := rows.Fit(&cdf.Roles{Features: []cdf.Feature{{Name: "x"}}})
	if !ok {
		t.Fatal("no fit")
	}
	var mx, my, sxx, sxy, ssr float64
	for i := range x {
		mx, my = mx+x[i]/8, my+y[i]/8
	}
	for i := range x {
		sxx, sxy = sxx+(x[i]-mx)*(x[i]-mx), sxy+(x[i]-mx)*(y[i]-my)
	}
	slope := sxy / sxx
	for i := range x {
		left := y[i] - my - slope*(x[i]-mx)
		ssr += left * left
	}
	s2 := ssr / 6
	for i, want := range []Coefficient{{Mean: my - slope*mx, SE: math.Sqrt(s2 * (1./8 + mx*mx/sxx))}, {Mean: slope, SE: math.Sqrt(s2 / sxx)}} {
		if got := f.Coefficients[i]; math.Abs(got.Mean-want.Mean) > 1e-12 || math.Abs(got.SE-want.SE) > 1e-12 {
			t.Errorf("%d: %+v, want %+v", i, got, want)
		}
	}
	for name, change := range map[string]func(c []cdf.Column) int{
		"few rows":            func([]cdf.Column) int { return 5 },
		"a constant response": func(c []cdf.Column) int { c[1].Number = make([]float64, 8); return 8 },
	} {
		c := []cdf.Column{{Name: "x", Number: x}, {Name: "y", Number: y}}
		n := change(c)
		for i := range c {
			c[i].Number = c[i].Number[:n]
		}
		rows := new(Rows)
		rows.Add("k", &cdf.Batch{Rows: n, Columns: c})
		if _, ok := rows.Fit(&cdf.Roles{Features: []cdf.Feature{{Name: "x"}}}); ok {
			t.Errorf("%s have a fit", name)
		}
	}
	both := new(Rows)
	both.Add("k", &cdf.Batch{Rows: 8, Columns: []cdf.Column{{Name: "x", Number: x}, {Name: "z", Number: x}, {Name: "y", Number: y}}})
	if _, ok := both.Fit(&cdf.Roles{Features: []cdf.Feature{{Name: "x"}, {Name: "z"}}}); ok {
		t.Error("columns that follow have a fit")
	}
}
