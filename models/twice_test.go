package models_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

var twiceStreams = flag.Int("twice-streams", 10, "streams of each sort by which rows that come again are counted")

// comesAgain are streams of linear a part of whose rows comes again in its shard, copies times.
type comesAgain struct {
	bent
	unit   float64 // of the responses, 0: none
	part   float64
	copies int
}

// batch makes a shard.
func (c *comesAgain) batch(r *rand.Rand, shard int) *cdf.Batch {
	n := c.rows(shard)
	x, y := make([][]float64, 2), []float64(nil)
	for len(y) < n {
		x0, x1 := r.NormFloat64(), r.NormFloat64()
		v := .5*x0 - .3*x1 + r.NormFloat64()
		if c.unit > 0 {
			v = c.unit * math.Round(v/c.unit)
		}
		times := 1
		if c.part > 0 && r.Float64() < c.part {
			times += c.copies
		}
		for range times {
			x[0], x[1], y = append(x[0], x0), append(x[1], x1), append(y, v)
		}
	}
	return numberedBatch(shard, x, y)
}

// stream returns the first shard with the flag, whether the last has it, and whether the interval of x0 has its slope then.
func (c *comesAgain) stream(spec *cdf.Spec, s int) (first int, last, held bool, err error) {
	r := rand.New(rand.NewPCG(uint64(s), 122))
	f := cdf.NewFilter(spec, strconv.Itoa(s))
	for shard := range c.shards {
		sum, err := f.Update(c.batch(r, shard))
		if err != nil {
			return 0, false, false, err
		}
		if last = slices.Contains(sum.Flags, cdf.RepeatedRowsFlag); last && first == 0 {
			first = shard + 1
		}
		if shard+1 == c.shards {
			row := sum.Rows[slices.IndexFunc(sum.Rows, func(r cdf.Row) bool { return r.Variable == "beta[x0]" })]
			held = row.Q025 <= .5 && .5 <= row.Q975
		}
	}
	return first, last, held, nil
}

// Rows that come again in their shards are told of in nearly all streams, and others in none (-twice-streams 1000).
func TestComeAgain(t *testing.T) {
	for _, c := range []comesAgain{
		{bent: bent{name: "once", shards: 60, rows: rows(20)}},
		{bent: bent{name: "once, tenths", shards: 60, rows: rows(20)}, unit: .1},
		{bent: bent{name: "once, integers, 4 and 300 rows", shards: 20, rows: rows(4, 300)}, unit: 1},
		{bent: bent{name: "one in 20 twice", shards: 60, rows: rows(20)}, part: .05, copies: 1},
		{bent: bent{name: "one in 20 twice, 100 rows", shards: 30, rows: rows(100)}, part: .05, copies: 1},
		{bent: bent{name: "one in 20 twice, tenths, 100 rows", shards: 30, rows: rows(100)}, unit: .1, part: .05, copies: 1},
		{bent: bent{name: "one in five twice", shards: 30, rows: rows(20)}, part: .2, copies: 1},
		{bent: bent{name: "twice", shards: 30, rows: rows(20)}, part: 1, copies: 1},
		{bent: bent{name: "twice, tenths", shards: 30, rows: rows(20)}, unit: .1, part: 1, copies: 1},
		{bent: bent{name: "four times", shards: 30, rows: rows(20)}, part: 1, copies: 3},
	} {
		c.kind, c.columns = "linear", 2
		spec := c.spec(t)
		ever, end, first, held := flaggedHeld(t, *twiceStreams, func(s int) (int, bool, bool, error) { return c.stream(spec, s) })
		t.Logf("%s: up in %d of %d streams, at the end in %d, first at shard %.1f; the slope is held in %d", c.name, ever, *twiceStreams, end, first, held)
		if c.part > 0 && end < *twiceStreams*9/10 || c.part == 0 && ever > 0 {
			t.Errorf("%s: up in %d of %d streams, at the end in %d", c.name, ever, *twiceStreams, end)
		}
	}
}

// A shard is taken back with what it told of rows that come again, and a state that is read goes on as one that was not.
func TestComeAgainIsTakenBack(t *testing.T) {
	for _, part := range []float64{0, .2, 1} {
		c, r := comesAgain{bent: bent{kind: "linear", columns: 2, rows: rows(9)}, part: part, copies: 1}, rand.New(rand.NewPCG(4, 122))
		takenBack(t, c.spec(t), 20, func(shard int) *cdf.Batch { return c.batch(r, shard) })
	}
}

// Rows that begin to come twice when not every shard is looked at any more are told of, and their part of all rows is about known.
func TestComeAgainLate(t *testing.T) {
	c, r := comesAgain{bent: bent{kind: "linear", columns: 2, rows: rows(100)}, copies: 1}, rand.New(rand.NewPCG(6, 122))
	f := cdf.NewFilter(c.spec(t), "k")
	for shard := range 200 {
		if shard == 100 {
			c.part = 1
		}
		sum, err := f.Update(c.batch(r, shard))
		if err != nil {
			t.Fatal(err)
		}
		told := slices.Contains(sum.Flags, cdf.RepeatedRowsFlag)
		if told && shard < 100 || !told && shard >= 140 {
			t.Errorf("shard %d: told %v", shard, told)
		}
	}
	if got := f.RepeatedRows(); math.Abs(got-.25) > .05 {
		t.Errorf("%v of the rows came before, want about .25", got)
	}
}

// The part of the rows that came before is known, and 0 where nothing is told.
func TestRepeatedRowsAreKnown(t *testing.T) {
	for part, want := range map[float64]float64{0: 0, .5: 1. / 3, 1: .5} {
		c, r := comesAgain{bent: bent{kind: "linear", columns: 2, rows: rows(20)}, part: part, copies: 1}, rand.New(rand.NewPCG(5, 122))
		f := cdf.NewFilter(c.spec(t), "k")
		if got := f.RepeatedRows(); got != 0 {
			t.Errorf("before the first shard %v of the rows", got)
		}
		for shard := range 20 {
			if _, err := f.Update(c.batch(r, shard)); err != nil {
				t.Fatal(err)
			}
		}
		if got := f.RepeatedRows(); math.Abs(got-want) > .05 {
			t.Errorf("%v come again: %v of the rows, want %v", part, got, want)
		}
	}
}
