package kafka

import (
	"context"
	"crypto/tls"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/internal/access"
	"github.com/credence-stream/credence/internal/access/accesstest"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/testenv/probe"
)

// works uses everything that connects: own connections and the group's.
func works(t *testing.T, o Options) {
	t.Helper()
	c := connectAs(t, o)
	topic := fresh(t, c, 1)
	outputs := numbered(topic, 3)
	long := strings.Repeat("l", 100_000)
	outputs[1].Value = []byte(long)
	publish(t, c, Plain, outputs...)
	if got, _ := read(t, newLog(t, c), pipeline.Partition{Topic: topic}, 0, 1<<20); values(got) != "0 "+long+" 2" {
		t.Errorf("%d records, %.100q", len(got), values(got))
	}
	joins(t, NewGroup(c, GroupOptions{Group: topic, Topics: []string{topic}}))
}

// joins has a group run, on new connections, until it is assigned a partition.
func joins(t *testing.T, g *Group) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	late := time.AfterFunc(probe.Patience, cancel)
	defer late.Stop()
	assigned := false
	err := g.Run(ctx, func(string, int) {}, func(ctx context.Context, _ pipeline.Assignment) {
		assigned = true
		cancel()
	})
	if err != nil || !assigned {
		t.Errorf("group: assigned %v, %v", assigned, err)
	}
}

func file(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSASL(t *testing.T) {
	for _, mechanism := range []string{"plain", "scram-sha-256", "scram-sha-512"} {
		t.Run(mechanism, func(t *testing.T) {
			b := fake(t, kfake.EnableSASL(), kfake.Superuser(strings.ToUpper(mechanism), "ada", "secret, with space "))
			o := Options{Brokers: b.ListenAddrs(), SASL: SASL{Mechanism: mechanism, Username: "ada",
				PasswordFile: file(t, "password", []byte("secret, with space \n"))}}
			works(t, o)
			o.SASL.PasswordFile = file(t, "password", []byte("wrong"))
			if _, err := connectAs(t, o).ClusterID(t.Context()); err == nil || !strings.Contains(strings.ToLower(err.Error()), "sasl") {
				t.Errorf("wrong password: %v", err)
			}
			o.SASL = SASL{}
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			if _, err := connectAs(t, o).ClusterID(ctx); err == nil {
				t.Error("no password was needed")
			}
		})
	}
}

// A password is read from its file with every connection; one that is refused is sent
// access.MostTries times, and no more until the file has another.
func TestPasswordIsReadAgain(t *testing.T) {
	b := fake(t, kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-512", "ada", "right"))
	var sent atomic.Int64
	var knows atomic.Bool
	b.ControlKey(int16(kmsg.SASLAuthenticate), func(req kmsg.Request) (kmsg.Response, error, bool) {
		b.KeepControl()
		if sent.Add(1); knows.Load() {
			return nil, nil, false
		}
		refusal := req.ResponseKind().(*kmsg.SASLAuthenticateResponse) // as Apache Kafka's, where this broker hangs up
		refusal.ErrorCode = int16(kafka.SASLAuthenticationFailed)
		return refusal, nil, true
	})
	word := file(t, "password", []byte("wrong"))
	c := connectAs(t, Options{Brokers: b.ListenAddrs(), SASL: SASL{Mechanism: "scram-sha-512", Username: "ada", PasswordFile: word}})
	for range 4 * access.MostTries {
		if _, err := c.ClusterID(t.Context()); err == nil {
			t.Fatal("a wrong password was taken")
		}
	}
	if !exhausted(c) {
		t.Error("nobody was told")
	}
	tried := sent.Load()
	if tried != access.MostTries {
		t.Errorf("%d messages of authentication", tried)
	}
	for range 3 {
		if _, err := c.ClusterID(t.Context()); !errors.Is(err, access.ErrExhausted) {
			t.Errorf("after %d tries: %v", access.MostTries, err)
		}
	}
	if now := sent.Load(); now != tried {
		t.Errorf("%d messages more", now-tried)
	}
	if err := os.WriteFile(word, []byte("right\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	knows.Store(true)
	if _, err := c.ClusterID(t.Context()); err != nil {
		t.Errorf("the new password: %v", err)
	}
}

// A broker that hangs up in the middle of a log-in is away: however often, the password is sent
// again, and taken once the broker is back.
func TestHangUpIsNoRefusal(t *testing.T) {
	b := fake(t, kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-512", "ada", "right"))
	var sent atomic.Int64
	var back atomic.Bool
	b.ControlKey(int16(kmsg.SASLAuthenticate), func(kmsg.Request) (kmsg.Response, error, bool) {
		b.KeepControl()
		sent.Add(1)
		if back.Load() {
			return nil, nil, false
		}
		return nil, errors.New("hang up"), true
	})
	c := connectAs(t, Options{Brokers: b.ListenAddrs(), SASL: SASL{Mechanism: "scram-sha-512", Username: "ada", PasswordFile: file(t, "password", []byte("right"))}})
	for range 2 * access.MostTries {
		if _, err := c.ClusterID(t.Context()); err == nil || errors.Is(err, access.ErrExhausted) {
			t.Fatalf("a broker that hangs up: %v", err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
	defer cancel()
	before := sent.Load()
	var met atomic.Int64
	g := NewGroup(c, GroupOptions{Group: "g", Topics: []string{"t"}, Backoff: time.Millisecond, OnError: func(error) {
		if met.Add(1) == 2*access.MostTries {
			cancel()
		}
	}})
	if err := g.Run(ctx, func(string, int) {}, func(context.Context, pipeline.Assignment) {}); err != nil {
		t.Error(err)
	}
	if n := sent.Load() - before; n < 2*access.MostTries {
		t.Errorf("the group tried %d times", n)
	}
	if exhausted(c) {
		t.Error("a broker that hangs up is taken for one that refuses the password")
	}
	back.Store(true)
	if _, err := c.ClusterID(t.Context()); err != nil {
		t.Errorf("the broker is back: %v", err)
	}
}

func exhausted(c *Client) bool {
	select {
	case <-c.Exhausted():
		return true
	default:
		return false
	}
}

func TestTLS(t *testing.T) {
	ca := accesstest.NewAuthority(t)
	server, client := ca.Issue(t, "127.0.0.1"), ca.Issue(t, "client")
	b := fake(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{server.Pair(t)}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: ca.Pool()}))
	good := TLS{Enabled: true, CAFile: ca.File, CertFile: client.Cert, KeyFile: client.Key}
	works(t, Options{Brokers: b.ListenAddrs(), TLS: good})

	named, stranger, anonymous := good, good, good
	named.ServerName = "other.example"
	stranger.CAFile = accesstest.NewAuthority(t).File
	anonymous.CertFile, anonymous.KeyFile = "", ""
	for name, bad := range map[string]struct {
		tls  TLS
		want string
	}{
		"server name":           {named, "kafka.tls.server_name"},
		"authority":             {stranger, "kafka.tls.ca_file"},
		"no client certificate": {anonymous, "kafka.tls.cert_file"},
		"plain text":            {TLS{}, ""},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
		if _, err := connectAs(t, Options{Brokers: b.ListenAddrs(), TLS: bad.tls}).ClusterID(ctx); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, bad.want)
		}
		cancel()
	}
}

// Files of TLS are read again with every connection, of the group's too.
func TestFilesAreReadAgain(t *testing.T) {
	before, after := accesstest.NewAuthority(t), accesstest.NewAuthority(t)
	mine, next := before.Issue(t, "client"), after.Issue(t, "client")
	var current atomic.Pointer[accesstest.Authority]
	current.Store(before)
	pairs := map[*accesstest.Authority]tls.Certificate{before: before.Issue(t, "127.0.0.1").Pair(t), after: after.Issue(t, "127.0.0.1").Pair(t)}
	b := fake(t, kfake.TLS(&tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		a := current.Load()
		return &tls.Config{Certificates: []tls.Certificate{pairs[a]}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: a.Pool()}, nil
	}}))
	var told atomic.Int64
	o := Options{Brokers: b.ListenAddrs(), TLS: TLS{Enabled: true, CAFile: before.File, CertFile: mine.Cert, KeyFile: mine.Key}, OnUnusable: func(error) { told.Add(1) }}
	c := connectAs(t, o)
	topic := fresh(t, c, 1)
	group := NewGroup(c, GroupOptions{Group: topic, Topics: []string{topic}})
	if _, err := c.ClusterID(t.Context()); err != nil {
		t.Fatal(err)
	}
	current.Store(after)
	accesstest.Replace(t, before.File, after.File)
	accesstest.Replace(t, mine.Cert, next.Cert)
	accesstest.Replace(t, mine.Key, next.Key)
	joins(t, group)
	if err := os.WriteFile(before.File, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	joins(t, group)
	if n := told.Load(); n != 1 {
		t.Errorf("told %d times of a broken file", n)
	}
}

func TestOptions(t *testing.T) {
	word := file(t, "password", []byte("x"))
	for name, o := range map[string]Options{
		"no broker":    {},
		"no port":      {Brokers: []string{"localhost"}},
		"no user":      {Brokers: []string{"a:1"}, SASL: SASL{Mechanism: "plain", PasswordFile: word}},
		"no password":  {Brokers: []string{"a:1"}, SASL: SASL{Mechanism: "plain", Username: "u"}},
		"mechanism":    {Brokers: []string{"a:1"}, SASL: SASL{Mechanism: "gssapi", Username: "u", PasswordFile: word}},
		"no key":       {Brokers: []string{"a:1"}, TLS: TLS{Enabled: true, CertFile: word}},
		"no authority": {Brokers: []string{"a:1"}, TLS: TLS{Enabled: true, CAFile: word}},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// oldest holds the versions that Apache Kafka 4 still takes (KIP-896).
var oldest = map[int16]int16{0: 3, 1: 4, 2: 1, 8: 2, 9: 1, 11: 2, 17: 1, 19: 2, 32: 1}

// TestVersions: nothing that is sent is older than what Apache Kafka 4 takes.
func TestVersions(t *testing.T) {
	b := fake(t)
	seen := make(chan [2]int16, 10_000)
	b.Control(func(req kmsg.Request) (kmsg.Response, error, bool) {
		b.KeepControl()
		seen <- [2]int16{req.Key(), req.GetVersion()}
		return nil, nil, false
	})
	works(t, Options{Brokers: b.ListenAddrs()})
	c := connect(t, b.ListenAddrs())
	topic := fresh(t, c, 1)
	if _, err := c.Describe(t.Context(), topic); err != nil {
		t.Fatal(err)
	}
	w := join(t, b.ListenAddrs(), topic, topic, nil)
	eventually(t, "assignment", func() bool { return len(w.get()) == 1 })
	if err := w.get()[0].Commit(t.Context(), pipeline.GroupOffset{Offset: 1}); err != nil {
		t.Fatal(err)
	}
	w.stop()
	b.DropControl()
	keys := map[int16]bool{}
	for len(seen) > 0 {
		s := <-seen
		keys[s[0]] = true
		if s[1] < oldest[s[0]] {
			t.Errorf("%s in version %d", kmsg.NameForKey(s[0]), s[1])
		}
	}
	for key, min := range oldest {
		if key != 17 && !keys[key] {
			t.Errorf("%s was never sent", kmsg.NameForKey(key))
		}
		if s, ok := spoken[kafkaKey(key)]; ok && s[0] < min {
			t.Errorf("%s may be sent in version %d", kmsg.NameForKey(key), s[0])
		}
	}
	var unknown kafka.Error = 999
	if Moved(unknown) {
		t.Error("an unknown error is no reason to look for another leader")
	}
}
