package kafka

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/testenv/probe"
)

// A broker with connections.max.reauth.ms hangs up at the first request after that time. For a
// member of a group that is a heartbeat: the same member joins again, and nobody is told of an error.
func TestGroupOutlivesItsSession(t *testing.T) {
	b := fake(t)
	c := connectAs(t, Options{Brokers: b.ListenAddrs()})
	topic := fresh(t, c, 1)
	var over atomic.Bool
	b.ControlKey(int16(kmsg.Heartbeat), func(req kmsg.Request) (kmsg.Response, error, bool) {
		b.KeepControl()
		if req.(*kmsg.HeartbeatRequest).MemberID != "" && over.CompareAndSwap(true, false) {
			return nil, errors.New("the session is over"), true
		}
		return nil, nil, false
	})
	ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
	defer cancel()
	var members []string
	g := NewGroup(c, GroupOptions{Group: topic, Topics: []string{topic}, OnError: func(err error) { t.Errorf("an error: %v", err) }})
	times := 0
	err := g.Run(ctx, func(id string, partitions int) {
		if partitions > 0 {
			members = append(members, id)
		}
	}, func(ctx context.Context, _ pipeline.Assignment) {
		if times++; times == 2 {
			cancel()
			return
		}
		start := time.Now()
		over.Store(true)
		<-ctx.Done()
		if took := time.Since(start); took > probe.Patience/2 {
			t.Errorf("the end of the session was noticed after %s", took)
		}
	})
	if err != nil || times != 2 || len(slices.Compact(members)) != 1 {
		t.Errorf("assigned %d times, as members %v; %v", times, members, err)
	}
}
