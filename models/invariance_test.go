package models_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/simulate"
)

// table is a shard before it is written in some way.
type table struct {
	x     [][]float64 // by column
	y     []float64
	group []int
	time  []int64
}

// writing is a way to write the same data: in other units, in another order, under other names.
type writing struct {
	name         string
	x, y         cdf.Affine
	shuffled     bool // rows within their shard
	reversed     bool // columns
	renamed      bool // groups
	unanswered   bool // with rows that have no response
	incomplete   bool // with a row that lacks a column
	later        int64
	kinds        string
	moreFlags    string // flags that may differ: what they count is of rows in their order, or of all rows
	coefficients bool   // of columns alone: the intercept is at another place
}

var same = cdf.Affine{Factor: 1}

// writings multiply by powers of two, which round nothing.
var writings = []writing{
	{name: "columns in other units", x: cdf.Affine{Shift: 4096, Factor: 1024}, y: same, coefficients: true, kinds: "linear compressed probit poisson"},
	{name: "columns far from 0", x: cdf.Affine{Shift: 1 << 20, Factor: 1}, y: same, coefficients: true, kinds: "linear probit poisson"},
	{name: "a response in other units", x: same, y: cdf.Affine{Shift: 64, Factor: 1024}, kinds: "linear compressed anova dlm"},
	{name: "a response with the other sign", x: same, y: cdf.Affine{Factor: -1}, kinds: "linear compressed anova dlm"},
	{name: "rows in another order", x: same, y: same, shuffled: true, moreFlags: "curved miscalibrated outliers heavy_tails skewed_errors wide_intervals", kinds: "linear anova poisson"},
	{name: "columns in another order", x: same, y: same, reversed: true, kinds: "linear poisson"},
	{name: "groups of other names", x: same, y: same, renamed: true, kinds: "anova poisson"},
	{name: "times of another year", x: same, y: same, later: -1_700_000_000, kinds: "dlm"},
	{name: "rows without a response", x: same, y: same, unanswered: true, moreFlags: "curved", kinds: "linear compressed anova probit poisson"},
	{name: "rows without a column and rows without a response", x: same, y: same, unanswered: true, incomplete: true, moreFlags: "curved", kinds: "linear compressed probit poisson"},
}

func (w *writing) batch(d table, r *rand.Rand) *cdf.Batch {
	rows := make([]int, len(d.y))
	for i := range rows {
		rows[i] = i
	}
	if w.shuffled {
		rows = r.Perm(len(d.y))
	}
	extra := 0
	if w.unanswered {
		extra = 3
		rows = append(rows, rows[:extra]...)
	}
	if w.incomplete {
		rows = append(rows, rows[0])
	}
	b := &cdf.Batch{Rows: len(rows)}
	number := func(name string, v []float64, to cdf.Affine) {
		c := cdf.Column{Name: name, Number: make([]float64, len(rows))}
		for i, row := range rows {
			c.Number[i] = to.Shift + to.Factor*v[row]
		}
		b.Columns = append(b.Columns, c)
	}
	for j, v := range d.x {
		number(fmt.Sprint("x", j), v, w.x)
	}
	if w.incomplete {
		b.Columns[0].Number[len(rows)-1] = math.NaN()
	}
	number("y", d.y, w.y)
	for i := len(d.y); i < len(d.y)+extra; i++ {
		b.Columns[len(d.x)].Number[i] = math.NaN()
	}
	if d.group != nil {
		c := cdf.Column{Name: "g", Type: cdf.Text}
		for _, row := range rows {
			c.Code, c.Levels = append(c.Code, int32(len(c.Levels))), append(c.Levels, w.level(d.group[row]))
		}
		b.Columns = append(b.Columns, c)
	}
	if d.time != nil {
		c := cdf.Column{Name: "t", Type: cdf.Integer}
		for _, at := range d.time {
			c.Int, c.Number = append(c.Int, at+w.later), append(c.Number, float64(at+w.later))
		}
		b.Columns = append(b.Columns, c)
	}
	return b
}

func (w *writing) level(g int) string {
	if w.renamed {
		return fmt.Sprint("h", 999-g)
	}
	return fmt.Sprint("g", g)
}

// variable is what a variable is called where the data are written plainly.
func (w *writing) variable(name string) string {
	var g int
	if at := strings.Index(name, "[h"); at >= 0 && w.renamed {
		if n, _ := fmt.Sscanf(name[at:], "[h%d]", &g); n == 1 {
			return fmt.Sprintf("%s[g%d]", name[:at], 999-g)
		}
	}
	return name
}

// plain returns mean and sd of a variable where the data are written plainly.
func (w *writing) plain(row *cdf.Row) (mean, sd float64) {
	by, shift := 1., 0.
	switch name := row.Variable; {
	case strings.Contains(name, "[x"):
		by = w.x.Factor / w.y.Factor
	case name == "sigma2" || name == "tau2":
		by = 1 / (w.y.Factor * w.y.Factor)
	case name == "phi":
	default: // a level
		by, shift = 1/w.y.Factor, w.y.Shift/w.y.Factor
	}
	return by*row.Mean - shift, math.Abs(by) * row.SD
}

func (w *writing) spec(t *testing.T, kind string, columns int) *cdf.Spec {
	t.Helper()
	k, _ := models.Lookup(kind)
	roles := cdf.Roles{Scaling: "first", Intercept: kind == "linear" || kind == "probit" || kind == "poisson"}
	for j := range columns {
		roles.Features = append(roles.Features, cdf.Feature{Name: fmt.Sprint("x", j)})
	}
	if w.reversed {
		slices.Reverse(roles.Features)
	}
	switch kind {
	case "anova", "poisson":
		roles.Groups = []cdf.Group{{Column: "g"}}
	case "dlm":
		roles.Time = "t"
	}
	spec, err := k.Spec("", roles, strictyaml.Decode(""))
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// summaries returns that after each shard, but of those within the first 60 rows: as long as constants are learnt, one row more may
// change them.
func (w *writing) summaries(t *testing.T, kind string, shards []table) (all []cdf.Summary) {
	r, rows := rand.New(rand.NewPCG(9, 9)), 0
	f := cdf.NewFilter(w.spec(t, kind, len(shards[0].x)), "key")
	for _, d := range shards {
		sum, err := f.Update(w.batch(d, r))
		if err != nil {
			t.Error(err)
			return nil
		}
		if rows += len(d.y); rows >= 60 {
			told := *sum
			told.Rows, told.Flags, told.PriorDominated = slices.Clone(sum.Rows), slices.Clone(sum.Flags), slices.Clone(sum.PriorDominated)
			all = append(all, told)
		}
	}
	return all
}

// unlike are shards of one stream, of any size, with one of five departures from the model or none.
func unlike(kind string, seed uint64) (all []table) {
	r := rand.New(rand.NewPCG(seed, 5))
	columns, groups, rows, trouble := 1+r.IntN(5), 2+r.IntN(20), []int{5, 10, 20, 50, 200}[r.IntN(5)], r.IntN(6)
	switch kind {
	case "anova", "dlm":
		columns = 0
	case "compressed":
		columns = 20 + r.IntN(40)
	}
	small := 1.
	if kind == "probit" || kind == "poisson" {
		small = .3
	}
	beta, effects := make([]float64, columns), make([]float64, groups)
	for _, v := range [][]float64{beta, effects} {
		for j := range v {
			v[j] = small * r.NormFloat64()
		}
	}
	level, noise, state, at := r.NormFloat64(), []float64{.1, 1, 5}[r.IntN(3)], 0., int64(0)
	for s := range min(1+r.IntN(20), 1+1000/rows) {
		d := table{x: make([][]float64, columns)}
		for range rows {
			mean, e := level, noise*r.NormFloat64()
			for j := range d.x {
				x := r.NormFloat64()
				if seed%2 == 1 {
					x = math.Exp(x)
				}
				d.x[j] = append(d.x[j], x)
				mean += beta[j] * x
			}
			if kind == "anova" || kind == "poisson" {
				g := r.IntN(groups)
				d.group = append(d.group, g)
				mean += effects[g]
			}
			switch trouble {
			case 1: // outliers
				if r.Float64() < .03 {
					e *= 30
				}
			case 2: // skewed errors
				e = noise * (r.ExpFloat64() - 1)
			case 3: // drift
				mean += .1 * float64(s)
			case 4: // a curve
				if columns > 0 {
					mean += .4 * small * d.x[0][len(d.x[0])-1] * d.x[0][len(d.x[0])-1]
				}
			}
			y := mean + e
			switch kind {
			case "probit":
				y = 0
				if mean+r.NormFloat64() > 0 {
					y = 1
				}
			case "poisson":
				y = simulate.Count(r, math.Exp(min(mean, 5)))
			case "dlm":
				at += int64(1 + r.IntN(1+trouble))
				state = .8*state + r.NormFloat64()
				y, d.time = level+state+e, append(d.time, at)
			}
			if trouble == 5 && kind != "dlm" && r.Float64() < .1 {
				y = math.NaN()
			}
			d.y = append(d.y, y)
		}
		all = append(all, d)
	}
	return all
}

// The posterior and what is said of it are those of the data, however they are written: to 1e-6 sds, of random streams with and without
// departures from the model.
func TestWrittenOtherwise(t *testing.T) {
	plainly := &writing{x: same, y: same}
	for _, kind := range []string{"linear", "compressed", "anova", "dlm", "probit", "poisson"} {
		modeltest.EachStream(12, func(seed int) {
			shards := unlike(kind, uint64(seed))
			want := plainly.summaries(t, kind, shards)
			for i := range writings {
				if w := &writings[i]; strings.Contains(w.kinds, kind) {
					got := w.summaries(t, kind, shards)
					if len(got) != len(want) {
						t.Errorf("%s %d, %s: %d summaries, want %d", kind, seed, w.name, len(got), len(want))
						continue
					}
					for k := range got {
						w.compare(t, fmt.Sprintf("%s %d, %s, summary %d", kind, seed, w.name, k), &got[k], &want[k])
					}
				}
			}
		})
	}
}

func (w *writing) compare(t *testing.T, where string, got, want *cdf.Summary) {
	const tolerance = 1e-6
	listed := func(sum *cdf.Summary) (all []string) {
		for _, name := range sum.PriorDominated {
			if name = w.variable(name); !w.coefficients || strings.Contains(name, "[x") {
				all = append(all, name)
			}
		}
		for _, flag := range sum.Flags {
			if !strings.Contains(w.moreFlags, flag) {
				all = append(all, flag)
			}
		}
		slices.Sort(all)
		return all
	}
	if a, b := listed(got), listed(want); !slices.Equal(a, b) {
		t.Errorf("%s: %q, want %q", where, a, b)
	}
	rows := map[string]*cdf.Row{}
	for i := range got.Rows {
		rows[w.variable(got.Rows[i].Variable)] = &got.Rows[i]
	}
	for i := range want.Rows {
		b := &want.Rows[i]
		if w.coefficients && !strings.Contains(b.Variable, "[x") {
			continue
		}
		a := rows[b.Variable]
		if a == nil {
			t.Errorf("%s: no %s", where, b.Variable)
			continue
		}
		if mean, sd := w.plain(a); math.Abs(mean-b.Mean) > tolerance*b.SD || math.Abs(sd-b.SD) > tolerance*b.SD {
			t.Errorf("%s: %s is %v, sd %v; want %v, sd %v", where, b.Variable, mean, sd, b.Mean, b.SD)
		}
	}
}
