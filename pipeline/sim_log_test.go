package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"slices"
)

// simLog is the input topic's one partition: its identity, leader epochs,
// transactions, and the branches of truth that it has told so far.
type simLog struct {
	topic   int
	epoch   LeaderEpoch
	epochs  []simEpoch
	lost    map[simPlace]bool // records that a new leader did not have
	entries []simEntry        // offset = index
	start   int64
	open    map[int]int64 // first offset of each open transaction
	told    int64         // up to here the branches know
	grow    []*simBranch  // what grows as the log does
	most    func() int    // records that the next fetch may return
	lags    func() int64  // newest records that its leader does not take for committed yet
}

type simEpoch struct {
	epoch LeaderEpoch
	from  int64
}

// simPlace is where one record of a topic lies, and no other one ever.
type simPlace struct {
	epoch  LeaderEpoch
	offset int64
}

type simEntry struct {
	record Record
	hidden bool // a marker, or aborted
	gone   bool // compacted
}

var _ Log = (*simLog)(nil)

// append writes an arrival at the log's end.
func (l *simLog) append(a *Arrival) {
	r := a.Record
	r.Offset, r.Epoch = int64(len(l.entries)), l.epoch
	l.entries = append(l.entries, simEntry{record: r, hidden: a.Marker || a.Abort})
	if a.Marker {
		delete(l.open, a.Txn)
	} else if _, ok := l.open[a.Txn]; a.Txn > 0 && !ok {
		l.open[a.Txn] = r.Offset
	}
	l.tell()
}

// tell lets the branches know what has become readable.
func (l *simLog) tell() {
	for end := l.stable(); l.told < end; l.told++ {
		for _, b := range l.grow {
			b.add(&l.entries[l.told])
		}
	}
}

// stable is the last stable offset.
func (l *simLog) stable() int64 {
	end := int64(len(l.entries))
	for _, at := range l.open {
		end = min(end, at)
	}
	return end
}

// known is the last stable offset as far as the leader knows it, which may fall for a
// while, but not below what it keeps.
func (l *simLog) known() int64 { return max(l.start, l.stable()-l.lags()) }

// id is the topic's.
func (l *simLog) id() string { return fmt.Sprint("topic", l.topic) }

// elect makes a leader that has the first n records.
func (l *simLog) elect(n int64) {
	for i := range l.entries[n:] {
		r := &l.entries[n:][i].record
		l.lost[simPlace{r.Epoch, r.Offset}] = true
	}
	l.entries = l.entries[:n:n]
	l.epochs = slices.DeleteFunc(l.epochs, func(e simEpoch) bool { return e.from >= n })
	l.epoch++
	l.epochs = append(l.epochs, simEpoch{l.epoch, n})
	l.told = min(l.told, n)
}

// compact takes away what lies below an offset, but the newest record of each key.
func (l *simLog) compact(below int64) {
	newest := map[string]bool{}
	for i := below - 1; i >= 0; i-- {
		e := &l.entries[i]
		e.gone = e.gone || newest[string(e.record.Key)]
		newest[string(e.record.Key)] = true
	}
}

// recreate makes an empty log under the same name.
func (l *simLog) recreate() {
	l.topic++
	l.entries, l.start, l.told, l.epoch = nil, 0, 0, 1
	l.epochs, l.lost = []simEpoch{{1, 0}}, map[simPlace]bool{}
	clear(l.open)
}

// epochEnd is where an epoch, or the newest one below it, ends.
func (l *simLog) epochEnd(e LeaderEpoch) int64 {
	if e > l.epoch {
		return -1
	}
	for _, x := range l.epochs {
		if x.epoch > e {
			return x.from
		}
	}
	return int64(len(l.entries))
}

// Follow implements Log, as brokers do that fetch by the topic's id.
func (l *simLog) Follow(ctx context.Context, p Partition, at Position, maxBytes int, _ *Room) (Fetched, error) {
	if at.Topic != l.id() {
		return Fetched{}, ErrAnotherLog
	}
	got, err := l.Fetch(ctx, p, at.Offset, maxBytes)
	if err != nil || at.Epoch == 0 || got.Next == at.Offset {
		return got, err
	}
	if first := l.entries[at.Offset].record.Epoch; first != at.Epoch && l.epochEnd(at.Epoch) < at.Read {
		return Fetched{}, ErrAnotherLog
	}
	return got, nil
}

// Fetch implements Log.
func (l *simLog) Fetch(_ context.Context, _ Partition, from int64, _ int) (Fetched, error) {
	end := l.known()
	if from < l.start || from > int64(len(l.entries)) {
		return Fetched{}, ErrOutOfRange
	}
	to := max(from, min(end, from+int64(l.most())))
	got := Fetched{Next: to, End: end, High: int64(len(l.entries))}
	for _, e := range l.entries[from:to] {
		if e.gone {
			continue
		}
		if !e.hidden {
			got.Records = append(got.Records, e.record)
		}
		got.Epoch, got.Read = e.record.Epoch, to
	}
	got.Records, got.Free = lent(got.Records)
	return got, nil
}

// Identity implements Log.
func (l *simLog) Identity(_ context.Context, _ Partition, epoch LeaderEpoch) (Identity, error) {
	i := Identity{Topic: l.id()}
	if epoch > 0 {
		i.EpochEnd = l.epochEnd(epoch)
	}
	return i, nil
}

// Bounds implements Log.
func (l *simLog) Bounds(context.Context, Partition) (int64, int64, error) {
	return l.start, l.known(), nil
}

// Partitions implements Log.
func (l *simLog) Partitions(context.Context, string) (int, error) { return 1, nil }

// lent returns the records in memory that shows another record to who looks at it
// after it was given back.
func lent(records []Record) (_ []Record, free func()) {
	var all [][]byte
	own := func(b []byte) []byte {
		b = bytes.Clone(b)
		all = append(all, b)
		return b
	}
	for i := range records {
		r := &records[i]
		r.Key, r.Value, r.Headers = own(r.Key), own(r.Value), slices.Clone(r.Headers)
		for j := range r.Headers {
			r.Headers[j].Value = own(r.Headers[j].Value)
		}
	}
	return records, func() {
		for _, b := range all {
			copy(b, bytes.Repeat([]byte("#"), len(b)))
		}
	}
}
