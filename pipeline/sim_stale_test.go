package pipeline

import (
	"maps"
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
