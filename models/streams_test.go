package models

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// stream is data that a kind can take, for tests of all kinds: what the table
// is over is Names(), so a kind that is not in kindStreams fails them.
type stream struct {
	settings  string // YAML; small, so that many shards are cheap
	response  response
	features  bool // columns x1 to x4 beside the response
	groups    bool // column g with four levels
	intercept bool // the kind has a coefficient for the intercept
}

// response says what a kind's response is.
type response uint8

const (
	real response = iota
	class
	count
)

func kindStreams() map[string]stream {
	return map[string]stream{
		"linear":     {features: true, intercept: true},
		"anova":      {groups: true},
		"dlm":        {},
		"probit":     {response: class, features: true, intercept: true, settings: "{window: 20, chains: 2}"},
		"compressed": {features: true, settings: "{dimension: 2}"},
		"poisson":    {response: count, features: true, groups: true, intercept: true},
	}
}

// streamOf returns the data of a kind.
func streamOf(t testing.TB, kind string) stream {
	s, ok := kindStreams()[kind]
	if !ok {
		t.Fatalf("kind %s has no data: enter it in kindStreams", kind)
	}
	return s
}

// spec returns the configuration of a variant of the kind.
func (s stream) spec(t testing.TB, kind, variant string) *cdf.Spec {
	k, ok := Lookup(kind)
	if !ok {
		t.Fatalf("no kind %s", kind)
	}
	var decode func(any) error
	if s.settings != "" {
		decode = modeltest.Strict(s.settings)
	}
	settings, build, err := k.Configure(variant, decode)
	if err != nil {
		t.Fatal(err)
	}
	spec := &cdf.Spec{
		Kind: kind, Variant: variant, Seed: 1, Draws: 4,
		Columns: cdf.Roles{Scaling: "first", Response: cdf.Feature{Name: "y"}, Intercept: s.intercept},
		Forget:  1, ForgetPer: cdf.Clock{Unit: "shard"}, Missing: "drop",
		Settings: settings, New: build, RawResponse: s.response != real,
		Publish: cdf.Publish{Every: 1, Scale: "original", Groups: "all"},
		Limits:  cdf.Limits{Rows: 1_000_000, Columns: 100, Groups: 1000},
	}
	if s.groups {
		spec.Columns.Groups = []cdf.Group{{Column: "g"}}
	}
	return spec
}

// shard returns a shard of ordinary rows; every level of g occurs in four.
func (s stream) shard(r *rand.Rand, rows int) *cdf.Batch {
	b := &cdf.Batch{Rows: rows}
	eta := make([]float64, rows)
	if s.features {
		for j := range 4 {
			x := make([]float64, rows)
			for i := range x {
				x[i] = r.NormFloat64()
				eta[i] += .2 * float64(j) * x[i]
			}
			b.Columns = append(b.Columns, cdf.Column{Name: "x" + strconv.Itoa(j+1), Type: cdf.Float, Number: x})
		}
	}
	if s.groups {
		g := cdf.Column{Name: "g", Type: cdf.Text, Levels: []string{"a", "b", "c", "d"}}
		for i := range rows {
			g.Code = append(g.Code, int32(i%4))
			eta[i] += .3 * float64(i%4)
		}
		b.Columns = append(b.Columns, g)
	}
	y := make([]float64, rows)
	for i := range y {
		switch z := eta[i] + r.NormFloat64(); s.response {
		case real:
			y[i] = 3 + z
		case class:
			if z > 0 {
				y[i] = 1
			}
		case count:
			y[i] = math.Floor(math.Exp(z / 2))
		}
	}
	b.Columns = append(b.Columns, cdf.Column{Name: "y", Type: cdf.Float, Number: y})
	return b
}

// everyVariant runs a test of each variant of each kind.
func everyVariant(t *testing.T, run func(t *testing.T, s stream, spec *cdf.Spec)) {
	for _, kind := range Names() {
		k, _ := Lookup(kind)
		s := streamOf(t, kind)
		for _, variant := range k.Variants {
			t.Run(kind+"/"+variant, func(t *testing.T) {
				t.Parallel()
				run(t, s, s.spec(t, kind, variant))
			})
		}
	}
}
