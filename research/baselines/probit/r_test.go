//go:build unix

package probit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/mcmc"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/rscript"
)

// gibbsInR reads data sets, each n, p and rows of x and y, and prints per
// data set, package and coefficient mean, sd and their Monte Carlo standard
// errors. Both packages sample by data augmentation; the prior is N(0, I).
const gibbsInR = `
set.seed(1)
show <- function(name, draws) for (j in seq_len(ncol(draws))) {
  b <- draws[, j]
  square <- (b - mean(b))^2
  cat(name, mean(b), sd(b), sd(b) / sqrt(effectiveSize(b)),
      sd(square) / sqrt(effectiveSize(square)) / (2 * sd(b)), "\n")
}
draws <- as.integer(commandArgs(trailingOnly = TRUE))
v <- scan(file("stdin"), quiet = TRUE)
while (length(v) > 0) {
  n <- v[1]; p <- v[2]; size <- n * (p + 1)
  d <- matrix(v[2 + seq_len(size)], n, p + 1, byrow = TRUE)
  v <- v[-seq_len(2 + size)]
  x <- d[, 1:p]; y <- d[, p + 1]
  show("MCMCpack", MCMCprobit(y ~ x - 1, burnin = 1000, mcmc = draws, b0 = 0, B0 = 1, seed = 1))
  sink(nullfile())
  fit <- rbprobitGibbs(Data = list(X = x, y = y), Prior = list(betabar = rep(0, p), A = diag(p)),
                       Mcmc = list(R = draws + 1000, keep = 1, nprint = 0))
  sink()
  show("bayesm", fit$betadraw[-(1:1000), ])
}
`

// S-MCMC against two independent Gibbs samplers on the same 1,000 rows: means
// and sds agree to 4.5 Monte Carlo standard errors of their differences. Of
// these 100 numbers one is beyond in 1 of 1,500 choices of seeds, and they are
// fixed. What that can tell apart is at most .08 sd of a mean and 5 % of an sd.
func TestAcceptanceAgainstR(t *testing.T) {
	accept.Reps(t, 0, 1, 1)
	const draws = 40_000
	finest := [2]float64{.08, .05}
	var in strings.Builder
	var ours []marginal
	for _, p := range []int{5, 20} {
		r := rand.New(rand.NewPCG(7, uint64(p)))
		beta := make([]float64, p)
		for j := range beta {
			beta[j] = r.NormFloat64() / math.Sqrt(float64(p))
		}
		data := newBatch(r, 1000, beta, 1)
		fmt.Fprintln(&in, data.Rows, p)
		for i := range data.Rows {
			for _, c := range data.Columns {
				fmt.Fprintf(&in, "%.17g ", c.Number[i])
			}
			fmt.Fprintln(&in)
		}
		f, sum := stream(t, specOf(t, "smcmc", p, draws, 1, nil), []*cdf.Batch{data})
		mine := marginals(f, sum)
		ours = append(append(ours, mine...), mine...) // once per package
	}
	out := rscript.Run(t, []string{"MCMCpack", "bayesm", "coda"}, gibbsInR, strings.NewReader(in.String()), strconv.Itoa(draws))
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != len(ours) {
		t.Fatalf("R printed %d lines: %q", len(lines), lines)
	}
	var worst [4]float64
	for i, a := range ours {
		var b marginal
		if _, err := fmt.Sscan(lines[i], &b.name, &b.mean, &b.sd, &b.seMean, &b.seSD); err != nil {
			t.Fatalf("%q: %v", lines[i], err)
		}
		seMean, seSD := math.Hypot(a.seMean, b.seMean), math.Hypot(a.seSD, b.seSD)
		z := [4]float64{math.Abs(a.mean-b.mean) / seMean, math.Abs(a.sd-b.sd) / seSD, 4.5 * seMean / b.sd, 4.5 * seSD / b.sd}
		if !(z[0] <= 4.5) || !(z[1] <= 4.5) || !(z[2] <= finest[0]) || !(z[3] <= finest[1]) {
			t.Errorf("line %d, %s: ours %+v, R %+v", i+1, a.name, a, b)
		}
		for k := range z {
			worst[k] = max(worst[k], z[k])
		}
	}
	t.Logf("means miss by at most %.1f standard errors, sds by %.1f; 4.5 of them are up to %.2f and %.2f sd", worst[0], worst[1], worst[2], worst[3])
}

// marginal is a coefficient's law with its Monte Carlo standard errors.
type marginal struct {
	name                   string
	mean, sd, seMean, seSD float64
}

// marginals describes the coefficients of a summary with draws. The error
// of a published sd, which is Rao-Blackwell's, is bounded by that of the draws'.
func marginals(f *cdf.Filter, sum *cdf.Summary) []marginal {
	var d mcmc.Diagnostics
	var out []marginal
	draws := f.LastDraws()
	square := make([]float64, draws.S)
	for j, r := range sum.Rows {
		for k, v := range draws.Row(j) {
			square[k] = (v - r.Mean) * (v - r.Mean)
		}
		out = append(out, marginal{r.Variable, r.Mean, r.SD, r.MCSEMean, d.MCSEMean(square, draws.Chains) / (2 * r.SD)})
	}
	return out
}
