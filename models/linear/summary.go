package linear

import (
	"fmt"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/describe"
)

// Summarize fills the rows in closed form, or by quadrature while the rows
// are few: nothing is left open. A functional is affine in beta or in sigma2;
// one that mixes both is refused with ErrSchema.
func (m *Model) Summarize(functionals []cdf.Functional, rows []cdf.Row) error {
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.prepare(w); err != nil {
		return err
	}
	if m.n > 0 && m.early() {
		return m.summarizeEarly(w, functionals, rows)
	}
	for i := range functionals {
		f, r := &functionals[i], &rows[i]
		describe.Begin(r, f.Name)
		factor, isSigma, err := m.Split(f)
		switch {
		case err != nil:
			return err
		case isSigma:
			m.closedSigma(r, f.Const, factor)
		default:
			m.closedBeta(r, f, w)
		}
	}
	return nil
}

// mixedAtOnce is how many functionals are mixed at a time.
const mixedAtOnce = 16

func (m *Model) summarizeEarly(w *work, functionals []cdf.Functional, rows []cdf.Row) error {
	m.mixNodes(w)
	w.nodes.accumulate(m)
	w.joint = lin.Grow(w.joint, mixedAtOnce*m.P)
	var waiting [mixedAtOnce]int
	n := 0
	for i := range functionals {
		f := &functionals[i]
		describe.Begin(&rows[i], f.Name)
		factor, isSigma, err := m.Split(f)
		switch {
		case err != nil:
			return err
		case isSigma:
			m.earlySigma(&rows[i], f.Const, factor, &w.nodes)
		case m.post.s0 > 0 && len(f.Param) == 1:
			m.takeCoefficient(&w.mix, f.Param[0], f.Const, f.Weight[0])
			describe.Mixture(&rows[i], &w.mix.NormalMixture)
		default:
			m.direction(w, f, lin.Row(w.joint, m.P, n))
			waiting[n] = i
			n++
		}
		if n == 0 || n < mixedAtOnce && i+1 < len(functionals) {
			continue
		}
		m.mixRows(&w.mix, n, w.joint)
		for k, at := range waiting[:n] {
			w.mix.take(k, functionals[at].Const, false)
			describe.Mixture(&rows[at], &w.mix.NormalMixture)
		}
		n = 0
	}
	return nil
}

// onlyBeta refuses a functional of sigma2.
func (s *columns) onlyBeta(f *cdf.Functional) error {
	_, isSigma, err := s.Split(f)
	if err == nil && isSigma {
		err = fmt.Errorf("%w: %s is not a coefficient", cdf.ErrSchema, f.Name)
	}
	return err
}

// directions writes the functional of beta into c, in the posterior's basis.
func (m *Model) directions(w *work, f *cdf.Functional, c []float64) (factor float64, isSigma bool, err error) {
	factor, isSigma, err = m.Split(f)
	if err != nil || isSigma {
		return factor, isSigma, err
	}
	m.direction(w, f, c)
	return 0, false, nil
}

// direction is directions of what is known to be a functional of beta.
func (m *Model) direction(w *work, f *cdf.Functional, c []float64) {
	if m.upper() && len(f.Param) > max(8, m.P/4) && slices.IsSorted(f.Param) { // as an intercept is
		clear(w.weights)
		for k, j := range f.Param {
			w.weights[j] += f.Weight[k]
		}
		m.post.basis().TimesT(w.weights, c)
		return
	}
	clear(c)
	for k, j := range f.Param {
		m.addBasis(f.Weight[k], j, c)
	}
}

// upper reports that M is upper triangular.
func (m *Model) upper() bool { return m.post.s0 > 0 || !m.early() }

// addBasis adds row j of M times a to c.
func (m *Model) addBasis(a float64, j int, c []float64) {
	row := lin.Row(m.post.m, m.P, j)
	if m.upper() {
		row, c = row[j:], c[j:]
	}
	lin.Axpy(a, row, c)
}

// spread returns the sd of a functional of beta given that sigma2 is the plug-in. With many rows that of a
// coefficient is the length of its row of M.
func (m *Model) spread(w *work, f *cdf.Functional) float64 {
	if len(f.Param) == 1 && !m.early() {
		return math.Abs(f.Weight[0]) * math.Sqrt(m.post.l[f.Param[0]])
	}
	q, known := &m.post, &w.spread
	if known.stamp == q.stamp && slices.Equal(known.param, f.Param) && slices.Equal(known.weight, f.Weight) {
		return known.sd
	}
	m.direction(w, f, w.c)
	m.atPlugin(w.c)
	known.stamp, known.sd = q.stamp, math.Sqrt(lin.Dot(w.c, w.c))
	known.param, known.weight = append(known.param[:0], f.Param...), append(known.weight[:0], f.Weight...)
	return known.sd
}

// spread is that of the functional which was asked for last: an intercept's is wanted by the summary and by what it is to its prior.
type spread struct {
	stamp  uint64 // of the posterior
	param  []int
	weight []float64
	sd     float64
}

// closedBeta is t with 2a” degrees of freedom; before the first row, the
// prior normal.
func (m *Model) closedBeta(r *cdf.Row, f *cdf.Functional, w *work) {
	q := &m.post
	mean := f.Const
	for k, j := range f.Param {
		mean += f.Weight[k] * q.beta[j]
	}
	scale := m.spread(w, f)
	if m.n == 0 {
		describe.Normal(r, mean, scale)
	} else {
		describe.Student(r, q.law.At(q.shape), mean, scale)
	}
}

// closedSigma is IG(a”, a” s2), the prior before the first row.
func (m *Model) closedSigma(r *cdf.Row, shift, factor float64) {
	q := &m.post
	describe.InvGamma(r, &q.law, q.shape, q.shape*m.plugin(), shift, factor)
}

// earlySigma takes the moments where the closed form has them too, so that
// they do not come and go.
func (m *Model) earlySigma(r *cdf.Row, shift, factor float64, n *nodes) {
	mean, sd := n.sigma2()
	if m.post.shape > 1 {
		r.Mean = shift + factor*mean
	}
	if m.post.shape > 2 {
		r.SD = math.Abs(factor) * sd
	}
	describe.Exp(r, shift, factor, func(p float64) float64 { return n.quantile(m, p) })
}

// AppendCollinear implements cdf.Collinear.
func (m *Model) AppendCollinear(dst []int) []int {
	w := m.work()
	defer m.scratch.Put(w)
	return w.apart.Append(dst, m.r, m.P+1, m.P, m.intercept, m.n)
}

// Fed implements cdf.Feeder: a column of zeros leaves zeros in the factor.
func (m *Model) Fed(column int) bool {
	for i := range column + 1 {
		if m.r[lin.PackedRow(m.P+1, i)+column-i] != 0 {
			return true
		}
	}
	return false
}

// Fed implements cdf.Feeder.
func (m *Paper) Fed(column int) bool { return m.xx[column*(column+1)/2+column] != 0 }
