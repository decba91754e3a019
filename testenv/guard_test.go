//go:build unix

package testenv

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/credence-stream/credence/internal/embedded"
)

// lenient are the APIs for which a broker announces versions that Kafka 4.0
// refuses: it names Produce v0 for the sake of clients that look for it and
// refuses it all the same, and 4.1 takes old JoinGroups again.
var lenient = []kmsg.Key{kmsg.Produce, kmsg.JoinGroup}

// TestOldest compares the guard's table with what a real broker announces.
func TestOldest(t *testing.T) {
	for _, b := range Backends(t) {
		if b == Embedded {
			continue
		}
		t.Run(string(b), func(t *testing.T) {
			c := kafka.Client{Addr: kafka.TCP(Open(t, b).Brokers()...), Timeout: 10 * time.Second}
			resp, err := c.ApiVersions(t.Context(), &kafka.ApiVersionsRequest{})
			if err != nil {
				t.Fatal(err)
			}
			oldest, seen := embedded.Oldest(), 0
			for _, k := range resp.ApiKeys {
				key := kmsg.Key(k.ApiKey)
				if key > kmsg.DeleteGroups || slices.Contains(lenient, key) {
					continue // later APIs were never trimmed by KIP-896
				}
				seen++
				if int(oldest[key]) != k.MinVersion {
					t.Errorf("%s: the broker takes v%d and later, the guard v%d", key.Name(), k.MinVersion, oldest[key])
				}
			}
			if seen < 30 {
				t.Errorf("the broker announces only %d APIs", seen)
			}
		})
	}
}

// TestGuard shows that the embedded broker refuses an old request and says so,
// also after it came back, and lets a current one pass.
func TestGuard(t *testing.T) {
	e, err := embedded.Start(t.Context(), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := e.KillKafka(); err != nil {
		t.Fatal(err)
	}
	if err := e.StartKafka(t.Context()); err != nil {
		t.Fatal(err)
	}
	join := func(max *kversion.Versions) error {
		c, err := kgo.NewClient(kgo.SeedBrokers(e.Brokers()...), kgo.MaxVersions(max), kgo.RetryTimeout(time.Second))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		req := kmsg.NewPtrJoinGroupRequest()
		req.Group, req.ProtocolType = "guard", "consumer"
		req.SessionTimeoutMillis, req.RebalanceTimeoutMillis = 6000, 6000
		p := kmsg.NewJoinGroupRequestProtocol()
		p.Name = "range"
		req.Protocols = append(req.Protocols, p)
		resp, err := req.RequestWith(ctx, c)
		if err != nil {
			return err
		}
		return kerr.ErrorForCode(resp.ErrorCode)
	}
	if err := join(kversion.V2_0_0()); err != nil {
		t.Errorf("a current JoinGroup: %v", err)
	}
	if got := e.Refused(); len(got) != 0 {
		t.Errorf("refused: %q", got)
	}
	if err := join(kversion.V0_10_1()); err != kerr.UnsupportedVersion { //nolint:errorlint // a code, never wrapped
		t.Errorf("an old JoinGroup: %v", err)
	}
	want := "JoinGroup v1, Kafka 4 takes v2 and later"
	if got := e.Refused(); !slices.Contains(got, want) {
		t.Errorf("refused %q, want %q among them", got, want)
	}
}
