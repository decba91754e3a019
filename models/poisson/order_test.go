package poisson

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/simulate"
)

// orderRow is a row of the stream whose order is changed.
type orderRow struct{ x, y float64 }

func orderRows(r *rand.Rand, n int, level, over float64) []orderRow {
	rows := make([]orderRow, n)
	for i := range rows {
		x := r.NormFloat64()
		rows[i] = orderRow{x, simulate.Count(r, math.Exp(level+.4*x+over*r.NormFloat64()-over*over/2))}
	}
	return rows
}

// feed absorbs the rows in shards of 50.
func feed(t *testing.T, d *modeltest.Stepper, rows []orderRow, forget float64) {
	t.Helper()
	for shard := range slices.Chunk(rows, 50) {
		sh := &cdf.Shard{Rows: len(shard), Cols: 2}
		for _, v := range shard {
			sh.X, sh.Y = append(sh.X, 1, v.x), append(sh.Y, v.y)
		}
		d.Must(t, sh, forget)
	}
}

// Behind rows that are sorted by their counts, either way, the intercept is off by some of its sds and order_matters says so, also when ten times as
// many came in no order. In no order rows have it right, and no flag.
func TestOrderMatters(t *testing.T) {
	rise := func(a, b orderRow) int { return int(a.y - b.y) }
	fall := func(a, b orderRow) int { return int(b.y - a.y) }
	for _, c := range []struct {
		name        string
		level, over float64
		sort        func(a, b orderRow) int // nil: none
	}{
		{"rising", 1, 0, rise}, {"falling", 1, 0, fall}, {"rare, falling", -1, 0, fall}, {"large, rising", 3, 0, rise},
		{"with effects of rows", 1, .6, rise}, {"in no order", 1, 0, nil}, {"rare, in no order", -1, 0, nil}, {"effects, in no order", 1, .6, nil},
	} {
		for seed := range uint64(4) {
			m, r := newTest(t, Defaults(), []string{"intercept", "x"}), rand.New(rand.NewPCG(seed, 95))
			d := modeltest.Stepper{Model: m}
			rows := orderRows(r, 1000, c.level, c.over)
			if c.sort != nil {
				slices.SortStableFunc(rows, c.sort)
			}
			for look, more := range []int{0, 1000, 9000} {
				feed(t, &d, rows, 1)
				rows = orderRows(r, []int{1000, 9000, 0}[look], c.level, c.over)
				sum := modeltest.Summarize(t, m, everything(&m.base))[0]
				off := math.Abs(sum.Mean-c.level) / sum.SD
				up, want := slices.Contains(m.AppendFlags(nil), orderFlag), c.sort != nil
				if up != want || !want && off > 3.5 {
					t.Errorf("%s, seed %d, %d rows behind: %.1f sds off, up %v", c.name, seed, more, off, up)
				}
			}
		}
	}
}

// Shards without a count before those that have some leave next to nothing in the state: the intercept is that of the others, sds off the fit
// of all rows at once, and order_matters or few_events says so with the first shard that leaves it two sds off. Exposures count.
func TestCountsThatComeLate(t *testing.T) {
	for _, rate := range []float64{.1, .3, 1} {
		for _, empty := range []int{0, 2, 8} {
			for _, exposure := range []float64{1, 10} {
				told, off := 0, 0
				for seed := range uint64(20) {
					m, once := newTest(t, Defaults(), []string{"intercept", "x"}), newTest(t, Defaults(), []string{"intercept", "x"})
					r, d, all := rand.New(rand.NewPCG(seed, 128)), modeltest.Stepper{Model: m}, &cdf.Shard{Cols: 2}
					for shard := range empty + 3 {
						sh := &cdf.Shard{Rows: 30, Cols: 2}
						for range sh.Rows {
							y := 0.
							if shard >= empty {
								y = simulate.Count(r, rate)
							}
							sh.X, sh.Y, sh.Offset = append(sh.X, 1, r.NormFloat64()), append(sh.Y, y), append(sh.Offset, math.Log(exposure))
						}
						d.Must(t, sh, 1)
						all.Rows, all.X, all.Y, all.Offset = all.Rows+sh.Rows, append(all.X, sh.X...), append(all.Y, sh.Y...), append(all.Offset, sh.Offset...)
					}
					whole := modeltest.Stepper{Model: once}
					whole.Must(t, all, 1)
					got, want := modeltest.Summarize(t, m, everything(&m.base))[0], modeltest.Summarize(t, once, everything(&once.base))[0]
					flags := m.AppendFlags(nil)
					up := slices.Contains(flags, orderFlag)
					if math.Abs(got.Mean-want.Mean) > 2*want.SD {
						if off++; up || slices.Contains(flags, fewEventsFlag) {
							told++
						}
					} else if up && empty == 0 {
						t.Errorf("rate %g, exposure %g, seed %d: the flag is up", rate, exposure, seed)
					}
				}
				if told < off || (off < 10) != (empty == 0 || rate == .1 && empty == 2) {
					t.Errorf("rate %g, exposure %g, %d shards without a count: %d of 20 are 2 sds off, %d of them told", rate, exposure, empty, off, told)
				}
			}
		}
	}
}

// Where forgetting leaves too little to tell coefficients, rates of before are no exposures of rows that follow.
func TestOrderThatIsForgottenWaits(t *testing.T) {
	m, r := newTest(t, Defaults(), []string{"intercept", "x"}), rand.New(rand.NewPCG(7, 95))
	d := modeltest.Stepper{Model: m}
	rows := orderRows(r, 1000, 1, 0)
	slices.SortStableFunc(rows, func(a, b orderRow) int { return int(a.y - b.y) })
	feed(t, &d, rows, 1)
	if m.order.curvature == 0 {
		t.Fatalf("%+v: ordered rows have no sums", m.order)
	}
	for range 12 {
		feed(t, &d, orderRows(r, 50, -20, 0), .5)
	}
	if o := m.order; o.curvature > 0 || o.rates > 100 || m.stats.lam[0] >= enoughEvents {
		t.Errorf("%+v behind 12 shards of zeros, of information %g", o, m.stats.lam[0])
	}
}

// Whatever exposures are, and however they change, the sums of shards before the first count are finite, and their state is read.
func TestExposuresBeforeTheFirstCount(t *testing.T) {
	far := []float64{-740, -20, 0, 600, 709}
	for _, first := range far {
		for _, then := range far {
			m := newTest(t, Defaults(), []string{"intercept"})
			d := modeltest.Stepper{Model: m}
			for shard := range 4 {
				sh := &cdf.Shard{Rows: 30, Cols: 1}
				for i := range sh.Rows {
					y, offset := 0., first
					if shard >= 2 {
						y, offset = float64(i%3), then
					}
					sh.X, sh.Y, sh.Offset = append(sh.X, 1), append(sh.Y, y), append(sh.Offset, offset)
				}
				d.Must(t, sh, 1)
				b, err := m.AppendBinary(nil)
				if err == nil {
					err = newTest(t, Defaults(), []string{"intercept"}).UnmarshalBinary(b)
				}
				if err != nil || shard == 1 && !m.order.waits() {
					t.Errorf("log exposures of %g, then %g, shard %d: %+v, %v", first, then, shard, m.order, err)
				}
			}
		}
	}
}

// The flag goes where other rows outweigh the ordered ones by far, and where these are forgotten. With a buffer there is none.
func TestOrderIsForgotten(t *testing.T) {
	buffered := Defaults()
	buffered.Buffer = 20
	for _, c := range []struct {
		name   string
		s      Settings
		level  float64
		forget float64
		rows   int
	}{{"outweighed", Defaults(), 3, 1, 60_000}, {"forgotten", Defaults(), 1, .9, 6000}, {"buffered", buffered, 1, 1, 0}} {
		m, r := newTest(t, c.s, []string{"intercept", "x"}), rand.New(rand.NewPCG(9, 95))
		d := modeltest.Stepper{Model: m}
		rows := orderRows(r, 1000, c.level, 0)
		slices.SortStableFunc(rows, func(a, b orderRow) int { return int(a.y - b.y) })
		feed(t, &d, rows, c.forget)
		if up := slices.Contains(m.AppendFlags(nil), orderFlag); up != (c.name != "buffered") {
			t.Errorf("%s: behind the ordered rows the flag is up: %v", c.name, up)
		}
		feed(t, &d, orderRows(r, c.rows, c.level, 0), c.forget)
		sum := modeltest.Summarize(t, m, everything(&m.base))[0]
		if off := math.Abs(sum.Mean-c.level) / sum.SD; off > 3.5 || slices.Contains(m.AppendFlags(nil), orderFlag) {
			t.Errorf("%s: %.1f sds off, flags %v", c.name, off, m.AppendFlags(nil))
		}
	}
}

// The rates of past rows are those at the present fit, also of levels that come in an order and of levels that come no more, which
// make up for what the intercept moves by.
func TestOrderedRates(t *testing.T) {
	m, r := newTest(t, plain(), []string{"intercept", "x"}, "g", "h"), rand.New(rand.NewPCG(4, 95))
	d := modeltest.Stepper{Model: m}
	const levels, others, shards = 20, 6, 20
	all := &cdf.Shard{Group: make([][]int32, 2)}
	for shard := range shards {
		sh := &cdf.Shard{Rows: 50, Cols: 2, Group: make([][]int32, 2)}
		for range sh.Rows {
			x, g, h := r.NormFloat64(), (shard+r.IntN(4))%levels, r.IntN(others)
			sh.X, sh.Group[0], sh.Group[1] = append(sh.X, 1, x), append(sh.Group[0], int32(g)), append(sh.Group[1], int32(h))
			sh.Y = append(sh.Y, simulate.Count(r, math.Exp(3+.3*x-.15*float64(g)+.2*float64(h))))
		}
		d.Must(t, sh, 1)
		all.X, all.Y = append(all.X, sh.X...), append(all.Y, sh.Y...)
		for f, group := range sh.Group {
			all.Group[f] = append(all.Group[f], group...)
		}
		const far = 1e6 // so that the sums are kept
		if shard == 0 {
			m.order = order{counts: float64(far), rates: m.stats.lam[0], curvature: m.stats.lam[0]}
			for _, y := range sh.Y {
				m.order.counts += y
			}
		}
		list := modeltest.Summarize(t, m, everything(&m.base))
		rates, counts := 0.0, 0.0
		for i, y := range all.Y {
			g, h := int(all.Group[0][i]), int(all.Group[1][i])
			rates += math.Exp(list[0].Mean + list[1].Mean*all.X[2*i+1] + list[2+g].Mean + list[2+m.stats.levels(0)+h].Mean)
			counts += y
		}
		if o := m.order; math.Abs(o.counts-far-counts) > 1e-9*counts || !(math.Abs(o.rates-rates) < .01*rates) {
			t.Errorf("shard %d: %+v, want %g of %g", shard, o, rates, counts)
		}
	}
}

// A state of before there was an order to judge is read, has the same posterior, and begins to judge with its next shard.
func TestStateWithoutOrder(t *testing.T) {
	m, r := newTest(t, Defaults(), []string{"intercept", "x"}), rand.New(rand.NewPCG(3, 95))
	d := modeltest.Stepper{Model: m}
	rows := orderRows(r, 400, 1, 0)
	slices.SortStableFunc(rows, func(a, b orderRow) int { return int(a.y - b.y) })
	feed(t, &d, rows, 1)
	now, err := m.AppendBinary(nil)
	if err != nil || now[0] != ordered {
		t.Fatal(now[0], err)
	}
	before := slices.Clone(now[:len(now)-3*8])
	before[0] = format
	old := newTest(t, Defaults(), []string{"intercept", "x"})
	if err := old.UnmarshalBinary(before); err != nil {
		t.Fatal(err)
	}
	if again, err := old.AppendBinary(nil); err != nil || !bytes.Equal(again, before) {
		t.Error("a state of before is another when it is written again")
	}
	if a, b := modeltest.Summarize(t, m, everything(&m.base)), modeltest.Summarize(t, old, everything(&old.base)); a[0].Mean != b[0].Mean || a[0].Q975 != b[0].Q975 {
		t.Errorf("%+v, before %+v", a[0], b[0])
	}
	feed(t, &modeltest.Stepper{Model: old}, orderRows(r, 50, 1, 0), 1)
	if !old.TakeRounded(m) || old.order != m.order {
		t.Error("the order's sums are no part of what states are compared by")
	}
	for k := range 3 {
		bad := slices.Clone(now)
		copy(bad[len(bad)-8*(k+1):], []byte{0, 0, 0, 0, 0, 0, 0xf0, 0xbf}) // -1
		if old.UnmarshalBinary(bad) == nil {
			t.Errorf("negative sum %d", k)
		}
	}
}

// Of rows in no order a state has no sums, which releases before would not read, but for few of the first shards.
func TestNoOrderIsNotKept(t *testing.T) {
	for _, c := range []struct{ level, over float64 }{{1, 0}, {-1, 0}, {-3, 0}, {1, .6}, {4, .3}} {
		kept, states := 0, 0
		for seed := range uint64(10) {
			m, r := newTest(t, Defaults(), []string{"intercept", "x"}), rand.New(rand.NewPCG(seed, 95))
			d := modeltest.Stepper{Model: m}
			for range 40 {
				feed(t, &d, orderRows(r, 50, c.level, c.over), 1)
				if states++; m.Amended() {
					kept++
				}
			}
		}
		most := states / 100
		if c.level < -2 {
			most *= 3 // shards come before the first count
		}
		if kept > most {
			t.Errorf("level %g: %d of %d states have sums", c.level, kept, states)
		}
	}
}

// Rates of rows with effects of their own move less than the fit does, by the equation of their mode.
func TestRatesMove(t *testing.T) {
	for _, change := range []float64{-3, -.5, 0, .5, 3} {
		o := order{counts: 300, rates: 300, curvature: 100}
		o.move(change, 1)
		x := o.rates / o.curvature
		if got := x - 1 + math.Log(x-1); math.Abs(got-(2+math.Log(2)+change)) > 1e-6 || math.Abs(o.rates-150*(x-1)) > 1e-6*o.rates {
			t.Errorf("by %g: %+v", change, o)
		}
	}
	o := order{counts: 300, rates: 300, curvature: 300}
	if o.move(.5, 1); math.Abs(o.rates-300*math.Exp(.5)) > 1e-9 || o.curvature != o.rates {
		t.Errorf("without effects: %+v", o)
	}
}
