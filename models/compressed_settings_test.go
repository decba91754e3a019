package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/models/projection"
)

func TestCompressedSettings(t *testing.T) {
	head := `{"dimension":10,"projection":"learned","projection_seed":1,`
	prior := `"prior":{"sigma2_shape":1,"sigma2_rate":1,"beta_variance":1}}`
	for _, c := range []struct{ variant, text, want string }{
		{"", "{}", head + `"statistics":"sketch","rank":110,"discount":[3,1],` + prior},
		{"", "rank: 55", head + `"statistics":"sketch","rank":55,"discount":[3,1],` + prior},
		{"", "statistics: packed", head + `"statistics":"packed","discount":[3,0.5],` + prior},
		{"", "{statistics: lean, discount: [2, 0]}", head + `"statistics":"lean","discount":[2,0],` + prior},
		{"paper", "{}", head + `"statistics":"packed","discount":[0,0],` + prior},
		{"", "projection: fixed", strings.Replace(head, "learned", "fixed", 1) + prior},
	} {
		got, _, err := configureCompressed(c.variant, modeltest.Strict(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if b, err := json.Marshal(got); err != nil || string(b) != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.text, b, c.want, err)
		}
	}
	for text, want := range map[string]string{
		"dimension: 0":                                   "dimension must be between 1 and",
		"dimension: 5000":                                "dimension must be between 1 and",
		"projection: random":                             `projection must be learned or fixed, got "random"`,
		"statistics: exact":                              `must be sketch, packed or lean, got "exact"`,
		"projection_file: phi.csv":                       `"phi.csv" is for projection: fixed`,
		"{projection: fixed, statistics: lean}":          "statistics: lean is for projection: learned",
		"{projection: fixed, discount: [1, 1]}":          "discount is for projection: learned",
		"{projection: fixed, rank: 3}":                   "rank is for statistics: sketch",
		"{statistics: packed, rank: 3}":                  "rank is for statistics: sketch",
		"rank: -1":                                       "rank must be between",
		"discount: [1]":                                  "discount has two numbers",
		"discount: [1, -1]":                              "discount must not be negative",
		"prior: {beta_variance: 0}":                      "prior.beta_variance must be positive and finite, got 0",
		"prior: {sigma2_rate: .inf}":                     "prior.sigma2_rate",
		"prior: {sigma2_shape: .nan}":                    "prior.sigma2_shape",
		"{projection: fixed, projection_file: none.csv}": "none.csv",
	} {
		if _, _, err := configureCompressed("", modeltest.Strict(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %q in it", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"discount: [3, 1]":   "variant paper has discount: [0, 0]",
		"statistics: sketch": "variant paper has statistics: packed only",
		"projection: fixed":  "variant paper learns its projection",
	} {
		if _, _, err := configureCompressed("paper", modeltest.Strict(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("paper, %s gives %v, want %q in it", text, err, want)
		}
	}
	for _, form := range compressedForms {
		_, build, err := configureCompressed(form.variant, modeltest.Strict(form.settings))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := build(cdf.Dims{}); !errors.Is(err, cdf.ErrSchema) {
			t.Errorf("%s: no columns gives %v", form.name, err)
		}
	}
}

// The content of a projection file, not its path, is what identifies a
// configuration; columns are found by name.
func TestCompressedProjectionFile(t *testing.T) {
	dir := t.TempDir()
	configure := func(name, text string) (any, kind.Build) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, build, err := configureCompressed("", modeltest.Strict(fmt.Sprintf("{projection: fixed, dimension: 2, projection_file: %q}", path)))
		if err != nil {
			t.Fatal(err)
		}
		return s, build
	}
	print := func(s any) [32]byte { return (&cdf.Spec{Kind: "compressed", Settings: s}).Fingerprint() }
	a, build := configure("a", "a,1,1\nb,1,-1\nc,.5,2\n")
	same, _ := configure("b", "a 1 1\nb 1 -1\nc 0.5 2\n")
	other, _ := configure("a", "a,1,1\nb,1,-1\nc,.5,3\n")
	if print(a) != print(same) || print(a) == print(other) {
		t.Error("the fingerprint does not follow the content")
	}
	m, err := build(cdf.Dims{Columns: []string{"c", "a"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(m.(*CompressedFixed).phi); got != "[0.5 1 2 1]" {
		t.Errorf("projection %s", got)
	}
	if _, err := build(cdf.Dims{Columns: []string{"a", "d"}}); !errors.Is(err, cdf.ErrSchema) || !strings.Contains(err.Error(), `"d"`) {
		t.Errorf("an unknown column gives %v", err)
	}
	_, unnamed := configure("c", "1,1\n1,-1\n")
	if _, err := unnamed(cdf.Dims{Columns: []string{"a", "b", "c"}}); !errors.Is(err, cdf.ErrSchema) {
		t.Errorf("too few columns give %v", err)
	}
	path := filepath.Join(dir, "a")
	_, _, err = configureCompressed("", modeltest.Strict(fmt.Sprintf("{projection: fixed, projection_file: %q}", path)))
	if err == nil || !strings.Contains(err.Error(), "2 numbers per column, dimension is 10") {
		t.Errorf("another dimension gives %v", err)
	}
}

// The signs of a seed are fixed for ever: snapshots do not hold them.
func TestCompressedSignsOfASeed(t *testing.T) {
	m := compressedModel(t, "", "{projection: fixed, dimension: 4}", modeltest.Columns(5)).(*CompressedFixed)
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

func TestCompressedAdvice(t *testing.T) {
	for settings, want := range map[string]string{
		"{dimension: 3}":                     "raise settings.rank",
		"{dimension: 3, statistics: packed}": "set settings.statistics: sketch",
		"{dimension: 3, statistics: lean}":   "set settings.statistics: sketch",
	} {
		s, _, err := configureCompressed("", modeltest.Strict(settings))
		if err != nil {
			t.Fatal(err)
		}
		a := s.(interface{ Advise(flag string) string })
		if got := a.Advise(worseThanNull); !strings.Contains(got, want) || strings.Contains(got, "sketch") != strings.Contains(want, "sketch") {
			t.Errorf("%s: %q, want %q in it", settings, got, want)
		}
		if got := a.Advise("another"); got != "" {
			t.Errorf("another flag: %q", got)
		}
	}
}
