package live

import (
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// Windows part the scored shards in order, none twice and none left out, and add up to
// what is said of all of them.
func TestWindows(t *testing.T) {
	f := newFeed(1 << 20)
	if list, _, known := f.Windows("a", 5); known || list != nil {
		t.Errorf("before the first shard: %v", list)
	}
	const shards = 23
	f.Saved(home, []*pipeline.Point{point("a", 0, 1, 2)}) // never scored
	for i := int64(1); i < shards; i++ {
		f.Saved(home, []*pipeline.Point{scored(point("a", i, i+1, 2), int(i)%cdf.PITBins, 0)})
	}
	all, _, _ := f.Calibration("a")
	for _, n := range []int{1, 4, 5, 22, 100} {
		list, owned, known := f.Windows("a", n)
		if len(list) != min(n, shards-1) || !owned || !known {
			t.Fatalf("%d windows of %d, %v %v", len(list), n, owned, known)
		}
		var sum Sums
		next := int64(2)
		for _, w := range list {
			if w.From != next || w.To < w.From || w.FromTime != 1e12+w.From-1 || w.ToTime != 1e12+w.To-1 || w.Sums.Shards != w.To-w.From+1 {
				t.Errorf("of %d: %+v after shard %d", n, w, next-1)
			}
			next = w.To + 1
			sum.join(&w.Sums)
		}
		if next != shards+1 || sum.Rows != all.Rows || !slices.Equal(sum.PIT[:], all.PIT[:]) {
			t.Errorf("%d windows end at %d with %d rows of %d", n, next-1, sum.Rows, all.Rows)
		}
	}
}
