package models

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/cdf/quantity"
	"github.com/credence-stream/credence/models/kind"
)

// somewhere is a row to predict with a value for every input of a filter.
func somewhere(f *cdf.Filter) (cells []quantity.Cell) {
	for i, in := range f.Inputs() {
		text := fmt.Sprint(.3 - .1*float64(i))
		switch {
		case in.Role == "response":
			continue
		case in.Category:
			text = in.Levels[len(in.Levels)-1]
		}
		cells = append(cells, quantity.Cell{Column: in.Name, Text: text})
	}
	return cells
}

// batchOf is rows of the cells with the given responses.
func batchOf(cells []quantity.Cell, f *cdf.Filter, y ...float64) *cdf.Batch {
	b := &cdf.Batch{Rows: len(y)}
	for _, in := range f.Inputs() {
		i := slices.IndexFunc(cells, func(c quantity.Cell) bool { return c.Column == in.Name })
		switch {
		case in.Role == "response":
			b.Columns = append(b.Columns, cdf.Column{Name: in.Name, Number: y})
		case in.Category:
			b.Columns = append(b.Columns, cdf.Column{Name: in.Name, Type: cdf.Text, Code: make([]int32, len(y)), Levels: []string{cells[i].Text}})
		default:
			var v float64
			_, _ = fmt.Sscan(cells[i].Text, &v)
			b.Columns = append(b.Columns, cdf.Column{Name: in.Name, Number: slices.Repeat([]float64{v}, len(y))})
		}
	}
	return b
}

// levels are those that are asked for, in and out of the 95 % interval.
var levels = []float64{.001, .025, .05, .3, .5, .9, .975, .999}

// The quantiles of a new observation are those of the interval that is published beside
// them, and its distribution function has there the level that was asked for, in every
// kind, while the rows are few and later, of groups that are known and that are not.
func TestQuantilesOfANewObservation(t *testing.T) {
	for _, k := range Kinds() {
		for _, variant := range k.Variants {
			for _, rows := range []int{12, 400} {
				t.Run(fmt.Sprintf("%s/%s/%d", k.Name, variant, rows), func(t *testing.T) {
					s := streamOf(k)
					spec := s.spec(t, variant)
					spec.Draws = 400
					rng := rand.New(rand.NewPCG(3, uint64(rows)))
					shards := []*cdf.Batch{s.shard(rng, rows), s.shard(rng, rows)}
					plain := cdf.NewFilter(spec, "k")
					updated(t, plain, shards)
					places := [][]quantity.Cell{somewhere(plain)}
					if s.Groups != kind.NoGroups {
						other := slices.Clone(places[0])
						i := slices.IndexFunc(other, func(c quantity.Cell) bool { return c.Column == "g" })
						other[i].Text = "unseen"
						places = append(places, other)
					}
					for _, cells := range places {
						compareQuantiles(t, spec, plain, shards, cells)
					}
				})
			}
		}
	}
}

func compareQuantiles(t *testing.T, spec *cdf.Spec, plain *cdf.Filter, shards []*cdf.Batch, cells []quantity.Cell) {
	t.Helper()
	base := quantity.Quantity{Name: "new", Kind: quantity.KindPrediction, Cells: cells}
	steps := 1
	if spec.Steps {
		steps, base.Cells, base.Ahead = 3, nil, 3
	}
	list := []quantity.Quantity{base}
	for _, level := range levels {
		list = append(list, base.At(level))
	}
	f := cdf.NewFilter(asked(spec, list...), "k")
	sum := updated(t, f, shards)
	if string(state(t, f)) != string(state(t, plain)) {
		t.Error("the state depends on what is asked of it")
	}
	if why := sum.Quantities[0].Absent; why != "" {
		t.Skipf("nothing is predicted here: %s", why)
	}
	whole := rowOf(t, sum, "new")
	scale := math.Max(whole.Q975-whole.Q025, 1e-300)
	for i, level := range levels {
		q := rowOf(t, sum, list[i+1].Name)
		if !math.IsNaN(q.SD) || !math.IsNaN(q.Median) || q.Mean != q.Mean {
			t.Errorf("a quantile is a number: %+v", q)
		}
		if want, there := map[float64]float64{.025: whole.Q025, .975: whole.Q975}[level]; there && !(math.Abs(q.Mean-want) <= 1e-9*scale) {
			t.Errorf("the %g-quantile is %v, the end of the interval %v", level, q.Mean, want)
		}
		if alone, err := plain.Ask(list[i+1 : i+2]); err != nil || alone[0].Row.Mean != q.Mean {
			t.Errorf("the %g-quantile is %v beside others and %v alone, %v", level, q.Mean, alone[0].Row.Mean, err)
		}
		atLevel(t, spec, plain, cells, steps, q.Mean, level)
	}
}

// laid counts the shards that a model is asked about.
type laid struct {
	cdf.Model
	n *int
}

func (l laid) Unwrap() cdf.Model { return l.Model }

func (l laid) Check(sh *cdf.Shard) error {
	*l.n++
	return l.Model.Check(sh)
}

// The quantiles of one new observation are found of one layout of its row, however many
// levels are asked for and whatever stands between them.
func TestQuantilesOfARowAtOnce(t *testing.T) {
	for _, name := range []string{"linear", "dlm"} {
		k, ok := Lookup(name)
		if !ok {
			t.Fatal(name)
		}
		n, s := 0, streamOf(k)
		spec := s.spec(t, "")
		build := spec.New
		spec.New = func(d cdf.Dims) (cdf.Model, error) {
			m, err := build(d)
			return laid{m, &n}, err
		}
		f := cdf.NewFilter(spec, "k")
		rng := rand.New(rand.NewPCG(5, 6))
		updated(t, f, []*cdf.Batch{s.shard(rng, 40), s.shard(rng, 40)})
		here := quantity.Quantity{Name: "here", Kind: quantity.KindPrediction, Cells: somewhere(f)}
		there := here
		there.Name, there.Cells = "there", slices.Clone(here.Cells)
		if spec.Steps {
			here.Cells, here.Ahead, there.Cells, there.Ahead = nil, 3, nil, 2
		} else {
			there.Cells[0].Text = "7"
		}
		for _, c := range []struct {
			list []quantity.Quantity
			want int // layouts
		}{
			{[]quantity.Quantity{here.At(.1)}, 1},
			{[]quantity.Quantity{here.At(.1), here.At(.9)}, 1},
			{[]quantity.Quantity{here, here.At(.1), here.At(.9)}, 2}, // one of the prediction
			{[]quantity.Quantity{here.At(.1), there.At(.1), here.At(.9), there.At(.9), there.At(.5)}, 2},
		} {
			n = 0
			got, err := f.Ask(c.list)
			if err != nil {
				t.Fatal(err)
			}
			for i, a := range got {
				if a.Absent != "" || math.IsNaN(a.Row.Mean) {
					t.Errorf("%s: %s: %+v", name, c.list[i].Name, a)
				}
			}
			if n != c.want {
				t.Errorf("%s: %d quantities took %d layouts, want %d", name, len(c.list), n, c.want)
			}
			last := len(got) - 1
			if one, err := f.Ask(c.list[last:]); err != nil || one[0].Row.Mean != got[last].Row.Mean {
				t.Errorf("%s: %s is %v beside others and %+v alone, %v", name, c.list[last].Name, got[last].Row.Mean, one, err)
			}
		}
	}
}

// atLevel compares the distribution function at a quantile, by the predictions of rows
// that have it as their response, with its level.
func atLevel(t *testing.T, spec *cdf.Spec, f *cdf.Filter, cells []quantity.Cell, steps int, at, level float64) {
	t.Helper()
	predict := func(y float64) cdf.Prediction {
		all := slices.Repeat([]float64{math.NaN()}, steps)
		all[steps-1] = y
		found, err := f.Predict(batchOf(cells, f, all...))
		if err != nil {
			t.Fatal(err)
		}
		return found[steps-1]
	}
	if !spec.RawResponse {
		tolerance := 1e-9
		if spec.Kind == "dlm" {
			tolerance = 2e-5 // its transform leaves nodes of little weight out
		}
		if pit := predict(at).PIT; !(math.Abs(pit-level) <= tolerance) {
			t.Errorf("%v has probability %v below it, want %v", at, pit, level)
		}
		return
	}
	below := 0.0
	for y := 0.0; y < at; y++ {
		below += math.Exp(predict(y).LogDensity)
	}
	reached := below + math.Exp(predict(at).LogDensity)
	// Sums and expansions of the distribution function of counts agree to 1e-4.
	if slack := 2e-4; at != math.Trunc(at) || below >= level+slack || reached < level-slack {
		t.Errorf("%v is not the least count with probability %v: %v below it, %v with it", at, level, below, reached)
	}
}

// Quantiles of a linear model's new observation and of its forms are those of integrals
// over sigma2.
func TestQuantilesAreTheIntegral(t *testing.T) {
	x, y, b := line(9)
	form := quantityOf(t, "contrast", "beta[u] - 2*beta[v] + 1")
	less := quantityOf(t, "less", "3 - 2*exp(beta[u])")
	fresh := quantity.Quantity{Name: "new", Kind: quantity.KindPrediction, Cells: []quantity.Cell{{Column: "u", Text: "0.5"}, {Column: "v", Text: "2"}}}
	var list []quantity.Quantity
	for _, level := range levels {
		list = append(list, form.At(level), less.At(level), fresh.At(level))
	}
	f := cdf.NewFilter(asked(lineSpec(t), list...), "k")
	sum := updated(t, f, []*cdf.Batch{b})
	for _, q := range list {
		at := rowOf(t, sum, q.Name).Mean
		c, below, want := [3]float64{1, .5, 2}, func(m, s, sigma2 float64) float64 { return normal.CDF((at - m) / math.Sqrt(s*s+sigma2)) }, q.Level
		switch {
		case strings.HasPrefix(q.Name, "contrast"):
			c, below = [3]float64{0, 1, -2}, func(m, s, _ float64) float64 { return normal.CDF((at - 1 - m) / s) }
		case strings.HasPrefix(q.Name, "less"):
			c, below = [3]float64{0, 1, 0}, func(m, s, _ float64) float64 { return normal.CDF((m - math.Log((3-at)/2)) / s) }
		}
		if got := integrate(x, y, c, 0, below); !(math.Abs(got-want) <= 1e-9) {
			t.Errorf("%s: %v has probability %v below it, want %v (%.1e)", q.Name, at, got, want, got-want)
		}
	}
}

// A quantile that a state is asked for is what was published after its last shard, to the
// bit, also of models that draw.
func TestQuantilesThatAreAskedFor(t *testing.T) {
	for _, k := range Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			s := streamOf(k)
			spec := s.spec(t, k.Variants[0])
			spec.Draws = 500
			rng := rand.New(rand.NewPCG(8, 2))
			shards := []*cdf.Batch{s.shard(rng, 40), s.shard(rng, 40)}
			first := updated(t, cdf.NewFilter(spec, "k"), shards).Rows[0].Variable
			v := quantityOf(t, "v", "`"+first+"` + 0")
			list := []quantity.Quantity{v.At(.4)}
			f := cdf.NewFilter(asked(spec, list...), "k")
			sum := updated(t, f, shards)
			want := rowOf(t, sum, list[0].Name).Mean
			got, err := f.Ask(list)
			if err != nil {
				t.Fatal(err)
			}
			if got[0].Absent != "" || got[0].Row.Mean != want {
				t.Errorf("%s of %s: asked for %v (%s), published %v", list[0].Name, first, got[0].Row.Mean, got[0].Absent, want)
			}
		})
	}
}

// Quantiles of forms, in every kind, lie between those that the row has on either side,
// and are these where the level is theirs; of models that draw they have an error.
func TestQuantilesOfFormsAscend(t *testing.T) {
	for _, k := range Kinds() {
		for _, variant := range k.Variants {
			t.Run(k.Name+"/"+variant, func(t *testing.T) {
				s := streamOf(k)
				spec := s.spec(t, variant)
				spec.Draws = 1000
				rng := rand.New(rand.NewPCG(6, 2))
				shards := []*cdf.Batch{s.shard(rng, 40), s.shard(rng, 40)}
				sum := updated(t, cdf.NewFilter(spec, "k"), shards)
				var list []quantity.Quantity
				for i, r := range sum.Rows {
					q := quantityOf(t, fmt.Sprint("v", i), fmt.Sprintf("`%s` + 0", r.Variable))
					list = append(list, q.At(.05), q.At(.4), q.At(.95), q.At(.96))
				}
				got := updated(t, cdf.NewFilter(asked(spec, list...), "k"), shards)
				drawn := 0
				for i, r := range sum.Rows {
					var at [4]cdf.Row
					for j := range at {
						told := got.Quantities[4*i+j]
						if at[j] = rowOf(t, got, told.Name); at[j].MCSEMean > 0 {
							drawn++
						}
					}
					if at[0].Mean != r.Q05 || at[2].Mean != r.Q95 {
						t.Errorf("%s: quantiles %v and %v, the row has %v and %v", r.Variable, at[0].Mean, at[2].Mean, r.Q05, r.Q95)
					}
					if !(at[1].Mean > r.Q25 && at[1].Mean < r.Median && at[3].Mean > r.Q95 && at[3].Mean < r.Q975) {
						t.Errorf("%s: quantiles %v and %v are not between those of %+v", r.Variable, at[1].Mean, at[3].Mean, r)
					}
				}
				if (drawn > 0) != (sum.Draws > 0) {
					t.Errorf("%d quantiles of %d draws have an error", drawn, sum.Draws)
				}
			})
		}
	}
}
