package models

import (
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/internal/modeltest"
)

// compressedForms are the settings that the forms of the model are tested
// under: small, so that a rank of 3 gives up curvature among 6 columns.
var compressedForms = []struct{ name, variant, settings string }{
	{"sketch", "corrected", "rank: 3"},
	{"exact sketch", "corrected", "{}"},
	{"fixed", "corrected", "{projection: fixed, dimension: 3}"},
	{"packed", "corrected", "{statistics: packed, dimension: 3}"},
	{"lean", "corrected", "{statistics: lean, dimension: 3}"},
	{"paper", "paper", "dimension: 3"},
}

func TestCompressedKeepsTheContract(t *testing.T) {
	for _, form := range compressedForms {
		settings, build, err := configureCompressed(form.variant, modeltest.Strict(form.settings))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(form.name, func(t *testing.T) {
			cdftest.TestModel(t, func() *cdf.Spec {
				return &cdf.Spec{
					Kind: "compressed", Variant: form.variant, Seed: 1,
					Columns: cdf.Roles{Scaling: "first", Response: cdf.Feature{Name: "y"}},
					Draws:   100, Forget: 1, ForgetPer: cdf.Clock{Unit: "shard"}, Missing: "drop", Settings: settings,
					Publish: cdf.Publish{Every: 1, Scale: "original", Groups: "all"},
					Limits:  cdf.Limits{Rows: 1_000_000, Columns: 100, Groups: 1000},
					New:     build,
				}
			}, cdftest.WideShards(6))
		})
	}
}
