package redis

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/testenv/probe"
)

// startCluster starts three masters, each with a replica: the first three nodes
// and, in their order, the rest.
func startCluster(t *testing.T) []*server {
	ctx := t.Context()
	nodes := make([]*server, 6)
	for i := range nodes {
		nodes[i] = startServer(t, "--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf", "--cluster-node-timeout", "2000", "--repl-diskless-sync-delay", "0")
		must(t, nodes[0].raw.ClusterMeet(ctx, "127.0.0.1", strconv.Itoa(nodes[i].port)).Err())
	}
	for i, m := range nodes[:3] {
		must(t, m.raw.ClusterAddSlotsRange(ctx, i*16384/3, (i+1)*16384/3-1).Err())
		id, err := m.raw.Do(ctx, "cluster", "myid").Text()
		must(t, err)
		replica := nodes[3+i].raw
		eventually(t, "a replica knows its master", func() error { return replica.ClusterReplicate(ctx, id).Err() })
	}
	for i, n := range nodes {
		eventually(t, "the cluster is up", func() error {
			info, err := n.raw.ClusterInfo(ctx).Result()
			replication := n.raw.Info(ctx, "replication").Val()
			if err == nil && (!strings.Contains(info, "cluster_state:ok") || i > 2 && !strings.Contains(replication, "master_link_status:up")) {
				err = errors.New(info + replication)
			}
			return err
		})
	}
	return nodes
}

// masterOf returns the port of the node that a node takes for the master of a
// key, 0 while the cluster is down.
func masterOf(t *testing.T, n *server, key string) int {
	t.Helper()
	err := n.raw.Exists(t.Context(), key).Err()
	switch {
	case err == nil:
		return n.port
	case !goredis.HasErrorPrefix(err, "MOVED"):
		return 0
	}
	port, err := strconv.Atoi(err.Error()[strings.LastIndexByte(err.Error(), ':')+1:])
	must(t, err)
	return port
}

// A master that dies is replaced in the time that its cluster takes, and the
// store goes on soon after. Asked once a minute for its map of slots, it would
// turn to the dead one until then.
func TestClusterFailover(t *testing.T) {
	if testing.Short() {
		t.Skip("an election takes seconds")
	}
	ctx, nodes := t.Context(), startCluster(t)
	s := backend{url: "redis+cluster://" + nodes[0].addr() + "," + nodes[1].addr() + "," + nodes[2].addr()}.store(t, "credence")
	claim(t, s, "a")
	save(t, s, "a", put(-1, 10, "k", "v"))
	at := masterOf(t, nodes[0], prefix+"meta")
	master := slices.IndexFunc(nodes, func(n *server) bool { return n.port == at })
	dead, other := nodes[master], nodes[(master+1)%3]
	must(t, dead.raw.Wait(ctx, 1, probe.Patience).Err()) // its replica has what was saved
	dead.kill()
	died, whole := time.Now(), time.Time{}
	eventually(t, "the store goes on", func() error {
		if now := masterOf(t, other, prefix+"meta"); whole.IsZero() && now != 0 && now != dead.port {
			whole = time.Now()
		}
		return s.Save(ctx, lease("a"), put(10, 20, "k", "w"))
	})
	if whole.IsZero() {
		whole = time.Now() // the store knew of the new master before the node that was asked
	}
	after := time.Since(whole)
	t.Logf("the cluster was whole %v after the master died; saved %v later", whole.Sub(died), after)
	if after > 30*time.Second { // asked once a minute it would take almost that
		t.Errorf("saved %v after the cluster was whole again", after)
	}
	holds(t, s, "a", 20, "k", "w")
}
