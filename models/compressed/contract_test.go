package compressed

import (
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// forms are the settings that the forms of the model are tested
// under: small, so that a rank of 3 gives up curvature among 6 columns.
var forms = []struct{ name, variant, settings string }{
	{"sketch", "corrected", "rank: 3"},
	{"exact sketch", "corrected", "{}"},
	{"fixed", "corrected", "{projection: fixed, dimension: 3}"},
	{"exact", "corrected", "statistics: exact"},
	{"packed", "corrected", "{statistics: packed, dimension: 3}"},
	{"lean", "corrected", "{statistics: lean, dimension: 3}"},
	{"paper", "paper", "dimension: 3"},
}

func TestKeepsTheContract(t *testing.T) {
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			modeltest.Contract(t, Kind(), form.variant, cdf.Roles{}, strictyaml.Decode(form.settings), cdftest.WideShards(6))
		})
	}
}
