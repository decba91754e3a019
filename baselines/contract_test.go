package baselines

import (
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/models/kind"
)

// lookup returns a competitor that must be there.
func lookup(t testing.TB, kind, method string) kind.Kind {
	t.Helper()
	k, ok := Lookup(kind, method)
	if !ok {
		t.Fatalf("%s has no competitor %s", kind, method)
	}
	return k
}

// contract takes a competitor with the settings that decode gives it, nil for
// its defaults, through the contract that every model must pass.
func contract(t *testing.T, kind, method string, decode func(any) error, roles cdf.Roles, shards func(seed uint64, n int) []*cdf.Batch) {
	settings, build, err := lookup(t, kind, method).Configure("", decode)
	if err != nil {
		t.Fatal(err)
	}
	cdftest.TestModel(t, func() *cdf.Spec {
		return &cdf.Spec{
			Kind: kind, Variant: method, Seed: 1, Columns: roles,
			Draws: 100, Forget: 1, ForgetPer: cdf.Clock{Unit: "shard"}, Missing: "drop", Settings: settings,
			Publish: cdf.Publish{Every: 1, Scale: "original", Groups: "all"},
			Limits:  cdf.Limits{Rows: 1_000_000, Columns: 100, Groups: 1000},
			New:     build,
		}
	}, shards)
}

func TestLinearKeepsTheContract(t *testing.T) {
	roles := cdf.Roles{
		Scaling: "first", Response: cdf.Feature{Name: "y"}, Intercept: true,
		Features: []cdf.Feature{{Name: "x"}},
	}
	contract(t, "linear", "smcmc", nil, roles, cdftest.LineShards)
}

func TestAnovaKeepsTheContract(t *testing.T) {
	roles := cdf.Roles{
		Scaling: "first", Response: cdf.Feature{Name: "y"},
		Features: []cdf.Feature{}, Groups: []cdf.Group{{Column: "g"}},
	}
	for _, method := range Names("anova") {
		t.Run(method, func(t *testing.T) {
			var decode func(any) error
			if method == "smc" {
				decode = func(v any) error { v.(*AnovaSMCSettings).Particles = 60; return nil }
			}
			contract(t, "anova", method, decode, roles, cdftest.LevelShards)
		})
	}
}
