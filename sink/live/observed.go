package live

import (
	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// keptObserved is how many of a key's newest points keep their rows. After a key's first
// shards every fourth point has some, eight: 256 rows, as many as a chart has room for.
const keptObserved = 128

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
	h, known := f.History(key, keptObserved)
	for i := range h.Points {
		p := h.Points[i].Point
		for j, o := range p.Observed {
			numbers, labels := p.Given.Row(j)
			rows = append(rows, Observed{Observed: o, T: p.T, Offset: p.Offset, Time: p.Time, Names: p.Given.Names, Numbers: numbers, Labels: labels})
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
	without.Observed, without.Given = nil, pipeline.Given{}
	e.points[at].Point = &without
	freed := old.Size() - without.Size()
	e.bytes -= freed
	f.points -= freed
}
