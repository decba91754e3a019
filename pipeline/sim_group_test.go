package pipeline

import (
	"context"
	"slices"
	"time"
)

// The group, and what goes wrong at once rather than to requests.

// share is what others leave to a worker of its cache or its backlog.
func (s *Sim) share(share int64) int64 {
	for i := range s.Plan.Faults {
		if f := &s.Plan.Faults[i]; f.Kind == CacheFull && f.reigns(s.clock.now) {
			share /= int64(f.N)
		}
	}
	return share
}

// another is a process that is free: one that had the partition before, or a new
// one.
func (s *Sim) another() *simProcess {
	var free []*simProcess
	for _, w := range s.workers {
		if w.done && w.proc.worker == w && !w.proc.dead && !w.proc.frozen {
			free = append(free, w.proc)
		}
	}
	if len(free) > 0 && s.net.IntN(3) > 0 {
		return free[s.net.IntN(len(free))]
	}
	return &simProcess{left: memory{known: -1}}
}

// takeOver gives the partition to a new process unless somebody has it who was
// not told to stop.
func (s *Sim) takeOver() {
	if o := s.owner; o == nil || o.proc.dead || o.revoked {
		s.start(s.another())
	}
}

func (s *Sim) revoke(w *simWorker) {
	if !w.revoked && !w.done && !w.proc.dead {
		w.revoked = true
		w.watch.revoke(w)
		w.post(evRevoked{})
	}
}

// ended gives the partition on, where it was taken away for that and nobody else
// has it.
func (s *Sim) ended(w *simWorker) {
	w.watch.ended(w)
	if w == s.owner && w.rebalanced != nil {
		s.start(w.rebalanced())
	}
}

// note is what the group has of a commit: where it began only if records lay below.
func (s *Sim) note(at GroupOffset) {
	s.committed, s.noted = at.Offset, -1
	if at.Origin > 0 {
		s.noted = at.Origin
	}
}

// lag is how many of the newest records a new leader does not take for committed yet.
func (s *Sim) lag() (n int64) {
	for i := range s.Plan.Faults {
		if f := &s.Plan.Faults[i]; f.Kind == LogBehind && f.reigns(s.clock.now) {
			n = max(n, int64(f.N))
		}
	}
	return n
}

// until does something when a fault ends.
func (s *Sim) until(f *Fault, do func()) { s.clock.after(f.To-s.clock.now, do) }

// simTroubles begin what happens to the whole of a part; each sees to its end.
var simTroubles map[FaultKind]func(*Sim, *Fault)

func init() {
	simTroubles = map[FaultKind]func(*Sim, *Fault){
		StoreBack:    (*Sim).storeBack,
		StoreEmpties: (*Sim).storeEmpties,
		StoreDamaged: func(s *Sim, f *Fault) { s.storeLoses(f, s.store.LoseBlob) },
		StoreForgets: func(s *Sim, f *Fault) { s.storeLoses(f, s.store.Lose) },
		Elect:        func(s *Sim, _ *Fault) { s.log.elect(int64(len(s.log.entries))) },
		Truncate:     (*Sim).truncate,
		Recreate:     (*Sim).recreate,
		Trim:         (*Sim).trim,
		Compact:      func(s *Sim, _ *Fault) { s.log.compact(s.truth.now.watermark) },
		Crash:        (*Sim).crash,
		Zombie:       (*Sim).zombie,
		Freeze:       (*Sim).freeze,
		Rebalance:    (*Sim).rebalance,
		Storm:        (*Sim).storm,
		StoreSplit:   (*Sim).storeSplit,
		LogStale:     (*Sim).logStale,
		Empty:        (*Sim).empty,
		Reset:        (*Sim).reset,
		Rescaling:    (*Sim).rescale,
		CountEvicted: (*Sim).evictCount,
		StatesBack:   (*Sim).importAgain,
	}
}

func (s *Sim) crash(f *Fault) {
	s.owner.proc.dead = true
	s.until(f, s.takeOver)
}

func (s *Sim) zombie(f *Fault) {
	old := s.owner
	s.start(s.another())
	s.until(f, func() { s.revoke(old) })
}

func (s *Sim) freeze(f *Fault) {
	old := s.owner
	if old.proc.frozen {
		return
	}
	old.proc.frozen = true
	if f.N != 1 {
		s.clock.after((f.To-f.From)/2, func() {
			if s.owner == old {
				s.start(s.another())
			}
		})
	}
	s.until(f, func() {
		old.proc.frozen = false
		for _, do := range old.proc.waiting {
			do()
		}
		old.proc.waiting = nil
		if s.owner != old {
			s.revoke(old)
		}
	})
}

func (s *Sim) rebalance(f *Fault) {
	old := s.owner
	if !old.revoked && !old.done {
		old.rebalanced = s.another
		if f.N != 1 {
			old.rebalanced = func() *simProcess { return old.proc }
		}
		s.revoke(old)
	}
	s.until(f, s.takeOver)
}

// empty ends all processes. Where none has begun by the end of the fault, the brokers
// have forgotten what they had of the group; what its state says, the next one notes again.
func (s *Sim) empty(f *Fault) {
	for _, w := range s.workers {
		w.proc.dead = true
	}
	s.until(f, func() {
		if !s.working() && s.truth.now.watermark >= 0 {
			s.committed, s.noted = -1, -1
		}
		s.takeOver()
	})
}

// working reports whether the group has members.
func (s *Sim) working() bool {
	return slices.ContainsFunc(s.workers, func(w *simWorker) bool { return !w.done && !w.proc.dead })
}

// storeBack and storeLoses leave a store alone that is damaged already: what is
// kept of it would bring the damage back. A store that nobody can know to have had
// something is not emptied: where a group began is in the state or beside its offset.
func (s *Sim) storeBack(f *Fault) {
	if s.damaged {
		return
	}
	was, back := s.truth.now.watermark, s.keep()
	s.until(f, func() {
		if was >= 0 || !s.unknown() {
			back()
		}
	})
}

func (s *Sim) storeEmpties(*Fault) {
	if !s.unknown() {
		s.none()
	}
}

func (s *Sim) unknown() bool { return s.Plan.Origin > 0 && s.noted < 0 }

func (s *Sim) storeLoses(f *Fault, lose func(Partition, string)) {
	keys, err := s.store.Keys(context.Background(), simPartition, "", "", 1)
	if err != nil || len(keys) == 0 || s.damaged {
		return
	}
	back := s.keep()
	s.damaged = true
	lose(simPartition, keys[0])
	s.until(f, func() {
		s.damaged = false
		back()
	})
}

func (s *Sim) truncate(f *Fault) {
	n := max(s.log.start, int64(len(s.log.entries)-f.N))
	s.log.elect(n)
	s.fork(n)
}

func (s *Sim) recreate(f *Fault) {
	old := s.log.entries[:min(f.N, len(s.log.entries))]
	s.log.recreate()
	s.fork(-1)
	for i := range old {
		s.arrive(&Arrival{Record: old[i].record})
	}
}

func (s *Sim) trim(f *Fault) {
	s.log.start = max(s.log.start, s.truth.now.watermark)
	s.log.start = min(s.log.stable(), s.log.start+2*int64(f.N))
}

// patience is how long it may take from the end of all trouble to a checkpoint
// of everything: a request that was sent before times out, a halt or a doubted
// log is looked at again, the longest back-off passes, and the work is done.
func (s *Sim) patience() time.Duration {
	return ioTimeout + 10*time.Second + confirmations*5*time.Second + 5*time.Second + 30*time.Second + s.workAhead()
}

// workAhead is what all records cost, one after the other, with their checkpoints
// and one that was begun while lanes were slow.
func (s *Sim) workAhead() time.Duration {
	n, slowest := time.Duration(len(s.Plan.Log)), s.Plan.Cost
	for i := range s.Plan.Faults {
		if f := &s.Plan.Faults[i]; f.Kind == LanesSlow {
			slowest = max(slowest, time.Duration(f.N)*s.Plan.Cost)
		}
	}
	return 3*n*s.Plan.Cost + 2*slowest + n*20*s.Plan.Delay
}
