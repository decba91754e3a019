package embedded

import (
	"fmt"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Oldest holds, per API, the oldest version that Apache Kafka 4.0 takes where
// that is not 0 (KIP-896). kfake is more lenient. So is 4.1 again for
// JoinGroup, but what works there alone does not work on Kafka 4.
func Oldest() map[kmsg.Key]int16 {
	return map[kmsg.Key]int16{
		kmsg.Produce:                 3,
		kmsg.Fetch:                   4,
		kmsg.ListOffsets:             1,
		kmsg.OffsetCommit:            2,
		kmsg.OffsetFetch:             1,
		kmsg.JoinGroup:               2,
		kmsg.CreateTopics:            2,
		kmsg.DeleteTopics:            1,
		kmsg.OffsetForLeaderEpoch:    2,
		kmsg.WriteTxnMarkers:         1,
		kmsg.DescribeACLs:            1,
		kmsg.CreateACLs:              1,
		kmsg.DeleteACLs:              1,
		kmsg.DescribeConfigs:         1,
		kmsg.AlterReplicaLogDirs:     1,
		kmsg.DescribeLogDirs:         1,
		kmsg.CreateDelegationToken:   1,
		kmsg.RenewDelegationToken:    1,
		kmsg.ExpireDelegationToken:   1,
		kmsg.DescribeDelegationToken: 1,
	}
}

// guard refuses requests in versions that Apache Kafka 4 does not know and
// keeps what it refused.
type guard struct {
	oldest map[kmsg.Key]int16

	mu      sync.Mutex
	refused []string
}

func newGuard() *guard { return &guard{oldest: Oldest()} }

func (g *guard) old(r kmsg.Request) bool { return r.GetVersion() < g.oldest[kmsg.Key(r.Key())] }

// watch makes the cluster answer requests that are too old with
// UNSUPPORTED_VERSION. The control only notes them, since kfake itself hangs
// up on the very oldest before a fault can answer.
func (g *guard) watch(c *kfake.Cluster) {
	c.Control(func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if g.old(r) {
			g.note(r)
		}
		return nil, nil, false
	})
	c.Fault(
		kfake.Fault{Err: kerr.UnsupportedVersion, Count: -1, When: g.old},
		kfake.Fault{Err: kerr.UnsupportedVersion, Count: -1, When: g.old, TopLevel: true},
	)
}

func (g *guard) note(r kmsg.Request) {
	key := kmsg.Key(r.Key())
	s := fmt.Sprintf("%s v%d, Kafka 4 takes v%d and later", key.Name(), r.GetVersion(), g.oldest[key])
	g.mu.Lock()
	defer g.mu.Unlock()
	if !slices.Contains(g.refused, s) {
		g.refused = append(g.refused, s)
	}
}

func (g *guard) list() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.refused)
}
