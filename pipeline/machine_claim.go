package pipeline

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/credence-stream/credence/pipeline/depend"
	"github.com/credence-stream/credence/pipeline/quota"
)

// Taking a partition over, giving it up, and what is never guessed.

// claim asks for ownership under a fresh token.
func (m *machine) claim() {
	m.phase = phaseClaiming
	m.do(fxClaim{})
}

func (m *machine) onClaimed(e evClaimed) {
	if m.phase != phaseClaiming {
		return
	}
	m.do(fxCount{countClaim, 1})
	switch {
	case m.over(e.err):
	case e.err != nil:
		m.phase = phaseWaiting
		m.retry(waitClaim, depend.Kafka, e.err)
	default:
		m.recovered(waitClaim)
		m.decide(e.facts)
	}
}

// decide compares what the store says with what the log is.
func (m *machine) decide(f facts) {
	meta, rules := f.meta, m.cfg.rules
	if why, remedy := f.layout.Elsewhere(m.part.Topic, f.partitions); why != "" {
		if f.another != "" {
			m.doubt(f.another, f.why, false)
			return
		}
		m.halt("partitions", why+". "+remedy)
		return
	}
	back := m.wentBack(f)
	if back {
		m.do(fxCount{countRollback, 1})
	}
	if !meta.Exists {
		m.virgin(f, back)
		return
	}
	m.known, m.committed, m.origin, m.rescaled = -1, -1, meta.Origin, f.layout.Rescaled()
	if meta.Format != StateFormat {
		m.halt("format", fmt.Sprintf("the stored state has format %d, this program writes format %d: %s", meta.Format, StateFormat, LaterRemedy))
		return
	}
	configured, ok := rules.accept(meta.Configured, meta.Watermark)
	if !ok {
		m.halt("configuration", fmt.Sprintf("the state at offset %d was made under configuration %.16s, the present one is %s: "+
			"restore it (only publish, and limits that are raised, may change in place), or use a new consumer group",
			meta.Watermark, meta.Configured[len(meta.Configured)-1].Fingerprint, rules.Config()))
		return
	}
	minutes, known := rules.minutes(meta, configured)
	if !known { // which is a part of what the log was applied under
		configured = append(slices.Clone(meta.Configured), rules.Recorded(meta.Watermark)...)
	}
	if reason, why := f.log.Another(m.part, meta); reason != "" {
		m.doubt(reason, why, f.log.Last != nil && !meta.Last.Is(f.log.Last))
		return
	}
	m.doubts = 0
	c := Checkpoint{From: meta.Watermark, To: meta.Watermark, Last: meta.Last, Configured: configured}
	if meta.Topic == "" {
		c.Topic = f.log.Identity.Topic
	}
	m.gaps = meta.Gaps
	if meta.Watermark < f.log.Start {
		if !m.cfg.onGapSkip {
			m.halt("gap", fmt.Sprintf("the log of %s begins at offset %d and offset %d is next: %d records were trimmed before they were applied. "+
				"If the store went back, restore a newer copy of it; else set on_gap: skip to go on without them, or use a new consumer group", m.part, f.log.Start, meta.Watermark, f.log.Start-meta.Watermark))
			return
		}
		m.gaps = append(append([]Gap(nil), meta.Gaps...), Gap{meta.Watermark, f.log.Start})
		c.To, c.Gaps = f.log.Start, m.gaps
		clear(m.poison) // a record may have failed for rows that are given up
	}
	m.begin(f, c, minutes, configured != nil || c.To != c.From || c.Topic != "")
}

// wentBack reports whether the store has lost checkpoints that were
// acknowledged: this process remembers a higher watermark, or the group
// offset, which follows the watermark, is ahead of it. A group that was told where to
// begin has that offset before any state.
func (m *machine) wentBack(f facts) bool {
	meta := f.meta
	if !meta.Exists {
		return m.known >= 0 || m.committed > f.past.Begin()
	}
	return meta.Watermark < m.known || meta.Watermark < m.committed
}

// virgin begins a partition without stored state: a new group where it was told to, or
// where the log starts; a lost store only where the log still has everything.
func (m *machine) virgin(f facts, lost bool) {
	if rescaled := cmp.Or(f.past.Rescaled, f.layout.Rescaled()); rescaled != "" {
		m.halt("store_lost", fmt.Sprintf("the store has lost the state of %s, and its keys had records in other partitions before the topic was rescaled (%s): "+
			"no partition's log gives it again. Restore the store, or import the export that the command rescale wrote, with state import --in FILE --force", m.part, rescaled))
		return
	}
	m.origin, m.rescaled = f.log.Start, ""
	told, origin := f.past.Told, f.past.Begin()
	if told {
		m.origin = origin
	}
	switch {
	case lost && f.log.Start > max(0, origin):
		m.halt("store_lost", fmt.Sprintf("the store has lost the state of %s (up to offset %d), and the log begins at offset %d: it cannot be rebuilt whole. "+
			"If another process of the group has another redis.url, give this one the same; else restore the store, or use a new consumer group to begin at %d, also if there never was state and somebody set the group's offset", m.part, max(m.committed, m.known), f.log.Start, f.log.Start))
		return
	case told && f.log.Start > origin:
		m.halt("gap", fmt.Sprintf("the log of %s begins at offset %d, and the group was to begin at offset %d: %d records were trimmed before they were applied. "+
			"Use a new consumer group, with run --from", m.part, f.log.Start, origin, f.log.Start-origin))
		return
	case told && f.log.End < origin:
		m.doubt("truncated", fmt.Sprintf("the log of %s ends at offset %d, and the group was to begin at offset %d: it was truncated or recreated", m.part, f.log.End, origin), false)
		return
	}
	m.doubts = 0
	m.known, m.committed = -1, -1
	m.gaps = nil
	clear(m.poison) // the log may be another one, and what fails will fail again
	m.begin(f, Checkpoint{From: -1, To: m.origin, Origin: m.origin, Topic: f.log.Identity.Topic, Last: Last{Offset: -1}, Configured: m.cfg.rules.Recorded(m.origin)}, nil, true)
}

// confirmations is how often in a row a log that looks like another one is
// looked at before it is believed: a broker that just became leader may not
// yet know its end, nor one that just came back that the topic is a new one. A
// record that is another one is proof.
const confirmations = 3

func (m *machine) doubt(reason, why string, proved bool) {
	m.doubts++
	if !proved && m.doubts < confirmations {
		m.phase = phaseWaiting
		m.do(fxWait{m.epoch, waitClaim, 50})
		return
	}
	m.halt(reason, why+". "+AnotherRemedy)
}

// begin opens an epoch at the claim's watermark. What it has to write first
// goes the way of every checkpoint and is acknowledged before the first
// record is applied. minutes are those of the tenants at the claim's watermark.
func (m *machine) begin(f facts, c Checkpoint, minutes map[string]quota.Minute, write bool) {
	m.lease, m.halted, m.why = f.lease, "", ""
	m.acked, m.last = c.From, c.Last
	m.fetchFrom = Position{Offset: c.To, Topic: f.log.Identity.Topic, Epoch: c.Last.Epoch, Read: c.Last.Offset + 1}
	m.queueNext, m.dispatched, m.end = c.To, c.To, f.log.End
	m.high = m.end
	m.open = cut{seq: 1}
	m.quotas, m.settling = nil, false
	for i := range f.held {
		limit := &m.cfg.rules.tenants[i]
		m.quotas = append(m.quotas, quota.Account{Limit: limit, Held: f.held[i].Keys, Bytes: f.held[i].Bytes, Minute: minutes[limit.Prefix]})
	}
	m.cache = newCache()
	if k := m.keep; k.cache != nil && k.token == f.meta.Owner && f.meta.Exists && k.watermark == f.meta.Watermark {
		m.cache = k.cache
		m.evict()
	}
	m.keep = retained{}
	m.phase, m.due = phaseRunning, false
	m.do(fxOpen{m.epoch, len(m.gaps)})
	m.pause()
	m.tell(watermark(f.meta))
	// Also where somebody set the offset: without records no checkpoint would come to correct it.
	if at := m.mark(); f.meta.Exists && (at.Origin > 0 || at.Rescaled != "" || at.Offset != m.heard) {
		m.do(fxNote{at})
	}
	if !write {
		m.known = m.acked
		return
	}
	c.Minutes = m.minutes(c.To, m.marks())
	m.opening, m.flight = true, &cut{to: c.To, save: c}
	m.save()
}

// mark is what the group is to note.
func (m *machine) mark() GroupOffset { return GroupOffset{m.acked, m.origin, m.rescaled} }

// tell tells the observer of what turns out to be saved of the cut that was in
// flight when the epoch before was given up: whatever lies below the stored
// watermark, for whoever saved it came to the same bits. The rest is applied
// anew.
func (m *machine) tell(watermark int64) {
	n := 0
	for n < len(m.unsettled) && m.unsettled[n].Offset < watermark {
		n++
	}
	if n > 0 {
		m.do(fxTell{m.unsettled[:n]})
	}
	m.unsettled = nil
}

// restart drops the epoch's memory and claims again after a wait.
func (m *machine) restart(wait waitKind, steps int) {
	if m.phase == phaseClosing {
		m.finish()
		return
	}
	m.drop()
	m.phase = phaseWaiting
	m.do(fxWait{m.epoch, wait, steps})
}

// halt stops the partition until what is wrong was looked at again.
func (m *machine) halt(reason, why string) {
	if m.phase == phaseClosing {
		m.finish()
		return
	}
	m.drop()
	m.phase, m.halted, m.why = phaseHalted, reason, why
	m.do(fxWait{m.epoch, waitHalt, 1})
}

func (m *machine) drop() {
	if m.flight != nil && len(m.flight.points) > 0 {
		m.unsettled = m.flight.points
	}
	m.do(fxDrop{m.epoch})
	m.epoch++
	m.cache, m.keep = newCache(), retained{}
	m.queue, m.chunk = queue{}, nil
	m.running, m.busyBytes, m.fetching, m.unwanted = 0, 0, false, false
	m.pace.reset()
	m.flight, m.tail = nil, nil
	m.opening, m.probing, m.pausing, m.looking = false, false, false, false
	clear(m.outages[:])
}

// timer goes on with what was waited for.
func (m *machine) timer(w waitKind) {
	switch {
	case w == waitFlush:
		if m.phase == phaseClosing {
			m.finish()
		}
	case w == waitClaim || w == waitFence || w == waitHalt:
		if m.phase == phaseWaiting || m.phase == phaseHalted {
			m.claim()
		}
	case m.phase != phaseRunning && m.phase != phaseClosing:
	case w == waitPause:
		m.pausing = false
	case w == waitFetch:
		// The attempts stay counted until one succeeds; pump must not ask too.
		if !m.fetching && m.phase == phaseRunning {
			m.fetching = true
			m.do(fxFetch{m.epoch, m.fetchFrom})
		}
	case w == waitLoad && m.chunk != nil:
		m.load()
	case w == waitPublish && m.flight != nil:
		m.publish()
	case w == waitSave && m.flight != nil:
		m.do(fxResolve{m.epoch})
	}
}

// retry waits out an outage: 0.1 s at first, at most 2 s.
func (m *machine) retry(w waitKind, of string, err error) {
	m.do(fxWait{m.epoch, w, min(1<<min(m.outages[w].attempts, 5), 20)})
	m.away(w, of, err)
}

// away notes what fails: the dependency that is named, unless the error names another one.
func (m *machine) away(w waitKind, of string, err error) {
	if other := new(OutageError); errors.As(err, &other) {
		of, err = other.Of, other.Err
	}
	m.outages[w] = outage{m.outages[w].attempts + 1, of, of + ": " + err.Error()}
}

func (m *machine) recovered(w waitKind) { m.outages[w] = outage{} }

// blocked returns why the partition cannot go on, by dependency; nil: it can.
func (m *machine) blocked() map[string]string {
	var by map[string]string
	for _, o := range m.outages {
		if o.why == "" || by[o.of] != "" {
			continue
		}
		if by == nil {
			by = map[string]string{}
		}
		by[o.of] = o.why
	}
	return by
}

// waitsFor says what is being waited for, "" when nothing is.
func (m *machine) waitsFor() string {
	for _, o := range m.outages {
		if o.why != "" {
			return o.why
		}
	}
	return ""
}
