package kafka

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/segmentio/kafka-go"
)

// placement is who owns each partition of a topic, as the balancer left it.
type placement struct {
	t      *testing.T
	parts  int
	gen    int32
	holder map[string]holding
}

// rebalance lets these members join and returns how many partitions moved from
// a member to another one. Each has what the quota allows, and each partition has one owner.
func (p *placement) rebalance(members ...string) (moved int) {
	p.t.Helper()
	p.gen++
	var join []kafka.GroupMember
	before := map[int]string{}
	for id, h := range p.holder {
		for _, n := range h.Partitions["in"] {
			before[n] = id
		}
	}
	for _, id := range members {
		data, err := json.Marshal(p.holder[id])
		if err != nil {
			p.t.Fatal(err)
		}
		join = append(join, kafka.GroupMember{ID: id, Topics: []string{"in"}, UserData: data})
	}
	var parts []kafka.Partition
	for i := range p.parts {
		parts = append(parts, kafka.Partition{Topic: "in", ID: i})
	}
	got := new(sticky).AssignGroups(join, parts)
	p.holder = map[string]holding{}
	owned := map[int]bool{}
	for id, topics := range got {
		n := len(topics["in"])
		if n < p.parts/len(members) || n > (p.parts+len(members)-1)/len(members) {
			p.t.Fatalf("%s has %d of %d partitions among %d", id, n, p.parts, len(members))
		}
		for _, part := range topics["in"] {
			if owned[part] {
				p.t.Fatalf("partition %d has two owners", part)
			}
			owned[part] = true
			if o, ok := before[part]; ok && o != id {
				moved++
			}
		}
		p.holder[id] = holding{p.gen, topics}
	}
	if len(owned) != p.parts {
		p.t.Fatalf("%d of %d partitions have an owner", len(owned), p.parts)
	}
	return moved
}

func memberIDs(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("m%02d", i)
	}
	return ids
}

// With a division in turn, 91 of 100 partitions move when one of 20 members goes.
func TestStickyMovesWhatItMust(t *testing.T) {
	p := &placement{t: t, parts: 100}
	all := memberIDs(20)
	p.rebalance(all...)
	if n := p.rebalance(all...); n != 0 {
		t.Errorf("%d partitions moved between the same members", n)
	}
	if n := p.rebalance(all[1:]...); n != 5 {
		t.Errorf("a member went: %d partitions moved, its 5 must", n)
	}
	if n := p.rebalance(append(all[1:], "new")...); n != 5 {
		t.Errorf("a member came: %d partitions moved, 5 must", n)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		k := 1 + r.IntN(20)
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		p.rebalance(all[:k]...)
		p.parts = max(p.parts, 90+r.IntN(40))
	}
}

// A member that was away says what it held before others got it.
func TestStickyBelievesTheLaterGeneration(t *testing.T) {
	say := func(gen int32, parts ...int) []byte {
		data, _ := json.Marshal(holding{gen, map[string][]int{"in": parts}})
		return data
	}
	parts := []kafka.Partition{{Topic: "in", ID: 0}, {Topic: "in", ID: 1}, {Topic: "in", ID: 2}, {Topic: "other", ID: 0}}
	got := new(sticky).AssignGroups([]kafka.GroupMember{
		{ID: "away", Topics: []string{"in"}, UserData: say(3, 0, 1, 2)},
		{ID: "here", Topics: []string{"in", "other"}, UserData: say(4, 0, 1)},
		{ID: "old", Topics: []string{"in"}, UserData: []byte("of another program")},
	}, parts)
	if len(got["here"]["in"]) != 1 || got["here"]["in"][0] > 1 || !slices.Equal(got["away"]["in"], []int{2}) || len(got["old"]["in"]) != 1 {
		t.Errorf("assignments %v", got)
	}
	if !slices.Equal(got["here"]["other"], []int{0}) {
		t.Errorf("assignments of the other topic %v", got)
	}
	if got := new(sticky).AssignGroups([]kafka.GroupMember{{ID: "a", Topics: []string{"none"}}}, parts); len(got["a"]["none"]) != 0 {
		t.Errorf("assignments %v of a topic without partitions", got)
	}
}
