package pipeline

import (
	"math"
	"time"
)

// simLane is a lane that takes simulated time: one message after the other.
type simLane struct {
	w     *simWorker
	epoch epoch
	lane  *lane
	inbox []laneMessage
	busy  bool
	ended bool
	spent time.Duration // on the message at hand
	tasks []task        // at it or waiting, for the memory that they take
}

// open starts the lanes of a claim.
func (w *simWorker) open(fx fxOpen) {
	s := w.sim
	w.lanes = nil
	for range w.m.cfg.lanes {
		l := &simLane{w: w, epoch: fx.epoch}
		decoder, outputs := func() Decoder { return &toyDecoder{takes: l.takes} }, func() Outputs { return toyOutputs{} }
		if s.Decoder != nil {
			decoder, outputs = s.Decoder, s.Outputs
		}
		l.lane = &lane{part: simPartition, rules: s.Rules, gaps: fx.gaps, watched: s.Observe != nil, pages: Pages{pool: &s.pages},
			tools: newTools(decoder, outputs), clock: l.clock}
		w.lanes = append(w.lanes, l)
	}
}

// clock tells what was spent, and takes a moment.
func (l *simLane) clock() float64 {
	l.spent += time.Microsecond
	return l.spent.Seconds()
}

// takes lets the time pass that a record costs.
func (l *simLane) takes() {
	s := l.w.sim
	s.updates++
	cost, times := time.Duration(float64(s.Plan.Cost)*(.5+s.work.Float64())), 1
	for i := range s.Plan.Faults {
		if f := &s.Plan.Faults[i]; f.Kind == LanesSlow && f.reigns(s.clock.now+l.spent) {
			times = max(times, f.N)
		}
	}
	l.spent += cost * time.Duration(times)
}

func (l *simLane) take(msg laneMessage) {
	l.inbox = append(l.inbox, msg)
	l.tasks = append(l.tasks, msg.tasks...)
	l.work()
}

// work begins the next message where the lane is idle.
func (l *simLane) work() {
	if l.busy || l.ended || len(l.inbox) == 0 {
		return
	}
	msg := l.inbox[0]
	l.inbox, l.busy, l.spent = l.inbox[1:], true, 0
	var ev event
	var failed *failure
	if msg.tasks != nil {
		ev = evApplied{l.epoch, msg.tasks}
		_, failed = l.lane.apply(msg.tasks, math.Inf(1))
	} else {
		var part cutPart
		part, failed = l.lane.cut(msg.pack)
		ev = evCut{l.epoch, part}
	}
	if failed != nil {
		ev, l.ended = evFailed{l.epoch, failed.offset, failed.key, failed.err}, true
	}
	s := l.w.sim
	s.clock.after(l.spent+time.Duration(1+s.work.IntN(200))*time.Microsecond, func() {
		l.busy = false
		l.tasks = l.tasks[len(msg.tasks):]
		l.w.post(ev)
		l.work()
	})
}
