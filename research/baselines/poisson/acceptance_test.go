//go:build unix

package poisson

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/rscript"
	"github.com/credence-stream/credence/models/poisson"
	"github.com/credence-stream/credence/research/baselines/internal/methodtest"
)

func TestMain(m *testing.M) { os.Exit(accept.Main(m)) }

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
func (d mixed) batch(t *testing.T) *cdf.Batch {
	t.Helper()
	header, rows := modeltest.ReadCSV(t, "data/"+d.name+".csv")
	b := &cdf.Batch{Rows: len(rows)}
	for _, name := range append([]string{"y"}, d.features...) {
		from, unit := name, 1.0
		if name == "h" {
			from, unit = "cheight", 100
		}
		c := cdf.Column{Name: name, Type: cdf.Float}
		for _, row := range rows {
			c.Number = append(c.Number, modeltest.Number(t, row[header[from]])/unit)
		}
		b.Columns = append(b.Columns, c)
	}
	for _, name := range d.groups {
		c := cdf.Column{Name: name, Type: cdf.Text}
		for _, row := range rows {
			at := slices.Index(c.Levels, row[header[name]])
			if at < 0 {
				at = len(c.Levels)
				c.Levels = append(c.Levels, row[header[name]])
			}
			c.Code = append(c.Code, int32(at))
		}
		b.Columns = append(b.Columns, c)
	}
	return b
}

// setting returns the batch fit to the data.
func (d mixed) setting(prior poisson.Prior) setting {
	c := setting{method: "gva", prior: prior, features: d.features}
	for _, name := range d.groups {
		c.groups = append(c.groups, cdf.Group{Column: name})
	}
	return c
}

// Rows P1 for the batch fit: against long MCMC runs under their prior, the
// rows in one shard and in many, with the limits of one shard throughout.
func TestAcceptanceGVA(t *testing.T) {
	prior := poisson.Defaults().Prior
	prior.BetaVariance, prior.Group = 10, "inverse-gamma"
	for _, set := range []struct {
		mixed
		limit float64
	}{{epil, .03}, {grouseticks, .06}} {
		header, table := modeltest.ReadCSV(t, "data/reference/poisson_"+set.name+".csv")
		all := set.batch(t)
		for _, n := range []int{24, all.Rows} {
			got := set.setting(prior).run(t, cut(all, n))
			name := fmt.Sprintf("%s by %d rows", set.name, n)
			dz, low, high := 0.0, math.Inf(1), 0.0
			for _, row := range table {
				param, mean, sd := row[header["param"]], modeltest.Number(t, row[header["mean"]]), modeltest.Number(t, row[header["sd"]])
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
// variance, of the maximum likelihood fit. Arguments: the file or stdin, the
// features, the groups, the nodes of the quadrature.
const glmer = `
a <- commandArgs(trailingOnly = TRUE)
d <- read.csv(if (a[1] == "stdin") file("stdin") else a[1])
if (!is.null(d$cheight)) d$h <- d$cheight / 100
groups <- strsplit(a[3], " ")[[1]]
bars <- paste0("(1|", groups, ")", collapse = " + ")
d$exposed <- if (is.null(d$exposure)) 0 else log(d$exposure)
fit <- glmer(as.formula(paste("y ~", gsub(" ", " + ", a[2]), "+", bars)), data = d, family = poisson,
  offset = exposed, nAGQ = as.integer(a[4]),
  control = glmerControl(optimizer = "bobyqa", optCtrl = list(maxfun = 1e5, rhoend = 1e-8)))
b <- coef(summary(fit))
for (i in rownames(b)) cat(sub("(Intercept)", "intercept", i, fixed = TRUE), b[i, 1], b[i, 2], "\n")
for (g in groups) cat(paste0("sigma2_", g), VarCorr(fit)[[g]][1], 0, "\n")
`

// estimate is what glmer says of one parameter, se 0 for a variance.
type estimate struct {
	name      string
	value, se float64
}

// fit runs glmer. One factor is integrated out by quadrature with 25 nodes on
// real data, and by Laplace's method, which is what more factors have, elsewhere.
func (d mixed) fit(t *testing.T, file string, stdin io.Reader) (out []estimate) {
	t.Helper()
	nodes := "1"
	if len(d.groups) == 1 && stdin == nil {
		nodes = "25"
	}
	said := rscript.Run(t, []string{"lme4"}, glmer, stdin, file, strings.Join(d.features, " "), strings.Join(d.groups, " "), nodes)
	for _, line := range strings.Split(strings.TrimSpace(said), "\n") {
		if f := strings.Fields(line); len(f) == 3 {
			out = append(out, estimate{f[0], modeltest.Number(t, f[1]), modeltest.Number(t, f[2])})
		}
	}
	if want := 1 + len(d.features) + len(d.groups); len(out) != want {
		t.Fatalf("%d estimates, want %d: %s", len(out), want, said)
	}
	return out
}

// against holds a posterior against glmer: the largest difference of a
// coefficient in posterior sds, the extremes of sd over standard error, and
// per factor sigma_u by its posterior median over glmer's.
func (d mixed) against(t testing.TB, got map[string]cdf.Row, fit []estimate) (dz, low, high float64, su []float64) {
	t.Helper()
	low = math.Inf(1)
	for _, e := range fit {
		if r, ok := got["beta["+e.name+"]"]; ok {
			t.Logf("%s: %.4f (%.4f), glmer %.4f (%.4f)", e.name, r.Mean, r.SD, e.value, e.se)
			dz, low, high = max(dz, math.Abs(r.Mean-e.value)/r.SD), min(low, r.SD/e.se), max(high, r.SD/e.se)
			continue
		}
		published := "sigma2_u"
		if len(d.groups) > 1 {
			published += "[" + strings.TrimPrefix(e.name, "sigma2_") + "]"
		}
		t.Logf("%s: median %.4f, glmer %.4f", e.name, got[published].Median, e.value)
		su = append(su, math.Sqrt(got[published].Median/e.value))
	}
	return dz, low, high, su
}

// The batch fit under the vague default prior against lme4. The two are not the
// same number: the posterior mean averages over the variances and over a
// likelihood that is not quite symmetric, where glmer holds the variances at
// their maximum, which is below their mean, and takes the mode. So means differ
// by a fraction of an sd, which .1 bounds with one factor and .2 with two, and
// sds are greater by up to 10 %; sigma_u is greater by some p/(2 groups) and
// the skewness, up to 15 %.
func TestAcceptanceGLMER(t *testing.T) {
	accept.Reps(t, 0, 1, 1)
	for _, set := range []struct {
		mixed
		limit float64
	}{{epil, .1}, {grouseticks, .1}, {crossed, .2}} {
		name := set.name + " by " + strings.Join(set.groups, ", ") + ", lme4: "
		fit := set.fit(t, accept.Shared(t, "data/"+set.name+".csv"), nil)
		got := set.setting(poisson.Defaults().Prior).run(t, []*cdf.Batch{set.batch(t)})
		dz, low, high, su := set.against(t, got, fit)
		accept.Range(t, "P1", name+"max |difference| of beta, posterior sds", dz, 0, set.limit, "data")
		accept.Range(t, "P1", name+"least sd over standard error", low, .95, 1.1, "data")
		accept.Range(t, "P1", name+"greatest sd over standard error", high, .95, 1.1, "data")
		for i, ratio := range su {
			accept.Range(t, "P1", name+"sigma of "+set.groups[i]+", ratio", ratio, .95, 1.15, "data")
		}
	}
}

// The specification's comparison on simulated counts: 100 groups make the
// posterior and the likelihood agree within .1 sd, 5 % of an sd and 3 % of
// sigma_u. 4,000 rows, which come in ten shards.
func TestAcceptanceGLMERSimulated(t *testing.T) {
	shards := accept.Reps(t, 0, 20, 20)
	for _, name := range []string{"poisson", "poisson-late"} {
		d := mixed{name, []string{"x1", "x2"}, []string{"group"}}
		s := methodtest.Scenario(t, name)
		data := s.Shard(modeltest.FirstSeed, "k", 1, s.Rows)
		for shard := 2; shard <= shards; shard++ {
			for j, c := range s.Shard(modeltest.FirstSeed, "k", int64(shard), s.Rows).Columns {
				data.Columns[j] = append(data.Columns[j], c...)
			}
		}
		var table strings.Builder
		fmt.Fprintln(&table, strings.Join(data.Names, ","))
		b := &cdf.Batch{Rows: len(data.Columns[0])}
		for j, column := range data.Names {
			c := cdf.Column{Name: column, Type: cdf.Float, Number: data.Columns[j]}
			if column == "group" {
				c.Type, c.Int = cdf.Integer, make([]int64, b.Rows)
				for i, v := range c.Number {
					c.Int[i] = int64(v)
				}
			}
			b.Columns = append(b.Columns, c)
		}
		for i := range b.Rows {
			for j := range data.Names {
				if j > 0 {
					table.WriteByte(',')
				}
				table.WriteString(strconv.FormatFloat(data.Columns[j][i], 'g', -1, 64))
			}
			table.WriteByte('\n')
		}
		fit := d.fit(t, "stdin", strings.NewReader(table.String()))
		c := d.setting(poisson.Defaults().Prior)
		c.exposure = "exposure"
		dz, low, high, su := d.against(t, c.run(t, cut(b, (b.Rows+9)/10)), fit)
		seeds := fmt.Sprintf("seed %d, %d rows", modeltest.FirstSeed, b.Rows)
		accept.Range(t, "2.7", name+", lme4: max |difference| of beta, posterior sds", dz, 0, .1, seeds)
		accept.Range(t, "2.7", name+", lme4: least sd over standard error", low, .95, 1.05, seeds)
		accept.Range(t, "2.7", name+", lme4: greatest sd over standard error", high, .95, 1.05, seeds)
		accept.Range(t, "2.7", name+", lme4: sigma of the groups, ratio", su[0], .97, 1.03, seeds)
	}
}
