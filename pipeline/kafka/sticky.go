package kafka

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"

	"github.com/segmentio/kafka-go"
)

// sticky is the group's balancer: partitions are spread evenly, and as many as
// may be stay where they are, for a partition that moves costs its new owner the
// states that the old one has in memory. Each member says at a join what it
// held, and in which generation: where two say it, the later one holds it.
type sticky struct {
	mu    sync.Mutex
	held  holding
	dealt map[string]int // partitions by topic that this member gave out last; nil: another one did
}

// holding is what a member was given, as its metadata tells the leader.
type holding struct {
	Generation int32            `json:"generation"`
	Partitions map[string][]int `json:"partitions"` // by topic
}

var _ kafka.GroupBalancer = (*sticky)(nil)

// ProtocolName implements kafka.GroupBalancer.
func (*sticky) ProtocolName() string { return "credence-sticky" }

// UserData implements kafka.GroupBalancer: a join begins.
func (s *sticky) UserData() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dealt = nil
	return json.Marshal(s.held)
}

// given notes what a generation assigns to this member, and returns how many partitions of
// each topic were given out for it, nil where another member did that.
func (s *sticky) given(gen *kafka.Generation) (dealt map[string]int) {
	h := holding{gen.ID, map[string][]int{}}
	for topic, parts := range gen.Assignments {
		for _, p := range parts {
			h.Partitions[topic] = append(h.Partitions[topic], p.ID)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = h
	return s.dealt
}

// AssignGroups implements kafka.GroupBalancer.
func (s *sticky) AssignGroups(members []kafka.GroupMember, partitions []kafka.Partition) kafka.GroupMemberAssignments {
	all := kafka.GroupMemberAssignments{}
	said := make(map[string]holding, len(members))
	topics := map[string][]string{} // members by topic
	for _, m := range members {
		var h holding
		if json.Unmarshal(m.UserData, &h) != nil {
			h = holding{} // of no use, and no reason to have no assignment
		}
		said[m.ID], all[m.ID] = h, map[string][]int{}
		for _, t := range m.Topics {
			topics[t] = append(topics[t], m.ID)
		}
	}
	dealt := make(map[string]int, len(topics))
	for topic, ids := range topics {
		var parts []int
		for _, p := range partitions {
			if p.Topic == topic {
				parts = append(parts, p.ID)
			}
		}
		slices.Sort(parts)
		parts = slices.Compact(parts)
		dealt[topic] = len(parts)
		for id, given := range share(ids, parts, said, topic) {
			all[id][topic] = given
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dealt = dealt
	return all
}

// share gives out the partitions of one topic. Members that hold most may have
// one more than the others where the division leaves a rest.
func share(ids []string, parts []int, said map[string]holding, topic string) map[string][]int {
	owner := map[int]string{}
	for _, id := range ids {
		for _, p := range said[id].Partitions[topic] {
			if o, ok := owner[p]; !ok || said[o].Generation < said[id].Generation ||
				said[o].Generation == said[id].Generation && id < o {
				owner[p] = id
			}
		}
	}
	kept := make(map[string][]int, len(ids))
	var free []int
	for _, p := range parts {
		if o, ok := owner[p]; ok {
			kept[o] = append(kept[o], p)
		} else {
			free = append(free, p)
		}
	}
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(kept[b]), len(kept[a])), cmp.Compare(a, b))
	})
	quota := func(i int) int {
		if i < len(parts)%len(ids) {
			return len(parts)/len(ids) + 1
		}
		return len(parts) / len(ids)
	}
	for i, id := range ids {
		if n := quota(i); len(kept[id]) > n {
			free = append(free, kept[id][n:]...)
			kept[id] = kept[id][:n]
		}
	}
	slices.Sort(free)
	for i, id := range ids {
		n := quota(i) - len(kept[id])
		kept[id] = append(kept[id], free[:n]...)
		free = free[n:]
	}
	return kept
}
