package compressed

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/vec"
	"github.com/credence-stream/credence/models/internal/describe"
	"github.com/credence-stream/credence/models/internal/dist"
	"github.com/credence-stream/credence/models/internal/predictive"
	"github.com/credence-stream/credence/models/internal/regression"
)

// ridge is the posterior of a form that keeps statistics of standardised
// columns, given kappa:
//
//	y = ybar + z'gamma + e,  z_j = (x_j - xbar_j)/scale_j,
//	gamma ~ N(g, sigma2 A),  ybar's error ~ N(0, sigma2/weight),  sigma2 ~ IG(shape, rate)
type ridge struct {
	params         *Shape
	law            *dist.Standard // at shape
	shape, rate    float64
	ybar, weight   float64
	g, xbar, scale []float64 // p
	diag           []float64 // p: the diagonal of A
	z              []float64 // p: scratch
	rows           *together
	inverse        inverse // the scratch space that the posterior is part of
	untold         []int   // columns that were the same in all rows: see standardize
	few            *handful
	kappa          float64
}

// inverse knows A.
type inverse interface {
	// quadratic returns z'Az; z may be overwritten.
	quadratic(z []float64) float64
	// quadratics writes those of the rows of z, at most chunk, which may be overwritten.
	quadratics(n int, z, dst []float64)
	// spread writes column j of A.
	spread(column int, dst []float64)
	statistics
}

// chunk is how many rows are observed together: two strips of lin.
const chunk = 48

// together is scratch space for rows that are observed together.
type together struct {
	z, product []float64 // chunk x p, chunk x the rows of a root of A
	mean, v    [chunk]float64
	prior      [chunk]float64 // what of v is the prior's alone
	found      found
}

// found are means and variances of all rows of a shard that was scored, under its serial, as long
// as the state is the one that they were found with.
type found struct {
	serial  uint64
	mean, v []float64
}

func newTogether(p, rows int) *together {
	return &together{z: make([]float64, chunk*p), product: make([]float64, chunk*rows)}
}

// squares writes, for n rows of z, |R z|^2, R rows x p.
func (t *together) squares(n, rows, p int, z, root, dst []float64) {
	lin.MulT(n, rows, p, z, root, t.product)
	for i := range n {
		u := lin.Row(t.product, rows, i)
		dst[i] = lin.Dot(u, u)
	}
}

// solver is such a form.
type solver interface {
	// solved returns the posterior in scratch space, which release gives back.
	solved() (*ridge, error)
	release(r *ridge)
	absorbed() bool // some row fixed the level
}

// appendUntold appends those of p columns that were the same in all rows.
func appendUntold(dst []int, p int, constant func(column int) bool) []int {
	for j := range p {
		if constant(j) {
			dst = append(dst, j)
		}
	}
	return dst
}

// mean returns the mean of a new observation at x and leaves z in r.z.
func (r *ridge) mean(x []float64) float64 {
	r.standardize(x)
	return r.ybar + lin.Dot(r.z, r.g)
}

// standardize writes z of x to r.z, and returns the part of z'Az that is the prior's alone. A column that was the same in all
// W rows and differs in x has no sd yet, and 1 in its place would make what the row is predicted with a matter of units. It has the sd that it would
// have of these rows and x, |x_j - xbar_j|/sqrt(W + 1).
func (r *ridge) standardize(x []float64) (prior float64) {
	vec.StandardizeEach(r.z, x, r.xbar, r.scale)
	square := r.weight + 1
	for _, j := range r.untold {
		if r.z[j] != 0 {
			r.z[j] = math.Sqrt(square)
			prior += float64(r.kappa * square)
		}
	}
	return prior
}

// observe returns the mean of a new observation at x and its variance over
// sigma2, less 1.
func (r *ridge) observe(x []float64) (mean, v float64) {
	mean = r.mean(x)
	return mean, r.inverse.quadratic(r.z) + 1/r.weight
}

// shared returns the squared scale of the line at the mean of a shard's rows. Columns that were the same before have
// the sds of the row that is farthest off.
func (r *ridge) shared(sh *cdf.Shard) float64 {
	mean := r.rows.z[:sh.Cols]
	predictive.MeanRow(sh, mean)
	vec.StandardizeEach(r.z, mean, r.xbar, r.scale)
	for _, j := range r.untold {
		if r.z[j] == 0 {
			continue
		}
		most := 0.
		for i, y := range sh.Y {
			if !math.IsNaN(y) {
				most = max(most, math.Abs(lin.Row(sh.X, sh.Cols, i)[j]-r.xbar[j]))
			}
		}
		r.z[j] *= math.Sqrt(r.weight+1) * r.scale[j] / most
	}
	return r.rate / r.shape * (r.inverse.quadratic(r.z) + 1/r.weight)
}

// observeAll fills r.rows with means and variances of observe at n rows of x.
func (r *ridge) observeAll(n int, x []float64) {
	p, t := len(r.z), r.rows
	for i := range n {
		t.prior[i] = r.standardize(lin.Row(x, p, i))
		t.mean[i] = r.ybar + lin.Dot(r.z, r.g)
		copy(lin.Row(t.z, p, i), r.z)
	}
	r.inverse.quadratics(n, t.z, t.v[:n])
	for i := range n {
		t.v[i] += 1 / r.weight
	}
}

// at returns the mean at x and the squared scales of a row and of the line.
func (r *ridge) at(x []float64) (mean, row, line float64) {
	mean, v := r.observe(x)
	s2 := r.rate / r.shape
	return mean, s2 * (1 + v), s2 * v
}

// score scores the rows that have a response by the t predictive law. Before the
// first row there is nothing to score with.
func score(name string, m solver, sh *cdf.Shard) (cdf.Score, error) {
	if !m.absorbed() {
		return sh.Unscored(), nil
	}
	r, err := m.solved()
	if err != nil {
		return cdf.NoScore(), err
	}
	defer m.release(r)
	t, scores := predictive.NewTally(cdf.NoScore()), predictive.NewStudentScore(2*r.law.Shape, r.law.T[2])
	s2 := r.rate / r.shape
	found := &r.rows.found
	found.serial, found.mean, found.v = sh.Serial, found.mean[:0], found.v[:0]
	for from := 0; from < sh.Rows; from += chunk {
		n := min(chunk, sh.Rows-from)
		r.observeAll(n, sh.X[from*sh.Cols:])
		line := r.rows.v[:n]
		found.mean, found.v = append(found.mean, r.rows.mean[:n]...), append(found.v, line...)
		for i := range line {
			line[i] *= s2
		}
		scores.AddRows(&t, sh.Y[from:from+n], r.rows.mean[:], line, s2)
		for i, y := range sh.Y[from : from+n] {
			if len(r.untold) > 0 && !math.IsNaN(y) {
				t.Untold(s2*r.rows.prior[i], s2+line[i])
			}
		}
	}
	if t.Shares() {
		t.Pairs(r.shared(sh))
	}
	t.Logs, t.Expected = scores.Logs()
	return t.Score(name)
}

// predict describes a new observation and the regression line of every row,
// undefined before the first row fixes the level.
func predict(m solver, sh *cdf.Shard, out []cdf.Prediction) error {
	if !m.absorbed() {
		for i := range sh.Rows {
			out[i] = cdf.NoPrediction()
		}
		return nil
	}
	r, err := m.solved()
	if err != nil {
		return err
	}
	defer m.release(r)
	predictive.PredictStudent(r.law, sh, out, r, (*ridge).at)
	return nil
}

// fitRows writes the posterior mean of every row, and reports whether there is one.
func fitRows(m solver, sh *cdf.Shard, dst []float64) bool {
	if !m.absorbed() {
		return false
	}
	r, err := m.solved()
	if err != nil {
		return false
	}
	defer m.release(r)
	for i := range dst {
		dst[i], _, _ = r.at(lin.Row(sh.X, sh.Cols, i))
	}
	return true
}

// predictQuantiles writes quantiles of a new observation at the last row, NaN before
// the first step.
func predictQuantiles(m solver, sh *cdf.Shard, p, dst []float64) error {
	if !m.absorbed() {
		for i := range dst {
			dst[i] = math.NaN()
		}
		return nil
	}
	r, err := m.solved()
	if err != nil {
		return err
	}
	defer m.release(r)
	mean, row, _ := r.at(lin.Row(sh.X, sh.Cols, sh.Rows-1))
	predictive.StudentQuantiles(2*r.shape, mean, math.Sqrt(row), p, dst)
	return nil
}

// summarize fills the rows in closed form: gamma is t, sigma2 inverse gamma.
// Moments are NaN where they do not exist.
func summarize(m solver, functionals []cdf.Functional, rows []cdf.Row) error {
	r, err := m.solved()
	if err != nil {
		return err
	}
	defer m.release(r)
	sigma := math.Sqrt(r.rate / r.shape)
	return r.params.Describe(functionals, rows, r.law, r.shape, r.rate, func(row *cdf.Row, f *cdf.Functional) {
		mean := f.Const
		for k, j := range f.Param {
			mean += f.Weight[k] * r.g[j] / r.scale[j]
		}
		describe.Student(row, r.law, mean, sigma*math.Sqrt(r.variance(f)))
	})
}

// positive writes the probability that each functional is above 0.
func positive(m solver, functionals []cdf.Functional, p, mcse []float64) error {
	r, err := m.solved()
	if err != nil {
		return err
	}
	defer m.release(r)
	sigma := math.Sqrt(r.rate / r.shape)
	return r.params.Sides(functionals, p, mcse, r.shape, r.rate, func(f *cdf.Functional) float64 {
		mean := f.Const
		for k, j := range f.Param {
			mean += f.Weight[k] * r.g[j] / r.scale[j]
		}
		return regression.StudentAbove(mean, sigma*math.Sqrt(r.variance(f)), 2*r.shape)
	})
}

// variance returns the variance of the functional over sigma2.
func (r *ridge) variance(f *cdf.Functional) float64 {
	if len(f.Param) == 1 {
		j := f.Param[0]
		s := f.Weight[0] / r.scale[j]
		return s * s * r.diag[j]
	}
	clear(r.z)
	for k, j := range f.Param {
		r.z[j] += f.Weight[k] / r.scale[j]
	}
	return r.inverse.quadratic(r.z)
}
