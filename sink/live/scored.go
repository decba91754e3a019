package live

import (
	"sync"

	"github.com/credence-stream/credence/pipeline"
)

var _ pipeline.Observer = (*Scored)(nil)

// Scored sums up how well shards were predicted and remembers nothing else, where nobody
// reads a Feed: its memory depends on the number of partitions alone. It may be used by
// several goroutines.
type Scored struct {
	mu   sync.Mutex
	told told
	sums Sums
}

// NewScored returns the sums of no shard.
func NewScored() *Scored { return &Scored{told: told{}} }

// Saved implements pipeline.Observer. Points that were told before are passed over.
func (s *Scored) Saved(p pipeline.Partition, points []*pipeline.Point) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.told.fresh(p.ID, points) {
		s.sums.add(&o.Score)
	}
}

// State implements pipeline.Observer.
func (*Scored) State(pipeline.Partition, pipeline.State) {}

// Event implements pipeline.Observer.
func (*Scored) Event(pipeline.Event) {}

// Sums returns the sums so far; keys are not counted.
func (s *Scored) Sums() Sums {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sums
}

// told is, per partition, the highest offset told of.
type told map[int32]int64

// fresh returns the points of a partition, in the order of their offsets, that were not
// told before, and notes them.
func (t told) fresh(partition int32, points []*pipeline.Point) []*pipeline.Point {
	last, known := t[partition]
	for known && len(points) > 0 && points[0].Offset <= last {
		points = points[1:]
	}
	if n := len(points); n > 0 {
		t[partition] = points[n-1].Offset
	}
	return points
}
