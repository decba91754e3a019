package models_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models"
)

func number(v float64) *float64 { return &v }

// rescaling is a change of units of a kind.
type rescaling struct {
	kind, settings string
	from, to       func(*cdf.Roles)
	tolerance      float64 // of an sd, of a nat
	early          bool    // while the first rows are kept
}

func (c *rescaling) specs(t *testing.T, variant string, forget float64) (from, to *cdf.Spec) {
	t.Helper()
	k, _ := models.Lookup(c.kind)
	spec := func(change func(*cdf.Roles)) *cdf.Spec {
		roles := cdf.Roles{Scaling: "first", Intercept: true}
		if c.kind == "anova" {
			roles.Groups = []cdf.Group{{Column: "g"}}
		}
		change(&roles)
		s, err := k.Spec(variant, roles, strictyaml.Decode(c.settings))
		if err != nil {
			t.Fatal(err)
		}
		s.Forget, s.Publish.Covariance = forget, true
		return s
	}
	return spec(c.from), spec(c.to)
}

// wandering returns shards of 6 rows of columns far from 0, about one in ten
// without a response, every ninth shard without any.
func wandering(seed uint64, shards int) (all []*cdf.Batch) {
	r := rand.New(rand.NewPCG(seed, 3))
	levels := []string{"a", "b", "c", "d"}
	level := 0.
	for s := range shards {
		const rows = 6
		x1, x2, y, g := make([]float64, rows), make([]float64, rows), make([]float64, rows), make([]int32, rows)
		for i := range rows {
			x1[i], x2[i], g[i] = 50+3*r.NormFloat64(), -2+.1*r.NormFloat64(), int32(r.IntN(min(len(levels), 2+s/4)))
			level = .8*level + 5*r.NormFloat64()
			y[i] = 300 + 2*x1[i] - 30*x2[i] + 4*float64(g[i]) + level + 10*r.NormFloat64()
			if r.IntN(10) == 0 || s%9 == 8 {
				y[i] = math.NaN()
			}
		}
		all = append(all, &cdf.Batch{Rows: rows, Time: int64(s), Columns: []cdf.Column{
			{Name: "x1", Number: x1}, {Name: "x2", Number: x2},
			{Name: "g", Type: cdf.Text, Code: g, Levels: levels}, {Name: "y", Number: y},
		}})
	}
	return all
}

func absorbed(t *testing.T, spec *cdf.Spec, shards []*cdf.Batch) *cdf.Filter {
	t.Helper()
	f := cdf.NewFilter(spec, "key")
	for _, b := range shards {
		if _, err := f.Update(b); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func snapshot(t *testing.T, f *cdf.Filter) []byte {
	t.Helper()
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// departure is how far two summaries are from each other: numbers of a row, and
// covariances, in units of a quarter of its 95 % interval, scores in nats.
func departure(t *testing.T, got, want *cdf.Summary, scores bool) (worst float64) {
	t.Helper()
	if got.T != want.T || got.N != want.N || len(got.Rows) != len(want.Rows) || !slices.Equal(got.Scaling, want.Scaling) ||
		!slices.Equal(got.PriorDominated, want.PriorDominated) {
		t.Fatalf("T %d, N %d, %d rows, scaling %v, mostly prior %v\nwant T %d, N %d, %d rows, scaling %v, mostly prior %v",
			got.T, got.N, len(got.Rows), got.Scaling, got.PriorDominated, want.T, want.N, len(want.Rows), want.Scaling, want.PriorDominated)
	}
	far := func(name string, got, want, unit float64) {
		if math.IsNaN(got) || math.IsNaN(want) {
			if math.IsNaN(got) != math.IsNaN(want) {
				t.Errorf("%s is %g, want %g", name, got, want)
			}
			return
		}
		worst = max(worst, math.Abs(got-want)/unit)
	}
	var units []float64
	for i := range want.Rows {
		a, b := &got.Rows[i], &want.Rows[i]
		if a.Variable != b.Variable {
			t.Fatalf("%s, want %s", a.Variable, b.Variable)
		}
		units = append(units, (b.Q975-b.Q025)/4)
		numbers, wanted := a.Numbers(), b.Numbers()
		for k := range 9 { // what follows judges the draws
			far(b.Variable, *numbers[k], *wanted[k], units[i])
		}
	}
	for i, at := 0, 0; at < len(want.Covariance); i++ {
		for j := range i + 1 {
			far("covariance", got.Covariance[at], want.Covariance[at], units[i]*units[j])
			at++
		}
	}
	if a, b := &got.Score, &want.Score; scores {
		far("log density", a.LogDensity, b.LogDensity, 1)
		far("log evidence", a.LogEvidence, b.LogEvidence, 1)
		far("rmse", a.RMSE, b.RMSE, b.RMSE)
		far("coverage", a.Coverage95, b.Coverage95, 1)
	}
	return worst
}

// foretold is how far the predictions of a shard are from each other.
func foretold(t *testing.T, a, b *cdf.Filter, shard *cdf.Batch) (worst float64) {
	t.Helper()
	got, err := a.Predict(shard)
	if err != nil {
		t.Fatal(err)
	}
	want, err := b.Predict(shard)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		p, q := &got[i], &want[i]
		for _, d := range []float64{p.Mean - q.Mean, p.SD - q.SD, p.Q025 - q.Q025, p.Q975 - q.Q975, p.EpredSD - q.EpredSD, p.EpredQ025 - q.EpredQ025} {
			worst = max(worst, math.Abs(d)/q.SD)
		}
		if !math.IsNaN(q.PIT) {
			worst = max(worst, math.Abs(p.PIT-q.PIT), math.Abs(p.LogDensity-q.LogDensity))
		}
	}
	return worst
}

func keep(*cdf.Roles) {}

func response(center, scale *float64) func(*cdf.Roles) {
	return func(r *cdf.Roles) { r.Response = cdf.Feature{Name: "y", Center: center, Scale: scale} }
}

func features(x1, x2 cdf.Feature, g bool, y func(*cdf.Roles)) func(*cdf.Roles) {
	return func(r *cdf.Roles) {
		y(r)
		x1.Name, x2.Name = "x1", "x2"
		r.Features = []cdf.Feature{x1, x2}
		if g {
			r.Features = append(r.Features, cdf.Feature{Name: "g", Levels: []string{"a", "b", "c", "d"}})
		}
	}
}

var rescalings = map[string]rescaling{
	"linear, all given": {kind: "linear", from: keep, to: features(
		cdf.Feature{Center: number(45), Scale: number(10)}, cdf.Feature{Center: number(-1), Scale: number(.5)}, false, response(number(250), number(100)),
	), tolerance: 1e-9},
	"linear, some given": {kind: "linear", from: features(cdf.Feature{}, cdf.Feature{}, true, keep), to: features(
		cdf.Feature{Scale: number(10)}, cdf.Feature{Center: number(0)}, true, response(nil, number(100)),
	), tolerance: 1e-9},
	"linear, none given": {kind: "linear", from: keep, to: features(cdf.Feature{}, cdf.Feature{}, false, keep), tolerance: 1e-9},
	"linear, given before": {kind: "linear", from: features(
		cdf.Feature{Center: number(50), Scale: number(3)}, cdf.Feature{Center: number(0), Scale: number(3)}, false, response(number(0), number(3)),
	), to: features(
		cdf.Feature{Center: number(45), Scale: number(10)}, cdf.Feature{Center: number(-1), Scale: number(.5)}, false, response(number(250), number(100)),
	), tolerance: 1e-9},
	"linear through the origin": {kind: "linear", from: func(r *cdf.Roles) { r.Intercept = false }, to: func(r *cdf.Roles) {
		features(cdf.Feature{Scale: number(100)}, cdf.Feature{Scale: number(7)}, false, response(nil, number(500)))(r)
		r.Intercept = false
	}, tolerance: 1e-9},
	"anova":               {kind: "anova", from: keep, to: response(number(250), number(100)), tolerance: 1e-9},
	"anova, given mean":   {kind: "anova", settings: "prior: {mu_variance: 4}", from: keep, to: response(number(250), number(3)), tolerance: 1e-9},
	"anova, given before": {kind: "anova", from: response(number(0), number(1)), to: response(number(250), number(30)), tolerance: 1e-9},
	"compressed":          {kind: "compressed", from: keep, to: response(number(250), number(100)), early: true},
	"dlm":                 {kind: "dlm", from: keep, to: response(nil, number(60)), tolerance: .02},
	"dlm, known mean":     {kind: "dlm", from: response(number(350), number(10)), to: response(number(350), number(60)), tolerance: .02},
}

// What was absorbed in some units and rescaled is what would have been absorbed in
// the others, and goes on like it: while the first rows are kept, and later. Where the
// prior weighs otherwise dlm puts its grid elsewhere, and the quantiles of phi and tau2
// are read off it: up to .014 of an sd here. TestRescale of that package has the grid in
// one place.
func TestRescale(t *testing.T) {
	for name, c := range rescalings {
		for _, forget := range []float64{1, .9} {
			for _, shards := range []int{3, 9, 60} {
				if c.early && shards > 9 {
					continue
				}
				t.Run(fmt.Sprintf("%s, forget %g, shards %d", name, forget, shards), func(t *testing.T) { c.run(t, forget, shards) })
			}
		}
	}
}

func (c *rescaling) run(t *testing.T, forget float64, shards int) {
	from, to := c.specs(t, "", forget)
	all := wandering(17, shards+20)
	read := absorbed(t, to, all[:shards])
	old := absorbed(t, from, all[:shards])
	f := cdf.NewFilter(to, "key")
	if err := f.Rescale(snapshot(t, old), from); err != nil {
		t.Fatal(err)
	}
	was, err := old.Summary()
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.Summary()
	if err != nil {
		t.Fatal(err)
	}
	if a, b := got.Score, was.Score; a != b && (!math.IsNaN(a.LogDensity) || !math.IsNaN(b.LogDensity)) && !math.IsNaN(a.LogEvidence) {
		t.Errorf("the last shard had score %+v, has %+v", b, a)
	}
	want, err := read.Summary()
	if err != nil {
		t.Fatal(err)
	}
	worst := max(departure(t, got, want, false), foretold(t, f, read, all[shards]))

	// What is stored is what goes on.
	stored := cdf.NewFilter(to, "key")
	if err := stored.UnmarshalBinary(snapshot(t, f)); err != nil {
		t.Fatal(err)
	}
	if text := f.AppendSummary(nil); len(text) > 0 {
		if err := stored.RestoreSummary(text); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range all[shards:] {
		got, err := stored.Update(b)
		if err != nil {
			t.Fatal(err)
		}
		want, err := read.Update(b)
		if err != nil {
			t.Fatal(err)
		}
		worst = max(worst, departure(t, got, want, true))
	}
	if !(worst <= c.tolerance) {
		t.Errorf("%.1e of an sd, or nats, from what reading again gives", worst)
	}
}

// A state whose statistics do not tell is refused, with the reason.
func TestRescaleRefuses(t *testing.T) {
	given := features(cdf.Feature{Center: number(45)}, cdf.Feature{}, false, keep)
	origin := func(change func(*cdf.Roles)) func(*cdf.Roles) {
		return func(r *cdf.Roles) {
			change(r)
			r.Intercept = false
		}
	}
	for name, c := range map[string]struct {
		rescaling
		variant, why string
	}{
		"no intercept":                  {rescaling{kind: "linear", from: origin(keep), to: origin(given)}, "", `without an intercept the center of column "x1"`},
		"no intercept, response":        {rescaling{kind: "linear", from: origin(keep), to: origin(response(number(1), nil))}, "", "without an intercept the center of the response"},
		"linear, paper":                 {rescaling{kind: "linear", from: keep, to: given}, "paper", "kind linear with variant paper"},
		"anova, paper":                  {rescaling{kind: "anova", from: keep, to: response(number(1), nil)}, "paper", "keeps no statistics"},
		"another centre":                {rescaling{kind: "dlm", from: response(number(1), nil), to: response(number(2), nil)}, "", "give the response a scale and no center"},
		"a centre that was learnt":      {rescaling{kind: "dlm", from: keep, to: response(number(2), nil)}, "", "give the response a scale and no center"},
		"dlm, compact":                  {rescaling{kind: "dlm", settings: "mode: compact", from: keep, to: response(nil, number(2))}, "", "keeps no statistics"},
		"dlm, paper":                    {rescaling{kind: "dlm", from: keep, to: response(nil, number(2))}, "paper", "keeps no statistics"},
		"compressed":                    {rescaling{kind: "compressed", from: keep, to: response(nil, number(2))}, "", "kind compressed"},
		"columns in another order":      {rescaling{kind: "linear", from: keep, to: func(r *cdf.Roles) { r.Features = []cdf.Feature{{Name: "x2"}, {Name: "x1"}} }}, "", `are ["x1" "x2"]: list these`},
		"another column":                {rescaling{kind: "linear", from: given, to: func(r *cdf.Roles) { r.Features = []cdf.Feature{{Name: "x1"}} }}, "", "differ in more than"},
		"a column becomes a category":   {rescaling{kind: "linear", from: keep, to: features(cdf.Feature{}, cdf.Feature{}, true, keep)}, "", "differ in more than"},
		"another response":              {rescaling{kind: "linear", from: keep, to: func(r *cdf.Roles) { r.Response.Name = "x1" }}, "", "differ in more than"},
		"another scaling":               {rescaling{kind: "linear", from: keep, to: func(r *cdf.Roles) { r.Scaling = "none" }}, "", "differ in more than"},
		"a scale that numbers can't do": {rescaling{kind: "linear", from: keep, to: response(nil, number(1e-300))}, "", "numeric"},
	} {
		t.Run(name, func(t *testing.T) {
			from, to := c.specs(t, c.variant, 1)
			snap := snapshot(t, absorbed(t, from, wandering(18, 20)))
			err := cdf.NewFilter(to, "key").Rescale(snap, from)
			if err == nil || !strings.Contains(err.Error(), c.why) || errors.Is(err, cdf.ErrSnapshot) {
				t.Errorf("%v, want %q", err, c.why)
			}
		})
	}
}

// Damaged bytes and those of another configuration are refused, and nothing changes.
func TestRescaleRefusesBytes(t *testing.T) {
	c := rescalings["linear, all given"]
	from, to := c.specs(t, "", 1)
	snap := snapshot(t, absorbed(t, from, wandering(18, 20)))
	all := wandering(19, 21)
	f := absorbed(t, to, all[:20])
	before := snapshot(t, f)
	for at := 0; at < len(snap); at += 7 {
		bad := slices.Clone(snap)
		bad[at] ^= 1
		if err := f.Rescale(bad, from); !errors.Is(err, cdf.ErrSnapshot) {
			t.Fatalf("byte %d of %d: %v", at, len(snap), err)
		}
	}
	if err := f.Rescale(snap[:len(snap)-1], from); !errors.Is(err, cdf.ErrSnapshot) {
		t.Errorf("cut short: %v", err)
	}
	if err := f.Rescale(snapshot(t, absorbed(t, to, wandering(18, 20))), from); !errors.Is(err, cdf.ErrSnapshot) {
		t.Errorf("made under the configuration to come: %v", err)
	}
	other, _ := c.specs(t, "", .9)
	if err := f.Rescale(snapshot(t, absorbed(t, other, all[:5])), other); err == nil || !strings.Contains(err.Error(), "differ in more than") {
		t.Errorf("another forget: %v", err)
	}
	if !slices.Equal(snapshot(t, f), before) {
		t.Error("refused, and the filter is another")
	}
	if _, err := f.Update(all[20]); err != nil {
		t.Error(err)
	}
	if err := f.Rescale(snapshot(t, cdf.NewFilter(from, "key")), from); err != nil || f.T() != 0 {
		t.Errorf("a key without a shard: %v", err)
	}
}

type wrapped struct{ cdf.Model }

func (w wrapped) Unwrap() cdf.Model { return w.Model }

// A model that is wrapped is converted like its own.
func TestRescaleUnwraps(t *testing.T) {
	c := rescalings["linear, all given"]
	from, to := c.specs(t, "", 1)
	snap := snapshot(t, absorbed(t, from, wandering(18, 20)))
	f := cdf.NewFilter(to, "key")
	if err := f.Rescale(snap, from); err != nil {
		t.Fatal(err)
	}
	want := snapshot(t, f)
	for _, spec := range []*cdf.Spec{from, to} {
		build := spec.New
		spec.New = func(d cdf.Dims) (cdf.Model, error) {
			m, err := build(d)
			return wrapped{m}, err
		}
	}
	if f = cdf.NewFilter(to, "key"); f.Rescale(snap, from) != nil || !slices.Equal(snapshot(t, f), want) {
		t.Error("another state")
	}
}
