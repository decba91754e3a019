package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// recoded is a model of the same rows whose coefficients are independent: b = A t with A = I + c 1 1', AA' = I + 1 1', for the levels from first on.
type recoded struct {
	first, levels int
	c             float64
}

func newRecoded(first, levels int) *recoded {
	m := float64(levels)
	return &recoded{first, levels, (math.Sqrt(1+m) - 1) / m}
}

// spread adds to the levels in v what they share.
func (a *recoded) spread(v []float64) {
	sum := 0.
	for _, x := range v[a.first : a.first+a.levels] {
		sum += x
	}
	for j := a.first; j < a.first+a.levels; j++ {
		v[j] += a.c * sum
	}
}

func (a *recoded) shard(sh *cdf.Shard) *cdf.Shard {
	out := *sh
	out.X = append([]float64(nil), sh.X...)
	for i := range sh.Rows {
		a.spread(lin.Row(out.X, sh.Cols, i))
	}
	return &out
}

func (a *recoded) functional(p int) func(f *cdf.Functional) {
	return func(f *cdf.Functional) {
		if f.Param[0] >= p {
			return
		}
		w := make([]float64, p)
		for k, j := range f.Param {
			w[j] += f.Weight[k]
		}
		a.spread(w)
		f.Param, f.Weight = nil, nil
		for j, v := range w {
			if v != 0 {
				f.Param, f.Weight = append(f.Param, j), append(f.Weight, v)
			}
		}
	}
}

// Levels that are alike have the posterior of columns for which coefficients are independent: by the form, near the plug-in and in series, of few rows and
// of many.
func TestLevelsAreAlike(t *testing.T) {
	ways := map[string]int{}
	for _, size := range [][2]int{{4, 2}, {9, 6}, {40, 26}, {seriesColumns + 6, 46}, {seriesColumns + 6, 3}} {
		for _, variance := range []float64{.3, 1, 1e4} {
			set, p := Defaults(), size[0]
			set.Prior.BetaVariance = variance
			a := newRecoded(2, size[1])
			d := cdf.Dims{Columns: modeltest.Columns(p), Intercept: true}
			plain, err := New(set, d)
			if err != nil {
				t.Fatal(err)
			}
			d.Siblings = []cdf.Siblings{{First: a.first, Columns: a.levels}}
			m, err := New(set, d)
			if err != nil {
				t.Fatal(err)
			}
			one, other := modeltest.Stepper{Model: m}, modeltest.Stepper{Model: plain}
			r := rand.New(rand.NewPCG(132, uint64(p)))
			rows := func(n int) *cdf.Shard {
				sh := modeltest.RegressionShard(r, n, p, true)
				for i := range n {
					x, is := lin.Row(sh.X, p, i), r.IntN(a.levels+1)
					for j := range a.levels {
						x[a.first+j] = 0
					}
					if is < a.levels {
						x[a.first+is] = 1
						sh.Y[i] += math.Sin(float64(is))
					}
					sh.Y[i] /= 5 // so that few rows tell enough for a series
				}
				return sh
			}
			for _, n := range []int{1, 3, p, 8 * p, 30 * p, 600} {
				sh, next := rows(n), rows(5)
				one.Must(t, sh, 1)
				other.Must(t, a.shard(sh), 1)
				switch {
				case m.inSeries():
					ways["series"]++
				case m.early():
					ways["early"]++
				case m.post.s0 > 0:
					ways["near"]++
				default:
					ways["form"]++
				}
				as := a.functional(p)
				got, want := m.laws(t, next), plain.lawsOf(t, a.shard(next), as)
				for i, what := range got.name {
					unit := want.unit[i]
					if math.IsNaN(unit) { // an sd of few rows
						unit = math.Abs(want.value[i])
					}
					if off := math.Abs(got.value[i]-want.value[i]) / unit; !(off <= 1e-7) && !(math.IsNaN(got.value[i]) && math.IsNaN(want.value[i])) {
						t.Fatalf("p=%d variance %v n=%v: %s is %v, of independent coefficients %v: %.1e", p, variance, m.n, what, got.value[i], want.value[i], off)
					}
				}
				m.priorsOfLevels(t, fmt.Sprintf("p=%d variance %v n=%v", p, variance, m.n), plain, as)
			}
		}
	}
	for _, way := range []string{"series", "early", "near", "form"} {
		if ways[way] == 0 {
			t.Errorf("no posterior by %s: %v", way, ways)
		}
	}
}

// priorsOfLevels compares what the prior says with that of independent coefficients.
func (m *Model) priorsOfLevels(t *testing.T, name string, plain *Model, as func(f *cdf.Functional)) {
	t.Helper()
	list, of := modeltest.Coefficients(m.P)[:m.P], modeltest.Coefficients(m.P)[:m.P]
	list = append(list, cdf.Functional{Name: "sum", Param: []int{1, 2, 3}, Weight: []float64{1, 2, -1}})
	of = append(of, cdf.Functional{Name: "sum", Param: []int{1, 2, 3}, Weight: []float64{1, 2, -1}})
	for i := range of {
		as(&of[i])
	}
	if m.P > 4 && m.n > float64(8*m.P) { // every level has rows
		largest := 0.
		for _, d2 := range newSVDWay(t, plain).d2 {
			largest = max(largest, m.s2/(m.s2+d2))
		}
		w := m.work()
		if got := m.weakest(w, m.s2); !(got <= largest*(1+1e-9) && got > .3*largest) {
			t.Errorf("%s: the rows tell least with %v, of independent coefficients with %v", name, got, largest)
		}
		m.scratch.Put(w)
	}
	n := len(list)
	for what, ask := range map[string][2]func([]cdf.Functional, []float64){
		"sd": {m.PriorSD, plain.PriorSD}, "share": {m.PriorShare, plain.PriorShare},
	} {
		got, want := make([]float64, n), make([]float64, n)
		ask[0](list, got)
		ask[1](of, want)
		for i := range got {
			if !(math.Abs(got[i]-want[i]) <= 2e-6*(1e-3+want[i])) {
				t.Fatalf("%s: the prior's %s of %s is %v, of independent coefficients %v", name, what, list[i].Name, got[i], want[i])
			}
		}
	}
}
