package pipeline

// queue is records that wait for their lanes, in the lists that they were fetched in: a
// record is not moved, for the tasks of the lanes point to it.
type queue struct {
	fetched [][]Record // without those that went; none is empty
	n       int        // records
	bytes   int64
}

// push puts records at the end; the list is the queue's from then on.
func (q *queue) push(records []Record) {
	if len(records) == 0 {
		return
	}
	q.fetched = append(q.fetched, records)
	q.n += len(records)
	for i := range records {
		q.bytes += records[i].Size()
	}
}

// all visits the records, the oldest first.
func (q *queue) all(visit func(*Record) bool) {
	for _, records := range q.fetched {
		for i := range records {
			if !visit(&records[i]) {
				return
			}
		}
	}
}

// pop takes the oldest n records out.
func (q *queue) pop(n int) {
	q.n -= n
	for n > 0 {
		first := q.fetched[0]
		some := min(n, len(first))
		for i := range first[:some] {
			q.bytes -= first[i].Size()
		}
		n -= some
		if q.fetched[0] = first[some:]; some == len(first) {
			q.fetched[0] = nil // else it would be kept as long as the lists after it
			q.fetched = q.fetched[1:]
		}
	}
}

// cut takes all but the oldest n records out, at least one, and returns the offset of the
// first that went and their bytes.
func (q *queue) cut(n int) (first, bytes int64) {
	kept, gone := queue{}, queue{}
	for _, records := range q.fetched {
		some := min(n-kept.n, len(records))
		kept.push(records[:some])
		gone.push(records[some:])
	}
	first, bytes = gone.fetched[0][0].Offset, gone.bytes
	for _, records := range gone.fetched {
		clear(records) // those that stay may be in the same array
	}
	*q = kept
	return first, bytes
}

// stuckAfter is how many failed attempts in a row make a partition a stuck one:
// about a second.
const stuckAfter = 3

// stuck reports whether what was fetched ahead has no use for a while: an output is
// refused, or what stands between a record and its checkpoint is away.
func (m *machine) stuck() bool {
	for _, w := range []waitKind{waitLoad, waitPublish, waitSave} {
		if m.outages[w].attempts >= stuckAfter {
			return true
		}
	}
	return m.halted != ""
}

// shed gives the queue back, whose memory other partitions can use, but for the
// chunk that waits for its states: it is fetched again from its first record. What a fetch under way brings is not wanted then. The
// epoch that was read last stays in the position: a log that has lost it is
// another one, also where it is read again.
func (m *machine) shed() {
	kept := 0
	if m.chunk != nil {
		kept = len(m.chunk.tasks)
	}
	if m.queue.n == kept {
		return
	}
	first, bytes := m.queue.cut(kept)
	m.do(fxShed{bytes})
	m.fetchFrom.Offset, m.queueNext = first, first
	m.unwanted = m.fetching
}
