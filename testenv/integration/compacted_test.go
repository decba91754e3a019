//go:build unix

package integration

import (
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// cleaning has all brokers look every so many milliseconds for topics to compact.
func cleaning(t *testing.T, env *testenv.Env, millis string) {
	t.Helper()
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	r, c := kmsg.NewIncrementalAlterConfigsRequestResource(), kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	r.ResourceType = kmsg.ConfigResourceTypeBroker
	c.Name, c.Value = "log.cleaner.backoff.ms", kmsg.StringPtr(millis)
	r.Configs, req.Resources = append(r.Configs, c), append(req.Resources, r)
	resp, err := req.RequestWith(t.Context(), franz(t, env))
	if err != nil || resp.Resources[0].ErrorCode != 0 {
		t.Fatalf("%v %+v", err, resp)
	}
}

// TestCompactedTopic has the brokers compact the input: nothing that reads the log again takes what is left for all
// there was, and a group that comes too late says so.
func TestCompactedTopic(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		if env.Backend == testenv.Embedded {
			t.Skip("the embedded broker compacts once an hour")
		}
		cleaning(t, env, "100")
		w := newWorld(t, env, setup{partitions: 1, topic: map[string]string{
			"cleanup.policy": "compact", "segment.ms": "100", "min.cleanable.dirty.ratio": "0.0001", "min.compaction.lag.ms": "4000",
		}})
		f := w.feeder(t, 2)
		f.send(t, 12)
		w.settle(t)
		want := f.complete(t, w)
		if got := w.consumer(t, "verify"); got.Code != 0 || !strings.Contains(got.Messages, "2 keys match the log, 0 differ") {
			t.Fatalf("before: exit %d\n%s", got.Code, got.Messages)
		}
		// The brokers leave the newest segment alone.
		other := f.next(t)
		programs.Eventually(t, "the compaction", func() (bool, error) {
			send(t, franz(t, env), &kgo.Record{Topic: w.input, Key: []byte("other"), Value: other.Value})
			n := 0
			for _, r := range read(t, env, w.input) {
				if string(r.Key) != "other" {
					n++
				}
			}
			return n == 2, nil
		})

		got := w.consumer(t, "verify")
		if got.Code != 0 || !strings.Contains(got.Messages, "the log was compacted (it lacks ") || !strings.Contains(got.Messages, "0 differ, 2 cannot be verified") {
			t.Errorf("verify: exit %d\n%s%s", got.Code, got.Data, got.Messages)
		}
		key := f.keys[0]
		if got := w.consumer(t, "get", key, "--at-offset", "5"); got.Code != 1 || !strings.Contains(got.Messages, "was compacted: it lacks ") {
			t.Errorf("get --at-offset: exit %d\n%s%s", got.Code, got.Data, got.Messages)
		}
		if got := w.consumer(t, "get", key, "--at-offset", fmt.Sprint(want[key].Source.Offset)); got.Code != 0 {
			t.Errorf("get of what is stored now: exit %d\n%s", got.Code, got.Messages)
		}
		if got := w.consumer(t, "state", "repair", "--yes", "--partition", "0"); got.Code != 1 || !strings.Contains(got.Data+got.Messages, "the log was compacted and lacks ") {
			t.Errorf("repair: exit %d\n%s%s", got.Code, got.Data, got.Messages)
		}
		w.same(t, "it was before the compaction", want)
		late := w.consumer(t, append([]string{"run", "--until-end"}, w.apart("-late")...)...)
		if late.Code != 0 || !strings.Contains(late.Messages, "log compacted") {
			t.Errorf("a group that comes late: exit %d\n%s", late.Code, late.Messages)
		}
	})
}
