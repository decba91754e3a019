package baselines

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/research/baselines/internal/methodtest"
)

// methods are all names that a competitor can have.
var methods = []string{"smcmc", "adf", "smc", "pl", "ffbs", "svb", "vb-gdp", "gva"}

// Every competitor is found by its name, competes with a kind that there is,
// has defaults, and refuses variants and what its settings refuse.
func TestRegistry(t *testing.T) {
	count := 0
	for _, kind := range models.Kinds().Names() {
		for _, method := range Names(kind) {
			count++
			if !slices.Contains(methods, method) {
				t.Errorf("%s has a competitor %s", kind, method)
			}
			k := lookup(t, kind, method)
			if s, err := k.Spec("", cdf.Roles{}, nil); err != nil || s.Settings == nil || s.New == nil {
				t.Errorf("%s %s: defaults give %v, %v", kind, method, s, err)
			}
			if _, err := k.Spec("paper", cdf.Roles{}, nil); err == nil || !strings.Contains(err.Error(), "no variant") {
				t.Errorf("%s %s: a variant gives %v", kind, method, err)
			}
			refused := errors.New("refused")
			if _, err := k.Spec("", cdf.Roles{}, func(any) error { return refused }); !errors.Is(err, refused) {
				t.Errorf("%s %s: unreadable settings give %v", kind, method, err)
			}
		}
	}
	if count != 12 || len(competitors) != len(models.Kinds()) {
		t.Errorf("%d competitors of %d kinds", count, len(competitors))
	}
	if _, ok := Lookup("anova", "gva"); ok {
		t.Error("anova has a competitor gva")
	}
}

// Settings out of range are named, and so are those of the model that a method
// has not.
func TestRefusesSettings(t *testing.T) {
	for _, c := range []struct {
		kind, method string
		words        map[string]string
	}{
		{"linear", "smcmc", map[string]string{"prior: {beta_variance: 0}": "beta_variance"}},
		{"anova", "smcmc", map[string]string{"prior: {tau2_rate: -1}": "tau2_rate"}},
		{"anova", "smc", map[string]string{"prior: {tau2_rate: -1}": "tau2_rate", "particles: 1": "particles"}},
		{"anova", "adf", map[string]string{"prior: {tau2_rate: -1}": "tau2_rate", "prior: {mu_variance: 1}": "flat mu"}},
		{"dlm", "pl", map[string]string{"prior: {tau2_rate: -1}": "tau2_rate", "particles: 1": "particles", "particles: 1000001": "particles"}},
		{"dlm", "ffbs", map[string]string{"prior: {tau2_rate: -1}": "tau2_rate", "burn: -1": "burn", "thin: 0": "thin"}},
		{"probit", "smcmc", map[string]string{"prior: {beta_variance: -1}": "beta_variance"}},
		{"probit", "smc", map[string]string{"prior: {beta_variance: -1}": "beta_variance", "particles: 1": "particles"}},
		{"probit", "svb", map[string]string{"prior: {beta_variance: -1}": "beta_variance"}},
		{"compressed", "smcmc", map[string]string{
			"burn: -1": "burn", "dimension: 0": "dimension", "prior: {sigma2_rate: 0}": "sigma2_rate", "rank: 3": "rank",
		}},
		{"compressed", "vb-gdp", map[string]string{
			"iterations: 0": "iterations", "prior: {eta: .inf}": "finite", "prior: {beta_variance: 1}": "beta_variance",
		}},
		{"poisson", "gva", map[string]string{"buffer: 5": "buffer"}},
	} {
		k := lookup(t, c.kind, c.method)
		modeltest.Refuses(t, k, "", c.words)
		if _, err := modeltest.Spec(t, k, "", cdf.Roles{}, nil).New(cdf.Dims{}); k.Features && err == nil {
			t.Errorf("%s %s takes no column", c.kind, c.method)
		}
	}
}

// After a shard a state has the bytes that the method says it has, where it is
// not the model's, and is of no other format. The parameters are the model's,
// in its order, but for those that a method integrates out.
func TestStatesAndParameters(t *testing.T) {
	const p, n, k, particles, draws, dimension = 6, 50, 3, 20, 12, 3
	r := rand.New(rand.NewPCG(1, 3))
	line := modeltest.RegressionShard(r, n, p, false)
	binary := &cdf.Shard{Rows: n, Cols: p, X: line.X, Y: make([]float64, n)}
	levels := &cdf.Shard{Rows: n, Y: line.Y, Group: [][]int32{make([]int32, n)}}
	for i, y := range line.Y {
		if y > 0 {
			binary.Y[i] = 1
		}
		levels.Group[0][i] = int32(i % k)
	}
	for _, c := range []struct {
		kind, method, settings string
		shard                  *cdf.Shard
		numbers                int // 0: as many as the model has
	}{
		{"linear", "smcmc", "", line, p*(p+1)/2 + p + 2},
		{"anova", "smcmc", "", levels, 2*k + 3},
		{"anova", "smc", "particles: 20", levels, 2*k + 1 + particles*(k+4)},
		{"anova", "adf", "", levels, (k + 1) * (k + 4) / 2},
		{"dlm", "pl", "particles: 20", levels, 3 + 8*particles + 1}, // and a byte, see below
		{"dlm", "ffbs", "", levels, 0},
		{"probit", "smcmc", "", binary, 0},
		{"probit", "smc", "particles: 20", binary, particles*(p+2) + n*(p+1)},
		{"probit", "svb", "", binary, 1 + p + p*(p+1)/2},
		{"compressed", "smcmc", "dimension: 3", line, p*(p+1)/2 + p + 2 + dimension*(p+1) + draws*(p+1)},
		{"compressed", "vb-gdp", "", line, p*(p+1)/2 + 2*p + 2},
		{"poisson", "gva", "", binary, 0},
	} {
		name, d := c.kind+" "+c.method, cdf.Dims{Draws: draws}
		of := lookup(t, c.kind, c.method)
		if of.Features {
			d.Columns = modeltest.Columns(p)
		}
		m := modeltest.Model(t, of, "", strictyaml.Decode(c.settings), d)
		want := modeltest.Model(t, lookup(t, c.kind, ""), "", nil, d).Params()
		if c.method == "adf" {
			want = slices.DeleteFunc(want, func(p cdf.Param) bool { return p.Name == "mu" || p.Name == "tau2" })
		}
		if got := m.Params(); !slices.Equal(got, want) {
			t.Errorf("%s has the parameters %v, the model %v", name, got, want)
		}
		methodtest.Drive(m, 1, draws).Must(t, c.shard, 1)
		b := modeltest.State(t, m)
		bytes := 8*c.numbers + 1
		if c.method == "pl" {
			bytes++ // whether a time was seen
		}
		if c.numbers > 0 && len(b) != bytes {
			t.Errorf("the state of %s has %d bytes, want %d", name, len(b), bytes)
		}
		if b[0]++; !errors.Is(m.UnmarshalBinary(b), cdf.ErrSnapshot) {
			t.Errorf("%s reads another format", name)
		}
	}
}

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

// Numbers that overflow are an error and no panic.
func TestOverflowIsAnError(t *testing.T) {
	for _, of := range []string{"linear", "anova", "dlm", "compressed"} {
		for _, method := range Names(of) {
			sh := &cdf.Shard{Rows: 3, Y: []float64{1e200, -1e200, 1e300}, Group: [][]int32{{0, 0, 1}}}
			k, d := lookup(t, of, method), cdf.Dims{Draws: 5}
			if k.Features {
				sh.Cols, sh.X, d.Columns = 1, []float64{1, 2, 1e200}, modeltest.Columns(1)
			}
			m := modeltest.Model(t, k, "", nil, d)
			if err := methodtest.Drive(m, 1, 5).Step(sh, 1); !errors.Is(err, cdf.ErrNumeric) {
				t.Errorf("%s %s: %v", of, method, err)
			}
		}
	}
}
