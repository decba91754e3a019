package redis

import (
	"context"
	"slices"
	"strconv"
	"testing"

	goredis "github.com/redis/go-redis/v9"
)

// migrate moves a slot from one master to another, as redis-cli --cluster reshard does, a
// few keys at a time.
func migrate(ctx context.Context, nodes []*server, slot int, from, to *server) error {
	id := func(s *server) (string, error) { return s.raw.Do(ctx, "cluster", "myid").Text() }
	source, err := id(from)
	if err != nil {
		return err
	}
	target, err := id(to)
	if err != nil {
		return err
	}
	if err := to.raw.Do(ctx, "cluster", "setslot", slot, "importing", source).Err(); err != nil {
		return err
	}
	if err := from.raw.Do(ctx, "cluster", "setslot", slot, "migrating", target).Err(); err != nil {
		return err
	}
	for {
		keys, err := from.raw.ClusterGetKeysInSlot(ctx, slot, 3).Result()
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			break
		}
		words := []any{"migrate", "127.0.0.1", strconv.Itoa(to.port), "", 0, 10000, "keys"}
		for _, key := range keys {
			words = append(words, key)
		}
		if err := from.raw.Do(ctx, words...).Err(); err != nil && err != goredis.Nil { //nolint:errorlint // a reply
			return err
		}
	}
	for _, n := range slices.Concat([]*server{to, from}, nodes[:3]) {
		if err := n.raw.Do(ctx, "cluster", "setslot", slot, "node", target).Err(); err != nil {
			return err
		}
	}
	return nil
}

// The slot of a partition moves to another master and back under traffic, and the master
// that has it dies: scripts whose keys are in two places are refused whole, and no key differs.
func TestSlotMigration(t *testing.T) {
	if testing.Short() {
		t.Skip("an election takes seconds")
	}
	ctx, nodes := t.Context(), startCluster(t)
	s := backend{url: "redis+cluster://" + nodes[0].addr() + "," + nodes[1].addr() + "," + nodes[2].addr()}.store(t, "credence")
	x := newTraffic(t, s)
	slot, err := nodes[0].raw.ClusterKeySlot(ctx, prefix+"meta").Result()
	must(t, err)
	holder := func() *server {
		at := masterOf(t, nodes[0], prefix+"meta")
		return nodes[slices.IndexFunc(nodes, func(n *server) bool { return n.port == at })]
	}
	for range 2 {
		from := holder()
		to := nodes[(slices.Index(nodes[:3], from)+1)%3]
		done := make(chan error, 1)
		go func() { done <- migrate(ctx, nodes, int(slot), from, to) }()
		x.until(t, done)
		x.verify(t)
		eventually(t, "the slot is where it was moved", func() error {
			if at := masterOf(t, nodes[0], prefix+"meta"); at != to.port {
				return goredis.Nil
			}
			return nil
		})
	}
	dead := holder()
	done := make(chan error, 1)
	go func() {
		dead.kill()
		done <- nil
	}()
	x.until(t, done)
	x.verify(t)
}
