package poisson

import (
	"github.com/credence-stream/credence/models/internal/collinear"
	"github.com/credence-stream/credence/models/internal/dist"
)

// work is scratch space, shared by all models of one configuration
// through a pool. Nothing in it survives the call that took it.
type work struct {
	rows         rowStats
	design       design
	fit          fit
	reduced      reduced
	few          few
	axes         []axis    // per term
	l            []float64 // log s2 of the mixture's normals
	block        arrowBlock
	recent       [nodes]gauss // those asked for last, in turn
	asked        int          // how many were
	m            []float64    // per term
	place        place
	places       []place // of a functional of several levels
	mix          dist.NormalMixture
	joint        []float64
	apart        collinear.Finder
	xi           []float64 // c: scratch of a place
	z            []float64 // q: entries of a row
	factor, left []float64 // k x k and 2 k: of loose
	effects      effects
	drawing      drawing
	seen         []float64 // per level of a factor: of eventless
	// Scratch of wild, a number per row.
	log, above, sorted []float64
}
