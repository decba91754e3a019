package models

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/cdf/quantity"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// quantityOf and probability are quantities as a configuration gives them.
func quantityOf(t testing.TB, name, of string) quantity.Quantity {
	t.Helper()
	f, err := quantity.ParseForm(of, nil)
	if err != nil {
		t.Fatal(err)
	}
	return quantity.Quantity{Name: name, Kind: quantity.KindForm, Form: f}
}

func probability(t testing.TB, name, of string) quantity.Quantity {
	t.Helper()
	f, err := quantity.ParseComparison(of, nil)
	if err != nil {
		t.Fatal(err)
	}
	return quantity.Quantity{Name: name, Kind: quantity.KindProbability, Form: f}
}

// asked returns the spec with quantities.
func asked(spec *cdf.Spec, list ...quantity.Quantity) *cdf.Spec {
	s := *spec
	s.Publish.Quantities = list
	return &s
}

func rowOf(t testing.TB, s *cdf.Summary, name string) cdf.Row {
	t.Helper()
	for _, r := range s.Rows {
		if r.Variable == name {
			return r
		}
	}
	t.Fatalf("no row of %q; %+v", name, s.Quantities)
	return cdf.Row{}
}

// sameRow compares rows, NaN with NaN.
func sameRow(a, b cdf.Row) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// line is linear regression on two columns of the given number of rows.
func line(rows int) (x [][3]float64, y []float64, b *cdf.Batch) {
	rng := rand.New(rand.NewPCG(5, uint64(rows)))
	u, v := make([]float64, rows), make([]float64, rows)
	y = make([]float64, rows)
	for i := range rows {
		u[i], v[i] = rng.NormFloat64(), 3+rng.NormFloat64()
		y[i] = 1 + .5*u[i] - .3*v[i] + rng.NormFloat64()
		x = append(x, [3]float64{1, u[i], v[i]})
	}
	return x, y, &cdf.Batch{Rows: rows, Columns: []cdf.Column{{Name: "y", Number: y}, {Name: "u", Number: u}, {Name: "v", Number: v}}}
}

const linePrior = "prior: {beta_variance: 4, intercept_variance: 25, sigma2_shape: 3, sigma2_rate: 8}"

func lineSpec(t testing.TB) *cdf.Spec {
	k, _ := Kinds().Lookup("linear")
	return modeltest.Spec(t, k, "corrected", cdf.Roles{Intercept: true, Scaling: "none", Features: []cdf.Feature{{Name: "u"}, {Name: "v"}}}, strictyaml.Decode(linePrior))
}

// integrate returns what a trapezoid rule over log sigma2 makes of functions of the
// normal law of c'beta + d given sigma2, and of sigma2: dense algebra, no code of the model.
func integrate(x [][3]float64, y []float64, c [3]float64, d float64, of func(mean, sd, sigma2 float64) float64) float64 {
	prior := [3]float64{25, 4, 4}
	const nodes = 6001
	logs, values := make([]float64, nodes), make([]float64, nodes)
	top := math.Inf(-1)
	for k := range nodes {
		l := -8 + 16*float64(k)/(nodes-1)
		s := math.Exp(l)
		a, h, yy := mat.NewSymDense(3, nil), mat.NewVecDense(3, nil), 0.0
		for i := range 3 {
			a.SetSym(i, i, 1/prior[i])
		}
		for i, row := range x {
			for j := range 3 {
				h.SetVec(j, h.AtVec(j)+row[j]*y[i]/s)
				for m := j; m < 3; m++ {
					a.SetSym(j, m, a.At(j, m)+row[j]*row[m]/s)
				}
			}
			yy += y[i] * y[i] / s
		}
		var chol mat.Cholesky
		if !chol.Factorize(a) {
			panic("not positive definite")
		}
		var m, w mat.VecDense
		cv := mat.NewVecDense(3, c[:])
		_ = chol.SolveVecTo(&m, h)
		_ = chol.SolveVecTo(&w, cv)
		// p(sigma2) in l, times the likelihood with beta integrated out.
		logs[k] = -3*l - 8/s - .5*float64(len(y))*l - .5*chol.LogDet() + .5*mat.Dot(h, &m) - .5*yy
		values[k] = of(d+mat.Dot(cv, &m), math.Sqrt(mat.Dot(cv, &w)), s)
		top = max(top, logs[k])
	}
	total, sum := 0.0, 0.0
	for k, l := range logs {
		w := math.Exp(l - top)
		total += w
		sum += w * values[k]
	}
	return sum / total
}

func TestLinearQuantitiesAreTheIntegral(t *testing.T) {
	x, y, b := line(9)
	const bound = -8 + 16*3068./6000 // a node of integrate
	spec := asked(lineSpec(t),
		quantityOf(t, "contrast", "beta[u] - 2*beta[v] + 1"),
		probability(t, "better", "beta[u] - 2*beta[v] + 1 > 1.5"),
		probability(t, "worse", "beta[u] - 2*beta[v] + 1 < 1.5"),
		probability(t, "far", "beta[u] > 3"),
		probability(t, "noise", fmt.Sprintf("sigma2 > %v", math.Exp(bound))),
		quantityOf(t, "ratio", "100*(exp(beta[u]) - 1)"),
		quantityOf(t, "less", "3 - 2*exp(beta[u])"),
		quantityOf(t, "sd", "sqrt(sigma2)"))
	f := cdf.NewFilter(spec, "k")
	sum, err := f.Update(b)
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))) {
			t.Errorf("%s is %v, want %v (%.1e)", what, got, want, got-want)
		}
	}
	c := [3]float64{0, 1, -2}
	r := rowOf(t, sum, "contrast")
	mean := integrate(x, y, c, 1, func(m, _, _ float64) float64 { return m })
	near("mean", r.Mean, mean)
	near("sd", r.SD, math.Sqrt(integrate(x, y, c, 1, func(m, s, _ float64) float64 { return s*s + (m-mean)*(m-mean) })))
	near("2.5 %", integrate(x, y, c, 1, func(m, s, _ float64) float64 { return normal.CDF((r.Q025 - m) / s) }), .025)
	near("95 %", integrate(x, y, c, 1, func(m, s, _ float64) float64 { return normal.CDF((r.Q95 - m) / s) }), .95)
	want := integrate(x, y, c, 1-1.5, func(m, s, _ float64) float64 { return normal.CDF(m / s) })
	near("better", rowOf(t, sum, "better").Mean, want)
	near("worse", rowOf(t, sum, "worse").Mean, 1-want)
	near("far", rowOf(t, sum, "far").Mean, integrate(x, y, [3]float64{0, 1, 0}, -3, func(m, s, _ float64) float64 { return normal.CDF(m / s) }))
	// Half of the node at the bound: the rule is then off by h^2/12 times the density's slope.
	above := integrate(x, y, c, 0, func(_, _, s float64) float64 {
		switch d := math.Log(s) - bound; {
		case math.Abs(d) < 1e-9:
			return .5
		case d > 0:
			return 1
		}
		return 0
	})
	if noise := rowOf(t, sum, "noise").Mean; math.Abs(noise-above) > 1e-6 {
		t.Errorf("sigma2: %v, want %v", noise, above)
	}
	u := rowOf(t, sum, "beta[u]")
	ratio, less := rowOf(t, sum, "ratio"), rowOf(t, sum, "less")
	near("ratio", ratio.Q975, 100*(math.Exp(u.Q975)-1))
	near("less", less.Q05, 3-2*math.Exp(u.Q95))
	if !math.IsNaN(ratio.Mean) || !math.IsNaN(ratio.SD) {
		t.Errorf("e to the power of a t law has no mean, and is said to have %v", ratio.Mean)
	}
	near("sd", rowOf(t, sum, "sd").Median, math.Sqrt(rowOf(t, sum, "sigma2").Median))
	if got := sum.Rows[0].Variable; got != "contrast" || sum.Answers() != 8 {
		t.Errorf("the first of %d rows of quantities is of %s", sum.Answers(), got)
	}
}

// Every variable is above its own quantiles as often as these say, in every kind, and
// contrasts are what draws of the same posterior say.
func TestProbabilitiesAreThoseOfTheQuantiles(t *testing.T) {
	for _, k := range Kinds() {
		for _, variant := range k.Variants {
			t.Run(k.Name+"/"+variant, func(t *testing.T) {
				s := streamOf(k)
				spec := s.spec(t, variant)
				spec.Draws = 2000
				rng := rand.New(rand.NewPCG(9, 9))
				shards := []*cdf.Batch{s.shard(rng, 40), s.shard(rng, 40)}
				plain := cdf.NewFilter(spec, "k")
				sum := updated(t, plain, shards)
				var list []quantity.Quantity
				var want []float64
				for _, r := range sum.Rows {
					for _, q := range []struct{ at, above float64 }{{r.Q05, .95}, {r.Median, .5}, {r.Q975, .025}} {
						list = append(list, probability(t, fmt.Sprintf("q%d", len(list)), fmt.Sprintf("`%s` > %v", r.Variable, math.Abs(q.at))))
						list[len(list)-1].Form.Const = -q.at
						want = append(want, q.above)
					}
				}
				f := cdf.NewFilter(asked(spec, list...), "k")
				got := updated(t, f, shards)
				same := state(t, f)
				if !bytes.Equal(same, state(t, plain)) {
					t.Error("the state depends on what is asked of it")
				}
				for i, q := range list {
					r := rowOf(t, got, q.Name)
					// The quantiles of models that draw have an error of their own.
					tolerance := 2e-6
					if sum.Draws > 0 {
						tolerance = 5*r.MCSEMean + 5*math.Sqrt(.25/200)
					}
					if !(math.Abs(r.Mean-want[i]) <= tolerance) {
						t.Errorf("P(%v above %g) is %v, want %v", q.Form.Terms, -q.Form.Const, r.Mean, want[i])
					}
				}
			})
		}
	}
}

func updated(t testing.TB, f *cdf.Filter, shards []*cdf.Batch) *cdf.Summary {
	t.Helper()
	var sum *cdf.Summary
	for _, b := range shards {
		var err error
		if sum, err = f.Update(b); err != nil {
			t.Fatal(err)
		}
	}
	return sum
}

func state(t testing.TB, f *cdf.Filter) []byte {
	t.Helper()
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// contrasts are pairs of variables of a summary that are comparable.
func contrasts(t testing.TB, sum *cdf.Summary) (list []quantity.Quantity, names [][2]string) {
	for _, prefix := range []string{"beta[", "gamma[", "zeta[", "u["} {
		var of []string
		for _, r := range sum.Rows {
			if strings.HasPrefix(r.Variable, prefix) {
				of = append(of, r.Variable)
			}
		}
		if len(of) > 2 {
			of = of[len(of)-2:]
		}
		if len(of) == 2 {
			names = append(names, [2]string{of[0], of[1]})
			list = append(list, quantityOf(t, prefix, fmt.Sprintf("`%s` - `%s`", of[0], of[1])),
				probability(t, "P"+prefix, fmt.Sprintf("`%s` > `%s`", of[0], of[1])))
		}
	}
	return list, names
}

// A contrast is that of the draws that are published beside it: within 4.5 standard
// errors over some 20 comparisons, a false alarm in 7,000 seeds.
func TestContrastsAreThoseOfTheDraws(t *testing.T) {
	compared := 0
	for _, k := range Kinds() {
		for _, variant := range k.Variants {
			if variant == "paper" && k.Name == "compressed" {
				continue // its columns are correlated by what the draws hold and the law leaves out
			}
			t.Run(k.Name+"/"+variant, func(t *testing.T) {
				s := streamOf(k)
				spec := s.spec(t, variant)
				spec.Draws, spec.Publish.Draws = 4000, true
				rng := rand.New(rand.NewPCG(4, 9))
				shards := []*cdf.Batch{s.shard(rng, 60), s.shard(rng, 60)}
				list, names := contrasts(t, updated(t, cdf.NewFilter(spec, "k"), shards))
				f := cdf.NewFilter(asked(spec, list...), "k")
				sum := updated(t, f, shards)
				rows := sum.Rows[sum.Answers():]
				draws := f.LastDraws()
				for i, pair := range names {
					at := func(name string) []float64 {
						return draws.Row(slices.IndexFunc(rows, func(r cdf.Row) bool { return r.Variable == name }))
					}
					a, b := at(pair[0]), at(pair[1])
					mean, square, above := 0.0, 0.0, 0.0
					n := float64(len(a))
					for j := range a {
						d := a[j] - b[j]
						mean, square = mean+d/n, square+d*d/n
						if d > 0 {
							above += 1 / n
						}
					}
					sd := math.Sqrt(square - mean*mean)
					r, p := rowOf(t, sum, list[2*i].Name), rowOf(t, sum, list[2*i+1].Name)
					// Chains are not independent: a tenth of the draws counts.
					few := n
					if sum.Draws > 0 && k.Name == "probit" {
						few = n / 10
					}
					if math.Abs(r.Mean-mean) > 4.5*sd/math.Sqrt(few)+1e-12 || math.Abs(r.SD/sd-1) > 4.5/math.Sqrt(few) {
						t.Errorf("%v: %v ± %v, by the draws %v ± %v", pair, r.Mean, r.SD, mean, sd)
					}
					if e := math.Sqrt(max(above*(1-above), 1/few) / few); math.Abs(p.Mean-above) > 4.5*e {
						t.Errorf("P(%s > %s) is %v, by the draws %v ± %v", pair[0], pair[1], p.Mean, above, e)
					}
					compared++
				}
			})
		}
	}
	if compared < 7 {
		t.Errorf("only %d contrasts were compared", compared)
	}
}

// What was published is told again after a restart, by the state or by the summary beside it.
func TestQuantitiesAfterARestart(t *testing.T) {
	for _, k := range Kinds() {
		for _, variant := range k.Variants {
			t.Run(k.Name+"/"+variant, func(t *testing.T) {
				s := streamOf(k)
				spec := s.spec(t, variant)
				spec.Draws = 200
				rng := rand.New(rand.NewPCG(3, 9))
				shards := []*cdf.Batch{s.shard(rng, 40), s.shard(rng, 40)}
				first := updated(t, cdf.NewFilter(spec, "k"), shards)
				list, _ := contrasts(t, first)
				list = append(list, quantityOf(t, "one", "2*`"+first.Rows[0].Variable+"` + 1"), quantityOf(t, "nothing", "nobody"))
				spec = asked(spec, list...)
				if f := asked(spec); f.Fingerprint() != spec.Fingerprint() {
					t.Error("the fingerprint depends on what is asked")
				}
				f := cdf.NewFilter(spec, "k")
				sum := updated(t, f, shards)
				want := append([]cdf.Row(nil), sum.Rows...)
				told := append([]quantity.Told(nil), sum.Quantities...)
				snapshot, summary := state(t, f), f.AppendSummary(nil)
				g := cdf.NewFilter(spec, "k")
				if err := g.UnmarshalBinary(snapshot); err != nil {
					t.Fatal(err)
				}
				if len(summary) > 0 {
					if err := g.RestoreSummary(summary); err != nil {
						t.Fatal(err)
					}
				}
				again, err := g.Summary()
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(told, again.Quantities) || len(again.Rows) != len(want) {
					t.Fatalf("%+v became %+v", told, again.Quantities)
				}
				for i := range want {
					if !sameRow(want[i], again.Rows[i]) {
						t.Errorf("%+v became %+v", want[i], again.Rows[i])
					}
				}
				if last := told[len(told)-1]; last.Absent != "there is no variable nobody so far" {
					t.Errorf("%+v", last)
				}
				if last := told[len(told)-2]; last.Absent != "" {
					t.Errorf("%+v", last)
				}
			})
		}
	}
}
