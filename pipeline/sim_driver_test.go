package pipeline

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/credence-stream/credence/pipeline/quota"
)

// Sim runs one schedule: the real machine and lanes, everything else a model in
// simulated time, on one goroutine, and every order and delay from the seed. It
// is exported to the external tests of this package only.
type Sim struct {
	Plan      Plan
	Rules     *Rules
	Decoder   func() Decoder // nil: the toy, and the oracle watches
	Outputs   func() Outputs
	Observe   func(worker int, points []*Point) // told of what a checkpoint covers; nil: nobody is
	Trace     func(string)
	Sent      []Output
	Violation *Violation

	clock     simClock
	net, work *rand.Rand
	log       *simLog
	store     SimStore
	none      func() // empties the store
	damaged   bool
	replaced  simReplaced
	pages     pagePool
	truth     simTruth
	workers   []*simWorker
	owner     *simWorker
	committed int64
	noted     int64 // where the group was told to begin, or began, as far as it knows; -1 it does not
	tokens    int
	quiet     time.Duration // nothing fails any more from here on

	largest  int64 // size of a record
	updates  int   // shards given to a decoder
	restores int
	weighed  int // comparisons of what states take
	known    int // claims that did not have to weigh them
	claims   int
	failures int           // of publishing
	workAt   time.Duration // when something came after all was saved
}

// SimStore is a store that the simulator can look into and put back in time.
type SimStore interface {
	Store
	Reader
	LayoutAdmin
	StateAdmin
	// Keep returns what puts the store back to where it is now.
	Keep() (back func())
	// Lose removes a stored value and leaves the count of keys as it is.
	Lose(p Partition, key string)
	// LoseBlob removes what the stored value of a key points to.
	LoseBlob(p Partition, key string)
}

// Violation is what a schedule showed to be wrong.
type Violation struct{ Kind, What string }

// NewSim returns a run of a plan, with the toy's rules.
func NewSim(p Plan, store SimStore) *Sim {
	rules := simRules
	limit := quota.Limit{Prefix: "k", Keys: p.Keys, PerMinute: p.PerMinute}
	if p.Sizes > 0 {
		limit.KeyBytes = toyBytes(p.Sizes)
	}
	if p.Sizes > 0 && p.Seed%2 == 0 { // the same limit of keys, in bytes
		limit.Keys, limit.Bytes = 0, p.Keys*limit.KeyBytes
		if p.Keys > 0 {
			limit.Bytes += limit.KeyBytes / 2
		}
	}
	if limit.Limits() {
		rules = toyRules(limit)
	}
	s := &Sim{
		Plan: p, Rules: rules.Gathering(p.Gather), store: store, committed: p.Origin - 1, noted: p.Origin - 1, pages: pagePool{size: 8 * 70}, replaced: simReplaced{map[*Fault]*simMaster{}, map[*Fault]*simLog{}},
		net: rand.New(rand.NewPCG(p.Seed, 11)), work: rand.New(rand.NewPCG(p.Seed, 12)),
	}
	s.log = &simLog{open: map[int]int64{}, most: func() int { return 1 + s.net.IntN(s.Plan.Fetch) }, lags: s.lag}
	s.log.recreate()
	s.begin()
	s.none = s.keep()
	return s
}

var simRules = toyRules()

func (s *Sim) tracef(format string, args ...any) {
	if s.Trace != nil {
		s.Trace(fmt.Sprintf("%10v ", s.clock.now) + fmt.Sprintf(format, args...))
	}
}

func (s *Sim) violate(kind, format string, args ...any) {
	if s.Violation == nil {
		s.Violation = &Violation{kind, fmt.Sprintf("at %v: ", s.clock.now) + fmt.Sprintf(format, args...)}
		s.tracef("VIOLATION %s: %s", kind, s.Violation.What)
	}
}

// Run runs the schedule until everything is applied and saved, or halted with
// good reason; then the workers are told to stop, and what is still on its way
// arrives.
func (s *Sim) Run() *Violation {
	if s.Decoder != nil {
		s.log.grow = nil // the oracle knows the toy alone
	}
	for i := range s.Plan.Log {
		a := &s.Plan.Log[i]
		s.clock.after(a.At, func() { s.arrive(a) })
		s.quiet, s.largest = max(s.quiet, a.At), max(s.largest, a.Record.Size())
	}
	for i := range s.Plan.Faults {
		f := &s.Plan.Faults[i]
		s.quiet = max(s.quiet, f.To)
		if begin := simTroubles[f.Kind]; begin != nil {
			s.clock.after(f.From, func() { s.tracef("%s", f.Kind); begin(s, f) })
		}
	}
	s.start(s.another())
	limit := s.quiet + s.patience()
	for !s.finished() {
		switch {
		case s.Violation != nil:
			return s.Violation
		case s.clock.now > limit:
			s.violate("progress", "%v after the last trouble the watermark is %d of %d; phase %d, halted %q (%s), waits for %q",
				s.clock.now-s.quiet, s.truth.now.watermark, s.log.stable(), s.owner.m.phase, s.owner.m.halted, s.owner.m.why, s.owner.m.waitsFor())
		default:
			s.clock.next()
		}
	}
	worked := s.owner != nil && s.owner.m.phase == phaseRunning
	for _, w := range s.workers {
		s.revoke(w)
	}
	for s.Violation == nil && s.clock.next() {
	}
	for _, w := range s.workers {
		if !w.done && !w.proc.dead {
			s.violate("progress", "a worker that was told to stop has not")
		}
	}
	if worked && s.unknown() {
		s.violate("note", "the group began at offset %d, and what is noted beside its offset does not say so", s.Plan.Origin-1)
	}
	s.end()
	return s.Violation
}

// arrive writes a record to the log.
func (s *Sim) arrive(a *Arrival) {
	before := s.log.stable()
	s.log.append(a)
	if s.log.stable() > before && s.truth.now.watermark >= before {
		s.workAt = s.clock.now
	}
}

// finished reports whether nothing is left to wait for.
func (s *Sim) finished() bool {
	if s.clock.now < s.quiet || s.owner == nil {
		return false
	}
	m := s.owner.m
	if m.phase == phaseHalted && s.excused(m.halted) {
		return true
	}
	return m.phase == phaseRunning && m.acked == s.log.stable() && s.truth.now.watermark == m.acked
}
