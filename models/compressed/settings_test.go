package compressed

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models/compressed/projection"
	"github.com/credence-stream/credence/models/internal/dist"
)

func TestSettings(t *testing.T) {
	head := `{"dimension":10,"projection":"learned","projection_seed":1,`
	prior := `"prior":{"sigma2_shape":1,"sigma2_rate":1,"beta_variance":1}}`
	signal := strings.Replace(prior, "}}", `,"signal_shape":0.5}}`, 1)
	for _, c := range []struct{ variant, text, want string }{
		{"", "{}", head + `"statistics":"sketch","rank":110,"discount":[3,0.3],` + signal},
		{"", "rank: 55", head + `"statistics":"sketch","rank":55,"discount":[3,0.3],` + signal},
		{"", "statistics: packed", head + `"statistics":"packed","discount":[3,0.5],` + prior},
		{"", "{statistics: lean, discount: [2, 0]}", head + `"statistics":"lean","discount":[2,0],` + prior},
		{"", "statistics: exact", head + `"statistics":"exact",` + signal},
		{"paper", "{}", head + `"statistics":"packed","discount":[0,0],` + prior},
		{"", "projection: fixed", strings.Replace(head, "learned", "fixed", 1) + strings.Replace(signal, `variance":1`, `variance":0`, 1)},
	} {
		got := modeltest.Spec(t, Kind(), c.variant, cdf.Roles{}, strictyaml.Decode(c.text)).Settings
		if b, err := json.Marshal(got); err != nil || string(b) != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.text, b, c.want, err)
		}
	}
	modeltest.Refuses(t, Kind(), "", map[string]string{
		"dimension: 0":                                   "dimension must be between 1 and",
		"dimension: 5000":                                "dimension must be between 1 and",
		"projection: random":                             `projection must be learned or fixed, got "random"`,
		"statistics: whole":                              `must be sketch, exact, packed or lean, got "whole"`,
		"{statistics: exact, rank: 3}":                   "rank is for statistics: sketch",
		"{statistics: exact, discount: [0, 0]}":          "discount is for statistics that give something up",
		"{projection: fixed, statistics: exact}":         "statistics: exact is for projection: learned",
		"projection_file: phi.csv":                       `"phi.csv" is for projection: fixed`,
		"{projection: fixed, statistics: lean}":          "statistics: lean is for projection: learned",
		"{projection: fixed, discount: [1, 1]}":          "discount is for projection: learned",
		"{projection: fixed, rank: 3}":                   "rank is for statistics: sketch",
		"{statistics: packed, rank: 3}":                  "rank is for statistics: sketch",
		"rank: -1":                                       "rank must be between",
		"discount: [1]":                                  "discount has two numbers",
		"discount: [1, -1]":                              "discount must not be negative",
		"prior: {beta_variance: -1}":                     "prior.beta_variance must be positive and finite, got -1",
		"prior: {signal_shape: -1}":                      "prior.signal_shape must be finite and not negative",
		"prior: {sigma2_rate: .inf}":                     "prior.sigma2_rate",
		"prior: {sigma2_shape: .nan}":                    "prior.sigma2_shape",
		"{projection: fixed, projection_file: none.csv}": "none.csv",
	})
	modeltest.Refuses(t, Kind(), "paper", map[string]string{
		"discount: [3, 1]":   "variant paper has discount: [0, 0]",
		"statistics: sketch": "variant paper has statistics: packed only",
		"statistics: exact":  "variant paper has statistics: packed only",
		"projection: fixed":  "variant paper learns its projection",
	})
	for _, form := range forms {
		if _, err := modeltest.Spec(t, Kind(), form.variant, cdf.Roles{}, strictyaml.Decode(form.settings)).New(cdf.Dims{}); !errors.Is(err, cdf.ErrSchema) {
			t.Errorf("%s: no columns gives %v", form.name, err)
		}
	}
}

// The content of a projection file, not its path, is what identifies a
// configuration; columns are found by name.
func TestProjectionFile(t *testing.T) {
	dir := t.TempDir()
	configure := func(name, text string) *cdf.Spec {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return modeltest.Spec(t, Kind(), "", cdf.Roles{}, strictyaml.Decode(fmt.Sprintf("{projection: fixed, dimension: 2, projection_file: %q}", path)))
	}
	a := configure("a", "a,1,1\nb,1,-1\nc,.5,2\n")
	same := configure("b", "a 1 1\nb 1 -1\nc 0.5 2\n")
	other := configure("a", "a,1,1\nb,1,-1\nc,.5,3\n")
	if a.Fingerprint() != same.Fingerprint() || a.Fingerprint() == other.Fingerprint() {
		t.Error("the fingerprint does not follow the content")
	}
	m, err := a.New(cdf.Dims{Columns: []string{"c", "a"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(m.(*Fixed).phi); got != "[0.5 1 2 1]" {
		t.Errorf("projection %s", got)
	}
	if _, err := a.New(cdf.Dims{Columns: []string{"a", "d"}}); !errors.Is(err, cdf.ErrSchema) || !strings.Contains(err.Error(), `"d"`) {
		t.Errorf("an unknown column gives %v", err)
	}
	unnamed := configure("c", "1,1\n1,-1\n")
	if _, err := unnamed.New(cdf.Dims{Columns: []string{"a", "b", "c"}}); !errors.Is(err, cdf.ErrSchema) {
		t.Errorf("too few columns give %v", err)
	}
	path := filepath.Join(dir, "a")
	modeltest.Refuses(t, Kind(), "", map[string]string{
		fmt.Sprintf("{projection: fixed, projection_file: %q}", path): "2 numbers per column, dimension is 10",
	})
}

// The signs of a seed are fixed for ever: snapshots do not hold them.
func TestSignsOfASeed(t *testing.T) {
	m := newTest(t, "", "{projection: fixed, dimension: 4}", modeltest.Columns(5)).(*Fixed)
	got := ""
	for _, v := range m.phi {
		if v != .5 && v != -.5 {
			t.Fatalf("entry %v, want +-1/sqrt(4)", v)
		}
		got += map[bool]string{true: "+", false: "-"}[v > 0]
	}
	if want := signsOfSeed1; got != want {
		t.Errorf("signs %s, want %s", got, want)
	}
	phi := projection.Orthonormal(1, 3, 6)
	if got := fmt.Sprintf("%.6f", phi[:3]); got != priorOfSeed1 {
		t.Errorf("prior mean of the projection begins %s, want %s", got, priorOfSeed1)
	}
	for i := range 3 {
		for k := range 3 {
			s := 0.
			for j := range 6 {
				s += phi[j*3+i] * phi[j*3+k]
			}
			want := map[bool]float64{true: 1}[i == k]
			if d := s - want; d > 1e-14 || d < -1e-14 {
				t.Errorf("rows %d and %d have product %v", i, k, s)
			}
		}
	}
}

const (
	signsOfSeed1 = "---++-+--++++-+---++"
	priorOfSeed1 = "[0.763088 -0.111603 -0.150698]"
)

func TestAdvice(t *testing.T) {
	for settings, want := range map[string]string{
		"{dimension: 3}":                     "raise settings.rank",
		"{dimension: 3, statistics: packed}": "set settings.statistics: sketch",
		"{dimension: 3, statistics: lean}":   "set settings.statistics: sketch",
	} {
		a := modeltest.Spec(t, Kind(), "", cdf.Roles{}, strictyaml.Decode(settings)).Settings.(interface{ Advise(flag string) string })
		if got := a.Advise(worseThanNull); !strings.Contains(got, want) || strings.Contains(got, "sketch") != strings.Contains(want, "sketch") {
			t.Errorf("%s: %q, want %q in it", settings, got, want)
		}
		if got := a.Advise("another"); got != "" {
			t.Errorf("another flag: %q", got)
		}
	}
}

// Given beta, one number here, gamma_j is Phi0_j beta + |beta| C, C a Cauchy
// variable: sqrt(kappa) times a normal one is that. sigma2 is 25 for certain.
// Quantiles are 1000 draws' own, within 4.5 standard errors.
func TestPriorOfGamma(t *testing.T) {
	const p, n = 3, 4000
	m := newTest(t, "", "{statistics: packed, dimension: 1, prior: {sigma2_shape: 1.0e+9, sigma2_rate: 2.5e+10}}", modeltest.Columns(p)).(*Learned)
	rows := make([]cdf.Row, p)
	if err := m.SummarizePrior(modeltest.Coefficients(p)[:p], rows, rand.New(rand.NewPCG(3, 1))); err != nil {
		t.Fatal(err)
	}
	for j, r := range rows {
		for i, x := range []float64{r.Q025, r.Q05, r.Q25, r.Median, r.Q75, r.Q95, r.Q975} {
			below := 0.5
			for k := range n {
				beta := 5 * math.Sqrt2 * math.Erfinv((2*float64(k)+1)/n-1)
				below += math.Atan((x-m.phi[j]*beta)/math.Abs(beta)) / math.Pi / n
			}
			modeltest.Within(t, "share below a quantile of gamma", below, dist.Levels[i], 4.5*math.Sqrt(dist.Levels[i]*(1-dist.Levels[i])/1000))
		}
	}
}
