package models

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/fault"
	"github.com/credence-stream/credence/cdf/quantity"
)

// relation is what two keys have in common: what the other one has of the first one's configuration and rows, and how far the same
// variable may differ, in sds.
type relation struct {
	name   string
	within float64
	other  func(r chance, spec *cdf.Spec) (other *cdf.Spec, ok bool)
	scale  bool // the other one is in the model's units
}

// again returns a copy of the spec whose fingerprint is its own.
func again(spec *cdf.Spec) *cdf.Spec {
	s := *spec
	k, _ := Lookup(spec.Kind)
	n := cdf.NewSpec(s.Kind, s.Variant, s.Settings, s.New)
	n.Revision, n.RawResponse, n.Steps, n.Origin = k.Revision, s.RawResponse, s.Steps, s.Origin
	n.Columns, n.Draws, n.Forget, n.ForgetPer, n.Missing, n.Publish = s.Columns, s.Draws, s.Forget, s.ForgetPer, s.Missing, s.Publish
	return n
}

var relations = []relation{
	{name: "other variables are published", within: 0, other: func(r chance, spec *cdf.Spec) (*cdf.Spec, bool) {
		o := again(spec)
		o.Publish.Variables = choose(r, [][]string{{"beta[*]"}, {"sigma2"}, {"*2", "mu"}, {"**[x0]", "zeta*"}, {"phi", "u*"}})
		return o, true
	}},
	{name: "a forgetting of next to nothing", within: .01, other: func(r chance, spec *cdf.Spec) (*cdf.Spec, bool) {
		if spec.Forget < 1 || spec.Kind == "probit" || spec.Variant == "paper" {
			return nil, false
		}
		o := again(spec)
		o.Forget, o.ForgetPer = 1-1e-13, cdf.Clock{Unit: choose(r, []string{"shard", "row"})}
		return o, true
	}},
	{name: "the model's units", within: 1e-9, scale: true, other: func(_ chance, spec *cdf.Spec) (*cdf.Spec, bool) {
		o := again(spec)
		o.Publish.Scale = "model"
		return o, true
	}},
}

// TestRelatedKeys: what a key publishes follows from what a related one does.
func TestRelatedKeys(t *testing.T) {
	handSeeds(t, 200, func(seed uint64) (about string, err error) {
		defer fault.Catch(&err)
		r := newChance(seed, 81)
		spec, about, err := r.spec()
		if err != nil {
			return about, err
		}
		spec = again(spec)
		spec.Publish = cdf.Publish{Every: 1, Scale: "original", Groups: "all", Predictions: "none", Variables: []string{"**"}}
		rel := relations[seed%uint64(len(relations))]
		o, ok := rel.other(r, spec)
		if !ok {
			return about, nil
		}
		about = rel.name + ": " + about
		f, g := cdf.NewFilter(spec, "key"), cdf.NewFilter(o, "key")
		at := int64(0)
		for shard := range 1 + r.IntN(6) {
			b := r.shard(spec.Kind, &at)
			settled := f.Settled() && f.T() > 0
			one, err := f.Update(b)
			if err == nil {
				c := *one
				c.Rows = slices.Clone(one.Rows)
				one = &c
			}
			two, failed := g.Update(b)
			if (err == nil) != (failed == nil) {
				return about, fmt.Errorf("shard %d: %w, and %w", shard, err, failed)
			}
			if err != nil {
				continue
			}
			if err := rel.compare(one, two, settled); err != nil {
				return about, fmt.Errorf("shard %d: %w", shard, err)
			}
		}
		return about, nil
	})
}

func (rel *relation) compare(one, two *cdf.Summary, settled bool) error {
	rows := map[string]*cdf.Row{}
	for i := range one.Rows {
		rows[one.Rows[i].Variable] = &one.Rows[i]
	}
	scales := map[string]cdf.Constant{}
	for _, c := range one.Scaling {
		scales[c.Column] = c
	}
	of := func(name string) cdf.Constant {
		if c, ok := scales[name]; ok {
			return c
		}
		return cdf.Constant{Scale: 1}
	}
	for i := range two.Rows {
		b := &two.Rows[i]
		a := rows[b.Variable]
		if a == nil {
			return fmt.Errorf("%s is there in one", b.Variable)
		}
		shift, by := 0., 1.
		if rel.scale {
			y := of("y")
			switch name := b.Variable; {
			case name == "phi":
			case name == "sigma2" || name == "tau2":
				by = y.Scale * y.Scale
			case name == "mu" || name == "theta" || len(name) > 4 && name[:5] == "zeta[":
				shift, by = y.Center, y.Scale
			case name == "beta[intercept]" || name[0] == 'u' || len(name) > 7 && name[:8] == "sigma2_u":
				continue
			default:
				j := 5
				if name[0] == 'g' {
					j = 6
				}
				by = y.Scale / of(name[j:len(name)-1]).Scale
			}
		}
		if rel.within == 0 && fmt.Sprint(*a) != fmt.Sprint(*b) {
			return fmt.Errorf("%+v, and %+v", *a, *b)
		}
		p, q := append(quantilesOf(a), a.Mean), append(quantilesOf(b), b.Mean)
		for k := range p {
			v := shift + by*q[k]
			if math.IsNaN(p[k]) != math.IsNaN(v) || !math.IsNaN(v) && !(math.Abs(p[k]-v) <= rel.within*(a.Q975-a.Q025)+1e-12*math.Abs(v)) {
				return fmt.Errorf("%+v, and %+v (%v)", *a, *b, k)
			}
		}
	}
	s, o := one.Score, two.Score
	if rel.scale && !settled { // they are in the units of before the shard
		return nil
	}
	if y := of("y"); rel.scale {
		o.LogDensity -= math.Log(y.Scale)
		o.RMSE *= y.Scale
	}
	if !(s.Rows == o.Rows && same9(s.LogDensity, o.LogDensity, rel.within) && same9(s.RMSE, o.RMSE, rel.within) && same9(s.Coverage95, o.Coverage95, 0)) {
		return fmt.Errorf("score %+v, and %+v", s, o)
	}
	return nil
}

func same9(a, b, within float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= (within+1e-9)*(1+math.Abs(a))
}

// TestRelatedQuantities: forms of variables are what others and the covariance say, in every kind.
func TestRelatedQuantities(t *testing.T) {
	handSeeds(t, 150, func(seed uint64) (about string, err error) {
		defer fault.Catch(&err)
		r := newChance(seed, 82)
		spec, about, err := r.spec()
		if err != nil {
			return about, err
		}
		spec = again(spec)
		spec.Publish = cdf.Publish{Every: 1, Scale: "original", Groups: "all", Predictions: "none", Variables: []string{"**"}, Covariance: true}
		f := cdf.NewFilter(spec, "key")
		at := int64(0)
		shards := 2 + r.IntN(4)
		for shard := range shards {
			b := r.shard(spec.Kind, &at)
			sum, err := f.Update(b)
			if err != nil || shard < shards-1 {
				continue
			}
			if err := formsAre(r, f, sum); err != nil {
				return about, err
			}
		}
		return about, nil
	})
}

// formsAre asks for forms of two variables.
func formsAre(r chance, f *cdf.Filter, sum *cdf.Summary) error {
	if len(sum.Rows) < 2 {
		return nil
	}
	rows := slices.Clone(sum.Rows)
	cov := slices.Clone(sum.Covariance)
	i, j := r.IntN(len(rows)), r.IntN(len(rows))
	if i == j {
		return nil
	}
	i, j = max(i, j), min(i, j)
	a, b := rows[i].Variable, rows[j].Variable
	w, v := math.Round(8*r.NormFloat64())/4, math.Round(8*r.NormFloat64())/4
	if w == 0 || v == 0 {
		return nil
	}
	form := func(w, v, c float64) quantity.Form {
		return quantity.Form{Scale: 1, Const: c, Terms: []quantity.Term{{Variable: a, Weight: w}, {Variable: b, Weight: v}}}
	}
	ask := []quantity.Quantity{
		{Name: "one", Kind: quantity.KindForm, Form: form(w, v, 3)},
		{Name: "minus", Kind: quantity.KindForm, Form: form(-w, -v, -3)},
		{Name: "above", Kind: quantity.KindProbability, Form: form(w, v, 3)},
		{Name: "below", Kind: quantity.KindProbability, Form: form(-w, -v, -3)},
		{Name: "single", Kind: quantity.KindForm, Form: quantity.Form{Scale: 1, Terms: []quantity.Term{{Variable: a, Weight: 1}}}},
	}
	for _, level := range []float64{.025, .3} {
		q := ask[0]
		ask = append(ask, q.At(level))
		q = ask[1]
		ask = append(ask, q.At(1-level))
	}
	got, err := f.Ask(ask)
	if err != nil {
		return err
	}
	where := fmt.Sprintf("%v %s + %v %s", w, a, v, b)
	if got[0].Absent != "" {
		return nil // as of draws that are gone
	}
	one, minus, single := got[0].Row, got[1].Row, got[4].Row
	if fmt.Sprint(one.Mean) != fmt.Sprint(-minus.Mean) && !(math.Abs(one.Mean+minus.Mean) <= 1e-9*(one.SD+math.Abs(one.Mean))) || !equal(one.SD, minus.SD, 1e-9) {
		return fmt.Errorf("%s: %+v, and the negative %+v", where, one, minus)
	}
	p, q := quantilesOf(&one), quantilesOf(&minus)
	for k, at := range []int{0, 6, 5, 4, 3, 2, 1} {
		if !(math.Abs(p[k]+q[at]) <= 1e-6*(p[6]-p[1])+1e-9*math.Abs(p[k])) {
			return fmt.Errorf("%s: %+v, and the negative %+v", where, one, minus)
		}
	}
	if !(math.Abs(got[2].Row.Mean+got[3].Row.Mean-1) <= 1e-9) {
		return fmt.Errorf("%s: above with %v, below with %v", where, got[2].Row.Mean, got[3].Row.Mean)
	}
	for k := 5; k < len(got); k += 2 {
		if x, y := got[k].Row.Mean, got[k+1].Row.Mean; !(math.Abs(x+y) <= 1e-6*(p[6]-p[1])+1e-9*math.Abs(x)) {
			return fmt.Errorf("%s: quantiles %v and %v of the negative, of %+v", where, x, y, one)
		}
	}
	if mean := 3 + w*rows[i].Mean + v*rows[j].Mean; one.MCSEMean == 0 && !equal(one.Mean, mean, 0) && !(math.Abs(one.Mean-mean) <= 1e-6*one.SD+1e-9*math.Abs(mean)) {
		return fmt.Errorf("%s: mean %v, of the variables %v", where, one.Mean, mean)
	}
	if x, y := quantilesOf(&single), quantilesOf(&rows[i]); !slices.Equal(x, y) && !(math.Abs(x[1]-y[1]) <= 1e-9*(y[6]-y[1])+1e-9*math.Abs(y[1])) {
		return fmt.Errorf("%s is %+v, and %+v if it is asked for", a, rows[i], single)
	}
	at := func(name string) int {
		n := 0
		for k := range rows {
			if len(name) > 5 && name[:5] == "beta[" && len(rows[k].Variable) > 5 && rows[k].Variable[:5] == "beta[" {
				if rows[k].Variable == name {
					return n
				}
				n++
			}
		}
		return -1
	}
	if i, j := at(a), at(b); i >= 0 && j >= 0 && len(cov) > 0 {
		element := func(i, j int) float64 { i, j = max(i, j), min(i, j); return cov[i*(i+1)/2+j] }
		if sd := math.Sqrt(w*w*element(i, i) + v*v*element(j, j) + 2*w*v*element(i, j)); !equal(one.SD, sd, 1e-6) && !math.IsNaN(one.SD) {
			return fmt.Errorf("%s: sd %v, by the covariance %v", where, one.SD, sd)
		}
	}
	return nil
}

func equal(a, b, within float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= within*math.Abs(a)
}
