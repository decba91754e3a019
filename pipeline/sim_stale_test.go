package pipeline

import (
	"maps"
	"math/rand/v2"
	"slices"
	"time"
)

// Servers that were replaced and do not know it, and groups that find no rest.

// simReplaced are the servers of before that still answer, by the fault that makes them.
type simReplaced struct {
	stores map[*Fault]*simMaster
	logs   map[*Fault]*simLog
}

// simMaster is a store of before, with what it was given since.
type simMaster struct {
	back func()
	is   *simStored
}

// storeSplit leaves the master as it is reachable for some, beside the one that goes on. A
// store that nobody can know to have had something is not split: see storeBack.
func (s *Sim) storeSplit(f *Fault) {
	if s.damaged || s.unknown() {
		return
	}
	is := s.truth.now
	s.truth.kept = append(s.truth.kept, &is)
	s.replaced.stores[f] = &simMaster{s.store.Keep(), &is}
	s.until(f, func() { delete(s.replaced.stores, f) })
}

// atStore does what a request asks for at a master that it reaches.
func (s *Sim) atStore(do func() error) error {
	for i := range s.Plan.Faults {
		f := &s.Plan.Faults[i]
		m := s.replaced.stores[f]
		if m == nil || s.damaged || s.net.IntN(100) >= f.N || s.unknown() {
			continue
		}
		s.restores++
		now, is := s.store.Keep(), s.truth.now
		m.back()
		s.truth.now = *m.is
		s.tracef("of the master of before, which is at %d", s.truth.now.watermark)
		err := do()
		m.back, *m.is = s.store.Keep(), s.truth.now
		now()
		s.truth.now = is
		return err
	}
	return do()
}

// logStale leaves the leader as it is reachable for some. The next leader has another epoch.
func (s *Sim) logStale(f *Fault) {
	old := *s.log
	old.entries, old.epochs, old.open, old.grow = slices.Clone(old.entries), slices.Clone(old.epochs), maps.Clone(old.open), nil
	s.replaced.logs[f] = &old
	s.until(f, func() { delete(s.replaced.logs, f) })
	s.log.elect(int64(len(s.log.entries)))
}

// leader is a leader that a request reaches.
func (s *Sim) leader() *simLog {
	for i := range s.Plan.Faults {
		f := &s.Plan.Faults[i]
		if old := s.replaced.logs[f]; old != nil && s.net.IntN(100) < f.N {
			return old
		}
	}
	return s.log
}

// grown is how many partitions the topic has in an answer. A topic that had more when its state
// was begun has another truth.
func (s *Sim) grown() int {
	for i := range s.Plan.Faults {
		if f := &s.Plan.Faults[i]; f.Kind == Grown && f.reigns(s.clock.now) && s.truth.now.watermark >= 0 && s.net.IntN(100) < f.N {
			return 2
		}
	}
	return 1
}

// storm takes the partition away from its owner until the fault ends.
func (s *Sim) storm(f *Fault) {
	if s.clock.now >= f.To {
		s.takeOver()
		return
	}
	if old := s.owner; !old.proc.dead && !old.revoked && !old.done {
		old.rebalanced = s.another
		s.revoke(old)
	}
	s.clock.after(min(time.Duration(f.N)*time.Millisecond, f.To-s.clock.now), func() { s.storm(f) })
}

// reset has somebody set the group's offset, which takes away what was noted beside it. Brokers refuse that while
// there are members. Where a group that was told its place has no state yet, that place is nowhere else: it is let alone.
func (s *Sim) reset(f *Fault) {
	for _, w := range s.workers {
		w.proc.dead = true
	}
	s.until(f, func() {
		if !s.working() && (s.Plan.Origin == 0 || s.truth.now.watermark >= 0) {
			s.committed, s.noted = s.resetTo(f.N), -1
			s.tracef("the group's offset is set to %d", s.committed)
		}
		s.takeOver()
	})
}

// resetTo is the first offset of the log for 0, its end for 1, 3 and 6 offsets further back and ahead for 2 to 5.
func (s *Sim) resetTo(n int) int64 {
	by := [...]int64{-1 << 40, 1 << 40, -3, -6, 3, 6}[n]
	return min(max(s.log.start, s.committed+by), s.log.stable())
}

// DrawReset draws a schedule in which somebody sets the group's offset, once or often.
func DrawReset(seed uint64) Plan {
	p := DrawPlan(seed)
	r := rand.New(rand.NewPCG(seed, 94))
	for range 1 + r.IntN(3) {
		from := time.Duration(r.Int64N(int64(4 * time.Second)))
		if len(p.Faults) > 0 && r.IntN(2) == 0 { // about where something else begins or ends
			f := one(r, p.Faults...)
			from = max(0, one(r, f.From, f.To)+time.Duration(r.Int64N(int64(200*time.Millisecond)))-100*time.Millisecond)
		}
		p.Faults = append(p.Faults, Fault{Kind: Reset, From: from, To: from + time.Millisecond + time.Duration(r.Int64N(int64(3*time.Second))), N: r.IntN(6)})
	}
	return p
}
