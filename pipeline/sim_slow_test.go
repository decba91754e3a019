package pipeline

import (
	"math/rand/v2"
	"slices"
	"time"
)

// DrawSlow draws a schedule in which the store is slow for minutes, of which some transactions end
// minutes after their records, and in which outputs, states or offsets are not taken for up to an hour.
func DrawSlow(seed uint64) Plan {
	p := DrawPlan(seed)
	r := rand.New(rand.NewPCG(seed, 15))
	if r.IntN(2) == 0 { // nothing else
		p.Faults = nil
	}
	for range 1 + r.IntN(2) {
		from := time.Duration(r.Int64N(int64(5 * time.Second)))
		p.Faults = append(p.Faults, Fault{Kind: StoreSlow, From: from, To: from + time.Duration(r.Int64N(int64(10*time.Minute))), N: one(r, 1, 2, 3, 5)})
	}
	if r.IntN(3) == 0 { // nothing can be written for up to an hour
		from := time.Duration(r.Int64N(int64(5 * time.Second)))
		to := from + time.Duration(r.Int64N(int64(time.Hour)))
		for _, f := range one(r, []Fault{{Kind: OutAway, N: 100}, {Kind: OutAway, N: 101}}, []Fault{{Kind: StoreFull}}, []Fault{{Kind: GroupAway, N: 100}}) {
			f.From, f.To = from, to
			p.Faults = append(p.Faults, f)
		}
	}
	for i := range p.Log {
		if a := &p.Log[i]; a.Marker && r.IntN(2) == 0 {
			a.At += time.Duration(r.Int64N(int64(3 * time.Minute)))
		}
	}
	// An offset is that of the place in the order of arrivals.
	slices.SortStableFunc(p.Log, func(a, b Arrival) int { return int(a.At - b.At) })
	return p
}

// slowest is what a message to the store takes at most between a moment and now.
func (s *Sim) slowest(since time.Duration) (d time.Duration) {
	for i := range s.Plan.Faults {
		if f := &s.Plan.Faults[i]; f.Kind == StoreSlow && f.From <= s.clock.now {
			n := time.Duration(f.N) * time.Second
			if f.To+2*n >= since { // what was sent before is on its way
				d = max(d, n)
			}
		}
	}
	return d
}
