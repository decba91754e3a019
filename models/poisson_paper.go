package models

import (
	"sync"

	"github.com/credence-stream/credence/cdf"
)

func newPoissonPaper(s PoissonSettings, d cdf.Dims, works *sync.Pool) (cdf.Model, error) {
	return newPoisson(s, d, works)
}
