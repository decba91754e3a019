package compressed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// One column, and one row per shard, are enough for every form.
func TestOfOneColumn(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 1))
	for _, form := range forms {
		m := newTest(t, form.variant, form.settings, modeltest.Columns(1))
		d := modeltest.Stepper{Model: m}
		for range 600 {
			x := r.NormFloat64()
			d.Must(t, &cdf.Shard{Rows: 1, Cols: 1, X: []float64{x}, Y: []float64{2*x + .5*r.NormFloat64()}}, 1)
		}
		rows := modeltest.Summarize(t, m, modeltest.Coefficients(1))
		// The learned forms count what beta and Phi leave open together, which
		// is far too much for one column.
		most := .2
		if _, ok := m.(*Learned); ok {
			most = 2
		}
		if g := rows[0]; math.Abs(g.Mean-2) > .2 || !(g.SD > 0 && g.SD < most) {
			t.Errorf("%s: gamma %v (%v)", form.name, g.Mean, g.SD)
		}
	}
}

// The first row of a key has no direction of its own once it is centred, of however many columns, nor
// have rows that are all the same.
func TestFirstRowOfManyColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 2))
	for _, form := range forms {
		for _, p := range []int{24, 25, 130} {
			m := newTest(t, form.variant, form.settings, modeltest.Columns(p))
			d := modeltest.Stepper{Model: m}
			sh := modeltest.RegressionShard(r, 1, p, false)
			for range 2 {
				d.Must(t, sh, 1)
			}
			d.Must(t, modeltest.RegressionShard(r, 1, p, false), .9)
			if rows := modeltest.Summarize(t, m, modeltest.Coefficients(p)); !(rows[0].Q025 < rows[0].Q975) {
				t.Errorf("%s, %d columns: %+v", form.name, p, rows[0])
			}
		}
	}
}

// 100,000 rows in one shard, most of them without a use, are several passes.
func TestGiantShard(t *testing.T) {
	r := rand.New(rand.NewPCG(37, 1))
	sh := modeltest.RegressionShard(r, 100_000, 3, false)
	for i := range sh.Y {
		if i%50 > 0 {
			sh.Y[i] = math.NaN()
		}
	}
	for _, form := range forms {
		m := newTest(t, form.variant, form.settings, modeltest.Columns(3))
		d := modeltest.Stepper{Model: m}
		d.Must(t, sh, 1)
		for j, row := range modeltest.Summarize(t, m, modeltest.Coefficients(3))[:3] {
			if want := float64(j-1) / 2; form.name != "fixed" && math.Abs(row.Mean-want) > .15 {
				t.Errorf("%s: gamma %d is %v, want %v", form.name, j, row.Mean, want)
			}
		}
	}
}

// A coefficient jumps from 1 to -2 after shard 250 of 20 rows. With lambda =
// .9 some 200 rows count: two shards after the jump the estimate is on its
// way, and 50 shards after it is there within .4, five posterior sds. Without
// forgetting it is an average, except where a new estimate of beta replaces
// what the columns held (packed). All rows count .9^k, so that n_eff is 200.
func TestForgets(t *testing.T) {
	for _, form := range forms {
		soon, late := map[float64]float64{}, map[float64]float64{}
		for _, forget := range []float64{.9, 1} {
			r := rand.New(rand.NewPCG(38, 1))
			m := newTest(t, form.variant, form.settings, modeltest.Columns(6))
			d := modeltest.Stepper{Model: m}
			for shard := range 300 {
				jump := 1.
				if shard >= 250 {
					jump = -2
				}
				sh := &cdf.Shard{Rows: 20, Cols: 6}
				for range 20 {
					y := r.NormFloat64()
					for j := range 6 {
						x := r.NormFloat64()
						sh.X = append(sh.X, x)
						if j == 0 {
							y += jump * x
						}
					}
					sh.Y = append(sh.Y, y)
				}
				d.Must(t, sh, forget)
				if shard == 252 {
					soon[forget] = modeltest.Summarize(t, m, modeltest.Coefficients(6))[0].Mean
				}
			}
			late[forget] = modeltest.Summarize(t, m, modeltest.Coefficients(6))[0].Mean
		}
		t.Logf("%s: 3 shards after the jump %v, 50 after %v", form.name, soon, late)
		if soon[.9] > soon[1]-.2 {
			t.Errorf("%s: 3 shards after the jump %v with forgetting, %v without", form.name, soon[.9], soon[1])
		}
		switch form.name {
		case "fixed": // three directions cannot hold this coefficient alone
			if late[.9] > late[1]-.5 {
				t.Errorf("fixed: the jump shows as %v with forgetting, %v without", late[.9], late[1])
			}
		default:
			if math.Abs(late[.9]+2) > .4 {
				t.Errorf("%s: the jump to -2 shows as %v", form.name, late[.9])
			}
		}
	}
}

func TestWorseThanNull(t *testing.T) {
	r := rand.New(rand.NewPCG(39, 1))
	for _, form := range forms[:3] {
		if form.name == "fixed" { // an estimated prior variance falls to where the past does not mislead
			form.settings = "{projection: fixed, dimension: 3, prior: {beta_variance: 1}}"
		}
		m := newTest(t, form.variant, form.settings, modeltest.Columns(4))
		d := modeltest.Stepper{Model: m}
		flags := func() string {
			raised := m.(cdf.Flagger).AppendFlags(nil)
			return fmt.Sprint(slices.DeleteFunc(raised, func(f string) bool { return f == fewRowsPerColumn }))
		}
		// The sign of every coefficient changes from shard to shard, so that
		// the past misleads.
		for shard := range 30 {
			sh := modeltest.RegressionShard(r, 10, 4, false)
			for i, y := range sh.Y {
				sh.Y[i] = y * float64(1-2*(shard%2))
			}
			d.Must(t, sh, 1)
			if shard < 2 && flags() != "[]" {
				t.Errorf("%s: flags %s after %d rows", form.name, flags(), 10*(shard+1))
			}
		}
		if flags() != "[worse_than_null]" {
			t.Errorf("%s: flags %s", form.name, flags())
		}
	}
}
