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

// edgeSeries are the quantiles of t at the upper edges of the bins above the
// median, without the last, which is at infinity: by powers of the inverse of the degrees
// of freedom.
var edgeSeries = func() (s [half - 1][5]float64) {
	for k := range s {
		s[k] = studentSeries(math.Sqrt2 * math.Erfinv(float64(k+1)/half))
	}
	return s
}()

// A cell is the squares that have their leading bits in common, eight to each
// doubling. No two edges lie in one, not even those of laws with different degrees of
// freedom. What is smaller counts to the first cell, what is greater to the last.
const (
	cellShift = 52 - 3
	firstCell = (1023 - 8) << 3 // from 2^-8
	cells     = 11 << 3
)

// surely is how many edges are below a cell, whatever the degrees of freedom.
var surely = func() (n [cells]uint8) {
	for k := range edgeSeries {
		t := powers(&edgeSeries[k], 1./Plentiful) // there edges lie the furthest out
		for i := int(math.Float64bits(t*t)>>cellShift) - firstCell + 1; i < cells; i++ {
			n[i]++
		}
	}
	return n
}()

// StudentBins tells the bin of a transform of a t law without its distribution
// function.
type StudentBins struct {
	df    float64
	edges [half]int64 // squared, as bits, and one above all numbers
}

// NewStudentBins returns the bins of the t law with df degrees of freedom, whose
// .975 quantile is the limit.
func NewStudentBins(df, limit float64) StudentBins {
	b := StudentBins{df: df}
	if df < Plentiful {
		return b
	}
	inv := 1 / df
	for k := range edgeSeries {
		t := powers(&edgeSeries[k], inv)
		b.edges[k] = int64(math.Float64bits(t * t))
	}
	b.edges[half-2] = int64(math.Float64bits(limit * limit))
	b.edges[half-1] = math.MaxInt64
	return b
}

// Beyond returns how many edges the square of a residual, in units of the squared
// scale, lies beyond: half-1 where the residual is beyond the limit. Degrees of
// freedom are plentiful.
func (b *StudentBins) Beyond(z2 float64) int {
	// Without branches, since a row's bin is nothing to be foretold: bits of
	// positive numbers are in their order, and the sign of a difference is a mask, which makes 0 of what is negative.
	bits := int64(math.Float64bits(z2))
	cell := bits>>cellShift - firstCell
	n := int64(surely[min(uint64(cell&^(cell>>63)), cells-1)])
	return int(n - (b.edges[n]-bits)>>63)
}

// At returns the middle of the bin of the transform of the residual e, z2 being
// its square in units of the squared scale; the transform itself while degrees
// of freedom are few.
func (b *StudentBins) At(e, z2 float64) float64 {
	if b.df < Plentiful {
		return StudentCDF(math.Copysign(math.Sqrt(z2), e), b.df)
	}
	return .5 + math.Copysign((float64(b.Beyond(z2))+.5)/cdf.PITBins, e)
}
