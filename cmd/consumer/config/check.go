package config

import (
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/credence-stream/credence/cmd/internal/cli"
)

// check reports what is wrong beyond the form of single values: names out of
// range, and values that contradict each other, both of them in the message.
func (c *Config) check() []error {
	var all []error
	wrong := func(format string, args ...any) { all = append(all, fmt.Errorf(format, args...)) }
	add := func(err error) {
		if err != nil {
			all = append(all, err)
		}
	}
	k := &c.Kafka
	if len(k.Brokers) == 0 {
		wrong("kafka.brokers: empty; name at least one host:port, or [%s]", Embedded)
	}
	for _, b := range k.Brokers {
		switch {
		case b == Embedded && len(k.Brokers) > 1:
			wrong("kafka.brokers: %s cannot stand beside other brokers (%s)", Embedded, strings.Join(k.Brokers, ", "))
		case b != Embedded:
			if _, _, err := net.SplitHostPort(b); err != nil {
				wrong("kafka.brokers: %q is not host:port", b)
			}
		}
	}
	if !legalName.MatchString(k.Group) {
		wrong("kafka.group: %q is not 1 to 249 letters, digits, dots, underscores and hyphens", k.Group)
	}
	c.checkTopics(wrong)
	c.Input.check(wrong)
	c.Input.Coalesce.check(c.Limits.Rows, wrong)
	add(oneOf("kafka.format", k.Format, "arrow", "json"))
	if k.SessionTimeout < Duration(2*Heartbeat) {
		wrong("kafka.session_timeout: %v is less than two heartbeats (%v): every pause of the machine would cost the partitions", k.SessionTimeout, 2*Heartbeat)
	}
	if k.PeerTimeout != 0 && k.PeerTimeout < Duration(2*Heartbeat) {
		wrong("kafka.peer_timeout: %v is less than two heartbeats (%v); 0 leaves silent members to kafka.session_timeout", k.PeerTimeout, 2*Heartbeat)
	}
	c.checkAuthentication(wrong)
	c.checkConnections(wrong)
	if err := checkRedisURL(c.Redis.URL); err != nil {
		wrong("redis.url: %w", err)
	}
	add(oneOf("redis.eviction", c.Redis.Eviction, "refuse", "accept_unknown", "accept_silent_loss"))
	add(oneOf("on_gap", c.OnGap, "halt", "skip"))
	add(oneOf("log.format", c.Log.Format, "text", "json"))
	add(oneOf("log.level", c.Log.Level, "debug", "info", "warn", "error"))
	c.Traces.check(wrong)
	c.checkSizes(wrong)
	if c.HTTP.Listen != "" {
		if _, _, err := net.SplitHostPort(c.HTTP.Listen); err != nil {
			wrong("http.listen: %q is not host:port", c.HTTP.Listen)
		}
	} else if c.HTTP.TokenFile != "" {
		wrong("http.token_file is %q, but http.listen is empty: nothing would ask for the token", c.HTTP.TokenFile)
	} else if c.HTTP.TokensFile != "" {
		wrong("http.tokens_file is %q, but http.listen is empty: nothing would ask for a token", c.HTTP.TokensFile)
	}
	if c.HTTP.TokenFile != "" && c.HTTP.TokensFile != "" {
		wrong("http.token_file is %q and http.tokens_file is %q: give one of them; a token that may see everything has scope: operate and prefix: \"\" in the second",
			c.HTTP.TokenFile, c.HTTP.TokensFile)
	}
	if c.HTTP.Pprof && !c.HTTP.closed() && !c.HTTP.loopback() {
		wrong("http.pprof is true, http.token_file is empty and http.listen is %q: profiles need a token or a loopback address", c.HTTP.Listen)
	}
	if !(c.HTTP.Rate >= 0) {
		wrong("http.rate: %v is below 0; 0 is no limit", c.HTTP.Rate)
	}
	if c.HTTP.History < leastHistory {
		wrong("http.history: %v is below %v: too little to follow a stream", c.HTTP.History, size(leastHistory))
	}
	c.checkRules(wrong)
	return all
}

// loopback reports whether only this machine reaches the server.
func (h *HTTP) loopback() bool {
	host, _, err := net.SplitHostPort(h.Listen)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// leastHistory holds some points of the largest size.
const leastHistory = 1 << 20

// legalName is one of a group or topic.
var legalName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,249}$`)

type report func(format string, args ...any)

func (c *Config) checkTopics(wrong report) {
	type use struct{ key, name string }
	named, uses := map[string]string{}, []use{
		{"kafka.input", c.Kafka.Input},
		{"kafka.output", c.Kafka.Output},
		{"kafka.dead_letters", c.Kafka.DeadLetters},
		{"the topic of draws", c.Kafka.Output + ".draws"},
		{"the topic of predictions", c.Kafka.Output + ".predictions"},
	}
	if c.alerts() {
		uses = append(uses, use{"the topic of alerts", c.Kafka.Output + ".alerts"})
	}
	for _, t := range uses {
		if !legalName.MatchString(t.name) || t.name == "." || t.name == ".." {
			wrong("%s: %q is not a topic name: 1 to 249 letters, digits, dots, underscores and hyphens", t.key, t.name)
		} else if other, taken := named[t.name]; taken {
			wrong("%s and %s are both %q: each needs a topic of its own", other, t.key, t.name)
		}
		named[t.name] = t.key
	}
}

// checkPair refuses a certificate without its key, and a key without one.
func (t *TLS) checkPair(wrong report, section string) {
	checkPair(wrong, section, t.CertFile, t.KeyFile)
}

func checkPair(wrong report, section, cert, key string) {
	if (cert == "") != (key == "") {
		wrong("%s.cert_file is %q and %s.key_file is %q: give both or neither", section, cert, section, key)
	}
}

// checkConnections finds files of TLS and of sentinels that nothing would use.
func (c *Config) checkConnections(wrong report) {
	r, h := c.Redis, c.HTTP.TLS
	checkPair(wrong, "redis.tls", r.TLS.CertFile, r.TLS.KeyFile)
	if r.TLS != (RedisTLS{}) && !strings.HasPrefix(r.URL, "rediss") {
		wrong("redis.tls is set, but redis.url (%q) is none of rediss://: the connections would not be encrypted", hideSecrets(r.URL))
	}
	if r.SentinelUsername+r.SentinelPasswordFile != "" && !strings.Contains(r.URL, "+sentinel://") {
		wrong("redis.sentinel_username and redis.sentinel_password_file are for sentinels, and redis.url (%q) names none", hideSecrets(r.URL))
	}
	if r.SentinelUsername != "" && r.SentinelPasswordFile == "" {
		wrong("redis.sentinel_username is %q and redis.sentinel_password_file is empty: a user has a password", r.SentinelUsername)
	}
	checkPair(wrong, "http.tls", h.CertFile, h.KeyFile)
	if h != (HTTPTLS{}) && c.HTTP.Listen == "" {
		wrong("http.tls is set, but http.listen is empty: nothing would use it")
	}
	if h.ClientCAFile != "" && h.CertFile == "" {
		wrong("http.tls.client_ca_file is %q, but http.tls.cert_file is empty: without TLS no client shows a certificate", h.ClientCAFile)
	}
}

func (c *Config) checkAuthentication(wrong report) {
	t, s := c.Kafka.TLS, c.Kafka.SASL
	t.checkPair(wrong, "kafka.tls")
	if given := t.CAFile + t.CertFile + t.KeyFile + t.ServerName; given != "" && !t.Enabled {
		wrong("kafka.tls.enabled is false, but other keys of kafka.tls are set (%s)", given)
	}
	switch s.Mechanism {
	case "":
		if s.Username != "" || s.PasswordFile != "" {
			wrong("kafka.sasl.mechanism is empty, but kafka.sasl.username is %q and kafka.sasl.password_file is %q", s.Username, s.PasswordFile)
		}
	case "plain", "scram-sha-256", "scram-sha-512":
		if s.Username == "" || s.PasswordFile == "" {
			wrong("kafka.sasl.mechanism is %s, so kafka.sasl.username (%q) and kafka.sasl.password_file (%q) are both needed", s.Mechanism, s.Username, s.PasswordFile)
		}
	default:
		wrong("kafka.sasl.mechanism: %q is none of: plain, scram-sha-256, scram-sha-512", s.Mechanism)
	}
}

func checkRedisURL(url string) error {
	if url == Embedded {
		return nil
	}
	schemes := []string{"redis", "rediss", "redis+cluster", "rediss+cluster", "redis+sentinel", "rediss+sentinel"}
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok || !slices.Contains(schemes, scheme) {
		return fmt.Errorf("%q is neither %s nor starts with one of: %s://", hideSecrets(url), Embedded, strings.Join(schemes, "://, "))
	}
	host := rest[strings.LastIndex(rest, "@")+1:]
	if host, _, _ = strings.Cut(host, "/"); host == "" {
		return fmt.Errorf("%q names no host", hideSecrets(url))
	}
	return nil
}

func (c *Config) checkSizes(wrong report) {
	for _, v := range []struct {
		key   string
		value int64
	}{
		{"checkpoint.interval", int64(c.Checkpoint.Interval)}, {"checkpoint.min_pause", int64(c.Checkpoint.MinPause)},
		{"checkpoint.records", int64(c.Checkpoint.Records)}, {"checkpoint.bytes", int64(c.Checkpoint.Bytes)}, {"memory.inflight", int64(c.Memory.Inflight)},
		{"memory.cache", int64(c.Memory.Cache)}, {"limits.record", int64(c.Limits.Record)},
		{"limits.rows", int64(c.Limits.Rows)}, {"limits.columns", int64(c.Limits.Columns)},
		{"limits.groups", int64(c.Limits.Groups)}, {"limits.summary", int64(c.Limits.Summary)},
	} {
		if v.value < 1 {
			wrong("%s: must be above 0", v.key)
		}
	}
	if c.Memory.Inflight < c.Limits.Record {
		wrong("memory.inflight is %v and limits.record is %v: a record as large as the limit must fit into memory", c.Memory.Inflight, c.Limits.Record)
	}
	if c.Checkpoint.Bytes > c.Memory.Inflight {
		wrong("checkpoint.bytes is %v and memory.inflight is %v: a checkpoint must fit into memory", c.Checkpoint.Bytes, c.Memory.Inflight)
	}
	c.checkPrefixes(wrong)
	// Kafka and Redis hold a value in one piece and count its bytes in 32 bits.
	if most := size(1 << 30); c.Limits.Record > most || c.Limits.Summary > most {
		wrong("limits.record is %v and limits.summary is %v: neither can be above %v", c.Limits.Record, c.Limits.Summary, most)
	}
	if least, most := size(16<<10), size(1<<30); c.Limits.DeadLetter < least || c.Limits.DeadLetter > most {
		wrong("limits.dead_letter is %v: it is from %v, which holds a letter without its record, to %v", c.Limits.DeadLetter, least, most)
	}
}

const (
	mostPrefixes = 100 // values that a label of metrics may have
	longestKey   = 512 // bytes
)

// checkPrefixes finds prefixes that make a key fall under two.
func (c *Config) checkPrefixes(wrong report) {
	all := c.Limits.Prefixes
	if len(all) > mostPrefixes {
		wrong("limits.prefixes: %d prefixes; there may be %d", len(all), mostPrefixes)
	}
	for j, p := range all {
		if p.Prefix == "" || len(p.Prefix) > longestKey || !utf8.ValidString(p.Prefix) {
			wrong("limits.prefixes[%d].prefix: 1 to %d bytes of UTF-8 that keys begin with", j, longestKey)
			continue
		}
		for _, limit := range []struct {
			name string
			n    int64
		}{{"keys", p.Keys}, {"new_keys_per_minute", p.PerMinute}} {
			if limit.n < 0 {
				wrong("limits.prefixes[%d].%s: %d is below 0; 0 is no limit", j, limit.name, limit.n)
			}
		}
		switch {
		case p.Bytes == 0 || p.KeyBytes > 0 && p.KeyBytes <= p.Bytes:
		case p.KeyBytes == 0:
			wrong("limits.prefixes[%d].bytes: it needs bytes_per_key, which is set aside for each key", j)
		default:
			wrong("limits.prefixes[%d].bytes: %s are less than bytes_per_key, %s, so that there could be no key", j, p.Bytes, p.KeyBytes)
		}
		for k, other := range all {
			if k != j && strings.HasPrefix(other.Prefix, p.Prefix) && (k > j || other.Prefix != p.Prefix) {
				wrong("limits.prefixes[%d] is %q and limits.prefixes[%d] is %q: keys of the second would be under both; let prefixes end in a separator", j, p.Prefix, k, other.Prefix)
			}
		}
	}
}

// checkRules finds models that no key can ever reach, since the first match
// wins.
func (c *Config) checkRules(wrong report) {
	if len(c.Models) == 0 {
		wrong("models: empty; every key would go to the dead letters. The shortest entry is: {match: \"**\", kind: linear, columns: {response: y}}")
	}
	for j, m := range c.Models {
		if m.Match == "" {
			wrong("models[%d].match: missing; \"**\" matches every key", j)
			continue
		}
		for i, before := range c.Models[:j] {
			if before.Match == m.Match || before.Match == "**" {
				wrong("models[%d] (match %q) is never used: models[%d] (match %q) comes first and matches all of its keys", j, m.Match, i, before.Match)
				break
			}
		}
	}
}

// closed reports whether a token is asked for.
func (h *HTTP) closed() bool { return h.TokenFile != "" || h.TokensFile != "" }

// warnings tells what is allowed and seldom meant.
func (c *Config) warnings() []string {
	var all []string
	brokerInside, storeInside := slices.Contains(c.Kafka.Brokers, Embedded), c.Redis.URL == Embedded
	if storeInside && !brokerInside {
		all = append(all, fmt.Sprintf("redis.url is %s and kafka.brokers is %s: all state is lost when the process ends and rebuilt from the start of the log, if the log still has it", Embedded, strings.Join(c.Kafka.Brokers, ",")))
	}
	if c.HTTP.Listen != "" && !c.HTTP.closed() {
		if !c.HTTP.loopback() {
			all = append(all, fmt.Sprintf("http.listen is %s and http.token_file is empty: everyone who reaches this address can read every posterior", c.HTTP.Listen))
		}
	}
	return all
}

// oneOf checks a word that has few choices.
func oneOf(path, word string, choices ...string) error {
	if slices.Contains(choices, word) {
		return nil
	}
	text := fmt.Sprintf("%s: %q is none of: %s", path, word, strings.Join(choices, ", "))
	for _, near := range cli.Near(word, choices, 1) {
		text += fmt.Sprintf("; did you mean %s?", near)
	}
	return errors.New(text)
}
