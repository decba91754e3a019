package kafka

import (
	"context"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/pipeline"
)

// Who lacks a permission is told which: the answers of brokers do not say.
func TestForbiddenFetchSaysWhatToAllow(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	p := pipeline.Partition{Topic: fresh(t, c, 1)}
	b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.TopicAuthorizationFailed, Count: -1})
	_, err := newLog(t, c).Fetch(t.Context(), p, 0, 1000)
	if err == nil || !Forbidden(err) || !strings.HasSuffix(err.Error(), ": allow this user READ and DESCRIBE on the topic") {
		t.Errorf("a topic that may not be read: %v", err)
	}
}

func TestForbiddenGroupSaysWhatToAllow(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	topic := fresh(t, c, 1)
	b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.JoinGroup}, Err: kerr.GroupAuthorizationFailed, Count: -1})
	ctx, cancel := context.WithCancel(t.Context())
	var told error
	g := NewGroup(c, GroupOptions{Group: topic, Topics: []string{topic}, OnError: func(err error) { told = err; cancel() }})
	if err := g.Run(ctx, func(string, int) {}, func(context.Context, pipeline.Assignment) {}); err != nil {
		t.Fatal(err)
	}
	if told == nil || !Forbidden(told) || !strings.HasSuffix(told.Error(), ": allow this user READ on the group") {
		t.Errorf("a group that may not be joined: %v", told)
	}
}
