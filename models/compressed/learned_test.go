package compressed

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// dense inverts the k x k matrix.
func dense(k int, a []float64) []float64 {
	out := make([]float64, k*k)
	for i := range k {
		unit := make([]float64, k)
		unit[i] = 1
		for j, v := range solveDense(k, append([]float64(nil), a...), unit) {
			out[j*k+i] = v
		}
	}
	return out
}

// The lean form draws g_j and conditions Phi_j on it instead of factoring an
// m x m matrix per column. Mean and covariance of its draws are those of the
// packed form with C21_j = c_j beta beta', C22_j = r_j beta: N(S_j h_j, S_j),
// S_j = (c_j beta beta'/sigma2 + K^{-1})^{-1}, h_j = r_j beta/sigma2 + K^{-1} Phi0_j.
func TestLeanIsARankOneUpdate(t *testing.T) {
	const p, k = 6, 4
	m := newTest(t, "", "{statistics: lean, dimension: 4}", modeltest.Columns(p)).(*Learned)
	feed(t, m, modeltest.RegressionShard(rand.New(rand.NewPCG(50, 1)), 90, p, false), 30)
	w := m.work()
	if err := m.prepare(w); err != nil {
		t.Fatal(err)
	}
	line := m.line(m.kappa, w.u)
	v := dense(k, square(k, m.l)) // W^{-1}
	for j := range p {
		phi0 := lin.Row(w.phi0, k, j)
		q, rhs := make([]float64, k*k), make([]float64, k)
		for a := range k {
			for b := range k {
				q[a*k+b] = m.c21[j] * m.beta[a] * m.beta[b] / m.sigma2
			}
			q[a*k+a] += 1 / m.kappa[a]
			rhs[a] = m.c22[j]*m.beta[a]/m.sigma2 + phi0[a]/m.kappa[a]
		}
		cov := dense(k, q)
		want := solveDense(k, append([]float64(nil), q...), rhs)
		mean := make([]float64, k)
		line.column(m, j, phi0, mean)
		own := 0.
		for a := range k {
			if math.Abs(mean[a]-want[a]) > 1e-10*(1+math.Abs(want[a])) {
				t.Errorf("column %d: mean %v, want %v", j, mean, want)
			}
			for b := range k {
				own += cov[a*k+b] * (m.beta[a]*m.beta[b] + m.sigma2*v[a*k+b])
			}
		}
		if modeltest.Relative(m.own[j], own) > 1e-9 {
			t.Errorf("column %d: variance %v, want %v", j, m.own[j], own)
		}
		drawn, covariance := affine(t, k, 2+j, func(r *rand.Rand, dst []float64) { line.draw(m, j, r, phi0, m.kappa, dst) })
		for a := range k {
			if math.Abs(drawn[a]-want[a]) > 1e-10*(1+math.Abs(want[a])) {
				t.Errorf("column %d: mean of draws %v, want %v", j, drawn, want)
			}
			for b := range k {
				if math.Abs(covariance[a*k+b]-cov[a*k+b]) > 1e-10*math.Sqrt(cov[a*k+a]*cov[b*k+b]) {
					t.Errorf("column %d: covariance of draws %v, want %v", j, covariance, cov)
				}
			}
		}
	}
}

// affine returns the law of a draw of k numbers that is mean + J z, z the k + 1
// standard normals it takes from its source: mean and J solve the equations
// that k + 2 draws from sources of known normals give. The covariance is JJ'.
func affine(t *testing.T, k, seed int, draw func(*rand.Rand, []float64)) (mean, cov []float64) {
	t.Helper()
	n := k + 2
	z, x := make([]float64, n*n), make([]float64, n*k)
	for s := range n {
		source := func() *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), uint64(s))) }
		r := source()
		z[s*n] = 1
		for i := 1; i < n; i++ {
			z[s*n+i] = r.NormFloat64()
		}
		after := r.Uint64()
		r = source()
		draw(r, lin.Row(x, k, s))
		if r.Uint64() != after {
			t.Fatalf("a draw does not take %d normals", k+1)
		}
	}
	mean, cov = make([]float64, k), make([]float64, k*k)
	jacobian := make([][]float64, k)
	for a := range k {
		rhs := make([]float64, n)
		for s := range n {
			rhs[s] = x[s*k+a]
		}
		solution := solveDense(n, append([]float64(nil), z...), rhs)
		mean[a], jacobian[a] = solution[0], solution[1:]
	}
	for a := range k {
		for b := range k {
			cov[a*k+b] = lin.Dot(jacobian[a], jacobian[b])
		}
	}
	return mean, cov
}

// square returns LL'.
func square(k int, l []float64) []float64 {
	out := make([]float64, k*k)
	for i := range k {
		for j := range k {
			n := min(i, j) + 1
			out[i*k+j] = lin.Dot(l[i*k:i*k+n], l[j*k:j*k+n])
		}
	}
	return out
}

// The packed form against its definition, with dense inverses.
func TestPackedVariance(t *testing.T) {
	const p, k = 6, 4
	m := newTest(t, "", "{statistics: packed, dimension: 4}", modeltest.Columns(p)).(*Learned)
	feed(t, m, modeltest.RegressionShard(rand.New(rand.NewPCG(51, 1)), 90, p, false), 30)
	rows := modeltest.Summarize(t, m, modeltest.Coefficients(p))
	v := dense(k, square(k, m.l))
	for j, r := range rows[:p] {
		q := make([]float64, k*k)
		for a, at := 0, j*m.width21(); a < k; a++ {
			for b := range a + 1 {
				q[a*k+b] = m.c21[at] / m.sigma2
				q[b*k+a] = q[a*k+b]
				at++
			}
			q[a*k+a] += 1 / m.kappa[a]
		}
		cov, want, mean := dense(k, q), 0., 0.
		for a := range k {
			mean += m.phi[j*k+a] * m.beta[a]
			for b := range k {
				u := m.phi[j*k+a] * m.phi[j*k+b]
				want += cov[a*k+b]*m.beta[a]*m.beta[b] + m.sigma2*v[a*k+b]*(u+cov[a*k+b])
			}
		}
		if modeltest.Relative(r.SD, math.Sqrt(want)) > 1e-9 || math.Abs(r.Mean-mean) > 1e-12 {
			t.Errorf("gamma %d is %v (%v), want %v (%v)", j, r.Mean, r.SD, mean, math.Sqrt(want))
		}
	}
}

// The state is linear in the columns, and as long after one shard as after
// many.
func TestLearnedStateIsLinear(t *testing.T) {
	for _, c := range []struct {
		settings string
		per      int // numbers per column
	}{{"statistics: packed", 75}, {"statistics: lean", 12}} {
		for _, p := range []int{20, 40} {
			m := newTest(t, "", c.settings, modeltest.Columns(p)).(*Learned)
			d := modeltest.Stepper{Model: m}
			for range 3 {
				d.Must(t, modeltest.RegressionShard(rand.New(rand.NewPCG(52, 1)), 10, p, false), 1)
				b, err := m.AppendBinary(nil)
				if err != nil {
					t.Fatal(err)
				}
				if want := 8*(c.per*p+55+30+7) + 1; len(b) != want {
					t.Errorf("%s, p=%d: %d bytes, want %d", c.settings, p, len(b), want)
				}
			}
		}
	}
}

// One pass by hand: statistics and estimates at p = 1, m = 1, where every
// matrix is a number.
func TestPackedByHand(t *testing.T) {
	m := newTest(t, "", "{statistics: packed, dimension: 1, prior: {beta_variance: .5}}", modeltest.Columns(1)).(*Learned)
	phi := m.phi[0]
	x, y := [][]float64{{1, -2, .5}, {3, .2}}, [][]float64{{2, -3, 1}, {7, .1}}
	var c11, c12, yy, nw, c21, c22, n float64
	d := modeltest.Stepper{Model: m}
	for s := range x {
		k := float64(len(x[s]))
		share := n / (n + k)
		n += k
		d1, d2 := share*share*share, math.Sqrt(share)
		c11, c12, yy, nw = d1*c11, d1*c12, d1*yy, d1*nw+k
		q, xy := 0., 0.
		for i, v := range x[s] {
			c11 += v * phi * v * phi
			c12 += v * phi * y[s][i]
			yy += y[s][i] * y[s][i]
			q += v * v
			xy += v * y[s][i]
		}
		beta := c12 / (c11 + 2)
		sigma2 := (1 + (yy-c12*beta)/2) / (1 + nw/2 + 1)
		c21, c22 = d2*c21+q*beta*beta, d2*c22+beta*xy
		sh := modeltest.RegressionShard(rand.New(rand.NewPCG(1, 1)), len(x[s]), 1, false)
		copy(sh.X, x[s])
		copy(sh.Y, y[s])
		d.Must(t, sh, 1)
		for what, v := range map[string][2]float64{
			"C11": {m.c11[0], c11}, "C12": {m.c12[0], c12}, "C21": {m.c21[0], c21}, "C22": {m.c22[0], c22},
			"beta": {m.beta[0], beta}, "sigma2": {m.sigma2, sigma2},
		} {
			if modeltest.Relative(v[0], v[1]) > 1e-12 {
				t.Errorf("shard %d: %s is %v, want %v", s+1, what, v[0], v[1])
			}
		}
		phi = m.phi[0]
	}
}
