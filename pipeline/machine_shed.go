package pipeline

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
	rest := m.queue[kept:]
	if len(rest) == 0 {
		return
	}
	first, bytes := rest[0].Offset, int64(0)
	for i := range rest {
		bytes += rest[i].Size()
	}
	m.do(fxShed{bytes})
	clear(rest) // the chunk's records are in the same array
	m.fetchFrom.Offset, m.queueNext = first, first
	m.queue, m.queueBytes = m.queue[:kept:kept], m.queueBytes-bytes
	m.unwanted = m.fetching
}
