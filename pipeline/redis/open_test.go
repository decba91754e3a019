package redis

import (
	"crypto/tls"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/credence-stream/credence/internal/access"
	"github.com/credence-stream/credence/internal/access/accesstest"
)

func TestURLs(t *testing.T) {
	for _, c := range []struct {
		raw  string
		want target
	}{
		{"redis://127.0.0.1:6379/0", target{addrs: []string{"127.0.0.1:6379"}}},
		{"redis://host", target{addrs: []string{"host:6379"}}},
		{"redis://host/", target{addrs: []string{"host:6379"}}},
		{"redis://[::1]:7000/3", target{addrs: []string{"[::1]:7000"}, db: 3}},
		{"redis://[::1]", target{addrs: []string{"[::1]:6379"}}},
		{"rediss://u:p%2F%3F%40@h:1", target{addrs: []string{"h:1"}, user: "u", password: "p/?@", tls: true}},
		{"redis://:p@x#:y@h:1", target{addrs: []string{"h:1"}, password: "p@x#:y"}},
		{"redis://user@h", target{addrs: []string{"h:6379"}, user: "user"}},
		{"redis+cluster://user@h1:1,h2:2", target{addrs: []string{"h1:1", "h2:2"}, user: "user", cluster: true}},
		{"rediss+cluster://h1,h2/0", target{addrs: []string{"h1:6379", "h2:6379"}, cluster: true, tls: true}},
		{"rediss+sentinel://h1/main", target{addrs: []string{"h1:26379"}, master: "main", tls: true}},
		{"redis+sentinel://u:p@h1,h2:2/main/4", target{addrs: []string{"h1:26379", "h2:2"}, user: "u", password: "p", master: "main", db: 4}},
	} {
		if got, err := parseURL(c.raw); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v and error %v, want %+v", c.raw, got, err, c.want)
		}
	}
}

func TestURLErrorsKeepThePassword(t *testing.T) {
	for _, raw := range []string{
		"", "hunter2", "hunter2://h", "http://u:hunter2@h", "redis://", "redis://u:hunter2@", "redis://u:hunter2/x@h", "redis://u:hunter2?@h",
		"redis://u:hunter2%zz@h", "redis://u:hunter2@h:port", "redis://u:hunter2@h:0", "redis://u:hunter2@h:65536", "redis://u:hunter2@h/x", "redis://u:hunter2@h/-1",
		"redis://u:hunter2@h1,h2", "redis+cluster://u:hunter2@h/1", "redis+sentinel://u:hunter2@h", "redis+sentinel://u:hunter2@h/", "redis+cluster://u:hunter2@h,,h",
		"redis://u:hunter2/1", "redis://a b",
	} {
		_, err := parseURL(raw)
		if err == nil {
			t.Errorf("%q passes", raw)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", raw, err)
		}
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		cluster, group string
		ok             bool
	}{
		{"MkU3OEVBNTcwNTJENDM2Qk", "credence", true}, {"a_-b", "A.b_c-9", true},
		{"", "g", false}, {"a{b", "g", false}, {"a}b", "g", false}, {"a/b", "g", false}, {"a b", "g", false}, {"c", "", false},
		{"c", "a/b", false}, {"c", "a{b}", false}, {"c", "ä", false}, {"c", strings.Repeat("g", 250), false},
	} {
		if _, err := New(nil, c.cluster, c.group); (err == nil) != c.ok {
			t.Errorf("cluster %q, group %q: error %v", c.cluster, c.group, err)
		}
	}
	s := openMini(t).store(t, "g")
	for _, token := range []string{"", "a:b", "a b", "{", strings.Repeat("t", 129)} {
		if _, err := s.Claim(t.Context(), lease(token)); err == nil {
			t.Errorf("token %q passes", token)
		}
	}
	for _, topic := range []string{"", "a/b", "}"} {
		l := lease("t")
		l.Topic = topic
		if _, err := s.Claim(t.Context(), l); err == nil {
			t.Errorf("topic %q passes", topic)
		}
		if _, err := s.Pin(t.Context(), topic, 1); err == nil {
			t.Errorf("pin of topic %q passes", topic)
		}
	}
}

func TestOneTag(t *testing.T) {
	k := space{"credence:{c/g/t/1}:"}
	if err := oneTag(append(k.fixed(1), k.blob("}{x}", "t:1"))); err != nil {
		t.Error(err)
	}
	if err := oneTag([]string{k.meta(), space{"credence:{c/g/t/2}:"}.meta()}); err == nil {
		t.Error("two partitions in one script pass")
	}
	s := openMini(t).store(t, "credence")
	if _, err := s.run(t.Context(), pinScript, []string{k.meta(), "credence:{c/g/t}:topic"}, []any{1}); err == nil {
		t.Error("a script runs over two tags")
	}
	for key, want := range map[string]string{"{a}b": "a", "x{a}{b}": "a", "{}a": "{}a", "a": "a", "a{b": "a{b", "{a{b}": "a{b"} {
		if got := tag(key); got != want {
			t.Errorf("tag of %q: %q, want %q", key, got, want)
		}
	}
}

// The password of the file wins, a wrong one is an error without it.
func TestPassword(t *testing.T) {
	mini := miniredis.RunT(t)
	mini.RequireUserAuth("credence", "right horse")
	file := filepath.Join(t.TempDir(), "password")
	must(t, os.WriteFile(file, []byte("right horse\n"), 0o600))
	url := "redis://credence:hunter2@" + mini.Addr()
	for _, c := range []struct {
		o  Options
		ok bool
	}{
		{Options{URL: url, PasswordFile: file}, true},
		{Options{URL: url, PasswordFile: file, Password: "hunter2"}, true},
		{Options{URL: url, Password: "right horse"}, true},
		{Options{URL: url}, false},
		{Options{URL: url, PasswordFile: file + "x"}, false},
	} {
		c.o.Cluster, c.o.Group = "c", "g"
		s, err := Open(c.o)
		if err == nil {
			err = s.Ping(t.Context())
			must(t, s.Close())
		}
		if (err == nil) != c.ok || err != nil && (strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "horse")) {
			t.Errorf("%+v: error %v", c.o, err)
		}
	}
}

// A password is read from its file with every connection; one that is refused is sent
// access.MostTries times, and no more until the file has another.
func TestPasswordIsReadAgain(t *testing.T) {
	b := openServer(t)
	must(t, b.raw.Do(t.Context(), "acl", "setuser", "ada", "on", ">right", "~*", "+@all").Err())
	file := filepath.Join(t.TempDir(), "password")
	must(t, os.WriteFile(file, []byte("wrong"), 0o600))
	s, err := Open(Options{URL: strings.Replace(b.url, "://", "://ada@", 1), PasswordFile: file, Cluster: "c", Group: "g"})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	tried := func() int {
		log, err := b.raw.ACLLog(t.Context(), 10).Result()
		must(t, err)
		n := 0
		for _, entry := range log {
			if entry.Reason == "auth" {
				n += int(entry.Count)
			}
		}
		return n
	}
	for range 2 * access.MostTries {
		if s.Ping(t.Context()) == nil {
			t.Fatal("a wrong password was taken")
		}
	}
	select {
	case <-s.Exhausted():
	default:
		t.Error("nobody was told")
	}
	if n := tried(); n != access.MostTries {
		t.Errorf("%d tries, want %d", n, access.MostTries)
	}
	if err := s.Ping(t.Context()); !errors.Is(err, access.ErrExhausted) {
		t.Errorf("error %v", err)
	}
	must(t, os.WriteFile(file, []byte("right\n"), 0o600))
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("the new password: %v", err)
	}
}

func TestTLS(t *testing.T) {
	authority := accesstest.NewAuthority(t)
	mini := miniredis.NewMiniRedis()
	must(t, mini.StartTLS(&tls.Config{Certificates: []tls.Certificate{authority.Issue(t, "127.0.0.1").Pair(t)}}))
	t.Cleanup(mini.Close)
	ca := authority.File
	for _, c := range []struct {
		what string
		o    Options
		ok   bool
	}{
		{"authority file", Options{URL: "rediss://" + mini.Addr(), TLS: access.TLS{CAFile: ca}}, true},
		{"unknown authority", Options{URL: "rediss://" + mini.Addr()}, false},
		{"no TLS", Options{URL: "redis://" + mini.Addr()}, false},
		{"TLS settings without TLS", Options{URL: "redis://" + mini.Addr(), TLS: access.TLS{CAFile: ca}}, false},
		{"empty authority file", Options{URL: "rediss://" + mini.Addr(), TLS: access.TLS{CAFile: os.DevNull}}, false},
	} {
		c.o.Cluster, c.o.Group = "c", "g"
		s, err := Open(c.o)
		if err == nil {
			err = s.Ping(t.Context())
			must(t, s.Close())
		}
		if (err == nil) != c.ok {
			t.Errorf("%s: error %v", c.what, err)
		}
	}
}

// TestCallsWaitForAConnection: a call that waits for one of the connections that others have ends with its
// caller's limit and no other, or what is done for many partitions at once fails while it waits its turn.
func TestCallsWaitForAConnection(t *testing.T) {
	u, err := Options{URL: "redis://h"}.universal()
	must(t, err)
	if most := 30 * time.Second; u.PoolTimeout < most { // the limit of a claim
		t.Errorf("a call waits for a connection for %v, want %v", u.PoolTimeout, most)
	}
}

// A server of TLS hangs up on who does not encrypt: the error says what to compare.
func TestPlainToTLS(t *testing.T) {
	m := miniredis.NewMiniRedis()
	pair := accesstest.NewAuthority(t).Issue(t, "127.0.0.1").Pair(t)
	if err := m.StartTLS(&tls.Config{Certificates: []tls.Certificate{pair}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	s, err := Open(Options{URL: "redis://" + m.Addr(), Cluster: "c", Group: "g"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // it never was open
	if _, err := s.CheckPolicy(t.Context()); err == nil || !strings.Contains(err.Error(), "rediss is with TLS") {
		t.Error(err)
	}
}

// TestNotThere: the error of an address at which nobody listens says what to do.
func TestNotThere(t *testing.T) {
	m := miniredis.RunT(t)
	addr := m.Addr()
	m.Close()
	for _, url := range []string{"redis://", "redis+cluster://"} {
		s, err := Open(Options{URL: url + addr, Cluster: "c", Group: "g"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.CheckPolicy(t.Context()); err == nil || !strings.Contains(err.Error(), "start Redis there, or correct redis.url") {
			t.Errorf("%s: %v", url, err)
		}
		_ = s.Close()
	}
}
