package pipeline

import (
	"errors"
	"fmt"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/fault"
	"github.com/credence-stream/credence/pipeline/depend"
	"github.com/credence-stream/credence/pipeline/quota"
)

// The life of a checkpoint. The order is the guarantee: outputs acknowledged
// by Kafka, then state and watermark by one compare-and-set, then the group
// offset. One checkpoint is under way at a time.

// barrier starts a checkpoint when one is due, or nothing else is to be done, and
// none is under way.
func (m *machine) barrier() {
	work := m.dispatched > m.acked
	if m.flight != nil || !work || (!m.due && !m.full() && !m.idle() && m.phase != phaseClosing) {
		return
	}
	m.due = false
	c := m.open
	c.to, c.waiting = m.dispatched, m.cfg.lanes
	if m.tail != nil {
		m.last = LastOf(m.tail)
	}
	c.save, c.marks = Checkpoint{From: m.acked, To: c.to, Last: m.last}, m.marks()
	m.follow(nil)
	m.flight = &c
	m.open = cut{seq: c.seq + 1}
	m.do(fxBarrier{m.epoch, m.cache.crowded(m.limit)})
}

// A store takes about savedBytes of keys and values at once and puts the rest apart
// first, value by value. What that costs is little beside a large value: a cut of
// fewer than fewStates states is as large as it may be.
const (
	savedBytes = 1000 << 10
	fewStates  = 256
)

// crammed reports whether the open cut has as many small states as a store takes at
// once, if they are like those of the cut before.
func (m *machine) crammed() bool {
	n := len(m.open.touched)
	return n >= fewStates && int64(n)*m.typical >= savedBytes
}

// idle reports whether all that the log has was processed, so that a checkpoint
// holds nothing up. The pause before it bounds what that costs the store and the
// broker.
func (m *machine) idle() bool {
	return !m.pausing && m.running == 0 && m.chunk == nil && m.queue.n == 0 && m.fetchFrom.Offset >= m.end
}

// pause lets some time pass before the next checkpoint that is not due. One that
// is due meanwhile does not make it longer.
func (m *machine) pause() {
	if !m.pausing {
		m.pausing = true
		m.do(fxWait{m.epoch, waitPause, 1})
	}
}

func (m *machine) onCut(part cutPart) {
	c := m.flight
	c.save.Changes = append(c.save.Changes, part.changes...)
	m.weigh(c, part.changes)
	c.outputs = merge(c.outputs, part.outputs, func(o *Output) int64 { return o.Offset })
	c.points = merge(c.points, part.points, func(p **Point) int64 { return (*p).Offset })
	c.pages = append(c.pages, part.pages)
	c.waiting--
	if c.waiting == 0 {
		c.save.Weights, c.save.Minutes = m.weights(c), m.minutes(c.to, c.marks)
		m.typical = typical(c.save.Changes)
		m.publish()
	}
}

// weigh notes by how many bytes the states of tenants grow with the changes of a cut.
func (m *machine) weigh(c *cut, changes []Change) {
	if len(m.quotas) == 0 {
		return
	}
	if c.grown == nil {
		c.grown = make([]int64, len(m.quotas))
	}
	for i := range changes {
		e := m.cache.get(changes[i].Key) // it is there: what is not saved is not let go
		n := uint32(len(changes[i].Value))
		if at := int(e.tenant.Place) - 1; at >= 0 {
			c.grown[at] += int64(n) - int64(e.stored)
		}
		e.stored = n
	}
}

// weights are what the states of tenants have with a cut, for the next claim.
func (m *machine) weights(c *cut) (w quota.Weights) {
	if len(m.quotas) == 0 {
		return w
	}
	w = quota.Weights{Token: m.lease.Token, At: c.to, Bytes: make(map[string]int64, len(m.quotas))}
	for i := range m.quotas {
		w.Bytes[m.quotas[i].Limit.Prefix] = m.quotas[i].Bytes + c.grown[i]
	}
	return w
}

// marks are the minutes of the tenants where the records end that were given to the lanes.
func (m *machine) marks() []quota.Mark {
	all := make([]quota.Mark, len(m.quotas))
	for i := range m.quotas {
		all[i] = m.quotas[i].Mark()
	}
	return all
}

// minutes are those of the tenants that have a limit by the minute, at a watermark.
func (m *machine) minutes(at int64, marks []quota.Mark) (all quota.Minutes) {
	for i := range m.quotas {
		if l := m.quotas[i].Limit; l.PerMinute > 0 {
			if all.By == nil {
				all = quota.Minutes{At: at, By: map[string]quota.Minute{}}
			}
			all.By[l.Prefix] = marks[i].Minute
		}
	}
	return all
}

// typical is the mean of what the changes take in a store.
func typical(changes []Change) int64 {
	n := 0
	for i := range changes {
		n += len(changes[i].Key) + len(changes[i].Value)
	}
	return int64(n / max(1, len(changes)))
}

// merge merges b into a, both in order of their offsets; what a record left
// stays in its order.
func merge[T any](a, b []T, offset func(*T) int64) []T {
	if len(a) == 0 {
		return b
	}
	i, j := len(a)-1, len(b)-1
	a = append(a, b...)
	for k := len(a) - 1; j >= 0; k-- {
		if i >= 0 && offset(&a[i]) > offset(&b[j]) {
			a[k] = a[i]
			i--
		} else {
			a[k] = b[j]
			j--
		}
	}
	return a
}

func (m *machine) publish() {
	if len(m.flight.outputs) == 0 {
		for i := range m.flight.pages {
			m.flight.pages[i].giveUp()
		}
		m.save()
		return
	}
	m.flight.sent = len(m.flight.outputs)
	if m.halted != "" {
		m.flight.sent = 1 // what was refused, before anything else
	}
	m.do(fxPublish{m.epoch, m.lease, m.watermarks(), m.flight.outputs[:m.flight.sent]})
}

func (m *machine) onPublished(e evPublished) {
	c := m.flight
	c.outputs = slices.Concat(e.rest, c.outputs[c.sent:])
	var refused *RefusedError
	switch {
	case e.err == nil:
		m.recovered(waitPublish)
		m.halted, m.why = "", ""
		m.publish()
	case m.over(e.err):
	case errors.As(e.err, &refused):
		m.refuse(e.err)
	default:
		m.retry(waitPublish, depend.Kafka, e.err)
	}
}

// refuse halts the partition and keeps the cut: nothing of it that is
// acknowledged is sent again, and what was refused is tried alone now and then.
func (m *machine) refuse(err error) {
	if m.phase == phaseClosing {
		m.finish()
		return
	}
	m.halted, m.why = "output", err.Error()
	m.do(fxWait{m.epoch, waitPublish, refusedSteps})
}

// refusedSteps are ten seconds, as for other halts.
const refusedSteps = 100

func (m *machine) save() {
	m.do(fxSave{m.epoch, m.lease, m.flight.save})
}

func (m *machine) onSaved(err error) {
	switch {
	case err == nil:
		m.saved()
	case m.over(err):
	default:
		// It may or may not have happened: wait, then look before trying again.
		m.retry(waitSave, depend.Redis, err)
	}
}

func (m *machine) onMeta(e evMeta) {
	switch c := m.flight; {
	case c == nil:
		return
	case m.over(e.err):
	case e.err != nil:
		m.retry(waitSave, depend.Redis, e.err)
	case e.meta.Owner == m.lease.Token && watermark(e.meta) == m.acked:
		m.save() // also where it ends there: what it sets besides may be lost
	case e.meta.Owner == m.lease.Token && watermark(e.meta) == c.to:
		m.saved()
	default:
		m.fenced()
	}
}

// watermark is the stored one, -1 where nothing is stored.
func watermark(meta Meta) int64 {
	if !meta.Exists {
		return -1
	}
	return meta.Watermark
}

// saved makes what the checkpoint covers clean. The store has answered: what an
// idle look found is over too, for while there is always something to write
// nobody looks again.
func (m *machine) saved() {
	m.recovered(waitSave)
	m.recovered(waitProbe)
	c := m.flight
	m.flight, m.acked, m.opening = nil, c.to, false
	m.known = max(m.known, m.acked)
	for i, n := range c.grown {
		m.quotas[i].Bytes += n
	}
	for _, e := range c.touched {
		if e.cut == c.seq {
			e.cut = 0
			m.cache.rest(e)
		}
	}
	for offset := range m.poison {
		if offset < m.acked {
			delete(m.poison, offset)
		}
	}
	m.evict()
	m.do(fxCommit{m.mark(), c.points})
	m.pause()
}

// evict keeps the cache within its limit, which may have fallen.
func (m *machine) evict() {
	if n := m.cache.evict(m.limit); n > 0 {
		m.do(fxCount{countEvicted, n})
	}
}

// tick looks after a claim that has nothing to write: a store that went back
// in time must be noticed also by an idle owner.
func (m *machine) tick() {
	m.ticks++
	if m.phase != phaseRunning || m.probing || m.ticks < m.cfg.probe || m.flight != nil || m.dispatched != m.acked {
		return
	}
	m.ticks, m.probing, m.probed = 0, true, m.watermarks()
	m.do(fxProbe{m.epoch, m.lease, m.probed})
}

func (m *machine) onProbed(err error) {
	m.probing = false
	switch {
	case m.overtaken(err, m.probed):
	case m.over(err):
	case err != nil: // the next tick tries again
		m.away(waitProbe, depend.Redis, err)
	default:
		m.recovered(waitProbe)
	}
}

// damagedRemedy says what to do with state that cannot be right.
const damagedRemedy = ": restore the store, or run the command state repair, which says what is wrong and has it rebuilt from the log"

// over gives the epoch up where the store says that it is over: the claim is somebody
// else's, or what is stored cannot be right. Every other error is an outage.
func (m *machine) over(err error) bool {
	switch {
	case errors.Is(err, ErrFenced):
		m.fenced()
	case errors.Is(err, ErrDamaged):
		m.halt("damaged", err.Error()+damagedRemedy)
	default:
		return false
	}
	return true
}

// fenced gives the claim up: somebody else owns the partition, or the store
// is not where this claim left it. The wait lets a zombie learn that its
// generation is over before it could claim again.
func (m *machine) fenced() {
	m.do(fxCount{countFenced, 1})
	m.restart(waitFence, 1)
}

// onFailed handles a record that its lane could not get past. State that
// cannot be read halts the partition; failed arithmetic drops the memory,
// and the replay makes that record a dead letter.
func (m *machine) onFailed(e evFailed) {
	switch {
	case errors.Is(e.err, cdf.ErrLater):
		m.halt("format", fmt.Sprintf("%s, offset %d: %v: %s", m.part, e.offset, e.err, LaterRemedy))
		return
	case errors.Is(e.err, ErrDamaged):
		m.halt("damaged", fmt.Sprintf("%s, offset %d: %v", m.part, e.offset, e.err)+damagedRemedy)
		return
	}
	m.poison[e.offset] = failed{m.fetchFrom.Epoch, fault.In(e.err)}
	m.restart(waitClaim, 0)
}

// revoke ends the assignment: what the lanes were given is saved, what they
// were not given is forgotten.
func (m *machine) revoke() {
	if m.phase == phaseDone {
		return
	}
	if m.phase != phaseRunning {
		m.finish()
		return
	}
	m.phase = phaseClosing
	if m.chunk != nil {
		m.leave()
	}
	m.queue = queue{}
	m.do(fxWait{m.epoch, waitFlush, 1})
}

// close finishes when the last checkpoint is acknowledged, and keeps the
// cache for a claim that follows directly.
func (m *machine) close() {
	if m.flight == nil && m.dispatched == m.acked && m.running == 0 {
		m.keep = retained{m.cache, m.lease.Token, m.acked}
		m.finish()
	}
}

func (m *machine) finish() {
	m.phase = phaseDone
	m.do(fxDrop{m.epoch})
	m.epoch++
	m.do(fxDone{})
}
