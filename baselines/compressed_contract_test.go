package baselines

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/models"
)

// strict decodes as a configuration does: unknown names are errors.
func strict(text string) func(any) error {
	return func(v any) error {
		d := yaml.NewDecoder(strings.NewReader(text))
		d.KnownFields(true)
		return d.Decode(v)
	}
}

// competitor builds a model of a registered competitor.
func competitor(t testing.TB, kind, method, settings string, d cdf.Dims) cdf.Model {
	t.Helper()
	_, build := configured(t, kind, method, settings)
	m, err := build(d)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func configured(t testing.TB, kind, method, settings string) (any, models.Build) {
	t.Helper()
	k, ok := Lookup(kind, method)
	if !ok {
		t.Fatalf("no competitor %s of %s", method, kind)
	}
	s, build, err := k.Configure("", strict(settings))
	if err != nil {
		t.Fatal(err)
	}
	return s, build
}

// wideShards are shards of few rows of p columns with far means.
func wideShards(p int) func(seed uint64, n int) []*cdf.Batch {
	return func(seed uint64, n int) []*cdf.Batch {
		r := rand.New(rand.NewPCG(seed, 1))
		shards := make([]*cdf.Batch, n)
		for t := range shards {
			rows := 1 + r.IntN(8)
			b := &cdf.Batch{Rows: rows, Time: int64(1000 * (t + 1))}
			y := make([]float64, rows)
			for j := range p {
				x := make([]float64, rows)
				for i := range x {
					x[i] = 20 + float64(1+j)*r.NormFloat64()
					y[i] += x[i] * float64(j%3-1)
				}
				b.Columns = append(b.Columns, cdf.Column{Name: fmt.Sprint("x", j+1), Type: cdf.Float, Number: x})
			}
			for i := range y {
				y[i] += 4 * r.NormFloat64()
			}
			b.Columns = append(b.Columns, cdf.Column{Name: "y", Type: cdf.Float, Number: y})
			shards[t] = b
		}
		return shards
	}
}

func TestCompressedCompetitorsKeepTheContract(t *testing.T) {
	for _, c := range []struct{ method, settings string }{
		{"smcmc", "dimension: 3"},
		{"vb-gdp", "{}"},
		{"vb-gdp", "iterations: 1"}, // far from the solution, shard after shard
	} {
		t.Run(c.method+" "+c.settings, func(t *testing.T) {
			settings, build := configured(t, "compressed", c.method, c.settings)
			cdftest.TestModel(t, func() *cdf.Spec {
				return &cdf.Spec{
					Kind: "compressed", Variant: c.method, Seed: 1,
					Columns: cdf.Roles{Scaling: "first", Response: cdf.Feature{Name: "y"}},
					Draws:   100, Forget: 1, ForgetPer: cdf.Clock{Unit: "shard"}, Missing: "drop", Settings: settings,
					Publish: cdf.Publish{Every: 1, Scale: "original", Groups: "all"},
					Limits:  cdf.Limits{Rows: 1_000_000, Columns: 100, Groups: 1000},
					New:     build,
				}
			}, wideShards(6))
		})
	}
}

// The competitors stand beside the model with its parameters, in its order.
func TestCompressedCompetitorsHaveTheModelsParameters(t *testing.T) {
	names := Names("compressed")
	if fmt.Sprint(names) != "[smcmc vb-gdp]" {
		t.Errorf("competitors %q", names)
	}
	d := cdf.Dims{Columns: []string{"a", "b", "c"}, Draws: 10}
	k, _ := models.Lookup("compressed")
	_, build, err := k.Configure("", nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := build(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if got, want := fmt.Sprint(competitor(t, "compressed", name, "{}", d).Params()), fmt.Sprint(m.Params()); got != want {
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
		k, _ := Lookup("compressed", c.method)
		if _, _, err := k.Configure(c.variant, strict(c.settings)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q %s: got %v, want an error about %s", c.method, c.variant, c.settings, err, c.want)
		}
	}
}
