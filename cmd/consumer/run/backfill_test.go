package run

import (
	"testing"
	"time"

	"github.com/credence-stream/credence/pipeline"
)

// TestBackfillCounts: what is done is what lies in checkpoints between the begin and the
// ends of then, and the rest takes as long at the speed so far.
func TestBackfillCounts(t *testing.T) {
	b := &backfill{from: []int64{10, 0, 5}, to: []int64{20, 100, 5}, began: time.Unix(1000, 0)}
	metas := []pipeline.Meta{{Exists: true, Watermark: 15}, {}, {Exists: true, Watermark: 90}}
	if b.total() != 110 || b.done(metas) != 5 {
		t.Errorf("%d of %d are done", b.done(metas), b.total())
	}
	if _, known := b.left(0, time.Unix(1010, 0)); known {
		t.Error("before anything is done the rest is known")
	}
	metas[1] = pipeline.Meta{Exists: true, Watermark: 50}
	if left, known := b.left(b.done(metas), time.Unix(1010, 0)); !known || left != 10*time.Second {
		t.Errorf("%v are left after 10 s for 55 of 110", left)
	}
	metas[0].Watermark, metas[1].Watermark = 25, 400
	if b.done(metas) != b.total() {
		t.Errorf("%d of %d are done", b.done(metas), b.total())
	}
}
