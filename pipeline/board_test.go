package pipeline

import (
	"strings"
	"testing"
)

func TestReadyOnlyAsAMember(t *testing.T) {
	b := newBoard()
	want := func(when string, ready bool, says string) {
		t.Helper()
		if got, why := b.ready(); got != ready || !strings.Contains(why, says) {
			t.Errorf("%s: ready is %v (%s), want %v", when, got, why, ready)
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
	// The brokers are away: the generation ends first, its work later.
	b.join(-1)
	want("the generation has ended", false, "consumer group")
	b.leave(a, memory{})
	want("its work as well", false, "consumer group")
	b.join(0)
	want("the next one", true, "")
}
