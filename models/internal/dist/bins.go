package dist

import (
	"math"

	"github.com/credence-stream/credence/cdf"
)

// Plentiful is the number of degrees of freedom from which the bin of a
// transform is told by expansions in their inverse: in probability they are
// within 2e-5 of t. Below, where a key is at its beginning, the law itself is
// asked.
const Plentiful = 30

// half is the number of bins of Score.PIT on one side of the median.
const half = cdf.PITBins / 2

// halfNormals are the quantiles of the standard normal law at the upper edges
// of the bins above the median, without the last, which is at infinity.
var halfNormals = func() (z [half - 1]float64) {
	for k := range z {
		z[k] = math.Sqrt2 * math.Erfinv(float64(k+1)/half)
	}
	return z
}()

// StudentBins tells the bin of a transform of a t law without its distribution
// function.
type StudentBins struct {
	df    float64
	edges [32]int64 // squared, as bits; those beyond the last at infinity
}

// NewStudentBins returns the bins of the t law with df degrees of freedom.
func NewStudentBins(df float64) StudentBins {
	b := StudentBins{df: df}
	if df < Plentiful {
		return b
	}
	for k := range b.edges {
		edge := math.Inf(1)
		if k < len(halfNormals) {
			t := studentExpansion(halfNormals[k], df)
			edge = t * t
		}
		b.edges[k] = int64(math.Float64bits(edge))
	}
	return b
}

// At returns the middle of the bin of the transform of the residual e, z2 being
// its square in units of the squared scale; the transform itself while degrees
// of freedom are few.
func (b *StudentBins) At(e, z2 float64) float64 {
	if b.df < Plentiful {
		return StudentCDF(math.Copysign(math.Sqrt(z2), e), b.df)
	}
	// Halved without branches, since a row's bin is nothing to be foretold: bits of
	// positive numbers are in their order, and the sign of a difference is a mask.
	lo, bits := 0, int64(math.Float64bits(z2))
	for step := len(b.edges) / 2; step > 0; step /= 2 {
		lo += step & int((b.edges[(lo+step-1)%len(b.edges)]-bits)>>63)
	}
	return .5 + math.Copysign((float64(lo)+.5)/cdf.PITBins, e)
}
