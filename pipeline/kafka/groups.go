package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/deletegroups"
	"github.com/segmentio/kafka-go/protocol/describegroups"
	"github.com/segmentio/kafka-go/protocol/findcoordinator"
	"github.com/segmentio/kafka-go/protocol/heartbeat"
	"github.com/segmentio/kafka-go/protocol/leavegroup"
	"github.com/segmentio/kafka-go/protocol/offsetcommit"
	"github.com/segmentio/kafka-go/protocol/offsetfetch"

	"github.com/credence-stream/credence/pipeline"
)

// Mark is what a group has noted about one partition.
type Mark struct {
	Offset int64  // -1: nothing
	Note   string // free text beside it, at most 4 KiB with a broker's defaults
}

// Members returns the client ids of a group's live members with their hosts;
// a group that does not exist has none.
func (c *Client) Members(ctx context.Context, group string) ([]string, error) {
	g, err := c.described(ctx, group)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range g.Members {
		names = append(names, whoAndWhere(&g.Members[i]))
	}
	return names, nil
}

func whoAndWhere(m *describegroups.ResponseGroupMember) string {
	return m.ClientID + " at " + m.ClientHost
}

// described asks for a group, which has no members where it does not exist.
func (c *Client) described(ctx context.Context, group string) (g describegroups.ResponseGroup, err error) {
	answer, err := c.toCoordinator(ctx, group, &describegroups.Request{Groups: []string{group}}, func(m protocol.Message) int16 {
		if r := m.(*describegroups.Response); len(r.Groups) == 1 {
			return r.Groups[0].ErrorCode
		}
		return 0
	})
	if errors.Is(err, kafka.GroupIdNotFound) {
		return g, nil
	}
	if err != nil {
		return g, fmt.Errorf("members of group %s: %w", group, err)
	}
	if r := answer.(*describegroups.Response); len(r.Groups) == 1 {
		g = r.Groups[0]
	}
	return g, nil
}

// Marks returns what a group has noted about the partitions 0 to n-1 of a
// topic.
func (c *Client) Marks(ctx context.Context, group, topic string, n int) ([]Mark, error) {
	marks := make([]Mark, n)
	ids := make([]int32, n)
	for i := range marks {
		marks[i].Offset, ids[i] = -1, int32(i)
	}
	answer, err := c.toCoordinator(ctx, group, &offsetfetch.Request{
		GroupID: group, Topics: []offsetfetch.RequestTopic{{Name: topic, PartitionIndexes: ids}},
	}, func(m protocol.Message) int16 { return m.(*offsetfetch.Response).ErrorCode })
	if errors.Is(err, kafka.GroupIdNotFound) {
		return marks, nil
	}
	if err != nil {
		return nil, fmt.Errorf("offsets of group %s: %w", group, err)
	}
	for _, t := range answer.(*offsetfetch.Response).Topics {
		for _, p := range t.Partitions {
			if p.ErrorCode != 0 {
				return nil, fmt.Errorf("offset of group %s in %s/%d: %w", group, topic, p.PartitionIndex, kafka.Error(p.ErrorCode))
			}
			if t.Name == topic && p.PartitionIndex >= 0 && int(p.PartitionIndex) < n {
				marks[p.PartitionIndex] = Mark{p.CommittedOffset, p.Metadata}
			}
		}
	}
	return marks, nil
}

// SetMark notes something about one partition in the name of a group that
// has no members.
func (c *Client) SetMark(ctx context.Context, group, topic string, partition int32, m Mark) error {
	return c.setMarks(ctx, &offsetcommit.Request{GroupID: group, GenerationID: -1}, map[string]map[int]Mark{topic: {int(partition): m}})
}

// SetMarks is SetMark of the partitions from 0 on. With the offset -1 a partition is as if nothing had been noted.
func (c *Client) SetMarks(ctx context.Context, group, topic string, all []Mark) error {
	marks := map[int]Mark{}
	for id, m := range all {
		marks[id] = m
	}
	return c.setMarks(ctx, &offsetcommit.Request{GroupID: group, GenerationID: -1}, map[string]map[int]Mark{topic: marks})
}

// setMarks sends a request to note something about partitions, which it completes.
func (c *Client) setMarks(ctx context.Context, req *offsetcommit.Request, all map[string]map[int]Mark) error {
	req.RetentionTimeMs = -1
	for topic, marks := range all {
		t := offsetcommit.RequestTopic{Name: topic}
		for id, m := range marks {
			t.Partitions = append(t.Partitions, offsetcommit.RequestPartition{
				PartitionIndex: int32(id), CommittedOffset: m.Offset, CommittedLeaderEpoch: -1, CommittedMetadata: m.Note,
			})
		}
		req.Topics = append(req.Topics, t)
	}
	_, err := c.toCoordinator(ctx, req.GroupID, req, func(m protocol.Message) int16 {
		for _, t := range m.(*offsetcommit.Response).Topics {
			for _, p := range t.Partitions {
				if p.ErrorCode != 0 {
					return p.ErrorCode
				}
			}
		}
		return 0
	})
	if err != nil {
		return fmt.Errorf("commit offsets of group %s: %w", req.GroupID, err)
	}
	return nil
}

// DeleteGroup makes the brokers forget a group without members and its
// offsets. A group that does not exist is no error.
func (c *Client) DeleteGroup(ctx context.Context, group string) error {
	_, err := c.toCoordinator(ctx, group, &deletegroups.Request{GroupIDs: []string{group}}, func(m protocol.Message) int16 {
		if r := m.(*deletegroups.Response); len(r.Responses) == 1 {
			return r.Responses[0].ErrorCode
		}
		return 0
	})
	if err != nil && !errors.Is(err, kafka.GroupIdNotFound) {
		return fmt.Errorf("delete group %s: %w", group, err)
	}
	return nil
}

// expel leaves a group in the name of a member. Of one that the coordinator does
// not know, any more, it returns pipeline.ErrNoMember.
func (c *Client) expel(ctx context.Context, group, member string) error {
	_, err := c.toCoordinator(ctx, group, &leavegroup.Request{GroupID: group, MemberID: member}, func(m protocol.Message) int16 {
		return m.(*leavegroup.Response).ErrorCode
	})
	if errors.Is(err, kafka.UnknownMemberId) || errors.Is(err, kafka.GroupIdNotFound) {
		err = pipeline.ErrNoMember
	}
	if err != nil {
		return fmt.Errorf("expel member %s of group %s: %w", member, group, err)
	}
	return nil
}

// reach asks the broker that looks after a group for a sign of life. The heartbeat is
// of nobody: the answer tells that there is no such member.
func (c *Client) reach(ctx context.Context, group string) error {
	err := c.beat(ctx, group)
	switch {
	case errors.Is(err, kafka.GroupCoordinatorNotAvailable), errors.Is(err, kafka.NotCoordinatorForGroup), errors.Is(err, kafka.GroupLoadInProgress):
	case Answered(err):
		return nil
	}
	return err
}

// beat sends the heartbeat of nobody.
func (c *Client) beat(ctx context.Context, group string) error {
	_, err := c.toCoordinator(ctx, group, &heartbeat.Request{GroupID: group, GenerationID: -1}, func(m protocol.Message) int16 {
		return m.(*heartbeat.Response).ErrorCode
	})
	return err
}

// toCoordinator sends a request to the broker that looks after a group, and
// again while the cluster is finding one. code finds the answer's error.
func (c *Client) toCoordinator(ctx context.Context, group string, req protocol.Message, code func(protocol.Message) int16) (answer protocol.Message, err error) {
	for try := 0; ; try++ {
		var addr string
		if addr, err = c.coordinator(ctx, group); err == nil {
			err = c.do(ctx, addr, callTimeout, func(n *conn) (err error) {
				if answer, err = n.call(req); err != nil {
					return err
				}
				if e := code(answer); e != 0 {
					return kafka.Error(e)
				}
				return nil
			})
		}
		switch {
		case err == nil:
			return answer, nil
		case try == coordinatorRetries || !errors.Is(err, kafka.GroupCoordinatorNotAvailable) &&
			!errors.Is(err, kafka.NotCoordinatorForGroup) && !errors.Is(err, kafka.GroupLoadInProgress):
			return nil, err
		}
		if err := pause(ctx, routeBackoff<<try); err != nil {
			return nil, err
		}
	}
}

// coordinatorRetries lets a new cluster make its topic of offsets: 6 s.
const coordinatorRetries = 7

func (c *Client) coordinator(ctx context.Context, group string) (string, error) {
	answer, err := c.ask(ctx, &findcoordinator.Request{Key: group})
	if err != nil {
		return "", err
	}
	r := answer.(*findcoordinator.Response)
	if r.ErrorCode != 0 {
		return "", coded(r.ErrorCode, r.ErrorMessage)
	}
	return address(r.Host, r.Port), nil
}
