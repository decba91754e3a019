package pipeline_test

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
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

// TestLostCountIsNotPinnedAnew: the store does not have how many partitions the topic had, and the topic was
// given one since. Keys are in other partitions than their states: nothing is begun. A topic that has
// the partitions of before, and one that is new, go on.
func TestLostCountIsNotPinnedAnew(t *testing.T) {
	for _, tc := range []struct {
		name      string
		begun     []int32 // partitions that have states
		id, count int32
		halts     bool
	}{
		{"a new partition", []int32{0, 1}, 2, 3, true},
		{"a former one", []int32{0, 1}, 0, 3, true},
		{"the first one is lost, too", []int32{1}, 2, 3, true},
		{"all but one in the middle are lost, too", []int32{3}, 0, 8, true},
		{"none was added", []int32{0, 1}, 1, 2, false},
		{"a new topic", nil, 1, 3, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, rules := storetest.NewMemory(), pipelinetest.Rules(t)
				for _, id := range tc.begun {
					lease := pipeline.NewLease(pipeline.Partition{Topic: "in", ID: id})
					if _, err := store.Claim(t.Context(), lease); err != nil {
						t.Fatal(err)
					}
					c := pipeline.Checkpoint{From: -1, Last: pipeline.Last{Offset: -1}, Configured: rules.Recorded(0)}
					if err := store.Save(t.Context(), lease, c); err != nil {
						t.Fatal(err)
					}
				}
				b := pipelinetest.StartWith(t, &pipelinetest.Kafka{ID: tc.id, Count: int(tc.count), Log: pipelinetest.Records(3, 20)}, store, rules)
				why := b.ReadyWithin(t, time.Minute, !tc.halts)
				if tc.halts && !strings.Contains(why, "has lost how many partitions topic in had") {
					t.Errorf("it says %q", why)
				}
				if layout, err := store.Layout(t.Context(), "in"); err != nil || (layout.Partitions < 0) != tc.halts {
					t.Errorf("%+v, %v", layout, err)
				}
				b.Stop(t)
			})
		})
	}
}

// TestFewerPartitionsAreAnotherTopic: Kafka takes no partitions away. To move the states would mix those of one log with
// the records of another, so that is not what is advised.
func TestFewerPartitionsAreAnotherTopic(t *testing.T) {
	l := pipeline.Layout{Partitions: 4}
	for n, want := range map[int][2]string{
		2: {"deleted and created again", "new consumer group"},
		4: {},
		6: {"keys are elsewhere now", "rescale --to 6"},
	} {
		if why, remedy := l.Elsewhere("in", n); !strings.Contains(why, want[0]) || !strings.Contains(remedy, want[1]) || (why == "") != (want[0] == "") {
			t.Errorf("%d partitions: %s. %s", n, why, remedy)
		}
	}
}

// TestMorePartitionsMayBeAnotherTopic: a topic that was made again with more partitions is told from one that was given some.
// Also a partition says so that the states know nothing of, by another one.
func TestMorePartitionsMayBeAnotherTopic(t *testing.T) {
	for _, tc := range []struct {
		name, id string
		part     int32
		records  int
		want     []string
	}{
		{"given more", "old", 0, 20, []string{"(partitions)", "rescale --to 4"}},
		{"given more, a new one", "old", 3, 20, []string{"(partitions)", "rescale --to 4"}},
		{"made again", "new", 0, 20, []string{"(recreated)", "has the id new", "new consumer group"}},
		{"made again, a partition that is new", "new", 3, 20, []string{"(recreated)", "has the id new", "new consumer group"}},
		{"made again, by brokers that tell no id", "", 1, 3, []string{"(truncated)", "ends at offset 3 and offset 5 is next", "new consumer group"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, rules := storetest.NewMemory(), pipelinetest.Rules(t)
				if _, err := store.Pin(t.Context(), "in", 2); err != nil {
					t.Fatal(err)
				}
				log := pipelinetest.Records(3, 20)
				for id := range int32(2) {
					lease := pipeline.NewLease(pipeline.Partition{Topic: "in", ID: id})
					if _, err := store.Claim(t.Context(), lease); err != nil {
						t.Fatal(err)
					}
					c := pipeline.Checkpoint{From: -1, To: 5, Topic: "old", Last: pipeline.LastOf(&log[4]), Configured: rules.Recorded(0)}
					if err := store.Save(t.Context(), lease, c); err != nil {
						t.Fatal(err)
					}
				}
				before := store.Snapshot()
				b := pipelinetest.StartWith(t, &pipelinetest.Kafka{ID: tc.part, Count: 4, Topic: tc.id, Log: log[:tc.records]}, store, rules)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // of the bubble's clock
				defer cancel()
				err := b.UntilEnd(ctx)
				for _, part := range tc.want {
					if err == nil || !strings.Contains(err.Error(), part) {
						t.Errorf("it says %v, want %q", err, part)
					}
				}
				if !reflect.DeepEqual(store.Snapshot(), before) {
					t.Error("something was changed")
				}
				b.Stop(t)
			})
		})
	}
}
