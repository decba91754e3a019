package baselines

import (
	"fmt"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// build returns a model of a registered competitor.
func build(t testing.TB, of, method, settings string, d cdf.Dims) cdf.Model {
	t.Helper()
	return modeltest.Model(t, lookup(t, of, method), "", strictyaml.Decode(settings), d)
}

// The competitors stand beside the model with its parameters, in its order.
func TestCompressedCompetitorsHaveTheModelsParameters(t *testing.T) {
	names := Names("compressed")
	if fmt.Sprint(names) != "[smcmc vb-gdp]" {
		t.Errorf("competitors %q", names)
	}
	d := cdf.Dims{Columns: []string{"a", "b", "c"}, Draws: 10}
	m := build(t, "compressed", "", "", d)
	for _, name := range names {
		if got, want := fmt.Sprint(build(t, "compressed", name, "", d).Params()), fmt.Sprint(m.Params()); got != want {
			t.Errorf("%s has the parameters %s, the model %s", name, got, want)
		}
	}
}

func TestCompressedCompetitorsRefuseSettings(t *testing.T) {
	for _, c := range []struct{ method, variant, settings, want string }{
		{"smcmc", "paper", "{}", "no variant"},
		{"smcmc", "", "burn: -1", "burn"},
		{"smcmc", "", "dimension: 0", "dimension"},
		{"smcmc", "", "prior: {sigma2_rate: 0}", "sigma2_rate"},
		{"smcmc", "", "rank: 3", "rank"},
		{"vb-gdp", "paper", "{}", "no variant"},
		{"vb-gdp", "", "iterations: 0", "iterations"},
		{"vb-gdp", "", "prior: {eta: .inf}", "finite"},
		{"vb-gdp", "", "prior: {beta_variance: 1}", "beta_variance"},
	} {
		if _, err := lookup(t, "compressed", c.method).Spec(c.variant, cdf.Roles{}, strictyaml.Decode(c.settings)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q %s: got %v, want an error about %s", c.method, c.variant, c.settings, err, c.want)
		}
	}
}
