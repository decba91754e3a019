package pipeline_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// A moved key is told of as it was published: its source is the partition that it was in,
// through any number of moves.
func TestMovedKeyKeepsItsSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules, store := pipelinetest.Rules(t), storetest.NewMemory()
		k := &pipelinetest.Kafka{ID: 2, Count: 3, Log: pipelinetest.Records(5, 60)}
		b := pipelinetest.StartWith(t, k, store, rules)
		here := pipeline.Partition{Topic: "in", ID: 2}
		for {
			<-time.After(time.Second) // of the bubble's clock
			if meta, err := store.Meta(t.Context(), here); err != nil || meta.Watermark == 60 {
				break
			}
		}
		b.Stop(t)
		keys, err := store.Keys(t.Context(), here, "", "", 100)
		if err != nil || len(keys) < 5 {
			t.Fatalf("%q and error %v", keys, err)
		}
		for _, key := range keys {
			value, err := store.Get(t.Context(), here, key)
			if err != nil {
				t.Fatal(err)
			}
			was, _, err := rules.Restore(here, key, value)
			if err != nil {
				t.Fatal(err)
			}
			for at, to := range []int32{7, 9} {
				if value, err = pipeline.MoveStored(key, value, []int32{2, 7}[at]); err != nil {
					t.Fatal(err)
				}
				is, _, err := rules.Restore(pipeline.Partition{Topic: "in", ID: to}, key, value)
				if err != nil {
					t.Fatal(err)
				}
				if is.Source != was.Source || is.Offset != was.Offset || is.Outlier != was.Outlier {
					t.Errorf("key %s: %v@%d, and was %v@%d", key, is.Source, is.Offset, was.Source, was.Offset)
				}
			}
			if _, err := pipeline.MoveStored(key, value[1:], 2); err == nil {
				t.Error("damage is moved")
			}
		}
	})
}
