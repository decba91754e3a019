package redis

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"
)

// sentinels starts a master with a replica, and three sentinels that look after them.
func sentinels(t *testing.T) (servers []*server, url string) {
	t.Helper()
	user := []string{"--user", "credence", "on", ">secret", "~*", "&*", "+@all", "--repl-diskless-sync-delay", "0"}
	servers = append(servers, startServer(t, user...))
	servers = append(servers, startServer(t, append(user, "--replicaof", "127.0.0.1 "+strconv.Itoa(servers[0].port))...))
	eventually(t, "the replica follows", func() error {
		if info := servers[1].raw.Info(t.Context(), "replication").Val(); !strings.Contains(info, "master_link_status:up") {
			return fmt.Errorf("%s", info)
		}
		return nil
	})
	var addrs []string
	for range 3 {
		file := filepath.Join(t.TempDir(), "sentinel.conf")
		text := fmt.Sprintf("sentinel monitor mymaster 127.0.0.1 %d 2\nsentinel down-after-milliseconds mymaster 1000\n"+
			"sentinel failover-timeout mymaster 6000\n", servers[0].port)
		must(t, os.WriteFile(file, []byte(text), 0o600))
		s := startSentinel(t, file)
		addrs = append(addrs, s.addr())
	}
	for _, addr := range addrs {
		c := goredis.NewSentinelClient(&goredis.Options{Addr: addr})
		t.Cleanup(func() { _ = c.Close() })
		eventually(t, "the sentinels know each other and the replica", func() error {
			m, err := c.Master(t.Context(), "mymaster").Result()
			if err == nil && (m["num-other-sentinels"] != "2" || m["num-slaves"] != "1") {
				err = fmt.Errorf("%v", m)
			}
			return err
		})
	}
	return servers, "redis+sentinel://credence:secret@" + strings.Join(addrs, ",") + "/mymaster/0"
}

// A master behind sentinels is killed under traffic, and later put back as a replica and
// the other one killed: the store goes on, and what the failover lost is replayed.
func TestSentinelFailover(t *testing.T) {
	if testing.Short() {
		t.Skip("an election takes seconds")
	}
	servers, url := sentinels(t)
	s := backend{url: url}.store(t, "credence")
	x := newTraffic(t, s)
	for i, master := range servers {
		other := servers[1-i]
		done := make(chan error, 1)
		go func() {
			master.kill()
			done <- poll(func() error {
				if info := other.raw.Info(t.Context(), "replication").Val(); !strings.Contains(info, "role:master") {
					return fmt.Errorf("%s", info)
				}
				return nil
			})
		}()
		x.until(t, done)
		x.verify(t)
		must(t, master.start())
		eventually(t, "the former master follows", func() error {
			if info := master.raw.Info(t.Context(), "replication").Val(); !strings.Contains(info, "master_link_status:up") {
				return fmt.Errorf("%s", info)
			}
			return nil
		})
	}
	policy, err := s.CheckPolicy(t.Context())
	if err != nil || !policy.AppendOnly {
		t.Errorf("%+v and error %v", policy, err)
	}
}
