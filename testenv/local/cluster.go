//go:build linux

package local

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"github.com/credence-stream/credence/testenv/probe"
)

const (
	brokers = 3
	masters = 3 // of Redis, each with a replica
)

// Cluster is three Kafka brokers, with three replicas of every topic of which
// two must be in sync; a Redis Cluster of three masters with a replica each;
// and one Redis server beside them. Whoever talks to one of them, also another
// of them, does so through a Link.
type Cluster struct {
	Kafka  []*Server
	Redis  []*Server // of the Redis Cluster
	Single *Server   // Redis by itself
	Links  []*Link

	dir    string
	single *redisServer
}

// StartCluster starts all servers and returns when they answer and the
// clusters are whole.
func StartCluster(ctx context.Context, o Options) (*Cluster, error) {
	t, err := prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	dir, err := newFolder()
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir}
	if err := errors.Join(c.addKafka(ctx, t), c.addRedis(ctx, t), c.addSingle(ctx, t)); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	var g errgroup.Group
	for _, s := range c.Servers() {
		g.Go(func() error { return s.Start(ctx) })
	}
	err = g.Wait()
	if err == nil {
		err = c.join(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// place returns a port that is found under the address of a link.
func (c *Cluster) place(ctx context.Context, name string) (place, error) {
	p, err := newPlace(ctx, loopback)
	if err != nil {
		return p, err
	}
	l, err := newLink(name, p.Seen)
	if err != nil {
		return p, err
	}
	c.Links = append(c.Links, l)
	p.Seen = l.Addr()
	return p, nil
}

func (c *Cluster) addKafka(ctx context.Context, t tools) error {
	var members [brokers]member
	var voters []string
	for i := range members {
		m := &members[i]
		*m = member{ID: i + 1, Replicas: brokers, InSync: brokers - 1}
		var err [3]error
		name := fmt.Sprintf("broker %d", m.ID)
		m.Clients, err[0] = c.place(ctx, name)
		m.Peers, err[1] = c.place(ctx, name+" from its peers")
		m.Controllers, err[2] = c.place(ctx, name+" as a controller")
		if err := errors.Join(err[:]...); err != nil {
			return err
		}
		voters = append(voters, fmt.Sprintf("%d@%s", m.ID, m.Controllers.Seen))
	}
	id := clusterID()
	var g errgroup.Group
	c.Kafka = make([]*Server, brokers)
	for i, m := range members {
		m.Voters = strings.Join(voters, ",")
		g.Go(func() error {
			k, err := newKafka(ctx, t, filepath.Join(c.dir, fmt.Sprintf("kafka-%d", m.ID)), id, m)
			if err == nil {
				c.Kafka[i] = &Server{Name: fmt.Sprintf("broker %d", m.ID), Addr: k.addr, proc: k.proc, start: k.start}
			}
			return err
		})
	}
	return g.Wait()
}

func (c *Cluster) addRedis(ctx context.Context, t tools) error {
	for i := range 2 * masters {
		name := fmt.Sprintf("redis %d", i+1)
		at, err := c.place(ctx, name)
		if err != nil {
			return err
		}
		bus, err := c.place(ctx, name+" from its peers")
		if err != nil {
			return err
		}
		r, err := newRedis(t, filepath.Join(c.dir, fmt.Sprintf("redis-%d", i+1)), at,
			"--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf", "--cluster-node-timeout", "2000",
			"--cluster-port", strconv.Itoa(bus.Port), "--cluster-announce-ip", "127.0.0.1",
			"--cluster-announce-port", portOf(at.Seen), "--cluster-announce-bus-port", portOf(bus.Seen),
			"--repl-diskless-sync-delay", "0")
		if err != nil {
			return err
		}
		c.Redis = append(c.Redis, &Server{Name: name, Addr: at.Seen, bus: bus.Seen, proc: r.proc, start: r.start, data: r.aof})
	}
	return nil
}

func (c *Cluster) addSingle(ctx context.Context, t tools) error {
	at, err := c.place(ctx, "the single redis")
	if err != nil {
		return err
	}
	c.single, err = newRedis(t, filepath.Join(c.dir, "redis"), at)
	if err == nil {
		c.Single = &Server{Name: "the single redis", Addr: at.Seen, proc: c.single.proc, start: c.single.start, data: c.single.aof}
	}
	return err
}

// join makes one cluster of the Redis servers.
func (c *Cluster) join(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probe.Patience)
	defer cancel()
	for i, s := range c.Redis {
		err := c.Redis[0].redis(func(r *redis.Client) error {
			return r.Do(ctx, "cluster", "meet", "127.0.0.1", portOf(s.Addr), portOf(s.bus)).Err()
		})
		if err != nil {
			return err
		}
		if i >= masters {
			continue
		}
		if err := s.redis(func(r *redis.Client) error {
			return r.ClusterAddSlotsRange(ctx, i*16384/masters, (i+1)*16384/masters-1).Err()
		}); err != nil {
			return err
		}
	}
	for i, s := range c.Redis[masters:] {
		var id string
		err := c.Redis[i].redis(func(r *redis.Client) (err error) {
			id, err = r.Do(ctx, "cluster", "myid").Text()
			return err
		})
		if err != nil {
			return err
		}
		// It has to have heard of its master first.
		if err := probe.Until(ctx, func(ctx context.Context) error {
			return s.redis(func(r *redis.Client) error { return r.ClusterReplicate(ctx, id).Err() })
		}); err != nil {
			return err
		}
	}
	return c.Whole(ctx)
}

// Whole waits until every slot of the Redis Cluster has a master, and every
// replica is connected to its own.
func (c *Cluster) Whole(ctx context.Context) error {
	for _, s := range c.Redis {
		err := probe.Until(ctx, func(ctx context.Context) error {
			return s.redis(func(r *redis.Client) error {
				state, err := r.ClusterInfo(ctx).Result()
				if err != nil {
					return err
				}
				replication, err := r.Info(ctx, "replication").Result()
				if err != nil {
					return err
				}
				if !strings.Contains(state, "cluster_state:ok") || strings.Contains(replication, "master_link_status:down") {
					return fmt.Errorf("%s: %s%s", s.Name, state, replication)
				}
				return nil
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Servers returns all servers.
func (c *Cluster) Servers() []*Server {
	all := slices.Concat(c.Kafka, c.Redis)
	if c.Single != nil {
		all = append(all, c.Single)
	}
	return slices.DeleteFunc(all, func(s *Server) bool { return s == nil })
}

// Brokers returns the brokers' addresses.
func (c *Cluster) Brokers() []string { return addrs(c.Kafka) }

// ClusterURL returns the URL of the Redis Cluster.
func (c *Cluster) ClusterURL() string { return "redis+cluster://" + strings.Join(addrs(c.Redis), ",") }

// SingleURL returns the URL of the Redis server that is by itself.
func (c *Cluster) SingleURL() string { return "redis://" + c.Single.Addr + "/0" }

// SaveSingle returns a copy of the append-only file of the single Redis server.
func (c *Cluster) SaveSingle(ctx context.Context) ([]byte, error) { return c.single.save(ctx) }

// RestoreSingle puts the single Redis server back to a copy.
func (c *Cluster) RestoreSingle(ctx context.Context, saved []byte) error {
	return c.single.restore(ctx, saved)
}

// Mend ends every toxic, pause and outage.
func (c *Cluster) Mend(ctx context.Context) error {
	for _, l := range c.Links {
		l.Heal(ctx)
	}
	var g errgroup.Group
	for _, s := range c.Servers() {
		_ = s.Resume() // fails where it is down, which Start mends
		g.Go(func() error { return s.Start(ctx) })
	}
	return g.Wait()
}

// Close ends all servers and removes their data.
func (c *Cluster) Close() error {
	var all []error
	for _, s := range c.Servers() {
		all = append(all, s.Kill())
	}
	for _, l := range c.Links {
		l.close()
	}
	return errors.Join(append(all, os.RemoveAll(c.dir))...)
}

// Server is one process of a cluster.
type Server struct {
	Name string
	Addr string // of the link to it

	bus   string // of a Redis Cluster
	proc  *process
	start func(context.Context) error
	data  string // folder of a Redis server's append-only file
}

// Kill ends the server with SIGKILL.
func (s *Server) Kill() error { return s.proc.kill() }

// Stop ends the server with SIGTERM and returns when it has ended.
func (s *Server) Stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probe.Patience)
	defer cancel()
	return s.proc.stop(ctx)
}

// Start starts a killed server on the same port and data and returns when it
// answers.
func (s *Server) Start(ctx context.Context) error { return s.start(ctx) }

// Pause stops the server with SIGSTOP.
func (s *Server) Pause() error { return s.proc.signal(syscall.SIGSTOP) }

// Resume ends a pause.
func (s *Server) Resume() error { return s.proc.signal(syscall.SIGCONT) }

// Set changes a setting of a Redis server, once its link lets it.
func (s *Server) Set(ctx context.Context, setting, value string) error {
	ctx, cancel := context.WithTimeout(ctx, probe.Patience)
	defer cancel()
	return probe.Until(ctx, func(ctx context.Context) error {
		return s.redis(func(r *redis.Client) error { return r.ConfigSet(ctx, setting, value).Err() })
	})
}

// Writes returns an error while the last write of a Redis server to its append-only
// file is one that failed.
func (s *Server) Writes(ctx context.Context) error {
	return s.redis(func(r *redis.Client) error {
		info, err := r.Info(ctx, "persistence").Result()
		if err == nil && !strings.Contains(info, "aof_last_write_status:ok") {
			err = fmt.Errorf("%s cannot write: %s", s.Name, info)
		}
		return err
	})
}

// IsMaster reports whether a Redis server is one.
func (s *Server) IsMaster(ctx context.Context) (is bool, err error) {
	err = s.redis(func(r *redis.Client) error {
		info, err := r.Info(ctx, "replication").Result()
		is = strings.Contains(info, "role:master")
		return err
	})
	return is, err
}

func (s *Server) redis(do func(*redis.Client) error) error {
	r := redis.NewClient(&redis.Options{Addr: s.Addr, MaxRetries: -1, DialTimeout: time.Second, ReadTimeout: time.Second})
	return errors.Join(do(r), r.Close())
}

func addrs(servers []*Server) (all []string) {
	for _, s := range servers {
		all = append(all, s.Addr)
	}
	return all
}

func portOf(addr string) string {
	_, port, _ := net.SplitHostPort(addr) // addresses are ours
	return port
}
