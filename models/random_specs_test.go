package models

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/fault"
	"github.com/credence-stream/credence/cdf/formula"
	"github.com/credence-stream/credence/cdf/quantity"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models/kind"
)

// settingsOf are settings of kinds that change what a state is made of, beside none.
var settingsOf = map[string][]string{
	"dlm":        {"{mode: compact}", "{mode: filtered, window: 2}", "{mean: known}", "{mean: unknown}", "{prior: {phi_mean: .9, phi_variance: .01}}"},
	"probit":     {"{window: 1, chains: 2}", "{window: 30, chains: 4}"},
	"compressed": {"{dimension: 1}", "{statistics: packed}", "{statistics: lean, dimension: 3}", "{projection: fixed, dimension: 2}", "{statistics: exact}", "{dimension: 2, rank: 2}"},
	"poisson":    {"{buffer: 3}", "{overdispersion: none}", "{overdispersion: none, buffer: 2}", "{prior: {group: inverse-gamma}}"},
	"anova":      {"{prior: {mu_variance: 1}}"},
}

// formulas are of the columns of chance.shard, those of formulasOf of a kind alone.
var (
	formulas = []string{
		"y ~ x0 * x1 + C(h)", "y ~ x0 + I(x0**2) + C(g, [\"0\", \"1\", \"2\"])", "y ~ log(exposure) + rare:x0 - 1", "y ~ g:h + x1", "y ~ g * h", "y ~ same + rare + gone",
		"y ~ bs(x0, knots=[-1, 0, 1], lower_bound=-4, upper_bound=4) + h", "y ~ poly(x0, 2)", "y ~ I((huge - 10) / 1e9) + x0:h", "y ~ log(x0) + g", "y ~ 0 + g", "y ~ 1", "y ~ x0 + x0:x1:rare", "y ~ sqrt(x1) + exp(x0)",
	}
	formulasOf = map[string][]string{"poisson": {"y ~ 1 + (1 | g)", "y ~ x0 + (x0 | g)", "y ~ 0 + (1 | g) + (1 | h)", "y ~ h + offset(log(exposure)) + (1 | g)", "y ~ x0 * h + (1 | g)"}}
)

// chance draws configurations, and shards of columns for them.
type chance struct {
	*rand.Rand
	shards int     // at most
	levels int     // of g
	wide   int     // columns w0, w1 and so on
	jump   float64 // by which numbers of every other shard are greater, 1: none
}

// newChance begins to draw, of few shards, levels and columns with numbers of one size.
func newChance(seed, stream uint64) chance {
	return chance{Rand: rand.New(rand.NewPCG(seed, stream)), shards: 14, levels: 5, jump: 1}
}

// strange draws what is unusual about a key, mostly nothing.
func (r *chance) strange() {
	switch r.IntN(20) {
	case 0:
		r.shards = 150
	case 1, 2:
		r.levels = choose(*r, []int{1, 40, 200})
	case 3:
		r.wide = choose(*r, []int{10, 40})
	case 4, 5, 6: // the square of a square is a number still
		r.jump = math.Pow(10, 140*r.Float64()-70)
	}
}

func (r chance) of(part float64) bool { return r.Float64() < part }

func choose[T any](r chance, all []T) T { return all[r.IntN(len(all))] }

// spec draws a configuration that its kind takes, whatever columns there are, and says what it is.
func (r chance) spec() (spec *cdf.Spec, about string, err error) {
	k := choose(r, Kinds())
	settings := "{}"
	if all := settingsOf[k.Name]; len(all) > 0 && r.of(.6) {
		settings = choose(r, all)
	}
	variant := ""
	if settings == "{}" {
		variant = choose(r, k.Variants)
	}
	roles, text, err := r.roles(k)
	if err != nil {
		return nil, text, err
	}
	about = fmt.Sprintf("%s %s %s %s scaling %s intercept %v features %+v groups %+v exposure %q time %q", k.Name, variant, settings, text, roles.Scaling, roles.Intercept, roles.Features, roles.Groups, roles.Exposure, roles.Time)
	if spec, err = k.Spec(variant, roles, strictyaml.Decode(settings)); err != nil {
		return nil, about, err
	}
	spec.Draws = choose(r, []int{4, 20, 60})
	spec.Missing = choose(r, []string{"drop", "drop", "level"})
	if r.of(.25) {
		spec.Forget = choose(r, []float64{.5, .95, 1e-3})
		spec.ForgetPer = cdf.Clock{Unit: choose(r, []string{"shard", "row"})}
	}
	if err := r.publish(spec); err != nil {
		return nil, about, err
	}
	spec.Seal()
	return spec, about + fmt.Sprintf(" missing %s forget %v per %s", spec.Missing, spec.Forget, spec.ForgetPer.Unit), nil
}

// roles draws those of a kind, of columns that shard has, or what the text of a formula means.
func (r chance) roles(k *kind.Kind) (roles cdf.Roles, text string, err error) {
	scaling := choose(r, []string{"first", "first", "none"})
	if k.Features && r.of(.25) {
		text = choose(r, append(formulasOf[k.Name], formulas...))
		f, err := formula.Parse(text)
		if err != nil {
			return roles, text, err
		}
		roles = f.Roles()
		roles.Scaling = scaling
		return roles, text, nil
	}
	roles = cdf.Roles{Scaling: scaling, Response: cdf.Feature{Name: "y"}, Intercept: k.Intercept && r.of(.7)}
	half, two := .5, 2.
	if r.of(.15) {
		roles.Response.Center, roles.Response.Scale = &half, &two
	}
	if k.Features && r.of(.7) {
		roles.Features = []cdf.Feature{}
		for _, name := range []string{"x0", "x1", "same", "rare", "huge", "h", "gone"} {
			if !r.of(.35) || name == "gone" && r.of(.8) {
				continue
			}
			f := cdf.Feature{Name: name}
			switch {
			case name == "h" && r.of(.5):
				f.LevelsFirst, f.Other = true, choose(r, []string{"level", "drop"})
			case name == "h":
				f.Levels, f.Baseline, f.Other = []string{"a", "b", "never"}, choose(r, []string{"", "a"}), choose(r, []string{"level", "drop"})
			case name != "huge" && r.of(.1):
				f.Center, f.Scale = &half, &two
			}
			roles.Features = append(roles.Features, f)
		}
		for i := range r.wide {
			roles.Features = append(roles.Features, cdf.Feature{Name: fmt.Sprint("w", i)})
		}
	}
	for _, name := range []string{"g", "h"} {
		if (k.Name == "anova" && name == "g" && r.of(.95)) || k.Name == "poisson" && r.of(.4) {
			g := cdf.Group{Column: name}
			if k.Name == "poisson" && r.of(.3) {
				g.Slopes = []string{"x0"}
			}
			roles.Groups = append(roles.Groups, g)
		}
	}
	if k.Name == "poisson" && r.of(.2) {
		roles.Exposure = "exposure"
	}
	if k.Name == "dlm" && r.of(.4) {
		roles.Time = "t"
	}
	return roles, "", nil
}

// publish draws what of a posterior is told, of variables that the key may not have.
func (r chance) publish(spec *cdf.Spec) error {
	p := &spec.Publish
	if r.of(.3) {
		p.Scale = "model"
	}
	p.Covariance, p.Draws = r.of(.3), r.of(.2)
	p.Groups, p.Predictions = choose(r, []string{"all", "touched", "none"}), choose(r, []string{"none", "null_rows", "all"})
	if r.of(.3) {
		p.Variables = choose(r, [][]string{{"beta[*]"}, {"sigma2"}, {"**[x0]", "mu"}, {"nothing"}})
	}
	for i, text := range []string{"beta[x0]", "2 * beta[x0] - beta[x1] + 1", "exp(mu)", "sqrt(sigma2)", "log(tau2)", "theta - mu", "u[g=1]", "beta[intercept]"} {
		if !r.of(.15) {
			continue
		}
		q := quantity.Quantity{Name: fmt.Sprint("q", i), Kind: quantity.KindForm}
		var err error
		if q.Form, err = quantity.ParseForm(text, nil); err != nil {
			return err
		}
		p.Quantities = append(p.Quantities, q, q.At(.9))
		q.Name, q.Kind = q.Name+"p", quantity.KindProbability
		if q.Form, err = quantity.ParseComparison(text+" > 0.3", nil); err != nil {
			return err
		}
		p.Quantities = append(p.Quantities, q)
	}
	if r.of(.3) {
		q := quantity.Quantity{Name: "new", Kind: quantity.KindPrediction, Cells: []quantity.Cell{{Column: "x0", Text: "1"}, {Column: "x1", Text: "100"}, {Column: "h", Text: "a"}, {Column: "g", Text: "2"}}}
		if spec.Steps {
			q.Cells, q.Ahead = nil, 3
		}
		p.Quantities = append(p.Quantities, q, q.At(.25))
	}
	return nil
}

// shard draws one of few rows with columns of every sort.
func (r chance) shard(kind string, at *int64) *cdf.Batch {
	rows := choose(r, []int{1, 2, 3, 7, 20, 60})
	column := func(name string, value func() float64) cdf.Column {
		c := cdf.Column{Name: name, Number: make([]float64, rows)}
		for i := range c.Number {
			c.Number[i] = value()
		}
		return c
	}
	size := 1.
	if r.jump != 1 && r.of(.5) {
		size = r.jump
	}
	groups := make([]string, r.levels)
	for i := range groups {
		groups[i] = strconv.Itoa(i)
	}
	label := func(name string, levels ...string) cdf.Column {
		c := cdf.Column{Name: name, Type: cdf.Text, Levels: levels}
		for range rows {
			code := int32(r.IntN(len(levels)))
			if r.of(.02) {
				code = -1
			}
			c.Code = append(c.Code, code)
		}
		return c
	}
	b := &cdf.Batch{Rows: rows, Time: *at}
	b.Columns = append(b.Columns, column("x0", func() float64 { return size * r.NormFloat64() }), column("same", func() float64 { return 3 }),
		column("x1", func() float64 {
			if r.of(.05) {
				return math.NaN()
			}
			return 100 + r.NormFloat64()
		}),
		column("rare", func() float64 {
			if r.of(.03) {
				return 1
			}
			return 0
		}),
		column("huge", func() float64 { return 1e9 * r.NormFloat64() }), label("g", groups...), label("h", "a", "b", "c"+strconv.Itoa(r.IntN(3))),
		column("exposure", func() float64 { return size * (1 + r.Float64()) }))
	for i := range r.wide {
		b.Columns = append(b.Columns, column(fmt.Sprint("w", i), func() float64 { return float64(i) + r.NormFloat64() }))
	}
	t := cdf.Column{Name: "t", Type: cdf.Integer}
	for range rows {
		if r.of(.7) {
			*at += int64(r.IntN(3))
		}
		t.Number, t.Int = append(t.Number, float64(*at)), append(t.Int, *at)
	}
	fixed := r.of(.1)
	b.Columns = append(b.Columns, t, column("y", func() float64 {
		switch {
		case r.of(.03):
			return math.NaN()
		case fixed:
			return 1
		case kind == "probit":
			return float64(r.IntN(2))
		case kind == "poisson":
			return math.Floor(math.Exp(1 + r.NormFloat64()))
		}
		return size * (5 + r.NormFloat64())
	}))
	return b
}

// follow takes a key through shards and returns what is wrong: an error that is no refusal, a refusal that leaves its mark, a state that goes on otherwise
// from its snapshot, a summary that is not of numbers.
func (r chance) follow(spec *cdf.Spec) (err error) {
	defer fault.Catch(&err)
	f, twin := cdf.NewFilter(spec, "key"), cdf.NewFilter(spec, "key")
	at := int64(0)
	for shard := range 1 + r.IntN(r.shards) {
		b := r.shard(spec.Kind, &at)
		before, err := f.MarshalBinary()
		if err != nil {
			return fmt.Errorf("shard %d: snapshot before: %w", shard, err)
		}
		if err := twin.UnmarshalBinary(before); err != nil {
			return fmt.Errorf("shard %d: own snapshot: %w", shard, err)
		}
		preds, unpredicted := f.Predict(b)
		if fault.In(unpredicted) != nil {
			return fmt.Errorf("shard %d: predict: %w", shard, unpredicted)
		}
		predicted, settled := meanLogDensity(preds), f.T() > 0 && f.Settled()
		sum, err := f.Update(b)
		beside, other := twin.Update(b)
		if one, two := fmt.Sprint(err), fmt.Sprint(other); one != two {
			return fmt.Errorf("shard %d: %s, from the snapshot %s", shard, one, two)
		}
		after, failed := f.MarshalBinary()
		again, failedToo := twin.MarshalBinary()
		if failed != nil || failedToo != nil || !slices.Equal(after, again) {
			return fmt.Errorf("shard %d: from its snapshot it is another state: %s", shard, fmt.Sprint(failed, failedToo))
		}
		if err == nil && (fmt.Sprint(sum.Rows) != fmt.Sprint(beside.Rows) || !slices.Equal(sum.Flags, beside.Flags)) {
			return fmt.Errorf("shard %d: it says %v %v, and from its snapshot %v %v", shard, sum.Rows, sum.Flags, beside.Rows, beside.Flags)
		}
		switch {
		case errors.Is(err, cdf.ErrSchema), errors.Is(err, cdf.ErrShard), errors.Is(err, cdf.ErrNumeric):
			if fault.In(err) != nil || !slices.Equal(after, before) {
				return fmt.Errorf("shard %d: refused, and its state changed: %w", shard, err)
			}
			if errors.Is(err, cdf.ErrNumeric) && spec.Columns.Scaling == "first" && spec.Variant != "paper" && r.jump == 1 {
				return fmt.Errorf("shard %d: %w", shard, err)
			}
			continue
		case err != nil:
			return fmt.Errorf("shard %d: %w", shard, err)
		}
		variables := *sum
		variables.Rows = slices.DeleteFunc(slices.Clone(sum.Rows), func(row cdf.Row) bool {
			return slices.ContainsFunc(spec.Publish.Quantities, func(q quantity.Quantity) bool { return q.Name == row.Variable })
		})
		if err := sound(&variables); err != nil {
			return fmt.Errorf("shard %d: %w", shard, err)
		}
		discounted := spec.Steps && spec.Forget < 1 // a score of steps discounts what a prediction does not
		if settled && !discounted && unpredicted == nil && sum.Score.Rows > 0 && !(math.Abs(predicted-sum.Score.LogDensity) <= 1e-6*(1+math.Abs(predicted))) {
			return fmt.Errorf("shard %d: rows are predicted with a mean log density of %v, and %d scored with %v", shard, predicted, sum.Score.Rows, sum.Score.LogDensity)
		}
		if f.Faulted() != nil {
			return fmt.Errorf("shard %d: %w", shard, f.Faulted())
		}
		if f.SelfDescribing() {
			if err := saidBy(twin, after, sum); err != nil {
				return fmt.Errorf("shard %d: %w", shard, err)
			}
		}
		if _, err := f.Forecast(3); fault.In(err) != nil {
			return fmt.Errorf("shard %d: forecast: %w", shard, err)
		}
	}
	return nil
}

// meanLogDensity is that of the rows that have one.
func meanLogDensity(preds []cdf.Prediction) float64 {
	sum, n := 0., 0.
	for i := range preds {
		if v := preds[i].LogDensity; !math.IsNaN(v) {
			sum += v
			n++
		}
	}
	return sum / n
}

// saidBy returns what a snapshot says otherwise than the shard behind which it was taken.
func saidBy(f *cdf.Filter, snapshot []byte, sum *cdf.Summary) error {
	if err := f.UnmarshalBinary(snapshot); err != nil {
		return fmt.Errorf("own snapshot: %w", err)
	}
	again, err := f.Summary()
	if err != nil {
		return fmt.Errorf("summary of the snapshot: %w", err)
	}
	told := map[string]string{}
	for i := range again.Rows {
		told[again.Rows[i].Variable] = fmt.Sprint(again.Rows[i])
	}
	for i := range sum.Rows {
		if row := fmt.Sprint(sum.Rows[i]); told[sum.Rows[i].Variable] != row {
			return fmt.Errorf("the snapshot says %s, and it was %s", told[sum.Rows[i].Variable], row)
		}
	}
	if !slices.Equal(again.Flags, sum.Flags) {
		return fmt.Errorf("the snapshot has the flags %q, and they were %q", again.Flags, sum.Flags)
	}
	return nil
}

// TestRandomSpecs takes keys of configurations drawn at random, which no other test has side by side, through shards with columns of every
// sort, now and then many shards, levels or columns, or numbers of up to 1e70 and down to 1e-70. Of scaled columns of numbers of one size and the model that is not the paper's there is no refusal by numbers either. CREDENCE_SPECS is how many are drawn.
func TestRandomSpecs(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 60
	}
	if v := os.Getenv("CREDENCE_SPECS"); v != "" {
		var err error
		if n, err = strconv.Atoi(v); err != nil {
			t.Fatal(err)
		}
	}
	drawn := map[string]int{}
	for seed := range n {
		r := newChance(uint64(seed), 31)
		r.strange()
		spec, about, err := r.spec()
		if err == nil {
			drawn[spec.Kind]++
			err = r.follow(spec)
		}
		if err != nil {
			t.Errorf("seed %d: %s\n\t%v", seed, about, err)
		}
	}
	if t.Log(drawn); len(drawn) != len(Kinds()) {
		t.Error("kinds that were not drawn")
	}
}
