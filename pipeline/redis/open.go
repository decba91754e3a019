package redis

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
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
	//
	// User and password may be percent-encoded. Those of a sentinel URL are
	// for the servers behind the sentinels.
	URL string
	// PasswordFile holds the password; it wins over Password, which wins
	// over the one in the URL.
	PasswordFile string
	Password     string
	// TLS is used with rediss only; nil means TLS 1.2 or newer and the
	// system's certificate authorities.
	TLS *tls.Config
	// CAFile holds certificate authorities in PEM form, instead of the
	// system's.
	CAFile string

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
	u.OnConnect = watched.connected
	client := goredis.NewUniversalClient(u)
	if cluster, ok := client.(*goredis.ClusterClient); ok {
		cluster.AddHook(newSlots(cluster))
	}
	if o.Begin != nil {
		client.AddHook(timing{o.Begin})
	}
	s, err := New(client, o.Cluster, o.Group)
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	if u.Username != "" {
		s.user = u.Username
	}
	s.guard, watched.policy = watched, s.CheckPolicy
	return s, nil
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
			return nil, fmt.Errorf("redis password file: %w", err)
		}
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
		ReadTimeout:           10 * time.Second, // a value of 20 MB takes its time
		WriteTimeout:          10 * time.Second,
		ContextTimeoutEnabled: true,
		DisableIdentity:       true,
		MaintNotificationsConfig: &maintnotifications.Config{
			Mode: maintnotifications.ModeDisabled,
		},
	}
	if !t.tls {
		if o.CAFile != "" || o.TLS != nil {
			return nil, errors.New("redis url: TLS settings need a rediss scheme")
		}
		return u, nil
	}
	u.TLSConfig, err = o.tlsConfig()
	return u, err
}

func (o Options) tlsConfig() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.TLS != nil {
		config = o.TLS.Clone()
	}
	if o.CAFile == "" {
		return config, nil
	}
	pem, err := os.ReadFile(o.CAFile)
	if err != nil {
		return nil, fmt.Errorf("redis certificate authorities: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("redis certificate authorities: no certificate in %s", o.CAFile)
	}
	return config, nil
}
