package config

import (
	"strings"
	"testing"

	"github.com/credence-stream/credence/models"
)

func parsed(text string) (*Config, error) {
	c, _, err := Parse(Source{Kinds: models.Kinds(), File: "c.yaml"}, []byte(text))
	return c, err
}

// A formula stands for columns; what is printed is the same configuration.
func TestFormula(t *testing.T) {
	for _, text := range []string{
		"models: [{match: a, kind: linear, formula: log(y) ~ x * z}]",
		"models: [{match: a, kind: linear, formula: y ~ 0 + x, columns: {scaling: none}}]",
		"models: [{match: a, kind: dlm, formula: y ~ 1, columns: {time: day}}]",
		"models: [{match: a, kind: anova, formula: y ~ (1 | g)}]",
		"models: [{match: a, kind: poisson, formula: y ~ 0 + x + offset(log(n)) + (1 + x | g) + (1 | h)}]",
	} {
		c, err := parsed(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		again, err := parsed(c.String())
		if err != nil {
			t.Errorf("%s: %v", c, err)
			continue
		}
		if a, b := c.Models[0].Spec.Fingerprint(), again.Models[0].Spec.Fingerprint(); a != b {
			t.Errorf("%s is printed as another configuration:\n%s", text, c)
		}
	}
	c, err := parsed("models: [{match: a, kind: poisson, formula: y ~ 0 + x + offset(log(n)) + (1 + x | g)}]")
	if err != nil {
		t.Fatal(err)
	}
	r := c.Models[0].Spec.Columns
	if r.Response.Name != "y" || r.Intercept || r.Exposure != "n" || len(r.Groups) != 1 || r.Scaling != "first" || !c.Models[0].Spec.Origin {
		t.Errorf("%+v", r)
	}
	other, err := parsed("models: [{match: a, kind: poisson, formula: y ~ 0 + z + offset(log(n)) + (1 + x | g)}]")
	if err != nil || other.Models[0].Spec.Fingerprint() == c.Models[0].Spec.Fingerprint() {
		t.Errorf("%v: another formula has the same fingerprint", err)
	}
}

func TestFormulaRefused(t *testing.T) {
	for text, says := range map[string]string{
		"kind: linear, formula: y ~ x + )":                         "c.yaml:1: models[0].formula: a name or a number is expected here, and not \")\"\n  y ~ x + )\n          ^",
		"kind: linear, formula: y ~ x, columns: {response: y}":     "formula and columns.response are both given",
		"kind: linear, formula: y ~ x, columns: {intercept: true}": "formula and columns.intercept are both given",
		"kind: poisson, formula: y ~ x, columns: {group: g}":       "formula and columns.group are both given",
		"kind: linear, formula: y ~ (1 | g)":                       "group terms mean nothing to kind linear, only to: anova, poisson",
		"kind: linear, formula: y ~ offset(x)":                     "an offset means nothing to kind linear, only to: poisson",
		"kind: anova, formula: y ~ x + (1 | g)":                    "terms mean nothing to kind anova",
		"kind: anova, formula: y ~ 1":                              "anova takes one group term, without slopes: y ~ 1 + (1 | group)",
		"kind: anova, formula: y ~ (1 + x | g)":                    "anova takes one group term, without slopes",
		"kind: dlm, formula: y ~ x":                                "terms mean nothing to kind dlm",
		"kind: dlm, formula: log(day) ~ 1, columns: {time: day}":   `"day" is in the formula and is columns.time`,
		"kind: linear, formula: [y, x]":                            "models[0].formula: expected one value",
	} {
		if _, err := parsed("models: [{match: a, " + strings.ReplaceAll(text, "formula: y ~ x + )", `formula: "y ~ x + )"`) + "}]"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: want %q, got %v", text, says, err)
		}
	}
}
