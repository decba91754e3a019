package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/credence-stream/credence/internal/access"
)

// Options say where the store is and whose checkpoints it keeps.
type Options struct {
	// URL is one of
	//
	//	redis://[user[:password]@]host[:port][/db]
	//	rediss://...                                             with TLS
	//	redis+cluster://[user[:password]@]host[:port],...        any of the nodes
	//	rediss+cluster://...                                     with TLS
	//	redis+sentinel://[user[:password]@]host[:port],.../master[/db]
	//	rediss+sentinel://...                                    with TLS to sentinels and servers
	//
	// User and password may be percent-encoded. Those of a sentinel URL are
	// for the servers behind the sentinels.
	URL string
	// PasswordFile holds the password, and is read again for every connection; it
	// wins over Password, which wins over the one in the URL.
	PasswordFile string
	Password     string
	// TLS has the files of encrypted connections, of rediss URLs only; Enabled does
	// not matter.
	TLS access.TLS
	// OnUnusable, when not nil, is told once of a file of TLS that has changed and cannot be
	// used. What it held before stays in use.
	OnUnusable func(error)
	// SentinelUser and SentinelPasswordFile are for the sentinels themselves; the file is
	// read again for every connection.
	SentinelUser, SentinelPasswordFile string

	// Eviction says what becomes of a server that may throw state away, or does
	// not tell; "" is RefuseEviction.
	Eviction Eviction

	Cluster string // id of the Kafka cluster
	Group   string // consumer group

	// Begin, when not nil, is told that a command begins, and what it returns that it is
	// over: its name (Requests, or that of the command) and its error.
	Begin func() (end func(request string, err error))
}

// Open returns the store without connecting to it: a server that is away is
// an outage like any other. No error of it or of the store holds the password.
func Open(o Options) (*Store, error) {
	u, err := o.universal()
	if err != nil {
		return nil, err
	}
	watched := newGuard(o.Eviction)
	own := &login{user: u.Username, password: u.Password, file: o.PasswordFile, tries: access.NewTries(), keys: ownKeys}
	if u.Password != "" {
		u.CredentialsProviderContext = own.credentials
	}
	asked := &sentinels{login{user: o.SentinelUser, file: o.SentinelPasswordFile, tries: access.NewTries(), keys: sentinelKeys}}
	u.OnConnect = func(ctx context.Context, c *goredis.Conn) error {
		if u.MasterName != "" && !behind(c) {
			return asked.connected(ctx, c)
		}
		own.taken(ctx)
		return watched.connected(ctx, c)
	}
	client := goredis.NewUniversalClient(u)
	if cluster, ok := client.(*goredis.ClusterClient); ok {
		cluster.AddHook(newSlots(cluster))
	}
	if o.Begin != nil {
		client.AddHook(timing{o.Begin})
	}
	client.AddHook(late{})
	s, err := New(client, o.Cluster, o.Group)
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	if u.Username != "" {
		s.user = u.Username
	}
	client.AddHook(own)
	s.guard, watched.policy, s.tries, s.sentinelTries = watched, s.CheckPolicy, own.tries, asked.tries
	return s, nil
}

// Check reads the files that the options name and connects to nothing.
func (o Options) Check() error {
	_, err := o.universal()
	return err
}

func (o Options) universal() (*goredis.UniversalOptions, error) {
	t, err := parseURL(o.URL)
	if err != nil {
		return nil, err
	}
	if o.Password != "" {
		t.password = o.Password
	}
	if o.PasswordFile != "" {
		if t.password, err = access.Password(o.PasswordFile); err != nil {
			return nil, fmt.Errorf("redis.password_file: %w", err)
		}
	}
	if o.SentinelPasswordFile != "" {
		if _, err = access.Password(o.SentinelPasswordFile); err != nil {
			return nil, fmt.Errorf("redis.sentinel_password_file: %w", err)
		}
	}
	if o.SentinelUser+o.SentinelPasswordFile != "" && t.master == "" {
		return nil, errors.New("redis url: a user or password of sentinels needs a URL of sentinels")
	}
	u := &goredis.UniversalOptions{
		Addrs:         t.addrs,
		DB:            t.db,
		MasterName:    t.master,
		IsClusterMode: t.cluster,
		Username:      t.user,
		Password:      t.password,
		// A command that is repeated behind our back could be applied twice.
		MaxRetries:            -1,
		DialerRetries:         1,
		DialTimeout:           5 * time.Second,
		ReadTimeout:           -1, // but for those of a line
		WriteTimeout:          -1,
		PoolTimeout:           time.Minute, // who waits for a connection has a limit of its own
		ContextTimeoutEnabled: true,
		DisableIdentity:       true,
		MaintNotificationsConfig: &maintnotifications.Config{
			Mode: maintnotifications.ModeDisabled,
		},
	}
	if !t.tls && o.TLS != (access.TLS{}) {
		return nil, errors.New("redis url: TLS settings need a rediss scheme")
	}
	o.TLS.Enabled = t.tls
	k := access.KeysOf("redis.tls")
	k.Name = "" // there is no such key
	d, err := o.TLS.Dialer(k, o.OnUnusable)
	if err != nil {
		return nil, err
	}
	d.Net = net.Dialer{Timeout: u.DialTimeout, KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 30 * time.Second, Interval: 5 * time.Second, Count: 3}}
	d.Unreachable = "start Redis there, or correct redis.url; if it is no address of that, the cluster or a sentinel announces it"
	u.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := d.Dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &line{Conn: c, addr: addr}, nil
	}
	return u, nil
}
