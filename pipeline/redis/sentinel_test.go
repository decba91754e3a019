package redis

import (
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/internal/access"
	"github.com/credence-stream/credence/internal/access/accesstest"
)

// armour is how servers are protected that speak TLS to each other, too. Nil: not at all.
type armour struct {
	ca   *accesstest.Authority
	pair accesstest.Issued
}

func newArmour(t *testing.T) *armour {
	ca := accesstest.NewAuthority(t)
	return &armour{ca, ca.Issue(t, "127.0.0.1")}
}

// ports are the arguments of a server that listens on a port.
func (a *armour) ports(port int) []string {
	if a == nil {
		return []string{"--port", strconv.Itoa(port)}
	}
	return []string{"--port", "0", "--tls-port", strconv.Itoa(port), "--tls-cert-file", a.pair.Cert, "--tls-key-file", a.pair.Key,
		"--tls-ca-cert-file", a.ca.File, "--tls-auth-clients", "yes", "--tls-replication", "yes"}
}

// options are those of a client with an address.
func (a *armour) options(t testing.TB, addr string) *goredis.Options {
	o := &goredis.Options{Addr: addr, MaxRetries: -1, DialerRetries: 1, ReadTimeout: 30 * time.Second}
	if a != nil {
		o.TLSConfig = &tls.Config{RootCAs: a.ca.Pool(), Certificates: []tls.Certificate{a.pair.Pair(t)}}
	}
	return o
}

func (a *armour) client(t testing.TB, addr string) *goredis.Client {
	c := goredis.NewClient(a.options(t, addr))
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// watchedServers are a master with a replica, and three sentinels that look after them.
type watchedServers struct {
	servers   []*server
	sentinels []*server
	url       string // of the user credence
}

// askers is the rule of sentinels that answer to each other, and to one user.
const askers = "user default off\nuser peer on >peers ~* &* +@all\nuser asker on >word ~* &* +@all\nsentinel sentinel-user peer\nsentinel sentinel-pass peers\n"

// watchedBySentinels starts them. Where a is not nil they speak TLS, and sentinels answer to a user.
func watchedBySentinels(t *testing.T, a *armour) (w watchedServers) {
	t.Helper()
	user := []string{"--user", "credence", "on", ">secret", "~*", "&*", "+@all", "--repl-diskless-sync-delay", "0"}
	w.servers = append(w.servers, (&server{extra: user, tls: a}).begin(t))
	w.servers = append(w.servers, (&server{extra: append(user, "--replicaof", "127.0.0.1 "+strconv.Itoa(w.servers[0].port)), tls: a}).begin(t))
	eventually(t, "the replica follows", func() error {
		return w.servers[1].reports("master_link_status:up")
	})
	scheme, rule := "redis+sentinel", ""
	if a != nil {
		scheme, rule = "rediss+sentinel", askers
	}
	var addrs []string
	for range 3 {
		file := filepath.Join(t.TempDir(), "sentinel.conf")
		text := fmt.Sprintf("sentinel monitor mymaster 127.0.0.1 %d 2\nsentinel down-after-milliseconds mymaster 1000\n"+
			"sentinel failover-timeout mymaster 6000\n%s", w.servers[0].port, rule)
		must(t, os.WriteFile(file, []byte(text), 0o600))
		s := (&server{file: file, tls: a}).begin(t)
		w.sentinels = append(w.sentinels, s)
		addrs = append(addrs, s.addr())
	}
	for _, addr := range addrs {
		o := a.options(t, addr)
		if a != nil {
			o.Username, o.Password = "peer", "peers"
		}
		c := goredis.NewSentinelClient(o)
		t.Cleanup(func() { _ = c.Close() })
		eventually(t, "the sentinels know each other and the replica", func() error {
			m, err := c.Master(t.Context(), "mymaster").Result()
			if err == nil && (m["num-other-sentinels"] != "2" || m["num-slaves"] != "1") {
				err = fmt.Errorf("%v", m)
			}
			return err
		})
	}
	w.url = scheme + "://credence:secret@" + strings.Join(addrs, ",") + "/mymaster/0"
	return w
}

// reports returns what a server says of replication, nil if that has a text.
func (s *server) reports(text string) error {
	if info := s.raw.Info(s.t.Context(), "replication").Val(); !strings.Contains(info, text) {
		return fmt.Errorf("%s", info)
	}
	return nil
}

// failover kills the master under traffic until the other server has its place.
func (w watchedServers) failover(t *testing.T, x *traffic, master int) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		w.servers[master].kill()
		done <- poll(func() error { return w.servers[1-master].reports("role:master") })
	}()
	x.until(t, done)
	x.verify(t)
}

// A master behind sentinels is killed under traffic, and later put back as a replica and
// the other one killed: the store goes on, and what the failover lost is replayed.
func TestSentinelFailover(t *testing.T) {
	if testing.Short() {
		t.Skip("an election takes seconds")
	}
	w := watchedBySentinels(t, nil)
	s := backend{url: w.url}.store(t, "credence")
	x := newTraffic(t, s)
	for i, master := range w.servers {
		w.failover(t, x, i)
		must(t, master.start())
		eventually(t, "the former master follows", func() error { return master.reports("master_link_status:up") })
	}
	policy, err := s.CheckPolicy(t.Context())
	if err != nil || !policy.AppendOnly {
		t.Errorf("%+v and error %v", policy, err)
	}
}

// Sentinels and servers that speak TLS to who shows a certificate, and sentinels that answer to a
// user: who is not trusted, or asks with another password, is told what to correct; a failover, and
// a password of the sentinels that changes, go through.
func TestSentinelsOverTLS(t *testing.T) {
	if testing.Short() {
		t.Skip("an election takes seconds")
	}
	a := newArmour(t)
	w := watchedBySentinels(t, a)
	word := filepath.Join(t.TempDir(), "word")
	must(t, os.WriteFile(word, []byte("word\n"), 0o600))
	good := Options{
		URL: w.url, TLS: access.TLS{CAFile: a.ca.File, CertFile: a.pair.Cert, KeyFile: a.pair.Key},
		SentinelUser: "asker", SentinelPasswordFile: word, Cluster: "MkU3OEVBNTcwNTJENDM2Qk", Group: "credence",
	}
	open := func(change func(*Options)) *Store {
		o := good
		change(&o)
		s, err := Open(o)
		must(t, err)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	for name, c := range map[string]struct {
		change func(*Options)
		want   []string
		is     error
	}{
		"unknown authority":   {func(o *Options) { o.TLS.CAFile = accesstest.NewAuthority(t).File }, []string{w.sentinels[0].addr(), "unknown authority", "redis.tls.ca_file"}, nil},
		"no certificate":      {func(o *Options) { o.TLS.CertFile, o.TLS.KeyFile = "", "" }, []string{"redis.tls.cert_file and redis.tls.key_file"}, nil},
		"no password":         {func(o *Options) { o.SentinelUser, o.SentinelPasswordFile = "", "" }, []string{"give redis.sentinel_username and redis.sentinel_password_file"}, errSentinel},
		"another password":    {func(o *Options) { o.SentinelPasswordFile = a.ca.File }, []string{`"asker"`, "correct redis.sentinel_username and redis.sentinel_password_file"}, errSentinel},
		"another user":        {func(o *Options) { o.SentinelUser = "somebody" }, []string{`"somebody"`, "correct redis.sentinel_username"}, errSentinel},
		"of the servers only": {func(o *Options) { o.Password = "another" }, []string{`"credence"`, "correct redis.password_file"}, ErrCredentials},
	} {
		_, err := open(c.change).CheckPolicy(t.Context())
		if err == nil || c.is != nil && (!errors.Is(err, c.is) || !errors.Is(err, ErrCredentials)) || errors.Is(err, errSentinel) != errors.Is(c.is, errSentinel) {
			t.Errorf("%s: error %v", name, err)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q lacks %q", name, err, part)
			}
		}
	}
	wrong := open(func(o *Options) { o.SentinelPasswordFile = a.ca.File })
	for range access.MostTries {
		if wrong.Ping(t.Context()) == nil {
			t.Fatal("a wrong password was taken")
		}
	}
	select {
	case <-wrong.SentinelsExhausted():
	default:
		t.Error("nobody was told")
	}
	if err := wrong.Ping(t.Context()); !errors.Is(err, access.ErrExhausted) {
		t.Errorf("after %d tries: %v", access.MostTries, err)
	}

	x := newTraffic(t, open(func(*Options) {}))
	must(t, os.WriteFile(word, []byte("renewed"), 0o600))
	for _, s := range w.sentinels {
		o := a.options(t, s.addr())
		o.Username, o.Password = "peer", "peers"
		c := goredis.NewClient(o)
		must(t, c.Do(t.Context(), "acl", "setuser", "asker", "resetpass", ">renewed").Err())
		must(t, c.Do(t.Context(), "client", "kill", "user", "asker").Err())
		must(t, c.Close())
	}
	w.failover(t, x, 0)
}
