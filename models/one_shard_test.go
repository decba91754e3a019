package models_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/simulate"
)

// lack is how rows differ from the model; the zero value: they do not.
type lack struct {
	name  string
	noise func(r *rand.Rand, x float64) float64
	mean  func(x float64) float64
	flags string
	kinds []string
}

var lacks = []lack{
	{name: "skewed noise", noise: func(r *rand.Rand, _ float64) float64 { return r.ExpFloat64() - 1 }, flags: "miscalibrated", kinds: []string{"linear", "anova", "compressed"}},
	{name: "noise that grows with a column", noise: func(r *rand.Rand, x float64) float64 { return math.Exp(.7*x) * r.NormFloat64() }, flags: "heavy_tails", kinds: []string{"linear", "compressed"}},
	{name: "a row in fifty with noise of ten times the sd", noise: func(r *rand.Rand, _ float64) float64 {
		return r.NormFloat64() * float64(1+9*(r.IntN(50)/49))
	}, flags: "outliers", kinds: []string{"linear", "anova", "dlm", "compressed"}},
	{name: "a square", mean: func(x float64) float64 { return .4 * x * x }, flags: "curved", kinds: []string{"linear", "poisson"}},
	{name: "a square", mean: func(x float64) float64 { return .4 * x * x }, flags: "miscalibrated", kinds: []string{"probit"}},
}

// one are the rows of a key that has them in one shard.
func (d *lack) one(kind string, rows int, r *rand.Rand) (all table) {
	columns, level, state := 3, 1., 0.
	switch kind {
	case "anova", "dlm":
		columns = 0
	case "compressed":
		columns = 30
	case "probit", "poisson":
		level = 0
	}
	all.x = make([][]float64, columns)
	effects := make([]float64, 20)
	for i := range effects {
		effects[i] = .3 * r.NormFloat64()
	}
	for i := range rows {
		mean, first := level, 0.
		for j := range all.x {
			x := r.NormFloat64()
			if j == 1 {
				x = float64(r.IntN(2))
			}
			if j == 0 {
				first = x
			}
			all.x[j] = append(all.x[j], x)
			mean += .4 * x
		}
		if d.mean != nil {
			mean += d.mean(first)
		}
		if kind == "anova" || kind == "poisson" {
			g := r.IntN(len(effects))
			all.group = append(all.group, g)
			mean += effects[g]
		}
		e := r.NormFloat64()
		if d.noise != nil {
			e = d.noise(r, first)
		}
		y := mean + e
		switch kind {
		case "probit":
			if y = 0; mean+e > 0 {
				y = 1
			}
		case "poisson":
			y = simulate.Count(r, math.Exp(mean))
		case "dlm":
			state = .8*state + r.NormFloat64()
			y, all.time = y+state, append(all.time, int64(i))
		}
		all.y = append(all.y, y)
	}
	return all
}

// flagsOf returns those behind rows that come in shards of a size.
func flagsOf(t *testing.T, kind string, d table, size int) (flags []string) {
	plainly := &writing{x: same, y: same}
	f := cdf.NewFilter(plainly.spec(t, kind, len(d.x)), "key")
	for from := 0; from < len(d.y); from += size {
		sum, err := f.Update(plainly.batch(d.rows(from, min(from+size, len(d.y))), nil))
		if err != nil {
			t.Error(err)
			return nil
		}
		flags = slices.Clone(sum.Flags)
	}
	return flags
}

// rows are those from one to another.
func (d *table) rows(from, to int) table {
	part := table{y: d.y[from:to]}
	for _, x := range d.x {
		part.x = append(part.x, x[from:to])
	}
	if d.group != nil {
		part.group = d.group[from:to]
	}
	if d.time != nil {
		part.time = d.time[from:to]
	}
	return part
}

// A key whose rows come in one shard is told what its model lacks, as one is whose rows come in several.
func TestOneShardIsJudged(t *testing.T) { judged(t, false) }

// So is one whose rows are sorted by their responses.
func TestOneSortedShardIsJudged(t *testing.T) { judged(t, true) }

func judged(t *testing.T, sorted bool) {
	const streams, rows = 20, 2000
	for _, d := range lacks {
		for _, kind := range d.kinds {
			if sorted && kind == "dlm" {
				continue
			}
			var mu sync.Mutex
			told := 0
			modeltest.EachStream(streams, func(i int) {
				all := d.one(kind, rows, rand.New(rand.NewPCG(uint64(i), 12)))
				if sorted {
					all.sort()
				}
				if slices.Contains(flagsOf(t, kind, all, rows), d.flags) {
					mu.Lock()
					told++
					mu.Unlock()
				}
			})
			if t.Logf("%s, %s: %s in %d of %d", kind, d.name, d.flags, told, streams); told < streams*3/4 {
				t.Errorf("%s, %s: %s in %d of %d", kind, d.name, d.flags, told, streams)
			}
		}
	}
}

// A row that is far off among the first ones, which no posterior before could predict, is told in shards of any size, whichever half
// of them it is in; right rows as few are told nothing.
func TestOneOutlierIsTold(t *testing.T) {
	const streams, rows = 20, 70
	for kind, far := range map[string]float64{"linear": 12, "anova": 12, "dlm": 15, "compressed": 25} {
		for _, size := range []int{10, rows} {
			for _, off := range []float64{0, far} {
				var mu sync.Mutex
				told := 0
				modeltest.EachStream(streams, func(i int) {
					r := rand.New(rand.NewPCG(uint64(i), 15))
					d := new(lack).one(kind, rows, r)
					d.y[r.IntN(40)] += off
					if slices.Contains(flagsOf(t, kind, d, size), "outliers") {
						mu.Lock()
						told++
						mu.Unlock()
					}
				})
				if t.Logf("%s, shards of %d, %g off: %d of %d", kind, size, off, told, streams); off > 0 && told < streams*9/10 || off == 0 && told > 0 {
					t.Errorf("%s, shards of %d, %g off: outliers in %d of %d", kind, size, off, told, streams)
				}
			}
		}
	}
}

// One that has what its rows are is told nothing of the kind, though they may be sorted by their responses: of 240 streams of a
// right judge 3 and more have a false alarm with a chance of .001, where one in 1,000 has one.
func TestOneRightShardIsNotTold(t *testing.T) {
	const streams = 40
	var mu sync.Mutex
	wrong := 0
	for _, kind := range []string{"linear", "compressed", "anova", "dlm", "probit", "poisson"} {
		modeltest.EachStream(streams, func(i int) {
			r := rand.New(rand.NewPCG(uint64(i), 13))
			d := new(lack).one(kind, 200+r.IntN(1300), r)
			if i%2 == 1 && kind != "dlm" {
				d.sort()
			}
			for _, flag := range flagsOf(t, kind, d, len(d.y)) {
				if slices.Contains([]string{"miscalibrated", "wide_intervals", "heavy_tails", "outliers", "curved", "drift", "correlated_errors", "season"}, flag) {
					t.Logf("%s, stream %d of %d rows: %s", kind, i, len(d.y), flag)
					mu.Lock()
					wrong++
					mu.Unlock()
				}
			}
		})
	}
	if wrong > 2 {
		t.Errorf("%d false alarms in %d streams", wrong, 6*streams)
	}
}

// sort puts the rows in the order of their responses.
func (d *table) sort() {
	order := make([]int, len(d.y))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(d.y[a], d.y[b]) })
	reorder(d.y, order)
	for _, x := range d.x {
		reorder(x, order)
	}
	if d.group != nil {
		reorder(d.group, order)
	}
}

func reorder[T any](v []T, order []int) {
	was := slices.Clone(v)
	for i, from := range order {
		v[i] = was[from]
	}
}
