package embedded

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"time"

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
	addr  string
	ctx   context.Context // ends with the broker
	stop  context.CancelFunc
	looks sync.WaitGroup

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

// patience is how long a request may take.
const patience = 5 * time.Second

func newSessions(addr string) *sessions {
	s := &sessions{addr: addr, groups: map[string]*groupSessions{}}
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
		described := kmsg.NewPtrDescribeGroupsResponse()
		ask := kmsg.NewPtrDescribeGroupsRequest()
		ask.Version, ask.Groups = 3, []string{group}
		if err := s.request(ask, described); err != nil || len(described.Groups) != 1 || described.Groups[0].State != "Stable" {
			return
		}
		if silent := s.silent(group, described.Groups[0].Members); len(silent) > 0 {
			leave := kmsg.NewPtrLeaveGroupRequest()
			leave.Version, leave.Group, leave.Members = 3, group, silent
			_ = s.request(leave, kmsg.NewPtrLeaveGroupResponse())
		}
	})
}

// request sends a request over a connection of its own. Both messages are of a
// version without tagged fields.
func (s *sessions) request(r kmsg.Request, answer kmsg.Response) error {
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.addr)
	if err != nil {
		return err
	}
	defer conn.Close()                                      //nolint:errcheck // nothing is pending on it
	defer context.AfterFunc(ctx, func() { conn.Close() })() //nolint:errcheck // ends what waits for it
	if _, err := conn.Write(new(kmsg.RequestFormatter).AppendRequest(nil, r, 0)); err != nil {
		return err
	}
	var head [8]byte // length and correlation id
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return err
	}
	body := make([]byte, int(binary.BigEndian.Uint32(head[:]))-4)
	if _, err := io.ReadFull(conn, body); err != nil {
		return err
	}
	answer.SetVersion(r.GetVersion())
	return answer.ReadFrom(body)
}

// silent returns the members that have said nothing for a session. Who was
// never heard of begins one.
func (s *sessions) silent(group string, members []kmsg.DescribeGroupsResponseGroupMember) []kmsg.LeaveGroupRequestMember {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.of(group)
	heard := make(map[string]time.Time, len(members))
	var silent []kmsg.LeaveGroupRequestMember
	for _, m := range members {
		at, ok := g.heard[m.MemberID]
		if !ok {
			at = time.Now()
		}
		heard[m.MemberID] = at
		if time.Since(at) > g.session {
			leaves := kmsg.NewLeaveGroupRequestMember()
			leaves.MemberID = m.MemberID
			silent = append(silent, leaves)
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
}
