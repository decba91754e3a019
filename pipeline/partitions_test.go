package pipeline_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
)

// TestNewPartitionIsNotBegun: the group hands out a partition that was added to the topic,
// and the broker that is asked for their number is behind. Its keys have states elsewhere: it
// is not begun, and the number is not pinned.
func TestNewPartitionIsNotBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pipeline.Partition{Topic: "in", ID: 4}
		b := pipelinetest.StartOn(t, &pipelinetest.Kafka{ID: p.ID, Count: 4, Log: pipelinetest.Records(3, 20)})
		for range 10 {
			<-time.After(time.Second) // of the bubble's clock
			if ok, _ := b.Ready(); ok {
				t.Fatal("it is ready")
			}
		}
		meta, err := b.Store.Meta(t.Context(), p)
		if err != nil || meta.Exists || meta.Owner != "" {
			t.Errorf("%+v and error %v: the partition was claimed", meta, err)
		}
		layout, err := b.Store.Layout(t.Context(), p.Topic)
		if err != nil || layout.Partitions >= 0 {
			t.Errorf("%+v and error %v: the number was pinned", layout, err)
		}
		b.Kafka.Set(func(k *pipelinetest.Kafka) { k.Count = 5 })
		b.ReadyWithin(t, time.Minute, true)
		b.Stop(t)
	})
}
