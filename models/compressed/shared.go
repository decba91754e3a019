package compressed

import (
	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

var (
	_ cdf.PriorShared = (*Exact)(nil)
	_ cdf.PriorShared = (*Sketch)(nil)
)

const (
	// leastTogether is by how much of what rows tell of a coefficient, the others known, has to be left beside the others for it
	// to be the prior's: columns of correlations .9^|i-j| have up to a tenth, where the prior's variance, which all columns tell, serves them.
	leastTogether = 1. / 12
	// leastHeld is a bound of the same by the variance alone, which is known already.
	leastHeld = 1. / 2
)

// PriorShare implements cdf.PriorShared (sharedVariance).
func (m *Exact) PriorShare(functionals []cdf.Functional, dst []float64) {
	if m.absorbed() {
		sharedVariance(m, m.n, functionals, func(int) float64 { return m.weight }, dst)
	}
}

// PriorShare implements cdf.PriorShared (sharedVariance).
func (m *Sketch) PriorShare(functionals []cdf.Functional, dst []float64) {
	if m.absorbed() {
		sharedVariance(m, m.n, functionals, m.curvature, dst)
	}
}

// sharedVariance writes the prior's share of the variances of coefficients of which rows would tell by themselves, were it not for the
// other columns: of nearly equal ones the sum is known, and their difference has the spread that the prior's variance gives it, which is
// an estimate from what all coefficients do. Nothing is written of others: columns that say little, or are as many as rows, are
// what that variance is estimated for.
func sharedVariance(m solver, n float64, functionals []cdf.Functional, curvature func(column int) float64, dst []float64) {
	r, err := m.solved()
	if err != nil {
		return
	}
	defer m.release(r)
	if n < float64(leastPerColumn*len(r.g)) {
		return
	}
	for i := range functionals {
		f := &functionals[i]
		if len(f.Param) == 0 || f.Param[0] >= len(r.g) {
			continue
		}
		j := f.Param[0]
		told := r.kappa * curvature(j) // the prior's precision times that of the rows by themselves
		if a := r.diag[j] / r.kappa; !(1/a-1 < leastHeld*told) {
			continue
		}
		share := r.shareOf(f)
		if 1/share-1 < leastTogether*told {
			dst[i] = min(share, 1)
		}
	}
}

// shareOf returns c'AAc/(kappa c'Ac), c the functional: of one column by the diagonal.
func (r *ridge) shareOf(f *cdf.Functional) float64 {
	j := f.Param[0]
	if r.inverse.spread(j, r.z); len(f.Param) == 1 {
		return lin.Dot(r.z, r.z) / (r.kappa * r.diag[j])
	}
	all, variance := r.rows.z[:len(r.z)], 0.
	clear(all)
	for k, j := range f.Param {
		r.inverse.spread(j, r.z)
		lin.Axpy(f.Weight[k]/r.scale[j], r.z, all)
	}
	for k, j := range f.Param {
		variance += float64(f.Weight[k] / r.scale[j] * all[j])
	}
	return lin.Dot(all, all) / (r.kappa * variance)
}

// spread implements inverse.
func (w *exactWork) spread(column int, dst []float64) {
	p := len(w.z)
	clear(dst)
	for i := column; i < p; i++ {
		row := w.a[i*p : i*p+i+1]
		lin.Axpy(row[column], row, dst)
	}
}

// spread implements inverse.
func (w *sketchWork) spread(column int, dst []float64) {
	s, p := &w.stored, w.p
	clear(dst)
	dst[column] = s.root[column]
	for i := range s.rows {
		row := lin.Row(s.t, p, i)
		lin.Axpy(-row[column]*s.root[column], row, dst)
	}
	for j, v := range dst {
		dst[j] = v * s.root[j]
	}
}
