package compressed

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/vec"
)

// handful asks whether rows tell of a few columns that matter, where the prior has all coefficients of one spread. What
// tells is the evidence of regression on a few columns over that of the ridge regression on all (ADR 108). Where
// columns correlate the coefficients of their neighbours take part of what a large one does, and none of them is far from the
// others (gammaSensitivity): of five columns that matter among 200 of correlation .9^|i-j| intervals of 95 % held 0 to .06.
//
// The few columns are picked one after another, each the one that explains most beside those before: a factor of S whose
// pivots the response chooses. Better ones may exist, and would only say it louder.
//
// Source: orthogonal matching pursuit, Pati, Rezaiifar and Krishnaprasad, Asilomar 1993; the evidence of
// subsets with a prior of their number: Scott and Berger, Annals of Statistics 38 (2010).
type handful struct {
	known bool // of the state that was solved last
	at    []int
	drawn []float64 // the sds that those coefficients are off, if no other one matters

	left, slope []float64 // p: curvature and response beside those picked
	columns     []float64 // mostPicked x p: of the factor
}

const (
	// mostDrawn is by how many of its sds a coefficient that matters may be drawn: the rule of few. By .35 a normal
	// coefficient beside a far one is picked, and listed, in three of 20 streams (TestFarEffects).
	mostDrawn = 2
	// mostPicked is how many columns are picked.
	mostPicked = 16
	// typicalHandful is how many columns share the variance that the prior of the ridge regression has in all: within a
	// factor of four it hardly matters.
	typicalHandful = 4
)

func newHandful(p int) handful {
	return handful{
		at: make([]int, 0, mostPicked), drawn: make([]float64, mostPicked),
		left: make([]float64, p), slope: make([]float64, p), columns: make([]float64, mostPicked*p),
	}
}

// statistics are what a posterior was made of.
type statistics interface {
	curvature(column int) float64
	// column writes S at a column.
	column(column int, dst []float64)
	slopes(dst []float64) // writes h
	// logDet returns log |I + kappa S|.
	logDet() float64
}

// matter returns the handful of the posterior, and for each of its columns by how many of its sds the ridge regression has the
// coefficient elsewhere.
func (r *ridge) matter() (at []int, drawn []float64) {
	f := r.few
	if !f.known {
		f.pick(r)
	}
	return f.at, f.drawn[:len(f.at)]
}

// isDrawn reports whether a coefficient of few that matter is drawn by more than mostDrawn.
func isDrawn(m solver) bool {
	r, err := m.solved()
	if err != nil {
		return false
	}
	defer m.release(r)
	_, drawn := r.matter()
	return slices.ContainsFunc(drawn, func(sds float64) bool { return sds > mostDrawn })
}

// pick fills at and drawn, with nothing where the ridge regression has more evidence. Variances are in units of
// sigma2, which counts as known: where few columns fit better it is too large, and the ratio too small.
func (f *handful) pick(r *ridge) {
	f.known, f.at = true, f.at[:0]
	p, sigma2 := len(r.g), r.rate/r.shape
	variance := r.kappa * float64(p) / typicalHandful
	r.inverse.slopes(f.slope)
	ridge := lin.Dot(f.slope, r.g)/(2*sigma2) - r.inverse.logDet()/2
	for j := range f.left {
		f.left[j] = r.inverse.curvature(j) + 1/variance
	}
	evidence := -math.Log(float64(p + 1)) // a priori 0 to p columns matter, and any of them
	best, keep := max(ridge, evidence), 0 // a sketch that has given curvature up has a kappa of too little evidence where no column matters
	for k := range min(mostPicked, p-1) {
		gain := f.next(r.inverse, k, 1/variance)
		if !(gain > 0) {
			break
		}
		pivot := f.columns[k*p+f.at[k]]
		evidence += gain/(2*sigma2) - math.Log(pivot*math.Sqrt(variance)) + math.Log(float64(k+1)/float64(p-k))
		if evidence > best {
			best, keep = evidence, k+1
		}
	}
	f.at = f.at[:keep]
	for k := keep - 1; k >= 0; k-- { // back substitution
		for i := k + 1; i < keep; i++ {
			f.drawn[k] -= float64(f.columns[k*p+f.at[i]] * f.drawn[i])
		}
		f.drawn[k] /= f.columns[k*p+f.at[k]]
	}
	for k, j := range f.at {
		f.drawn[k] = math.Abs(f.drawn[k]-r.g[j]) / math.Sqrt(sigma2*r.diag[j])
	}
}

// next adds the column that explains most beside the k before to the factor, and returns what of the response's sum of
// squares it explains.
func (f *handful) next(s statistics, k int, precision float64) (gain float64) {
	p, at := len(f.left), -1
	for j, v := range f.left {
		if x := f.slope[j] * f.slope[j] / v; x > gain && !slices.Contains(f.at, j) {
			at, gain = j, x
		}
	}
	if at < 0 {
		return 0
	}
	pivot, column := math.Sqrt(f.left[at]), lin.Row(f.columns, p, k)
	s.column(at, column)
	for i := range f.at {
		before := lin.Row(f.columns, p, i)
		lin.Axpy(-before[at], before, column)
	}
	lin.Scale(1/pivot, column)
	column[at] = pivot
	f.drawn[k] = f.slope[at] / pivot
	for j, v := range column {
		f.left[j] = max(f.left[j]-float64(v*v), precision)
	}
	lin.Axpy(-f.drawn[k], column, f.slope)
	f.at = append(f.at, at)
	return gain
}

func (w *exactWork) curvature(column int) float64 {
	s := w.scale[column]
	return w.of.xx[column*(column+3)/2] / s / s
}

func (w *exactWork) column(column int, dst []float64) {
	for i := range dst {
		lo, hi := min(i, column), max(i, column)
		dst[i] = w.of.xx[hi*(hi+1)/2+lo] / w.scale[i] / w.scale[column]
	}
}

func (w *exactWork) slopes(dst []float64) { vec.DivideEach(dst, w.of.xy, w.scale) }

func (w *exactWork) logDet() float64 {
	p := len(w.z)
	sum := float64(p) * w.of.logKappa
	for j := range p {
		sum += 2 * math.Log(w.l[j*p+j])
	}
	return sum
}

func (w *sketchWork) curvature(column int) float64 { return w.of.curvature(column) }

func (w *sketchWork) column(column int, dst []float64) {
	clear(dst)
	for i := range w.of.rows {
		row := lin.Row(w.of.b, w.p, i)
		lin.Axpy(row[column], row, dst)
	}
	dst[column] += w.of.c[column]
}

func (w *sketchWork) slopes(dst []float64) { copy(dst, w.of.h) }

func (w *sketchWork) logDet() float64 {
	s := &w.stored
	sum := float64(w.p) * w.of.logKappa
	for _, v := range s.inv {
		sum -= math.Log(v)
	}
	for i := range s.rows {
		sum += 2 * math.Log(s.l[i*s.rows+i])
	}
	return sum
}
