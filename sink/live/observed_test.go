package live

import (
	"reflect"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// The newest shards of a key keep their rows, older ones their posterior alone; memory is
// counted of both, and a point that a reader has does not change.
func TestObservedRows(t *testing.T) {
	f := newFeed(1 << 20)
	if _, _, known := f.Observed("a", 10); known {
		t.Error("a key is known before its first shard")
	}
	const shards = keptObserved + 5
	var first *pipeline.Point
	for i := range int64(shards) {
		p := point("a", i, i+1, 3)
		p.Observed = []cdf.Observed{{Row: 0, Y: float64(i)}, {Row: 1, Y: -float64(i)}}
		p.Given = pipeline.Given{Names: []string{"x"}, Numbers: []float64{float64(i) + .25, float64(i) + .5}, Labels: []string{"", ""}}
		if i == 0 {
			first = p
		}
		f.Saved(home, []*pipeline.Point{p})
		f.check(t)
	}
	rows, owned, known := f.Observed("a", 1000)
	if len(rows) != 2*keptObserved || !owned || !known {
		t.Fatalf("%d rows, %v %v", len(rows), owned, known)
	}
	for i, r := range rows {
		at := int64(shards-keptObserved) + int64(i/2)
		if r.T != at+1 || r.Offset != at || r.Time != 1e12+at || r.Row != int64(i%2) || r.Y != float64(at)*float64(1-2*(i%2)) || r.Names[0] != "x" || r.Numbers[0] != float64(at)+.25*float64(1+i%2) {
			t.Errorf("row %d is %+v", i, r)
		}
	}
	if newest, _, _ := f.Observed("a", 3); !reflect.DeepEqual(newest, rows[len(rows)-3:]) {
		t.Errorf("the newest 3: %+v", newest)
	}
	if len(first.Observed) != 2 {
		t.Error("a point has changed")
	}
	if h, _ := f.History("a", 1000); len(h.Points) != shards || len(h.Points[0].Observed) != 0 || h.Points[0].Given.Names != nil || h.Points[0].Numbers == nil {
		t.Errorf("%d points, the oldest %+v", len(h.Points), h.Points[0].Point)
	}
	f.State(home, pipeline.State{Phase: pipeline.PhaseGone})
	if rows, owned, known := f.Observed("a", 10); len(rows) != 0 || owned || !known {
		t.Errorf("of a partition that left: %d rows, %v %v", len(rows), owned, known)
	}
}
