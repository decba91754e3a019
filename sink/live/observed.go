package live

import (
	"encoding/binary"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// keptObserved is how many shards of a key keep their rows, the newest that have any; no more than
// it has points. Eight rows each are 256, as many as a chart has room for.
const keptObserved = 32

// Observed is a row beside what was predicted of it, and the shard that it is of.
type Observed struct {
	cdf.Observed
	T, Offset int64
	Time      int64 // of the input record, milliseconds since 1970
	// Names, Numbers and Labels are the inputs of the row as pipeline.Given has them; none
	// of a wide model.
	Names, Labels []string
	Numbers       []float64
}

// Observed returns the newest rows of a key beside what was predicted of them, at most
// limit, oldest first; owned and known as for History.
func (f *Feed) Observed(key string, limit int) (rows []Observed, owned, known bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, e := f.find(key)
	if e == nil {
		return nil, false, false
	}
	if !f.owned(e.partition) {
		return nil, false, true
	}
	at := e.rows.Oldest()
	for range e.rows.Len() {
		f.buf, at = f.pool.Read(f.buf[:0], at)
		rows = f.readRows(rows, f.buf)
	}
	return rows[max(0, len(rows)-limit):], true, true
}

// keepRows keeps the rows of a point, and lets the oldest go that there are too many of.
func (f *Feed) keepRows(e *entry, o *pipeline.Point) {
	if len(o.Observed) > 0 {
		f.buf = f.appendRows(f.buf[:0], o)
		f.pool.Push(&e.rows, f.buf)
	}
	f.bare(e)
}

// bare lets the oldest rows go while they are of too many shards, or of more than there are points.
func (f *Feed) bare(e *entry) {
	for e.rows.Len() > min(keptObserved, e.points.Len()) {
		f.buf = f.pool.Head(f.buf[:0], e.rows.Oldest(), rowsWords)
		r := reader(f.buf)
		f.words.leave(r.words())
		f.pool.Pop(&e.rows)
	}
}

const rowsWords = 4 // bytes of the wordsID of rows

const observedNumbers = 9 // of a row, beside its place in the shard

// appendRows appends the bytes of the observed rows of a point, and holds their words: the
// names of inputs, where the shard is, the rows' places in it,
// labels where there are any, and numbers.
func (f *Feed) appendRows(dst []byte, o *pipeline.Point) []byte {
	g := &o.Given
	dst = binary.LittleEndian.AppendUint32(dst, uint32(f.words.hold(useInputs, g.Names)))
	for _, n := range [...]int64{o.T, o.Offset, o.Time, int64(len(o.Observed)), int64(len(g.Labels))} {
		dst = binary.AppendVarint(dst, n)
	}
	f.numbers = f.numbers[:0]
	for i := range o.Observed {
		r := &o.Observed[i]
		dst = binary.AppendVarint(dst, r.Row)
		f.numbers = append(append(f.numbers, r.Y, r.Mean, r.PIT), r.Q[:]...)
	}
	for _, s := range g.Labels {
		dst = append(binary.AppendUvarint(dst, uint64(len(s))), s...)
	}
	return appendNumbers(dst, append(f.numbers, g.Numbers...))
}

// readRows appends the rows that the bytes have.
func (f *Feed) readRows(rows []Observed, r reader) []Observed {
	given := pipeline.Given{Names: f.words.get(r.words())}
	shard := Observed{T: r.int(), Offset: r.int(), Time: r.int(), Names: given.Names}
	n, labels, from := int(r.int()), int(r.int()), len(rows)
	for range n {
		row := shard
		row.Row = r.int()
		rows = append(rows, row)
	}
	for range labels {
		given.Labels = append(given.Labels, r.text())
	}
	count := n * (observedNumbers + len(given.Names))
	numbers := r.numbers(make([]float64, 0, count), r.there(count), count)
	given.Numbers = numbers[n*observedNumbers:]
	for i := range rows[from:] {
		row, own := &rows[from+i], numbers[i*observedNumbers:][:observedNumbers]
		row.Y, row.Mean, row.PIT = own[0], own[1], own[2]
		copy(row.Q[:], own[3:])
		row.Numbers, row.Labels = given.Row(i)
	}
	return rows
}
