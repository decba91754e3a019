package live

import (
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// The sums without a page are those of a feed, also where points are told again, and in
// several partitions; what became a dead letter or was deleted has none.
func TestScoredIsTheSumsOfAFeed(t *testing.T) {
	f, s := newFeed(1<<20), NewScored()
	other := pipeline.Partition{Topic: "in", ID: 1}
	f.State(other, pipeline.State{Phase: pipeline.PhaseRunning})
	tell := func(p pipeline.Partition, points ...*pipeline.Point) {
		for _, o := range points {
			o.Partition = p.ID
		}
		f.Saved(p, points)
		s.Saved(p, points)
	}
	a := []*pipeline.Point{scored(point("a", 3, 1, 1), 0, 5, 9), scored(point("b", 4, 1, 1), 39, 20), {Key: "a", Offset: 5, Deleted: true}}
	tell(home, a...)
	tell(other, scored(point("c", 3, 1, 1), 7))
	tell(home, append(a[1:], &pipeline.Point{Key: "a", Offset: 6, Dead: pipeline.StageDecode}, scored(point("b", 7, 2, 1), 1))...)
	tell(home)
	tell(home, a...)
	want, got := Together(f.Across("", "")), s.Sums()
	if got.Rows != 7 || got.Shards != 4 {
		t.Errorf("%d rows of %d shards, want 7 of 4", got.Rows, got.Shards)
	}
	if got.Keys = want.Keys; got != want {
		t.Errorf("without a page %+v\nof a feed %+v", got, want)
	}
}
