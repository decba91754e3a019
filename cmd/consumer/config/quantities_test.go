package config

import (
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf/quantity"
	"github.com/credence-stream/credence/models"
)

const shopModel = `
models:
  - match: "**"
    kind: linear
    columns: {response: sold, features: [price, {name: promo, levels: ["no", "yes"], baseline: "no"}]}
`

func shop(t *testing.T, text string) (*Config, error) {
	t.Helper()
	c, _, err := Parse(Source{Kinds: models.Kinds(), File: "page"}, []byte(text))
	return c, err
}

func TestQuantitiesAndAlerts(t *testing.T) {
	c, err := shop(t, shopModel+`
    publish:
      quantities:
        - {name: lift, of: "beta[promo=yes]"}
        - {of: "beta[price] - 2*lift"}
        - {probability: "lift > 20"}
        - {predict: {price: 3, promo: yes}}
        - {name: sales, predict: {price: 3, promo: no}, quantile: [0.05, 0.975]}
        - {name: ratio, of: "exp(beta[price])", quantile: [0.1]}
    alerts:
      - {name: lift-certain, when: "P(lift > 0) > 0.99", for: 3 shards}
      - {name: high, when: "lift > 5", clear_below: 4}
      - {name: surely, when: "sales[q5] > 7"}
`)
	if err != nil {
		t.Fatal(err)
	}
	p := &c.Models[0].Spec.Publish
	names := []string{"lift", "(beta[price] - 2*lift)", "P(lift > 20)", "predict(price=3, promo=yes)",
		"sales", "sales[q5]", "sales[q97.5]", "ratio", "ratio[q10]"}
	if len(p.Quantities) != len(names) {
		t.Fatalf("%d quantities, want %d", len(p.Quantities), len(names))
	}
	for i, q := range p.Quantities {
		if q.Name != names[i] {
			t.Errorf("%q, want %q", q.Name, names[i])
		}
	}
	if terms := p.Quantities[1].Form.Terms; len(terms) != 2 || terms[1] != (quantity.Term{Variable: "beta[promo=yes]", Weight: -2}) {
		t.Errorf("%+v", terms)
	}
	if q := p.Quantities[6]; q.Kind != quantity.KindQuantile || q.Level != .975 || !q.Predicts() || len(q.Cells) != 2 {
		t.Errorf("%+v", q)
	}
	if q := p.Quantities[8]; q.Level != .1 || q.Predicts() || q.Form.Function != quantity.Exp {
		t.Errorf("%+v", q)
	}
	a := p.Alerts
	if a[2].Of.Level != .05 || a[2].Bound != 7 || a[2].Clear != 7 {
		t.Errorf("an alert on a quantile: %+v", a[2])
	}
	if a[0].For != 3 || a[0].Bound != .99 || a[0].Clear != 1-2*(1-.99) || a[0].Of.Kind != quantity.KindProbability {
		t.Errorf("%+v", a[0])
	}
	if a[1].For != 1 || a[1].Bound != 5 || a[1].Clear != 4 || a[1].Of.Kind != quantity.KindForm {
		t.Errorf("%+v", a[1])
	}
	plain, err := shop(t, shopModel)
	if err != nil || plain.Models[0].Spec.Fingerprint() != c.Models[0].Spec.Fingerprint() {
		t.Errorf("the fingerprint depends on what is asked of the state: %v", err)
	}
	if strings.Contains(plain.String(), "quantities") || strings.Contains(plain.String(), "alerts") {
		t.Error("what is not there is printed")
	}
	again, err := shop(t, c.String())
	if err != nil || again.String() != c.String() || again.Models[0].Spec.Publish.Alerts[0].Sum() != a[0].Sum() {
		t.Errorf("what is printed is read as something else: %v\n%s", err, c)
	}
	has := func(c *Config) bool {
		for _, u := range c.Topics() {
			if u.Name == c.Kafka.Output+".alerts" {
				return true
			}
		}
		return false
	}
	if !has(c) || has(plain) {
		t.Error("the topic of alerts is there without alerts, or is not with them")
	}
}

func TestQuantitiesThatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		`publish: {quantities: [{of: "beta[promo=ye]"}]}`:                       `publish.quantities[0].of: there is no variable "beta[promo=ye]", did you mean "beta[promo=yes]"?`,
		`publish: {quantities: [{of: "u[a]"}]}`:                                 `there is no variable "u[a]"`,
		`publish: {quantities: [{name: sigma2, of: "beta[price]"}]}`:            `"sigma2" is that of a variable`,
		`publish: {quantities: [{name: "beta[a]", of: "beta[price]"}]}`:         "without brackets",
		`publish: {quantities: [{of: "beta[price] +"}]}`:                        `column 14: expected a variable or a number, found the end`,
		`publish: {quantities: [{name: a, of: sigma2}, {name: a, of: sigma2}]}`: `"a" is taken`,
		`publish: {quantities: [{name: a}]}`:                                    "0 of the keys",
		`publish: {quantities: [{of: sigma2, probability: "sigma2 > 1"}]}`:      "2 of the keys",
		`publish: {quantities: [{predict: {price: 3, prom: yes}}]}`:             `"prom" is no column that the model reads, did you mean "promo"?`,
		`publish: {quantities: [{predict: {price: 3}}]}`:                        `column "promo" is missing`,
		`publish: {quantities: [{forecast: 3}]}`:                                "knows no time",
		`publish: {quantities: [{of: sigma2, quantile: [0.5, 1]}]}`:             "publish.quantities[0].quantile: 1 is not between 0.001 and 0.999",
		`publish: {quantities: [{of: sigma2, quantile: [0.5, 0.5]}]}`:           "publish.quantities[0].quantile: 0.5 is given twice",
		`publish: {quantities: [{of: sigma2, quantile: [95]}]}`:                 "95 is not between",
		`publish: {quantities: [{probability: "sigma2 > 1", quantile: [0.5]}]}`: "a probability is a number and has no quantiles",
		`alerts: [{name: "a b", when: "P(sigma2 > 1) > 0.9"}]`:                  "digits, dots",
		`alerts: [{name: a, when: "P(sigma2 > 1) > 0.9", for: 0}]`:              "number of shards",
		`alerts: [{name: a, when: "lift > 0.9"}]`:                               `"lift" is none of publish.quantities`,
		`alerts: [{name: a, when: "P(lift > 0) > 0.9"}]`:                        `there is no variable "lift"`,
		`alerts: [{name: a, when: "P(sigma2 > 1) > 0.9", clear_below: 0.95}]`:   "is above 0.9",
		`alerts: [{name: a, when: "P(sigma2 > 1) > 2"}]`:                        "between 0 and 1",
	} {
		if _, err := shop(t, shopModel+"    "+text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	many := func(n int, one string) string { return strings.TrimSuffix(strings.Repeat(one+", ", n), ", ") }
	for text, want := range map[string]string{
		"publish: {quantities: [" + many(mostQuantities+1, "{of: sigma2}") + "]}":         "65 quantities and quantiles; at most 64",
		"publish: {quantities: [" + many(32, "{of: sigma2, quantile: [0.5, 0.9]}") + "]}": "96 quantities and quantiles; at most 64",
		"alerts: [" + many(mostAlerts+1, `{name: a, when: "sigma2 > 1"}`) + "]":           "17 alerts; at most 16",
	} {
		if _, err := shop(t, shopModel+"    "+text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A formula is what a row to predict is for: its columns, not those that it makes.
func TestRowOfAFormula(t *testing.T) {
	const model = `
models:
  - match: "**"
    kind: linear
    formula: log(sold) ~ price * C(promo)
    publish: {quantities: [{predict: {%s}}]}
`
	for row, says := range map[string]string{
		"price: 3, promo: yes": "",
		"prise: 3, promo: yes": `"prise" is no column that the model reads, did you mean "price"?`,
		`"log(sold)": 3`:       "is no column that the model reads",
	} {
		_, err := shop(t, strings.Replace(model, "%s", row, 1))
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v", row, err)
		}
	}
}

// Quantities and alerts may be of coefficients that a formula makes, and not of groups
// where it has none.
func TestQuantitiesOfAFormula(t *testing.T) {
	const model = `
models:
  - match: "**"
    kind: linear
    formula: log(sold) ~ price * C(promo)
    publish: {quantities: [{name: lift, of: "` + "%s" + `"}]}
    alerts: [{name: up, when: "P(lift > 0) > 0.9", for: 3}]
`
	if _, err := shop(t, strings.Replace(model, "%s", "beta[C(promo)[T.yes]] - beta[price]", 1)); err != nil {
		t.Error(err)
	}
	if _, err := shop(t, strings.Replace(model, "%s", "u[price]", 1)); err == nil {
		t.Error("a group of a formula without groups is taken")
	}
}

// Groups are of the data, and their parameter is of the kind: anova has no u, and poisson no zeta.
func TestQuantitiesOfGroups(t *testing.T) {
	for _, c := range []struct {
		kind, of string
		fine     bool
	}{
		{"anova", "zeta[B] - zeta[A]", true}, {"anova", "u[B] - u[A]", false}, {"anova", "mu", true}, {"anova", "beta[B]", false},
		{"poisson", "u[B] - u[A]", true}, {"poisson", "sigma2_u", true}, {"poisson", "zeta[B]", false}, {"poisson", "u", false},
	} {
		text := "models: [{match: '**', kind: " + c.kind + ", columns: {response: y, group: arm}, publish: {quantities: [{of: '" + c.of + "'}]}}]"
		if _, err := shop(t, text); (err == nil) != c.fine || err != nil && !strings.Contains(err.Error(), "there is no variable") {
			t.Errorf("%s of %s: %v", c.of, c.kind, err)
		}
	}
}
