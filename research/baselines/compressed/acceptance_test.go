package compressed

import (
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/simulate"
	"github.com/credence-stream/credence/research/baselines/internal/methodtest"
)

func TestMain(m *testing.M) { os.Exit(accept.Main(m)) }

// design is a simulated design with the coefficients of one seed.
type design struct {
	simulate.Scenario
	p      int
	seed   uint64
	gamma  []float64
	length float64 // squared, of the coefficients
}

func newDesign(t *testing.T, number int, seed uint64) design {
	t.Helper()
	s := methodtest.Scenario(t, fmt.Sprint("compressed-", number))
	truth := s.Truth(seed, "accept", 1)
	c := design{Scenario: s, p: len(truth) - 1, seed: seed}
	for _, v := range truth[:c.p] {
		c.gamma = append(c.gamma, v.Value)
		c.length += v.Value * v.Value
	}
	return c
}

// model builds a competitor for the columns.
func (c *design) model(t *testing.T, method string) cdf.Model {
	return build(t, method, "{}", cdf.Dims{Columns: make([]string, c.p), Draws: 30})
}

func (c *design) shard(k int64, rows int) *cdf.Shard {
	return modeltest.ScenarioShard(c.Shard(c.seed, "accept", k, rows))
}

// relative returns the relative mean squared error of an estimate.
func (c *design) relative(gamma []float64) float64 {
	sum := 0.
	for j, v := range gamma {
		sum += (v - c.gamma[j]) * (v - c.gamma[j])
	}
	return sum / c.length
}

// leastSquares returns the least squares coefficients and the residual sum of
// squares of the rows behind the statistics.
func leastSquares(t *testing.T, g *gram) (gamma []float64, rss float64) {
	t.Helper()
	l, gamma := append([]float64(nil), g.xx...), append([]float64(nil), g.xy...)
	if !lin.Cholesky(g.p, l) {
		t.Fatal("not positive definite")
	}
	lin.SolveLower(g.p, l, gamma)
	rss = g.yy - lin.Dot(gamma, gamma)
	lin.SolveLowerT(g.p, l, gamma)
	return gamma, rss
}

// coverage returns the share of 4,000 fresh rows within their intervals, whose
// standard error is .0034.
func (c *design) coverage(t *testing.T, m cdf.Model) float64 {
	t.Helper()
	score, err := m.(cdf.Predictor).Score(c.shard(1_000_000, 4000), nil)
	if err != nil {
		t.Fatal(err)
	}
	return score.Coverage95
}

// S-MCMC with 30 draws a shard: the error of the mean of the last shard's
// draws by that of least squares on the same rows, and the coverage of fresh
// rows. The designs of 500 columns; coverage over the seeds of each.
func TestAcceptanceSMCMC(t *testing.T) {
	seeds := accept.Reps(t, 0, 1, 2)
	numbers, shards := []int{1}, 50
	if accept.Asked() == accept.Full {
		numbers, shards = []int{1, 3, 5, 6}, 200
	}
	for _, number := range numbers {
		covered := 0.
		for seed := uint64(1); seed <= uint64(seeds); seed++ {
			c := newDesign(t, number, seed)
			m := c.model(t, "smcmc").(*smcmc)
			d := methodtest.Drive(m, 3, 0)
			for k := 1; k <= shards; k++ {
				d.Must(t, c.shard(int64(k), c.Rows), 1)
				if k != 50 && k != 100 && k != 200 {
					continue
				}
				mean := make([]float64, c.p)
				for i := range m.s {
					lin.Axpy(1/float64(m.s), lin.Row(m.gamma, c.p, i), mean)
				}
				ols, _ := leastSquares(t, &m.gram)
				accept.Range(t, "CM1", fmt.Sprintf("S-MCMC, case %d: error by that of least squares, t=%d", number, k),
					c.relative(mean)/c.relative(ols), 0, 1.25, fmt.Sprint("seed ", seed))
			}
			covered += c.coverage(t, m) / float64(seeds)
		}
		accept.Range(t, "CM2", fmt.Sprintf("S-MCMC, case %d: predictive coverage t=%d", number, shards),
			covered, .94, .96, fmt.Sprint("seeds 1-", seeds))
	}
}

// noiseRatio returns 1/E[1/sigma2] by RSS/N as the solution has it to first
// order. Of a penalty's part in the rate, d_j mu_j^2, a coefficient of s_j
// standard deviations of the noise leaves (alpha+1) s_j/(eta+s_j) sigma2, next to
// nothing in all designs but the one without zeros.
func (c *design) noiseRatio(s vbPrior, n float64) float64 {
	sum := 0.
	for _, g := range c.gamma {
		sd := math.Abs(g) / 2
		sum += (s.Alpha + 1) * sd / (s.Eta + sd)
	}
	return 1 / (1 - sum/n)
}

// VB-GDP at the rows of shards 100 and 200. It is the batch answer however the
// rows are cut, so they come in shards of 5,000. The designs of 1,000 columns
// take one seed.
func TestAcceptanceVB(t *testing.T) {
	seeds := accept.Reps(t, 0, 1, 2)
	numbers, last := []int{1, 6}, 2
	if accept.Asked() == accept.Full {
		numbers, last = []int{1, 2, 3, 4, 5, 6}, 4
	}
	for _, number := range numbers {
		seeds := seeds
		if number == 2 || number == 4 {
			seeds = 1
		}
		ratio, covered := map[int]float64{}, map[int]float64{}
		for seed := uint64(1); seed <= uint64(seeds); seed++ {
			c := newDesign(t, number, seed)
			m := c.model(t, "vb-gdp").(*vb)
			d := methodtest.Drive(m, 3, 0)
			for k := 1; k <= last; k++ {
				d.Must(t, c.shard(int64(k), 5000), 1)
				if k%2 == 1 {
					continue
				}
				ols, rss := leastSquares(t, &m.gram)
				ratio[k*50] += c.relative(m.mu) / c.relative(ols) / float64(seeds)
				covered[k*50] += c.coverage(t, m) / float64(seeds)
				accept.Range(t, "CV3", fmt.Sprintf("VB-GDP, case %d: 1/E[1/sigma2] by its value for RSS/N, t=%d", number, k*50),
					m.n/(m.e*rss)/c.noiseRatio(m.set.Prior, m.n), .99, 1.01, fmt.Sprint("seed ", seed))
			}
		}
		for k := 100; k <= last*50; k += 100 {
			accept.Range(t, "CV1", fmt.Sprintf("VB-GDP, case %d: error by that of least squares, t=%d", number, k),
				ratio[k], .85, 1.1, fmt.Sprint("seeds 1-", seeds))
			accept.Range(t, "CV2", fmt.Sprintf("VB-GDP, case %d: predictive coverage t=%d", number, k),
				covered[k], .92, .965, fmt.Sprint("seeds 1-", seeds))
		}
	}
}
