package pipeline

import (
	"errors"
	"time"
)

// simServer is something that answers and fails apart from the others.
type simServer int

const (
	serverLog    simServer = iota // leads the input
	serverEven                    // leads one half of the outputs
	serverOdd                     // and the other
	serverStore                   // keeps the partition's state
	serverPin                     // keeps the topic's partition count
	serverGroup                   // keeps the group offset
	serverNumber = iota
)

// simFault is what becomes of one request.
type simFault int

const (
	isFine      simFault = iota
	isRefused            // answered with an error, nothing is done
	isLost               // done, answered with an error
	isLate               // done late, answered late
	isSilent             // never answered, nothing is done
	isUnwelcome          // refused for ever, as an output may be
)

var (
	errSim        = errors.New("injected failure")
	errSimTimeout = errors.New("timed out")
)

// simFaults says whose requests a kind of fault is about, and what becomes of
// them.
var simFaults = map[FaultKind]struct {
	server simServer
	fault  simFault
}{
	LogAway: {serverLog, isRefused}, LogSilent: {serverLog, isSilent},
	OutAway: {serverEven, isRefused}, OutLost: {serverEven, isLost}, OutLate: {serverEven, isLate}, OutRefuses: {serverEven, isUnwelcome},
	StoreAway: {serverStore, isRefused}, StoreLost: {serverStore, isLost}, StoreLate: {serverStore, isLate},
	PinAway: {serverPin, isRefused}, GroupAway: {serverGroup, isRefused}, GroupLate: {serverGroup, isLate},
}

func (f *Fault) reigns(now time.Duration) bool { return f.From <= now && now < f.To }

// fate says what becomes of a request that reaches a server now.
func (s *Sim) fate(at simServer) simFault {
	for i := range s.Plan.Faults {
		f := &s.Plan.Faults[i]
		about, ok := simFaults[f.Kind]
		if ok && about.server == serverEven && f.N%2 == 1 {
			about.server = serverOdd
		}
		if ok && f.reigns(s.clock.now) && about.server == at && (about.fault == isUnwelcome || s.net.IntN(100) < f.N) {
			return about.fault
		}
	}
	return isFine
}

// full is what a store answers to a write that has no room for it.
func (s *Sim) full() error {
	for i := range s.Plan.Faults {
		if f := &s.Plan.Faults[i]; f.Kind == StoreFull && f.reigns(s.clock.now) {
			return errSim
		}
	}
	return nil
}

// delay is how long a message takes.
func (s *Sim) delay() time.Duration {
	for i := range s.Plan.Faults {
		if f := &s.Plan.Faults[i]; f.Kind == Slow && f.reigns(s.clock.now) && s.net.IntN(100) < f.N {
			return time.Duration(s.net.Int64N(int64(5 * time.Second)))
		}
	}
	return time.Duration(1 + s.net.Int64N(int64(s.Plan.Delay)))
}

// delayOf is how long a message to or from a server takes.
func (s *Sim) delayOf(at simServer) time.Duration {
	d := s.delay()
	for i := range s.Plan.Faults {
		if f := &s.Plan.Faults[i]; f.Kind == StoreSlow && f.reigns(s.clock.now) && (at == serverStore || at == serverPin) {
			half := time.Duration(f.N) * time.Second / 2
			d = max(d, half+time.Duration(s.net.Int64N(int64(half))))
		}
	}
	return d
}

// request sends a server something to do. The answer comes once, later, or not
// at all.
func (s *Sim) request(at simServer, do func() error, answer func(error)) {
	if at == serverStore {
		asked := do
		do = func() error { return s.atStore(asked) }
	}
	reply := func(err error) { s.clock.after(s.delayOf(at), func() { answer(err) }) }
	s.clock.after(s.delayOf(at), func() {
		switch s.fate(at) {
		case isFine:
			reply(do())
		case isRefused:
			reply(errSim)
		case isLost:
			_ = do()
			reply(errSim)
		case isLate:
			s.clock.after(time.Duration(s.net.Int64N(int64(2*ioTimeout))), func() { reply(do()) })
		case isUnwelcome:
			reply(&RefusedError{Topic: "out", Err: errSim})
		case isSilent:
		}
	})
}

// simStep is one request of a call.
type simStep struct {
	server simServer
	do     func() error
}

// call makes requests one after the other and tells the worker what came of
// them, or that it took too long. Where done returns nil it tells the worker itself.
func (w *simWorker) call(limit time.Duration, done func(error) event, steps ...simStep) {
	over := false
	end := func(err error) {
		if !over {
			over = true
			if ev := done(err); ev != nil {
				w.post(ev)
			}
		}
	}
	var next func()
	next = func() {
		if len(steps) == 0 {
			end(nil)
			return
		}
		step := steps[0]
		steps = steps[1:]
		w.sim.request(step.server, step.do, func(err error) {
			switch {
			case over:
			case err != nil:
				end(err)
			default:
				next()
			}
		})
	}
	next()
	w.sim.clock.after(limit, func() { end(errSimTimeout) })
}
