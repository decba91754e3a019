package baselines

import (
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/kind"
)

// lookup returns a competitor that must be there, the model itself for "".
func lookup(t testing.TB, of, method string) *kind.Kind {
	t.Helper()
	k, ok := Lookup(of, method)
	if method == "" {
		k, ok = models.Lookup(of)
	}
	if !ok {
		t.Fatalf("%s has no competitor %s", of, method)
	}
	return k
}

func TestCompetitorsKeepTheContract(t *testing.T) {
	line := cdf.Roles{Features: []cdf.Feature{{Name: "x"}}, Intercept: true}
	level := cdf.Roles{Groups: []cdf.Group{{Column: "g"}}}
	for _, c := range []struct {
		kind, method, settings string
		columns                cdf.Roles
		shards                 func(seed uint64, n int) []*cdf.Batch
	}{
		{"linear", "smcmc", "", line, cdftest.LineShards},
		{"anova", "smcmc", "", level, cdftest.LevelShards},
		{"anova", "smc", "particles: 60", level, cdftest.LevelShards},
		{"anova", "adf", "", level, cdftest.LevelShards},
		{"compressed", "smcmc", "dimension: 3", cdf.Roles{}, cdftest.WideShards(6)},
		{"compressed", "vb-gdp", "", cdf.Roles{}, cdftest.WideShards(6)},
		{"compressed", "vb-gdp", "iterations: 1", cdf.Roles{}, cdftest.WideShards(6)}, // far from the solution, shard after shard
	} {
		t.Run(c.kind+" "+c.method+" "+c.settings, func(t *testing.T) {
			modeltest.Contract(t, lookup(t, c.kind, c.method), "", c.columns, strictyaml.Decode(c.settings), c.shards)
		})
	}
}
