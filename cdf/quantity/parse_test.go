package quantity

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
)

func linear(c float64, terms ...Term) Form { return Form{Const: c, Terms: terms, Scale: 1} }

func lift(name string) (Form, bool) {
	return linear(1, Term{"beta[promo=yes]", 2}), name == "lift"
}

func TestForms(t *testing.T) {
	a, b := "beta[a]", "beta[b]"
	for text, want := range map[string]Form{
		"beta[a]":                      linear(0, Term{a, 1}),
		"beta[promo=yes]":              linear(0, Term{"beta[promo=yes]", 1}),
		"beta[a] - beta[b]":            linear(0, Term{a, 1}, Term{b, -1}),
		"2*beta[a] + beta[b]/4 - 3":    linear(-3, Term{a, 2}, Term{b, .25}),
		"-(beta[a] - 2*(beta[b] + 1))": linear(2, Term{a, -1}, Term{b, 2}),
		"beta[a] + 1e-3 + beta[a]":     linear(.001, Term{a, 2}),
		"beta[a] - beta[a] + beta[b]":  linear(0, Term{b, 1}),
		"2*exp(0)*beta[a]":             linear(0, Term{a, 2}),
		"`odd ]name`+\"a\"\"b\"":       linear(0, Term{"odd ]name", 1}, Term{`a"b`, 1}),
		"u[a[1]=x y] * 3":              linear(0, Term{"u[a[1]=x y]", 3}),
		"lift":                         linear(1, Term{"beta[promo=yes]", 2}),
		"2*lift - beta[promo=yes]":     linear(2, Term{"beta[promo=yes]", 3}),
		"exp(beta[a])":                 {Terms: []Term{{a, 1}}, Function: Exp, Scale: 1},
		"100*(exp(beta[a] - 1) - 1)":   {Const: -1, Terms: []Term{{a, 1}}, Function: Exp, Shift: -100, Scale: 100},
		"1 - 2*sqrt(sigma2)":           {Terms: []Term{{"sigma2", 1}}, Function: Sqrt, Shift: 1, Scale: -2},
		"β[é] + mu[A]":                 linear(0, Term{"β[é]", 1}, Term{"mu[A]", 1}),
	} {
		got, err := ParseForm(text, lift)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func TestComparisons(t *testing.T) {
	a := "beta[a]"
	for text, want := range map[string]Form{
		"beta[a] > 20":               linear(-20, Term{a, 1}),
		"beta[a] < 20":               linear(20, Term{a, -1}),
		"mu[A] >= mu[B]":             linear(0, Term{"mu[A]", 1}, Term{"mu[B]", -1}),
		"lift > 0":                   linear(1, Term{"beta[promo=yes]", 2}),
		"3 < 2*beta[a]":              linear(-3, Term{a, 2}),
		"exp(beta[a]) > 2":           linear(-math.Log(2), Term{a, 1}),
		"2 > exp(beta[a])":           linear(math.Log(2), Term{a, -1}),
		"3*sqrt(sigma2) - 1 > 5":     linear(-4, Term{"sigma2", 1}),
		"log(sigma2) < 0":            linear(1, Term{"sigma2", -1}),
		"100*(exp(beta[a])-1) > 100": linear(-math.Log(2), Term{a, 1}),
	} {
		got, err := ParseComparison(text, lift)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func TestConditions(t *testing.T) {
	c, err := ParseCondition("P(lift > 0) > 0.99", lift)
	if want := (Condition{Positive: linear(1, Term{"beta[promo=yes]", 2}), Bound: .99}); err != nil || !reflect.DeepEqual(c, want) {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err = ParseCondition("`a b` >= 2*3", nil); err != nil || c.Name != "a b" || c.Bound != 6 {
		t.Errorf("%+v, %v", c, err)
	}
}

// What is wrong is told with its place.
func TestErrors(t *testing.T) {
	form := func(s string) error { _, err := ParseForm(s, lift); return err }
	comparison := func(s string) error { _, err := ParseComparison(s, lift); return err }
	condition := func(s string) error { _, err := ParseCondition(s, lift); return err }
	for _, c := range []struct {
		parse func(string) error
		text  string
		at    int
		what  string
	}{
		{form, "", 1, "the end"}, {form, "3", 1, "no variable"}, {form, "beta[a", 5, "not closed"},
		{form, "beta[a] beta[b]", 9, "operator"}, {form, "beta[a] * beta[b]", 9, "product of two"},
		{form, "2 / beta[a]", 3, "divisor"}, {form, "beta[a] / 0", 9, "division by 0"}, {form, "beta[a] +", 10, "found the end"},
		{form, "é + $", 5, "unexpected"}, {form, "sin(beta[a])", 1, "none of the functions"}, {form, "exp(a) + b", 8, "cannot be added"},
		{form, "exp(exp(a))", 1, "function of a function"}, {form, "1.2.3*a", 1, "not a number"}, {form, "`a", 1, "does not end"},
		{form, "``", 1, "empty name"}, {form, "a - a", 1, "no variable"}, {form, "log(0)*a", 1, "not a number"},
		{form, "1e308*1e308*a", 1, "too large"}, {form, strings.Repeat("(", 100) + "a", 21, "too deeply"},
		{form, strings.Repeat("a", MaxBytes+1), 1, "bytes"}, {form, "a\xff", 1, "UTF-8"}, {form, "(a", 3, "expected )"},
		{comparison, "a", 2, "comparison"}, {comparison, "a > b > c", 7, "operator"}, {comparison, "exp(a) > b", 8, "cannot be added"},
		{comparison, "exp(a) > 0", 1, "same answer"}, {comparison, "a > a", 1, "no variable"},
		{condition, "P(a > 0) < 0.9", 10, "other way round"}, {condition, "P(a > 0) > 1.5", 12, "between 0 and 1"},
		{condition, "P(a > 0) > b", 12, "a number"}, {condition, "2 > 1", 1, "expected P"}, {condition, "P(a) > 1", 4, "comparison"},
	} {
		var e *Error
		if err := c.parse(c.text); !errors.As(err, &e) || e.Column != c.at || !strings.Contains(e.What, c.what) {
			t.Errorf("%.60q: %v, want column %d: %s", c.text, err, c.at, c.what)
		}
	}
}

func TestTermsAreBounded(t *testing.T) {
	var parts []string
	for i := range maxTerms + 1 {
		parts = append(parts, "v"+strings.Repeat("x", i%9)+string(rune('a'+i/9)))
	}
	if _, err := ParseForm(strings.Join(parts[:maxTerms], "+"), nil); err != nil {
		t.Error(err)
	}
	if _, err := ParseForm(strings.Join(parts, "+"), nil); err == nil || !strings.Contains(err.Error(), "65 variables") {
		t.Error(err)
	}
}

func TestAnAlertsDefinitionsDiffer(t *testing.T) {
	f, _ := ParseComparison("a > 1", nil)
	base := Alert{Name: "a", When: "P(a > 1) > .9", Of: Quantity{Kind: KindProbability, Form: f}, Bound: .9, Clear: .8, For: 2}
	seen := map[uint64]string{base.Sum(): "base"}
	for name, change := range map[string]func(*Alert){
		"when": func(a *Alert) { a.When = "x" }, "bound": func(a *Alert) { a.Bound = .91 }, "clear": func(a *Alert) { a.Clear = .7 },
		"for": func(a *Alert) { a.For = 3 }, "weight": func(a *Alert) { a.Of.Form.Terms = []Term{{"a", 2}} },
		"variable": func(a *Alert) { a.Of.Form.Terms = []Term{{"b", 1}} }, "constant": func(a *Alert) { a.Of.Form.Const = 0 },
		"level": func(a *Alert) { a.Of.Level = .9 }, "row": func(a *Alert) { a.Of.Cells = []Cell{{"x", "1"}} },
	} {
		a := base
		change(&a)
		if other, there := seen[a.Sum()]; there {
			t.Errorf("%s and %s have one sum", name, other)
		}
		seen[a.Sum()] = name
	}
}

func FuzzExpressions(f *testing.F) {
	for _, s := range []string{"beta[promo=yes] - 2*(mu[A]+1)/3", "P(exp(a) > 2) > .9", "`a``b` < \"c\" + 1e9", "lift > sqrt(2)", "a[["} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4*MaxBytes {
			return
		}
		g, err := ParseForm(text, lift)
		if err == nil && (len(g.Terms) == 0 || len(g.Terms) > maxTerms || !g.finite()) {
			t.Errorf("%q: %+v", text, g)
		}
		if g, err := ParseComparison(text, lift); err == nil && (g.Function != Identity || !g.finite()) {
			t.Errorf("%q: %+v", text, g)
		}
		_, _ = ParseCondition(text, lift)
	})
}
