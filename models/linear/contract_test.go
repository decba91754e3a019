package linear

import (
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/internal/modeltest"
)

func TestKeepsTheContract(t *testing.T) {
	for _, variant := range Kind().Variants {
		t.Run(variant, func(t *testing.T) {
			modeltest.Contract(t, Kind(), variant, cdf.Roles{Intercept: true}, nil, cdftest.WideShards(2))
		})
	}
}
