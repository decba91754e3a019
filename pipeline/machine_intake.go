package pipeline

import (
	"errors"
	"hash/crc32"
	"slices"

	"github.com/credence-stream/credence/pipeline/depend"
	"github.com/credence-stream/credence/pipeline/quota"
)

// The way of records from the log to the lanes: fetched, queued, given to the
// lanes in chunks once their states are there.

// chunk is the first records of the queue, as many as may go to the lanes
// together. They are in the queue until they go.
type chunk struct {
	tasks   []task
	missing []*entry // states to be loaded, in the order of the tasks
	asked   []int64  // the watermarks that they were last asked for with
}

// fetch asks for more records while little is waiting.
func (m *machine) fetch() {
	if m.fetching || m.outages[waitFetch].attempts > 0 || m.ample() {
		return
	}
	m.fetching = true
	m.do(fxFetch{m.epoch, m.fetchFrom})
}

// ample reports whether enough is waiting: as much as the partition may have, or
// some megabytes of small records, which keep the lanes at work for longer than
// a fetch takes.
func (m *machine) ample() bool {
	n := m.waiting()
	return n >= m.cfg.backlog() || n >= ampleBytes && m.queue.n >= chunkRecords
}

const ampleBytes = 2 << 20

// waiting is how many bytes of records are queued or at the lanes.
func (m *machine) waiting() int64 { return m.queue.bytes + m.busyBytes }

func (m *machine) onFetched(e evFetched) {
	unwanted := m.unwanted
	m.fetching, m.unwanted = false, false
	switch {
	case errors.Is(e.err, ErrOutOfRange), errors.Is(e.err, ErrAnotherLog):
		// The claim looks at the log and decides.
		m.restart(waitClaim, 10)
	case e.err != nil:
		m.retry(waitFetch, depend.Kafka, e.err)
	case unwanted:
		m.recovered(waitFetch)
		m.do(fxShed{e.size})
	default:
		m.recovered(waitFetch)
		lend(&e.got)
		m.queue.push(e.got.Records)
		m.fetchFrom, m.queueNext, m.end = m.fetchFrom.After(&e.got), e.got.Next, e.got.End
		m.high = max(e.got.High, m.end)
	}
}

// chunkRecords bounds how many records go to the lanes, or are looked up in
// the store, at once.
const chunkRecords = 512

// lanesBusy is how many messages may be at the lanes per lane: enough that
// none starves while a result is on its way.
const lanesBusy = 4

// dispatch gives queued records to the lanes, after loading the states that
// are not in the cache. It stops at the size of a cut: the next barrier
// comes first.
//
// A state counts as a part of the open cut from when a record of it goes to a
// lane, because it will be saved. Thus the states of a cut, as they were before
// it, have no more bytes than a cut may hold, not counting its last one. There
// are two cuts at a time, one open and one in flight. What was loaded and found
// no room is clean, and the cache may let it go.
func (m *machine) dispatch() {
	for m.chunk == nil && m.running < lanesBusy*m.cfg.lanes && !m.full() && !m.settling {
		if m.queue.n == 0 {
			m.dispatched = max(m.dispatched, m.queueNext)
			return
		}
		m.chunk = m.nextChunk()
		if len(m.chunk.tasks) == 0 {
			m.chunk = nil
			return
		}
		if len(m.chunk.missing) > 0 {
			m.load()
			return
		}
		m.send()
	}
}

// full reports whether the open cut has all it may hold.
func (m *machine) full() bool {
	return m.open.records >= m.cfg.records || m.open.bytes >= m.cfg.bytes || m.crammed()
}

// nextChunk looks at the records that come next. It is empty while the lane
// of the first has enough to do.
func (m *machine) nextChunk() *chunk {
	n := min(chunkRecords, m.cfg.records-m.open.records)
	c := &chunk{tasks: m.tasks[:0]}
	bytes := int64(0)
	for r := range m.queue.all {
		if i := len(c.tasks); i >= n || i > 0 && bytes >= m.cfg.bytes {
			break
		}
		lane := m.laneOf(r.Key)
		if !m.pace.admits(lane) {
			break
		}
		c.tasks = append(c.tasks, m.newTask(r, lane, c))
		bytes += r.Size()
	}
	m.tasks = c.tasks
	return c
}

func (m *machine) newTask(r *Record, lane int, c *chunk) task {
	t := task{record: r, lane: lane}
	t.fault, t.poison = m.poisoned(r)
	if r.Refused != nil || checkKey(r.Key) != "" {
		return t
	}
	key := string(r.Key)
	e := m.cache.get(key)
	if e == nil {
		spec, ok := m.cfg.rules.Match(key)
		if !ok {
			return t
		}
		e = &entry{key: key, state: &keyState{spec: spec}, size: entryOverhead}
		e.tenant.Place = int16(quota.Place(m.cfg.rules.tenants, key) + 1)
		m.cache.add(e)
		c.missing = append(c.missing, e)
	}
	m.cache.use(e)
	e.pending++
	t.entry, t.spec = e, e.state.spec
	return t
}

func (m *machine) laneOf(key []byte) int {
	return int(crc32.Checksum(key, castagnoli) % uint32(m.cfg.lanes))
}

func (m *machine) load() {
	keys := make([]string, len(m.chunk.missing))
	for i, e := range m.chunk.missing {
		keys[i] = e.key
	}
	m.chunk.asked = m.watermarks()
	m.do(fxLoad{m.epoch, m.lease, m.chunk.asked, keys, m.cfg.bytes - m.open.bytes, m.outages[waitLoad].attempts})
}

// watermarks are those that the store may hold while this claim is good: the
// acknowledged one and the one in flight.
func (m *machine) watermarks() []int64 {
	if m.flight != nil {
		return []int64{m.acked, m.flight.to}
	}
	return []int64{m.acked}
}

// overtaken reports whether the store may have refused what it was asked because a checkpoint of this
// claim was faster: it may hold a watermark by now that was not among those of then. Who saves that
// learns whether the claim is good.
func (m *machine) overtaken(err error, asked []int64) bool {
	return errors.Is(err, ErrFenced) && slices.ContainsFunc(m.watermarks(), func(w int64) bool { return !slices.Contains(asked, w) })
}

func (m *machine) onLoaded(e evLoaded) {
	switch {
	case m.chunk == nil:
		return
	case m.overtaken(e.err, m.chunk.asked):
		m.load()
	case m.over(e.err):
	case e.err != nil:
		m.retry(waitLoad, depend.Redis, e.err)
	default:
		m.recovered(waitLoad)
		c := m.chunk
		for i, value := range e.values {
			x := c.missing[i]
			x.state.stored, x.stored, x.tenant.Lives = value, uint32(len(value)), value != nil
			m.cache.resize(x, x.state.size(x.key))
		}
		c.missing = c.missing[len(e.values):]
		m.send()
	}
}

// send hands the first of the chunk to the lanes: those whose states are there,
// until the open cut has no room for one more. The rest stays in the queue.
func (m *machine) send() {
	c := m.chunk
	n := 0
	for ; n < len(c.tasks) && !c.lacks(n) && (n == 0 || m.fits(&c.tasks[n])); n++ {
		t := &c.tasks[n]
		if !m.admit(t) {
			break
		}
		t.cut = m.open.seq
		m.touch(t.entry)
		m.busyBytes += t.record.Size()
		m.open.records++
		t.expected = m.expected
		m.open.made(t.expected)
		m.dispatched = t.record.Offset + 1
	}
	if n > 0 {
		m.follow(c.tasks[n-1].record)
	}
	for lane, tasks := range m.split(c.tasks[:n]) {
		if len(tasks) > 0 {
			m.running++
			m.do(fxApply{m.epoch, lane, tasks})
		}
	}
	if m.queue.pop(n); m.queue.n == 0 {
		m.dispatched = m.queueNext
	}
	c.tasks = c.tasks[n:]
	m.leave()
}

// admit decides what the limits say of a task that is to go to its lane. It reports whether
// the task may go now: not where that depends on records that are at the lanes.
func (m *machine) admit(t *task) bool {
	if t.entry == nil || t.entry.tenant.Place == 0 {
		return true
	}
	k := &t.entry.tenant
	a := &m.quotas[k.Place-1]
	if t.poison {
		t.pass = a.Skip(t.record.Time)
		return true
	}
	var ok bool
	t.pass, t.over, ok = a.Admit(k, t.record.Time, t.record.Value == nil)
	m.settling = !ok
	return ok
}

// settle takes the outcome of a task into the account of its tenant.
func (m *machine) settle(t *task) {
	if t.entry == nil || t.entry.tenant.Place == 0 {
		return
	}
	k := &t.entry.tenant
	if made := m.quotas[k.Place-1].Settle(k, t.pass, t.lives); made && m.flight != nil && t.cut == m.flight.seq {
		m.flight.marks[k.Place-1].Made(t.pass)
	}
}

// follow makes r the record that the open cut ends with, nil for none.
func (m *machine) follow(r *Record) {
	if r != nil {
		r.loan.hold()
	}
	if m.tail != nil {
		m.tail.loan.leave()
	}
	m.tail = r
}

// split returns the tasks of each lane, for the lanes to keep.
func (m *machine) split(tasks []task) [][]task {
	count := make([]int, m.cfg.lanes)
	for i := range tasks {
		count[tasks[i].lane]++
	}
	perLane := make([][]task, m.cfg.lanes)
	for lane, n := range count {
		perLane[lane] = make([]task, 0, n)
	}
	for _, t := range tasks {
		perLane[t.lane] = append(perLane[t.lane], t)
	}
	return perLane
}

// lacks reports whether the state of a task is still to be loaded.
func (c *chunk) lacks(i int) bool {
	return len(c.missing) > 0 && c.tasks[i].entry == c.missing[0]
}

// fits reports whether the open cut has room for a task's state, or has it
// already and has room for outputs.
func (m *machine) fits(t *task) bool {
	return m.open.bytes < m.cfg.bytes && !m.crammed() || t.entry != nil && t.entry.cut == m.open.seq && m.open.outs < m.cfg.bytes
}

// touch makes a state a part of the open cut.
func (m *machine) touch(e *entry) {
	if e == nil || e.cut == m.open.seq {
		return
	}
	e.cut = m.open.seq
	m.open.touched = append(m.open.touched, e)
	m.open.bytes += e.size - entryOverhead
}

// leave lets the chunk go: what is left of it was not begun.
func (m *machine) leave() {
	for _, t := range m.chunk.tasks {
		m.pace.back(t.lane)
		if t.entry != nil {
			t.entry.pending--
		}
	}
	for _, x := range m.chunk.missing { // never filled: not to be kept
		m.cache.remove(x)
	}
	for _, t := range m.chunk.tasks {
		if t.entry != nil && m.cache.has(t.entry) {
			m.cache.rest(t.entry)
		}
	}
	m.chunk = nil
	clear(m.tasks) // what went to the lanes is theirs
	m.evict()
}

func (m *machine) onApplied(tasks []task) {
	m.running--
	m.settling = false
	m.expect(tasks)
	for i := range tasks {
		t := &tasks[i]
		m.settle(t)
		m.pace.done(t.lane, t.seconds)
		m.busyBytes -= t.record.Size()
		if t.result.Dead == "" {
			t.record.loan.leave()
		}
		// What the barrier has overtaken weighs on the cut in flight: the open
		// one could be full of it without a record that lets it ever close.
		own := t.cut == m.open.seq
		if own {
			m.open.made(t.outBytes - t.expected)
		}
		if e := t.entry; e != nil {
			e.pending--
			if e.cut == m.open.seq {
				m.open.bytes += t.size - e.size
			}
			m.cache.resize(e, t.size)
			m.cache.rest(e)
		}
	}
}

// expect takes the outputs of the next records to be as large as those of tasks that came
// back: they count in a cut from when a record goes to a lane, or the cut would be
// larger by those of all records that are at the lanes when it is full.
func (m *machine) expect(tasks []task) {
	n := int64(0)
	for i := range tasks {
		n += tasks[i].outBytes
	}
	m.expected = n / int64(max(1, len(tasks)))
}

// look asks where the log ends while nothing is fetched, about once a second: what waits
// is lag also in an outage, in which the queue takes no more.
func (m *machine) look() {
	if m.phase != phaseRunning || m.fetching || m.looking {
		m.unread = 0
		return
	}
	if m.unread++; m.unread > m.cfg.probe {
		m.unread, m.looking = 0, true
		m.do(fxLook{m.epoch})
	}
}

func (m *machine) onLooked(e evLooked) {
	m.looking = false
	if e.err == nil { // else what was last heard stands
		m.high = max(m.high, e.end)
	}
}
