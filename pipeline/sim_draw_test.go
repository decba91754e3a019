package pipeline

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/pipeline/gather"
)

// DrawPlan draws a schedule from a seed.
func DrawPlan(seed uint64) Plan {
	r := rand.New(rand.NewPCG(seed, 10))
	p := Plan{
		Seed: seed, Lanes: 1 + r.IntN(3), Fetch: 1 + r.IntN(20), Interval: one(r, time.Second, 200*time.Millisecond),
		Records: one(r, 3, 5, 10, 2000), Bytes: one[int64](r, 1<<20, 1<<20, 700), Backlog: one[int64](r, 1<<20, 1<<20, 1500),
		Cache: one[int64](r, 1<<30, 1<<30, 6000, 2500, 0), SkipGap: r.IntN(2) == 0,
		Delay: one(r, 2*time.Millisecond, 20*time.Millisecond, 300*time.Millisecond), Cost: one(r, 0, time.Millisecond, 20*time.Millisecond),
	}
	span := one(r, 100*time.Millisecond, 2*time.Second, 10*time.Second)
	p.Faults = drawFaults(r, span)
	if r.IntN(6) == 0 { // a model that is slow, often without trouble that would excuse it
		p.Cost = one(r, 200*time.Millisecond, 700*time.Millisecond)
		if r.IntN(2) == 0 {
			span, p.Faults = 0, nil
		}
	}
	hurts := func(kinds ...FaultKind) bool {
		return slices.ContainsFunc(p.Faults, func(f Fault) bool { return slices.Contains(kinds, f.Kind) })
	}
	p.Log = drawRecords(r, 20+r.IntN(30), span)
	if !hurts(Truncate, Recreate) && r.IntN(3) == 0 {
		p.Log = drawTransactions(r, p.Log)
	}
	if hurts(LogStale) { // what is lost of a log was never committed, and nobody reads it
		p.Faults = slices.DeleteFunc(p.Faults, func(f Fault) bool { return f.Kind == Truncate || f.Kind == Recreate })
	}
	if hurts(Trim, Compact) {
		// A gap that is given up, or state of before it, has no one truth to compare with.
		p.Faults = slices.DeleteFunc(p.Faults, func(f Fault) bool {
			return slices.Contains([]FaultKind{StoreBack, StoreSplit, StoreEmpties, StoreDamaged, StoreForgets, Truncate, Recreate}, f.Kind)
		})
	}
	p.MinPause = one(r, 0, 5*time.Millisecond, 100*time.Millisecond, time.Hour)
	if r.IntN(2) == 0 {
		p.Gather = one(r, gather.Rule{Rows: 2}, gather.Rule{Rows: 5}, gather.Rule{Rows: 7, Millis: 6}, gather.Rule{Millis: 10})
		drawTimes(r, p.Log)
	}
	return p
}

// DrawLimits draws a schedule with limits of the keys that begin with k and of their states. Its records come in
// different minutes, and some have times that are late, or wild, once or several in a row. Now
// and then it has the command rescale in it.
func DrawLimits(seed uint64) Plan {
	p := DrawPlan(seed)
	if seed%4 == 0 {
		p = DrawRescale(seed)
	}
	// What states weigh is asked between two answers of the claim's own master: no client goes
	// from there to another master and back in between.
	p.Faults = slices.DeleteFunc(p.Faults, func(f Fault) bool { return f.Kind == StoreSplit })
	r := rand.New(rand.NewPCG(seed, 14))
	p.Keys, p.PerMinute = one[int64](r, 0, 1, 2, 3), one[int64](r, 0, 1, 1, 2, 3)
	p.Sizes = one[int64](rand.New(rand.NewPCG(seed, 59)), 0, 0, 1, 2, 3)
	if p.Keys == 0 && p.PerMinute == 0 && p.Sizes == 0 {
		p.Keys = 1
	}
	if p.PerMinute == 0 {
		return p
	}
	const minute = 60_000
	step, wild, row, from := one[int64](r, 0, 10_000, 30_000, 90_000), one(r, 0, 10, 50), 0, int64(0)
	now := int64(1e12)
	for i := range p.Log {
		x := &p.Log[i].Record
		if step > 0 {
			now += r.Int64N(step)
		}
		x.Time += now - 1e12
		if row == 0 && r.IntN(100) < wild {
			row, from = one(r, 1, 1, 3, 8, 10), one[int64](r, -now, -100*minute, -70*minute, -30*minute, 30*minute, 100*minute, 1e13, math.MaxInt64-now-1e9)
		}
		if row > 0 {
			row--
			x.Time += from
		}
	}
	return p
}

// DrawRescale draws a schedule with the command rescale in it, mostly at about the time
// when something else begins or ends. A store that is put back in time has no journal: the
// tests of the command have that.
func DrawRescale(seed uint64) Plan {
	p := DrawPlan(seed)
	p.Faults = slices.DeleteFunc(p.Faults, func(f Fault) bool {
		return slices.Contains([]FaultKind{StoreBack, StoreSplit, StoreEmpties, StoreDamaged, StoreForgets}, f.Kind)
	})
	r := rand.New(rand.NewPCG(seed, 13))
	from := time.Duration(r.Int64N(int64(3 * time.Second)))
	if len(p.Faults) > 0 && r.IntN(3) > 0 {
		f := one(r, p.Faults...)
		from = max(0, one(r, f.From, f.To)+time.Duration(r.Int64N(int64(200*time.Millisecond)))-100*time.Millisecond)
	}
	p.Faults = append(p.Faults, Fault{Kind: Rescaling, From: from, To: from + time.Millisecond + time.Duration(r.Int64N(int64(20*time.Second)))})
	return p
}

// drawTimes makes records come late now and then, and some not be accepted.
func drawTimes(r *rand.Rand, log []Arrival) {
	for i := range log {
		x := &log[i].Record
		x.Time += int64(r.IntN(9)) - 4
		if len(x.Headers) > 0 && r.IntN(12) == 0 {
			x.Value = fmt.Appendf(nil, "1 %d", toyRefuses)
		}
	}
}

func one[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// anyFault are the kinds and what their N may be.
var anyFault = []struct {
	kind FaultKind
	n    []int
}{
	{LogAway, []int{30, 100}}, {LogSilent, []int{30, 100}}, {LogBehind, []int{1, 5, 20}}, {LogStale, []int{30, 100}}, {Grown, []int{30, 100}},
	{OutAway, []int{30, 31, 100, 101}}, {OutLost, []int{30, 31, 100, 101}}, {OutLate, []int{30, 31, 100, 101}}, {OutRefuses, []int{0, 1}},
	{StoreAway, []int{30, 100}}, {StoreLost, []int{30, 100}}, {StoreLost, []int{30, 100}}, {StoreLate, []int{30, 100}}, {PinAway, []int{50, 100}}, {GroupAway, []int{30, 100}}, {GroupLate, []int{30, 100}}, {Slow, []int{20, 50}}, {Slow, []int{20, 50}}, {Slow, []int{20, 50}},
	{StoreBack, []int{0}}, {StoreBack, []int{0}}, {StoreSplit, []int{5, 30, 100}}, {StoreSplit, []int{5, 30, 100}}, {StoreEmpties, []int{0}}, {StoreDamaged, []int{0}}, {StoreForgets, []int{0}}, {StoreFull, []int{0}},
	{Elect, []int{0}}, {Truncate, []int{1, 5, 20}}, {Recreate, []int{0, 5, 20}}, {Trim, []int{0, 1, 10}}, {Compact, []int{0}},
	{LanesSlow, []int{5, 50}}, {CacheFull, []int{2, 10}},
	{Crash, []int{0}}, {Crash, []int{0}}, {Zombie, []int{0}}, {Zombie, []int{0}}, {Freeze, []int{0, 1}}, {Rebalance, []int{0, 1}}, {Rebalance, []int{0, 1}}, {Storm, []int{50, 400, 3000}}, {Empty, []int{0}},
}

// The page of guarantees says how many kinds of faults there are.
func TestFaultsAreCounted(t *testing.T) {
	kinds := map[FaultKind]bool{}
	for _, f := range anyFault {
		kinds[f.kind] = true
	}
	page, err := os.ReadFile("../docs/guarantees.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("| any of %d faults at any instant", len(kinds)); !strings.Contains(string(page), want) {
		t.Errorf("docs/guarantees.md has no %q", want)
	}
}

// drawFaults draws up to six, none in every tenth schedule. Now and then one is
// much longer than the records take to come.
func drawFaults(r *rand.Rand, span time.Duration) (faults []Fault) {
	if r.IntN(10) == 0 {
		return nil
	}
	for range 1 + r.IntN(6) {
		k := anyFault[r.IntN(len(anyFault))]
		f := Fault{Kind: k.kind, N: one(r, k.n...), From: time.Duration(r.Int64N(int64(span + 500*time.Millisecond)))}
		long := span / 2
		if r.IntN(12) == 0 {
			long = 300 * time.Second
		}
		lasts := time.Millisecond + time.Duration(r.Int64N(int64(long)))
		if len(faults) > 0 && r.IntN(2) == 0 { // at about the time when another one ends
			f.From = one(r, faults...).To + time.Duration(r.Int64N(int64(50*time.Millisecond))) - one(r, 0, lasts)
		}
		f.From = max(0, f.From)
		f.To = f.From + lasts
		faults = append(faults, f)
	}
	return faults
}

// drawRecords draws the stream that a correct worker must survive: keys that are
// deleted and come back, shards sent twice, and records of every bad kind.
func drawRecords(r *rand.Rand, n int, span time.Duration) (log []Arrival) {
	sent := map[string]int{}
	var shards []Record
	at, together := time.Duration(0), span == 0 || r.IntN(3) == 0
	for i := range n {
		if !together {
			at += time.Duration(r.Int64N(int64(2*span) / int64(n)))
		}
		key := one(r, "k0", "k1", "k2", "k3", "k4", "d0")
		x := Record{Time: 1e12 + int64(i), Key: []byte(key)}
		switch r.IntN(30) {
		case 0, 1: // a tombstone
		case 2:
			x.Value = []byte("no number")
		case 3:
			x.Value = [...][]byte{[]byte("!panic"), strconv.AppendInt(nil, toyPanics, 10), strconv.AppendInt(nil, toyBreaks, 10)}[i%3]
		case 4:
			x.Value = []byte("!numeric")
		case 5:
			x.Value = strconv.AppendInt(nil, toyLoses, 10)
		case 6:
			x.Key, x.Value = one(r, nil, []byte("unmatched")), []byte("1")
		case 7:
			x.Key, x.Refused = nil, errors.New("too large to unpack")
		case 8, 9, 10:
			if len(shards) > 0 {
				again := one(r, shards...)
				x.Key, x.Value, x.Headers = again.Key, again.Value, again.Headers
				break
			}
			fallthrough
		default:
			for range 1 + r.IntN(3) {
				x.Value = fmt.Appendf(x.Value, "%d ", 1+r.IntN(9))
			}
			if r.IntN(4) > 0 {
				sent[key]++
				x.Headers = []Header{{"credence-shard", fmt.Appendf(nil, "run%d/%d", r.IntN(10), sent[key])}}
			}
			shards = append(shards, x)
		}
		log = append(log, Arrival{At: at, Record: x})
	}
	return log
}

// drawTransactions makes runs of records transactions, which end with a marker
// some records later, or after a while.
func drawTransactions(r *rand.Rand, log []Arrival) (all []Arrival) {
	type ending struct {
		after int
		mark  Arrival
	}
	var endings []ending
	txn := 0
	for i := 0; i < len(log); i++ {
		a := log[i]
		if len(endings) == 0 && r.IntN(6) == 0 {
			txn++
			endings = append(endings, ending{i + r.IntN(5), Arrival{Txn: txn, Marker: true, Abort: r.IntN(2) == 0}})
		}
		if len(endings) > 0 {
			a.Txn, a.Abort = txn, endings[0].mark.Abort
		}
		all = append(all, a)
		if len(endings) > 0 && (endings[0].after <= i || i == len(log)-1) {
			endings[0].mark.At = a.At
			all = append(all, endings[0].mark)
			endings = nil
		}
	}
	return all
}
