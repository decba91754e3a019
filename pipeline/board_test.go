package pipeline

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/pipeline/depend"
)

func TestReadyOnlyAsAMember(t *testing.T) {
	b := newBoard(func(int64, int64) {})
	want := func(when string, ready bool, says string) {
		t.Helper()
		if got, why := b.ready(); got != ready || !strings.Contains(why, says) {
			t.Errorf("%s: ready is %v (%s), want %v", when, got, why, ready)
		}
		if got := b.settled(nil); got != ready {
			t.Errorf("%s: settled is %v, want %v", when, got, ready)
		}
	}
	want("at the start", false, "consumer group")
	b.join(0)
	want("more members than partitions", true, "")
	b.join(1)
	want("work has not begun", false, "taking partitions over")
	a := Assignment{Partition: Partition{"in", 3}}
	b.enter(a)
	want("a partition is new", false, "in/3: claiming")
	b.set(a.Partition, status{ready: true})
	want("at work", true, "")
	b.set(a.Partition, status{halted: "gap", why: "trimmed"})
	if ready, _ := b.ready(); ready || !b.settled([]int64{0, 0, 0, 7}) {
		t.Error("a halted partition is decided on, and not ready")
	}
	if why := b.obstacles(false); len(why) > 0 {
		t.Errorf("a halted partition waits for nothing, and it is said to wait: %q", why)
	}
	b.set(a.Partition, status{ready: true})
	b.set(a.Partition, status{ready: true, told: 6})
	if b.settled([]int64{0, 0, 0, 7}) || !b.settled([]int64{9, 9, 9, 6}) || !b.settled([]int64{9}) {
		t.Error("at work is decided on when all up to the partition's own end is told, and not before")
	}
	// The brokers are away: the generation ends first, its work later.
	b.join(-1)
	want("the generation has ended", false, "consumer group")
	b.leave(a, memory{})
	want("its work as well", false, "consumer group")
	b.join(0)
	want("the next one", true, "")
}

// Caches of partitions that went elsewhere are let go with the next generation,
// and counted until then.
func TestCachesOfPartitionsThatMovedAreLetGo(t *testing.T) {
	var bytes, keys int64
	b := newBoard(func(b, k int64) { bytes, keys = bytes+b, keys+k })
	part := func(id int32) Assignment { return Assignment{Partition: Partition{"in", id}} }
	b.join(3)
	for id := range int32(3) {
		b.enter(part(id))
	}
	b.join(-1)
	for id := range int32(3) {
		c := newCache()
		c.add(&entry{key: "k", size: 1000})
		b.leave(part(id), memory{keep: retained{cache: c}, known: 7})
	}
	if bytes != 3000 || keys != 3 {
		t.Errorf("%d bytes of %d keys are counted, want 3000 of 3", bytes, keys)
	}
	b.join(2)
	if m := b.enter(part(0)); m.keep.cache == nil || bytes != 2000 {
		t.Errorf("the cache of a partition that stays: %v, %d bytes counted", m.keep.cache, bytes)
	}
	b.enter(part(3))
	if bytes != 0 || keys != 0 {
		t.Errorf("%d bytes of %d keys are counted, want none", bytes, keys)
	}
	b.join(-1)
	b.leave(part(0), memory{known: 9})
	b.leave(part(3), memory{})
	b.join(1)
	if m := b.enter(part(1)); m.keep.cache != nil || m.known != 7 {
		t.Errorf("cache %v, watermark %d: what moved away comes back without a cache, and its watermark is known", m.keep.cache, m.known)
	}
}

// A worker that cannot become a member says for want of what.
func TestReadySaysWhatKeepsItFromTheGroup(t *testing.T) {
	w := &Worker{board: newBoard(func(int64, int64) {})}
	w.opt.Depend = depend.New(prometheus.NewRegistry(), slog.New(slog.DiscardHandler), depend.Kafka)
	w.opt.Depend.Blocked(depend.Kafka, GroupMember, "not allowed")
	if ok, why := w.Ready(); ok || why != "waiting for the consumer group; not allowed" {
		t.Errorf("ready is %v: %s", ok, why)
	}
	w.board.join(0)
	if ok, why := w.Ready(); !ok || why != "" {
		t.Errorf("as a member ready is %v: %s", ok, why)
	}
}
