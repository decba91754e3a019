package pipeline

import (
	"fmt"
	"strconv"
	"time"
)

// seen is what the observer was told last of an assignment.
type seen struct {
	state State
	told  bool
	saved time.Time // of the newest checkpoint
	owner string    // shortened token of the last claim
}

// tokenShown is how much of a claim's token is told: enough to tell claims
// apart, too little to pass as one.
const tokenShown = 8

// acknowledged tells the observer of the points that a checkpoint covers. Until
// then they were held in memory, as outputs are.
func (s *shell) acknowledged(points []*Point) {
	o := s.w.opt.Observer
	if o == nil {
		return
	}
	s.seen.saved = time.Now()
	if len(points) == 0 {
		return
	}
	n := int64(0)
	for _, p := range points {
		n += p.Size() + p.NamesSize()
	}
	o.Saved(s.a.Partition, points)
	s.hold(-n)
}

// claimed tells the observer that an epoch begins.
func (s *shell) claimed() {
	m := s.m
	s.seen.owner = m.lease.Token[:min(len(m.lease.Token), tokenShown)]
	s.happened(EventClaimed, fmt.Sprintf("claimed at offset %d, generation %d; the log ends at %d", m.fetchFrom.Offset, s.a.Generation, m.end))
}

// observe tells the observer where the partition stands, if that has changed.
func (s *shell) observe(st status) {
	o, m := s.w.opt.Observer, s.m
	if o == nil {
		return
	}
	now := State{
		Phase: PhaseRunning, Reason: st.halted, Why: st.why, Owner: s.seen.owner, Generation: s.a.Generation,
		Watermark: -1, End: -1, Saved: s.seen.saved,
	}
	if s.seen.owner != "" {
		now.Watermark, now.End = m.acked, m.end
	}
	switch {
	case st.halted != "":
		now.Phase = PhaseHalted
	case m.waitsFor() != "" || m.phase == phaseWaiting:
		now.Phase = PhaseWaiting
	case !st.ready:
		now.Phase = PhaseStarting
	}
	was := s.seen.state.Phase
	if s.seen.told && now == s.seen.state {
		return
	}
	s.seen.state, s.seen.told = now, true
	o.State(s.a.Partition, now)
	switch now.Phase {
	case was:
	case PhaseHalted:
		s.happened(EventHalted, st.halted+": "+st.why)
	case PhaseWaiting:
		s.happened(EventWaiting, st.why)
	case PhaseRunning:
		if was == PhaseHalted || was == PhaseWaiting {
			s.happened(EventResumed, fmt.Sprintf("goes on at offset %d", m.dispatched))
		}
	}
}

// gone tells the observer that the assignment has ended.
func (s *shell) gone() {
	o := s.w.opt.Observer
	if o == nil {
		return
	}
	last := s.seen.state
	last.Phase, last.Reason, last.Why = PhaseGone, "", ""
	o.State(s.a.Partition, last)
	s.happened(EventReleased, fmt.Sprintf("released at offset %d", last.Watermark))
}

func (s *shell) happened(kind, message string) {
	if o := s.w.opt.Observer; o != nil {
		o.Event(Event{Time: time.Now(), Kind: kind, Partition: s.a.Partition, Message: message})
	}
}

// depend tells what watches the dependencies which of them the partition waits for.
func (s *shell) depend(now map[string]string) {
	who, w := s.a.String(), s.w.opt.Depend
	for of := range s.waits {
		if now[of] == "" {
			w.Answered(of, who)
		}
	}
	for of, why := range now {
		if s.waits[of] != why {
			w.Blocked(of, who, why)
		}
	}
	s.waits = now
}

func (s *shell) gauges(lag, newest int64, c *cache) {
	var now [2]int64
	now[0], now[1] = c.held()
	s.w.opt.Metrics.hold(now[0]-s.cached[0], now[1]-s.cached[1])
	s.cached = now
	topic, part := s.a.Topic, strconv.Itoa(int(s.a.ID))
	s.w.opt.Metrics.lag.WithLabelValues(topic, part).Set(float64(lag))
	if newest > 0 {
		age := time.Since(time.UnixMilli(newest)).Seconds()
		s.w.opt.Metrics.eventLag.WithLabelValues(topic, part).Set(age)
	}
}

func (s *shell) count(fx fxCount) {
	m := s.w.opt.Metrics
	switch fx.metric {
	case countFenced:
		m.fenced.Add(float64(fx.n))
		s.happened(EventFenced, "given up: another process has claimed the partition, or the store is not where this one left it")
	case countRollback:
		m.rollbacks.Add(float64(fx.n))
		s.happened(EventRolledBack, "the group's offset is above the state: the store had lost acknowledged checkpoints, or another process of the group works with another one, and the log is replayed; or state repair or state delete dropped it; or somebody set the offset, which changes nothing")
		s.w.opt.Logger.Warn("store went back", "topic", s.a.Topic, "partition", s.a.ID, "advice", "the group's offset is above the state. Redis had lost acknowledged checkpoints, and the log is replayed: check its persistence, and that all processes of the group have the same redis.url. "+
			"Or state repair or state delete dropped the state, and this is the rebuild; or somebody set the offset, which changes nothing: to begin elsewhere, use a new consumer group with run --from")
	case countClaim:
		m.claims.Add(float64(fx.n))
	case countEvicted:
		m.evictions.Add(float64(fx.n))
	}
}
