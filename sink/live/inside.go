package live

import (
	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// inside counts the rows of a key by which its intervals are judged, each by its weight,
// and those of them inside their interval of 95 %.
type inside struct{ rows, held float64 }

const (
	// chance is how likely as few rows are inside of a calibrated model's intervals where
	// that is called too few. It is judged after every shard anew: so it is in fewer than
	// one of 1,000, also where rows of a shard share more than their weight allows for.
	chance = 2e-4
	// fewest is the share of rows inside from which on it is left alone, however many they are.
	fewest = .94
)

// add takes in the rows of a shard, if it came after the key's first rows.
func (r *inside) add(o *pipeline.Point) {
	if o.N-o.Rows < cdf.FirstRows {
		return
	}
	counted := uint32(0)
	for _, n := range o.Score.PIT {
		counted += n
	}
	r.rows += o.Weight * float64(counted)
	r.held += o.Weight * float64(counted-o.Score.PIT[0]-o.Score.PIT[cdf.PITBins-1])
}

// tooFew reports whether fewer rows are inside than chance explains. More are no fault of
// a model that says what it does not know; those that are far too wide say so by a flag of
// their own.
func (r *inside) tooFew() bool {
	return r.held < fewest*r.rows && binomialLaw(r.held, r.rows, .95) < chance
}
