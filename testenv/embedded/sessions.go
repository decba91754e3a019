package embedded

import (
	"context"
	"sync"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// sessions ends what kfake does not: the session of a member whose connection
// broke while it waited for the answer to its JoinGroup. kfake starts a
// member's clock when that answer has been written; where it can't be, the
// member stays for ever and keeps the partitions that it never heard of. A
// broker of Apache Kafka counts from the answer, written or not.
//
// So sessions notes when each member was last heard of. When a live member's
// heartbeat comes, at most once per second and group, members that the stable
// group lists and that were silent for a session are taken out.
type sessions struct {
	client *kafkago.Client
	ctx    context.Context // ends with the broker
	stop   context.CancelFunc
	looks  sync.WaitGroup

	mu     sync.Mutex
	groups map[string]*groupSessions
}

type groupSessions struct {
	session time.Duration        // the longest that a member asked for
	heard   map[string]time.Time // by member
	looked  time.Time
}

// lookEvery is the least time between two looks at the members of a group.
const lookEvery = time.Second

func newSessions(addr string) *sessions {
	s := &sessions{
		client: &kafkago.Client{Addr: kafkago.TCP(addr), Timeout: 5 * time.Second, Transport: &kafkago.Transport{}},
		groups: map[string]*groupSessions{},
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

func (s *sessions) watch(c *kfake.Cluster) {
	c.Control(func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		switch r := r.(type) {
		case *kmsg.JoinGroupRequest:
			s.joins(r.Group, time.Duration(r.SessionTimeoutMillis)*time.Millisecond)
			s.hear(r.Group, r.MemberID)
		case *kmsg.SyncGroupRequest:
			s.hear(r.Group, r.MemberID)
		case *kmsg.HeartbeatRequest:
			s.hear(r.Group, r.MemberID)
			s.look(r.Group)
		}
		return nil, nil, false
	})
}

// of returns what is known of a group. The caller holds mu.
func (s *sessions) of(group string) *groupSessions {
	g := s.groups[group]
	if g == nil {
		g = &groupSessions{heard: map[string]time.Time{}}
		s.groups[group] = g
	}
	return g
}

func (s *sessions) joins(group string, session time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.of(group)
	g.session = max(g.session, session)
}

func (s *sessions) hear(group, member string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of(group).heard[member] = time.Now()
}

// look has the group's silent members taken out, beside the broker's own loop.
func (s *sessions) look(group string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.of(group)
	if s.ctx.Err() != nil || time.Since(g.looked) < lookEvery {
		return
	}
	g.looked = time.Now()
	s.looks.Go(func() {
		// An error is a broker that is down or in a pause: the next look is soon.
		resp, err := s.client.DescribeGroups(s.ctx, &kafkago.DescribeGroupsRequest{GroupIDs: []string{group}})
		if err != nil || len(resp.Groups) != 1 || resp.Groups[0].GroupState != "Stable" {
			return
		}
		if silent := s.silent(group, resp.Groups[0].Members); len(silent) > 0 {
			_, _ = s.client.LeaveGroup(s.ctx, &kafkago.LeaveGroupRequest{GroupID: group, Members: silent})
		}
	})
}

// silent returns the members that have said nothing for a session. Who was
// never heard of begins one.
func (s *sessions) silent(group string, members []kafkago.DescribeGroupsResponseMember) []kafkago.LeaveGroupRequestMember {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.of(group)
	heard := make(map[string]time.Time, len(members))
	var silent []kafkago.LeaveGroupRequestMember
	for _, m := range members {
		at, ok := g.heard[m.MemberID]
		if !ok {
			at = time.Now()
		}
		heard[m.MemberID] = at
		if time.Since(at) > g.session {
			silent = append(silent, kafkago.LeaveGroupRequestMember{ID: m.MemberID})
		}
	}
	g.heard = heard // those who left are forgotten
	return silent
}

func (s *sessions) close() {
	s.mu.Lock()
	s.stop() // no look begins after this
	s.mu.Unlock()
	s.looks.Wait()
	s.client.Transport.(*kafkago.Transport).CloseIdleConnections()
}
