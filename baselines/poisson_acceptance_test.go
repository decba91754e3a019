//go:build unix

package baselines

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/rscript"
	"github.com/credence-stream/credence/models"
)

// readCSV returns the columns of a file by name.
func readCSV(t testing.TB, path string) map[string][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for j, name := range lines[0] {
		for _, line := range lines[1:] {
			out[name] = append(out[name], line[j])
		}
	}
	return out
}

// number reads a number, NaN where there is none.
func number(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// mixed is one of the two data sets of counts.
type mixed struct {
	name     string
	features []string
	groups   []string
}

var (
	epil        = mixed{"epil", []string{"lbase", "trt", "lage", "V4"}, []string{"group"}}
	grouseticks = mixed{"grouseticks", []string{"year96", "year97", "h"}, []string{"group"}}
	crossed     = mixed{"grouseticks", []string{"year96", "year97", "h"}, []string{"group", "location"}}
)

// batch returns the data in file order; h is cheight over 100.
func (d mixed) batch(t testing.TB) *cdf.Batch {
	t.Helper()
	table := readCSV(t, accept.Shared(t, "data/"+d.name+".csv"))
	b := &cdf.Batch{Rows: len(table["y"])}
	for _, name := range append([]string{"y"}, d.features...) {
		from, unit := name, 1.0
		if name == "h" {
			from, unit = "cheight", 100
		}
		c := cdf.Column{Name: name, Type: cdf.Float}
		for _, v := range table[from] {
			c.Number = append(c.Number, number(v)/unit)
		}
		b.Columns = append(b.Columns, c)
	}
	for _, name := range d.groups {
		c := cdf.Column{Name: name, Type: cdf.Text}
		for _, label := range table[name] {
			at := slices.Index(c.Levels, label)
			if at < 0 {
				at = len(c.Levels)
				c.Levels = append(c.Levels, label)
			}
			c.Code = append(c.Code, int32(at))
		}
		b.Columns = append(b.Columns, c)
	}
	return b
}

// setting returns the batch fit to the data.
func (d mixed) setting(prior models.PoissonPrior) countSetting {
	c := countSetting{method: "gva", prior: prior, features: d.features}
	for _, name := range d.groups {
		c.groups = append(c.groups, cdf.Group{Column: name})
	}
	return c
}

// Rows P1 for the batch fit: against long MCMC runs under their prior, the
// rows in one shard and in many, with the limits of one shard throughout.
func TestAcceptancePoissonGVA(t *testing.T) {
	prior := models.DefaultPoisson().Prior
	prior.BetaVariance, prior.Group = 10, "inverse-gamma"
	for _, set := range []struct {
		mixed
		limit float64
	}{{epil, .03}, {grouseticks, .06}} {
		table := readCSV(t, accept.Shared(t, "data/reference/poisson_"+set.name+".csv"))
		all := set.batch(t)
		for _, n := range []int{24, all.Rows} {
			got := set.setting(prior).run(t, cut(all, n))
			name := fmt.Sprintf("%s by %d rows", set.name, n)
			dz, low, high := 0.0, math.Inf(1), 0.0
			for i, param := range table["param"] {
				mean, sd := number(table["mean"][i]), number(table["sd"][i])
				if param == "tau2" {
					r := got["sigma2_u"]
					accept.Range(t, "P1", name+", gva: dz of sigma2_u", (r.Mean-mean)/sd, -.25, .25, "data")
					accept.Range(t, "P1", name+", gva: sd ratio of sigma2_u", r.SD/sd, .88, 1.12, "data")
				}
				if r, ok := got["beta["+param+"]"]; ok {
					dz, low, high = max(dz, math.Abs(r.Mean-mean)/sd), min(low, r.SD/sd), max(high, r.SD/sd)
				}
			}
			accept.Range(t, "P1", name+", gva: max |dz| of beta", dz, 0, set.limit, "data")
			accept.Range(t, "P1", name+", gva: least sd ratio of beta", low, .95, 1.05, "data")
			accept.Range(t, "P1", name+", gva: greatest sd ratio of beta", high, .95, 1.05, "data")
		}
	}
}

// glmer prints a line per coefficient, with its standard error, and one per
// variance, of the maximum likelihood fit. Arguments: the file, the response and
// features, the groups.
const glmer = `
a <- commandArgs(trailingOnly = TRUE)
d <- read.csv(a[1])
if (!is.null(d$cheight)) d$h <- d$cheight / 100
groups <- strsplit(a[3], " ")[[1]]
bars <- paste0("(1|", groups, ")", collapse = " + ")
fit <- glmer(as.formula(paste("y ~", gsub(" ", " + ", a[2]), "+", bars)), data = d, family = poisson,
  nAGQ = if (length(groups) == 1) 25 else 1,
  control = glmerControl(optimizer = "bobyqa", optCtrl = list(maxfun = 1e5, rhoend = 1e-8)))
b <- coef(summary(fit))
for (i in rownames(b)) cat(sub("(Intercept)", "intercept", i, fixed = TRUE), b[i, 1], b[i, 2], "\n")
for (g in groups) cat(paste0("sigma2_", g), VarCorr(fit)[[g]][1], 0, "\n")
`

// The batch fit under the vague default prior against lme4, which maximises
// the likelihood by quadrature (one factor) or Laplace's method (two). The two
// are not the same number: the posterior mean averages over the variances and
// over a likelihood that is not quite symmetric, where glmer holds the variances
// at their maximum, which is below their mean, and takes the mode. So means
// differ by a fraction of an sd, which .1 bounds with one factor and .2 with two,
// and sds are greater by up to 10 %; sigma_u by its posterior median is greater
// by some p/(2 groups) and the skewness, up to 15 %.
func TestAcceptancePoissonGLMER(t *testing.T) {
	accept.Reps(t, 0, 1, 1)
	for _, set := range []struct {
		mixed
		limit float64
	}{{epil, .1}, {grouseticks, .1}, {crossed, .2}} {
		name := set.name + " by " + strings.Join(set.groups, ", ")
		out := rscript.Run(t, []string{"lme4"}, glmer, nil,
			accept.Shared(t, "data/"+set.name+".csv"), strings.Join(set.features, " "), strings.Join(set.groups, " "))
		got := set.setting(models.DefaultPoisson().Prior).run(t, []*cdf.Batch{set.batch(t)})
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if want := 1 + len(set.features) + len(set.groups); len(lines) != want {
			t.Fatalf("%d lines, want %d: %s", len(lines), want, out)
		}
		dz, low, high := 0.0, math.Inf(1), 0.0
		for _, line := range lines {
			f := strings.Fields(line)
			estimate, se := number(f[1]), number(f[2])
			if r, ok := got["beta["+f[0]+"]"]; ok {
				t.Logf("%s %s: %.4f (%.4f), glmer %.4f (%.4f)", name, f[0], r.Mean, r.SD, estimate, se)
				dz, low, high = max(dz, math.Abs(r.Mean-estimate)/r.SD), min(low, r.SD/se), max(high, r.SD/se)
				continue
			}
			published := "sigma2_u"
			if len(set.groups) > 1 {
				published += "[" + strings.TrimPrefix(f[0], "sigma2_") + "]"
			}
			accept.Range(t, "P1", name+", lme4: ratio of "+f[0]+" as an sd", math.Sqrt(got[published].Median/estimate), .95, 1.15, "data")
		}
		accept.Range(t, "P1", name+", lme4: max |difference| of beta, posterior sds", dz, 0, set.limit, "data")
		accept.Range(t, "P1", name+", lme4: least sd over standard error", low, .95, 1.1, "data")
		accept.Range(t, "P1", name+", lme4: greatest sd over standard error", high, .95, 1.1, "data")
	}
}
