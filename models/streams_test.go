package models

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models/kind"
)

// stream is data that a kind can take, for tests of all kinds.
type stream struct {
	*kind.Kind
	settings string // YAML; small, so that many shards are cheap
	exposure bool   // shards have a column e of ones
	evidence bool   // the kind has joint evidence of what it is given
}

// streamOf returns the data of a kind.
func streamOf(k *kind.Kind) stream {
	small := map[string]string{"probit": "{window: 20, chains: 2}", "compressed": "{dimension: 2}"}
	return stream{Kind: k, settings: small[k.Name]}
}

// spec returns the configuration of a variant of the kind.
func (s stream) spec(t testing.TB, variant string) *cdf.Spec {
	columns := cdf.Roles{Intercept: true}
	if s.Groups != kind.NoGroups {
		columns.Groups = []cdf.Group{{Column: "g"}}
	}
	spec := modeltest.Spec(t, s.Kind, variant, columns, strictyaml.Decode(s.settings))
	spec.Draws = 4
	spec.Columns.Features = nil // as when the first golden snapshots were made
	return spec
}

// shard returns a shard of ordinary rows; every level of g occurs in four.
func (s stream) shard(r *rand.Rand, rows int) *cdf.Batch {
	b := &cdf.Batch{Rows: rows}
	eta := make([]float64, rows)
	if s.Features {
		for j := range 4 {
			x := make([]float64, rows)
			for i := range x {
				x[i] = r.NormFloat64()
				eta[i] += .2 * float64(j) * x[i]
			}
			b.Columns = append(b.Columns, cdf.Column{Name: "x" + strconv.Itoa(j+1), Type: cdf.Float, Number: x})
		}
	}
	if s.Groups != kind.NoGroups {
		g := cdf.Column{Name: "g", Type: cdf.Text, Levels: []string{"a", "b", "c", "d"}}
		for i := range rows {
			g.Code = append(g.Code, int32(i%4))
			eta[i] += .3 * float64(i%4)
		}
		b.Columns = append(b.Columns, g)
	}
	y := make([]float64, rows)
	for i := range y {
		switch z := eta[i] + r.NormFloat64(); s.Response {
		case kind.Real:
			y[i] = 3 + z
		case kind.Binary:
			if z > 0 {
				y[i] = 1
			}
		case kind.Count:
			y[i] = math.Floor(math.Exp(z / 2))
		}
	}
	b.Columns = append(b.Columns, cdf.Column{Name: "y", Type: cdf.Float, Number: y})
	if s.exposure {
		e := make([]float64, rows)
		fill(e, 1)
		b.Columns = append(b.Columns, cdf.Column{Name: "e", Type: cdf.Float, Number: e})
	}
	return b
}

// dataset is a batch with its columns at hand; x, g and e may be missing.
type dataset struct {
	y []float64
	x [][]float64
	g *cdf.Column
	e []float64 // exposures
}

func datasetOf(b *cdf.Batch) *dataset {
	d := new(dataset)
	for i := range b.Columns {
		switch c := &b.Columns[i]; c.Name {
		case "y":
			d.y = c.Number
		case "g":
			d.g = c
		case "e":
			d.e = c.Number
		default:
			d.x = append(d.x, c.Number)
		}
	}
	return d
}

func fill(v []float64, value float64) {
	for i := range v {
		v[i] = value
	}
}

// everyVariant runs a test of each variant of each kind.
func everyVariant(t *testing.T, run func(t *testing.T, s stream, spec *cdf.Spec)) {
	for _, k := range Kinds() {
		s := streamOf(k)
		for _, variant := range k.Variants {
			t.Run(k.Name+"/"+variant, func(t *testing.T) {
				t.Parallel()
				run(t, s, s.spec(t, variant))
			})
		}
	}
}

// form is a kind with other settings than its streams have.
type form struct{ kind, variant, name, settings string }

// forms have statistics of their own.
var forms = []form{
	{"dlm", "corrected", "compact", "{mode: compact, window: 8}"},
	{"dlm", "corrected", "filtered", "{mode: filtered, window: 8}"},
	{"compressed", "corrected", "packed", "{dimension: 2, statistics: packed}"},
	{"compressed", "corrected", "lean", "{dimension: 2, statistics: lean}"},
	{"compressed", "corrected", "fixed", "{dimension: 2, projection: fixed}"},
	{"compressed", "corrected", "exact", "{statistics: exact}"},
	{"compressed", "corrected", "lossy", "{dimension: 2, rank: 2}"},
	{"poisson", "corrected", "buffer", "{buffer: 3}"},
	{"poisson", "corrected", "none", "{overdispersion: none, prior: {group: inverse-gamma}}"},
}

// harshForms are wider than the data, or have priors that hardly bound them.
var harshForms = []form{
	{"anova", "corrected", "hardly a prior", hardlyAPrior},
	{"anova", "paper", "paper, hardly a prior", hardlyAPrior},
	{"compressed", "corrected", "fixed, wide", "{dimension: 6, projection: fixed}"},
	{"compressed", "corrected", "packed, wide", "{dimension: 6, statistics: packed}"},
	{"poisson", "corrected", "inverse gamma", "prior: {group: inverse-gamma}"},
}

const hardlyAPrior = "prior: {mu_variance: 1, tau2_shape: .01, tau2_rate: 1.0e-9, sigma2_shape: .01, sigma2_rate: 1.0e-9}"

// everyForm runs a test of each variant of each kind, and of the forms.
func everyForm(t *testing.T, list []form, run func(t *testing.T, s stream, spec *cdf.Spec)) {
	everyVariant(t, run)
	for _, f := range list {
		t.Run(f.kind+"/"+f.name, func(t *testing.T) {
			t.Parallel()
			k, _ := Lookup(f.kind)
			s := stream{Kind: k, settings: f.settings}
			run(t, s, s.spec(t, f.variant))
		})
	}
}
