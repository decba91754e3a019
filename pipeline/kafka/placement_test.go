package kafka

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/credence-stream/credence/pipeline"
)

// restarts are the members of a rolling restart, by the partitions they hold.
type restarts struct {
	t       *testing.T
	addrs   []string
	topic   string
	members []*crew
	owner   map[int32]*crew
}

// settle waits until every partition has one owner, and returns how many have
// another one than before.
func (r *restarts) settle(partitions int) (moved int) {
	r.t.Helper()
	owner := map[int32]*crew{}
	eventually(r.t, "an owner of each partition", func() bool {
		clear(owner)
		given := 0
		for _, w := range r.members {
			held := w.get()
			if len(held) < partitions/len(r.members) {
				return false
			}
			for id := range held {
				owner[id] = w
				given++
			}
		}
		return given == partitions && len(owner) == partitions
	})
	for id, w := range owner {
		if r.owner[id] != w {
			moved++
		}
	}
	r.owner = owner
	return moved
}

// TestRollingRestart restarts 20 members of a group one after the other.
func TestRollingRestart(t *testing.T) {
	const size, partitions = 20, 100
	addrs := brokers(t)
	r := &restarts{t: t, addrs: addrs, topic: fresh(t, connect(t, addrs), partitions)}
	for range size {
		r.members = append(r.members, join(t, addrs, r.topic, r.topic, nil))
	}
	r.settle(partitions)
	most := 0
	for i := range 5 {
		r.members[i].stop()
		rest := append([]*crew{}, r.members[:i]...)
		r.members = append(rest, r.members[i+1:]...)
		gone := r.settle(partitions)
		r.members = append(r.members, join(t, addrs, r.topic, r.topic, nil))
		come := r.settle(partitions)
		most = max(most, gone, come)
		if gone > 10 || come > 10 {
			t.Errorf("restart %d: %d partitions moved when the member went and %d when it came back", i, gone, come)
		}
	}
	t.Logf("at most %d of %d partitions moved in a step", most, partitions)
	for _, w := range r.members {
		w.cancel()
	}
	for _, w := range r.members {
		<-w.done
	}
}

// TestGroupExpels: the partitions of a member that is expelled go to others
// long before its session ends, and it joins again by itself.
func TestGroupExpels(t *testing.T) {
	addrs := brokers(t)
	c := connect(t, addrs)
	topic := fresh(t, c, 4)
	one, two := join(t, addrs, topic, topic, nil), join(t, addrs, topic, topic, nil)
	eventually(t, "two members", func() bool { return len(one.get()) == 2 && len(two.get()) == 2 })
	var member string
	for _, a := range two.get() {
		member = a.Member
	}
	g := NewGroup(c, GroupOptions{Group: topic, Topics: []string{topic}})
	start := time.Now()
	if err := g.Expel(t.Context(), member); err != nil {
		t.Fatal(err)
	}
	eventually(t, "another id", func() bool {
		held := two.get()
		for _, a := range held {
			if a.Member == member {
				return false
			}
		}
		return len(held) == 2 && len(one.get()) == 2
	})
	t.Logf("expelled and back within %v", time.Since(start).Round(time.Millisecond))
	for _, id := range []string{member, "nobody"} {
		if err := g.Expel(t.Context(), id); !errors.Is(err, pipeline.ErrNoMember) {
			t.Error(fmt.Errorf("%s, which is no member: %w", id, err))
		}
	}
	one.stop()
	two.stop()
}
