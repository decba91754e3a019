package models

import (
	"github.com/credence-stream/credence/models/internal/dist"
)

// poissonWork is scratch space, shared by all models of one configuration
// through a pool. Nothing in it survives the call that took it.
type poissonWork struct {
	rows    poissonRows
	design  poissonDesign
	fit     poissonFit
	reduced poissonReduced
	block   poissonBlock
	gauss   poissonGauss
	m       []float64 // per term
	place   poissonPlace
	mix     dist.NormalMixture
	joint   []float64
	xi      []float64 // c: scratch of a place
	z       []float64 // q: entries of a row
}
