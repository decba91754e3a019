package try

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/draft"
	"github.com/credence-stream/credence/cmd/internal/clitest"
	"github.com/credence-stream/credence/models/anova"
	"github.com/credence-stream/credence/models/dlm"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/models/linear"
	"github.com/credence-stream/credence/models/poisson"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink/web"
)

// TestNumbersOfEffects: a factor is never written as 1 that is not, one that says nothing has
// no digits, and an effect of one unit of a large column is one of more units.
func TestNumbersOfEffects(t *testing.T) {
	counts, reals := &trial{model: &draft.Model{Kind: poisson.Kind()}}, &trial{model: &draft.Model{Kind: dlm.Kind()}}
	for _, c := range []struct {
		of   *trial
		x    float64
		want string
	}{
		{counts, math.Log(1.5), "x 1.5"}, {counts, math.Log(1.00042), "x 1.00042"}, {counts, math.Log(.99), "x 0.99"}, {counts, 0, "x 1"},
		{counts, math.Log(.99958), "x 0.99958"}, {counts, 140, "x over 1,000"}, {counts, -140, "x under 0.001"}, {reals, -.00244, "-0.00244"}, {reals, 2, "+2"},
	} {
		if got := c.of.value(c.x); got != c.want {
			t.Errorf("%v is written %q, want %q", c.x, got, c.want)
		}
	}
	for _, c := range []struct {
		mean, scale float64
		little      float64
		label       string
		of          float64 // then
	}{
		{6e-6, 2.3e6, 1e-3, "volume (per 1,000,000)", 6}, {.0049, 37000, .01, "volume (per 10,000)", 49},
		{.05, 37000, .01, "volume", .05}, {1e-6, 3, 1e-3, "volume", 1e-6}, // a scale of its own makes it no larger
	} {
		e := &effect{name: "volume", of: []estimate{{mean: c.mean, low: c.mean, high: c.mean, scale: c.scale}}, size: c.mean * c.scale}
		e.enlarge(c.little)
		if got := e.of[0].mean; e.label() != c.label || math.Abs(got/c.of-1) > 1e-9 || e.of[0].high != got {
			t.Errorf("%+v: %s %v", c, e.label(), e.of[0])
		}
	}
}

func TestLabelsOfFactors(t *testing.T) {
	long := strings.Repeat("'level', ", 20)
	for name, want := range map[string]string{
		"C(weather, ['a', " + long + "'b'])[T.b]":   "weather[T.b]",
		"C(a.b, other='drop')[T.x]:price":           "a.b[T.x]:price",
		"C(month(date))[T.feb]":                     "C(month(date))[T.feb]",
		"poly(age, 2)[1]":                           "poly(age, 2)[1]",
		"C(w, ['a(b)', 'c'])[T.c]":                  "w[T.c]",
		"C(w, ['c])[x'])[T.c])[x]:C(v, ['d'])[T.d]": "w[T.c])[x]:v[T.d]",
	} {
		if got := (&effect{name: name}).label(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestCoefficientsOfCompressed: those of compressed are effects as those of other kinds, not groups.
func TestCoefficientsOfCompressed(t *testing.T) {
	var b strings.Builder
	b.WriteString("a,b,sold\n")
	for i := range 200 {
		x, z := i*i*7%20, i*i*11%31
		fmt.Fprintf(&b, "%d,%d,%d.5\n", x, z, 10+3*x+i*5%4)
	}
	name := clitest.WriteFile(t, "sales.csv", []byte(b.String()))
	x := begin(t, name, func(tr *trial) { tr.ask.Wish.Kind = "compressed" })
	<-x.done
	if out := x.out.String(); x.result != nil || !regexp.MustCompile(`  sold rises with a: \+(2.9|3)`).MatchString(out) || strings.Contains(out, "the highest first") {
		t.Errorf("%v\n%s", x.result, out)
	}
}

// TestGroupsOfSeveralKeys: a model without effects says what its keys know.
func TestGroupsOfSeveralKeys(t *testing.T) {
	var b strings.Builder
	b.WriteString("shop,town,sold\n")
	for i := range 400 {
		fmt.Fprintf(&b, "s%d,t%d,%d.5\n", i%2, i%37, 10+i%37+i*7%5)
	}
	name := clitest.WriteFile(t, "sales.csv", []byte(b.String()))
	x := begin(t, name, func(tr *trial) { tr.ask.Selection.KeyColumn = "shop" })
	<-x.done
	if out := x.out.String(); x.result != nil || !regexp.MustCompile(`VARIABLE +MEDIAN KEY +MIDDLE 80 % OF KEYS\n  mu +\d`).MatchString(out) ||
		!strings.Contains(out, "The groups of each key are on its page.") {
		t.Errorf("%v\n%s", x.result, out)
	}
}

// TestGroupsAreExplained: the report says what the numbers of groups are.
func TestGroupsAreExplained(t *testing.T) {
	for _, c := range []struct{ kind, want string }{
		{"anova", "  zeta[t5] is the mean of sold in group t5. Groups with few rows are drawn towards mu, the mean of the groups;\n"},
		{"poisson", "  u[t5] is the factor by which the rate of sold in group t5 differs from that of all. Groups with few rows\n"},
	} {
		var b strings.Builder
		b.WriteString("town,sold\n")
		for i := range 400 {
			fmt.Fprintf(&b, "t%d,%d\n", i%6, 10*(1+i%6)+i*7%5)
		}
		x := begin(t, clitest.WriteFile(t, "sales.csv", []byte(b.String())), func(tr *trial) { tr.ask.Wish.Kind, tr.ask.Wish.Group = c.kind, "town" })
		<-x.done
		if out := x.out.String(); x.result != nil || !strings.Contains(out, c.want) {
			t.Errorf("%s: %v\n%s", c.kind, x.result, out)
		}
	}
}

// TestMomentsThatDoNotExist: of two groups tau2 has a median, and no mean.
func TestMomentsThatDoNotExist(t *testing.T) {
	var b strings.Builder
	b.WriteString("town,sold\n")
	for i := range 60 {
		fmt.Fprintf(&b, "t%d,%d.5\n", i%2, 10+5*(i%2)+i*7%5)
	}
	x := begin(t, clitest.WriteFile(t, "sales.csv", []byte(b.String())), func(tr *trial) { tr.ask.Wish.Kind = "anova" })
	<-x.done
	if out := x.out.String(); x.result != nil || !regexp.MustCompile(`\n  mu: 1\d\..*\n  tau2: \d.*\n  sigma2: `).MatchString(out) {
		t.Errorf("%v\n%s", x.result, out)
	}
}

// TestTheLargestEffectsAreTold: what is sure is not the prior's, and of the effects that are not
// shown those are named that are larger, or surer, than the ones that are.
func TestTheLargestEffectsAreTold(t *testing.T) {
	m := &web.Model{Posterior: &pipeline.Posterior{Key: "k", Summary: &cdf.Summary{PriorDominated: []string{"beta[far]", "beta[near]"}, Rows: []cdf.Row{
		{Variable: "beta[far]", Mean: 20, SD: 2, Q025: 16, Q975: 24}, {Variable: "beta[near]", Mean: 1, SD: 1, Q025: -1, Q975: 3},
	}}}, Rule: pipeline.Rule{Spec: &cdf.Spec{}}}
	f := &findings{flags: map[string]*raisedFlag{}}
	f.add(m, map[string]*effect{}, true)
	if known, unknown := f.known(); len(known) != 1 || known[0].name != "far" || len(unknown) != 1 || unknown[0] != "near" {
		t.Errorf("known %v, unknown %v", known, unknown)
	}
	of := func(name string, mean, sd, scale float64) *effect {
		return &effect{name: name, size: math.Abs(mean) * scale, of: []estimate{{mean: mean, sd: sd, low: mean - 2*sd, high: mean + 2*sd, scale: scale}}}
	}
	shown := []*effect{of("a", 3, .5, 1), of("b", 2, .5, 1)}
	for _, c := range []struct {
		hidden []*effect
		want   string
	}{
		{nil, ""},
		{[]*effect{of("c", 1, .25, 1)}, "  and 1 variable that changes less\n"},
		{[]*effect{of("wide", -40, 30, 1), of("c", 1, .25, 1)}, "  and 2 variables that change less, or whose sign is not sure\n  the largest of them: wide, -40 (1.3 sds from 0)\n"},
		{[]*effect{of("c", 1, .25, 1), of("small", .1, .001, 1)}, "  and 2 variables that change less\n  the surest of all is small: small, +0.1 (100 sds from 0)\n"},
	} {
		var w strings.Builder
		(&trial{model: &draft.Model{Kind: dlm.Kind()}}).writeHidden(&w, shown, c.hidden)
		if w.String() != c.want {
			t.Errorf("%q, want %q", w.String(), c.want)
		}
	}
}

// TestRemediesFitTheKind: a kind without features has no columns to leave out, and rows of several series are none of one.
func TestRemediesFitTheKind(t *testing.T) {
	for _, c := range []struct {
		kind *kind.Kind
		key  string
		want string
	}{
		{linear.Kind(), "", "More rows help, or fewer columns.\n"},
		{linear.Kind(), "shop", "More rows help, or fewer columns, or one model for all: leave --key out.\n"},
		{dlm.Kind(), "", "More rows help.\n"},
		{dlm.Kind(), "shop", "More rows help.\n"},
		{anova.Kind(), "shop", "More rows help, or one model for all: leave --key out.\n"},
	} {
		tr := &trial{model: &draft.Model{Kind: c.kind}, flags: &flags{}}
		tr.ask.Selection.KeyColumn = c.key
		var w strings.Builder
		if tr.writeDoubts(&w, &findings{little: []string{"a"}}); !strings.HasSuffix(w.String(), "knows little more than the prior: a. "+c.want) {
			t.Errorf("%s by %q: %q", c.kind.Name, c.key, w.String())
		}
	}
}
