package compressed

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// chained returns rows of columns of correlation rho^|i-j| whose response has noise of the given sd.
func chained(r *rand.Rand, rows int, rho, noise float64, gamma []float64) *cdf.Shard {
	p := len(gamma)
	sh := modeltest.RegressionShard(r, rows, p, false)
	for i := range rows {
		row := lin.Row(sh.X, p, i)
		row[0] = r.NormFloat64()
		for j := 1; j < p; j++ {
			row[j] = rho*row[j-1] + math.Sqrt(1-rho*rho)*r.NormFloat64()
		}
		sh.Y[i] = lin.Dot(row, gamma) + noise*r.NormFloat64()
	}
	return sh
}

// Few columns that matter among many that correlate are named and flagged; where all matter alike, or none does, nothing is, however
// the columns correlate.
func TestHandful(t *testing.T) {
	const p, streams = 120, 5
	for _, statistics := range []string{"{statistics: sketch, rank: 60}", "{statistics: exact}"} {
		for _, c := range []struct {
			rho    float64
			matter int
			shards int
			told   bool
		}{{.9, 5, 5, true}, {0, 5, 5, true}, {.9, p, 5, false}, {0, p, 5, false}, {.9, 0, 16, false}, {0, 0, 16, false}} {
			for s := range streams {
				r := rand.New(rand.NewPCG(uint64(s), 108))
				gamma := make([]float64, p)
				for i, j := range r.Perm(p)[:c.matter] {
					if gamma[j] = math.Copysign(1.5, float64(i%2)-.5); c.matter == p {
						gamma[j] = .2 * r.NormFloat64()
					}
				}
				m := newTest(t, "", statistics, modeltest.Columns(p))
				d := modeltest.Stepper{Model: m}
				for range c.shards {
					d.Must(t, chained(r, p, c.rho, 2, gamma), 1)
				}
				functionals := modeltest.Coefficients(p)[:p]
				sds := make([]float64, p)
				m.(cdf.PriorSensitive).PriorSensitivity(functionals, sds)
				named, right := 0, 0
				for j, v := range gamma {
					if sds[j] > .35 {
						if named++; v != 0 {
							right++
						}
					}
				}
				flags := m.(cdf.Flagger).AppendFlags(nil)
				if c.told && (right < 5 || named > 8 || c.rho > 0 && !slices.Contains(flags, fewRowsPerColumn)) {
					t.Errorf("%s, correlation %v: stream %d: of five columns that matter %d are named, and %d others; flags %v", statistics, c.rho, s, right, named-right, flags)
				}
				if !c.told && (named > 0 || isDrawn(m.(solver))) {
					t.Errorf("%s, correlation %v, %d columns matter: stream %d: %d are named, flags %v", statistics, c.rho, c.matter, s, named, flags)
				}
			}
		}
	}
}

// What is said of a handful is regression on its columns alone, and the evidence of all columns that of their precision.
func TestHandfulIsRegression(t *testing.T) {
	const p = 30
	for _, settings := range []string{"{statistics: sketch, rank: 12}", "{statistics: sketch}", "{statistics: exact}"} {
		r := rand.New(rand.NewPCG(3, 108))
		gamma := make([]float64, p)
		gamma[4], gamma[6], gamma[20] = 2, -2, 2
		m := newTest(t, "", settings, modeltest.Columns(p))
		d := modeltest.Stepper{Model: m}
		for range 3 {
			d.Must(t, chained(r, 40, .9, 1, gamma), 1)
		}
		solved := m.(solver)
		post, err := solved.solved()
		if err != nil {
			t.Fatal(err)
		}
		at, drawn := post.matter()
		k := len(at)
		if k < 3 {
			t.Fatalf("%s: columns %v matter", settings, at)
		}
		s, h := make([]float64, p*p), make([]float64, p)
		post.inverse.slopes(h)
		for j := range p {
			post.inverse.column(j, lin.Row(s, p, j))
			if math.Abs(s[j*p+j]-post.inverse.curvature(j)) > 1e-9*s[j*p+j] {
				t.Errorf("%s: curvature %v of column %d, %v in S", settings, post.inverse.curvature(j), j, s[j*p+j])
			}
		}
		few, beta := make([]float64, k*k), make([]float64, k)
		for a, i := range at {
			for b, j := range at {
				few[a*k+b] = s[i*p+j]
			}
			few[a*k+a] += typicalHandful / (post.kappa * p)
			beta[a] = h[i]
		}
		beta = solveDense(k, few, beta)
		for a, j := range at {
			sd := math.Sqrt(post.rate / post.shape * post.diag[j])
			if want := math.Abs(beta[a]-post.g[j]) / sd; math.Abs(drawn[a]-want) > 1e-6*(1+want) {
				t.Errorf("%s: column %d is drawn by %v sds, want %v", settings, j, drawn[a], want)
			}
		}
		want := p * math.Log(post.kappa)
		for j := range p {
			s[j*p+j] += 1 / post.kappa
		}
		if !lin.Cholesky(p, s) {
			t.Fatal("not positive definite")
		}
		for j := range p {
			want += 2 * math.Log(s[j*p+j])
		}
		if got := post.inverse.logDet(); math.Abs(got-want) > 1e-8*math.Abs(want) {
			t.Errorf("%s: log determinant %v, want %v", settings, got, want)
		}
		solved.release(post)
	}
}
