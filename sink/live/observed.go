package live

import "github.com/credence-stream/credence/cdf"

// keptObserved is how many of a key's newest points keep their rows: with eight
// of each, as many as a chart has room for.
const keptObserved = 32

// Observed is a row beside what was predicted of it, and the shard that it is of.
type Observed struct {
	cdf.Observed
	T, Offset int64
	Time      int64 // of the input record, milliseconds since 1970
}

// Observed returns the newest rows of a key beside what was predicted of them, at most
// limit, oldest first; owned and known as for History.
func (f *Feed) Observed(key string, limit int) (rows []Observed, owned, known bool) {
	h, known := f.History(key, keptObserved)
	for i := range h.Points {
		p := h.Points[i].Point
		for _, o := range p.Observed {
			rows = append(rows, Observed{o, p.T, p.Offset, p.Time})
		}
	}
	return rows[max(0, len(rows)-limit):], h.Owned, known
}

// bare takes the rows from the point that has just become too old to keep them.
// Points never change: others may be reading it.
func (f *Feed) bare(e *entry) {
	at := len(e.points) - 1 - keptObserved
	if at < 0 || len(e.points[at].Observed) == 0 {
		return
	}
	old := e.points[at].Point
	without := *old
	without.Observed = nil
	e.points[at].Point = &without
	freed := old.Size() - without.Size()
	e.bytes -= freed
	f.points -= freed
}
