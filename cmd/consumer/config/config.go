// Package config is the configuration: its keys and defaults, how it is read,
// overridden, checked and printed.
package config

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/kind"
)

// Config is the configuration with defaults filled in. The tags are the names
// of the file's keys; the environment and --set use the same ones.
type Config struct {
	Seed       uint64     `yaml:"seed"`
	Kafka      Kafka      `yaml:"kafka"`
	Input      Input      `yaml:"input"`
	Redis      Redis      `yaml:"redis"`
	Checkpoint Checkpoint `yaml:"checkpoint"`
	Memory     Memory     `yaml:"memory"`
	Limits     Limits     `yaml:"limits"`
	HTTP       HTTP       `yaml:"http"`
	Log        Log        `yaml:"log"`
	Traces     Traces     `yaml:"traces"`
	OnGap      string     `yaml:"on_gap"`
	Models     []Model    `yaml:"models"`

	File        string        `yaml:"-"` // where it was read
	Kinds       kind.Registry `yaml:"-"`
	StoreInside bool          `yaml:"-"` // redis.url was embedded, and now is the address of that server
}

// Kafka is the section kafka.
type Kafka struct {
	Brokers      []string `yaml:"brokers,flow"`
	Group        string   `yaml:"group"`
	Input        string   `yaml:"input"`
	Output       string   `yaml:"output"`
	DeadLetters  string   `yaml:"dead_letters"` // empty: <input>.dead
	Format       string   `yaml:"format"`
	CreateTopics bool     `yaml:"create_topics"`
	// SessionTimeout is how long the group waits for a silent member before
	// its partitions go to others.
	SessionTimeout Duration `yaml:"session_timeout"`
	// PeerTimeout is how long a member may be silent in the store before the
	// others do not wait for the group's timeout. 0: they do.
	PeerTimeout Duration `yaml:"peer_timeout"`
	TLS         TLS      `yaml:"tls"`
	SASL        SASL     `yaml:"sasl"`
}

// TLS is the section kafka.tls.
type TLS struct {
	Enabled    bool   `yaml:"enabled"`
	CAFile     string `yaml:"ca_file"`
	CertFile   string `yaml:"cert_file"`
	KeyFile    string `yaml:"key_file"`
	ServerName string `yaml:"server_name"`
}

// SASL is the section kafka.sasl.
type SASL struct {
	Mechanism    string `yaml:"mechanism"`
	Username     string `yaml:"username"`
	PasswordFile string `yaml:"password_file"`
}

// Redis is the section redis.
type Redis struct {
	URL          string `yaml:"url"`
	PasswordFile string `yaml:"password_file"`
	// Eviction is one of the redis package's: refuse, accept_unknown, accept_silent_loss.
	Eviction string   `yaml:"eviction"`
	TLS      RedisTLS `yaml:"tls"`
	// SentinelUsername and SentinelPasswordFile are for the sentinels themselves.
	SentinelUsername     string `yaml:"sentinel_username"`
	SentinelPasswordFile string `yaml:"sentinel_password_file"`
}

// RedisTLS is the section redis.tls, for rediss URLs.
type RedisTLS struct {
	CAFile   string `yaml:"ca_file"`
	CertFile string `yaml:"cert_file"`
	KeyFile  string `yaml:"key_file"`
}

// Checkpoint is the section checkpoint: what comes first ends a checkpoint, and
// one that has nothing more to take in ends after the pause.
type Checkpoint struct {
	Interval Duration `yaml:"interval"`
	MinPause Duration `yaml:"min_pause"`
	Records  int      `yaml:"records"`
	Bytes    size     `yaml:"bytes"`
}

// Memory is the section memory, in bytes.
type Memory struct {
	Inflight size `yaml:"inflight"`
	Cache    size `yaml:"cache"`
}

// Limits is the section limits: what one record or key may ask for.
type Limits struct {
	Record  size `yaml:"record"`
	Rows    int  `yaml:"rows"`
	Columns int  `yaml:"columns"`
	Groups  int  `yaml:"groups"`
	Summary size `yaml:"summary"`
	// DeadLetter bounds a dead letter with its record's bytes.
	DeadLetter size `yaml:"dead_letter"`
	// Prefixes are those of tenants, which may be limited and have metrics of their own.
	Prefixes []Prefix `yaml:"prefixes,flow"`
}

// Prefix is what the keys that begin with it may take.
type Prefix struct {
	Prefix string `yaml:"prefix"`
	Keys   int64  `yaml:"keys"` // of each partition that have a state, 0: any number
	// PerMinute is how many keys of each partition are made in a minute of their records, 0: any
	// number.
	PerMinute int64 `yaml:"new_keys_per_minute"`
	KeyBytes  size  `yaml:"bytes_per_key"` // of the state of each key, 0: any number
	Bytes     size  `yaml:"bytes"`         // of all of them in each partition, with KeyBytes set aside for each; 0: any number
}

// HTTP is the section http.
type HTTP struct {
	Listen    string `yaml:"listen"`
	TokenFile string `yaml:"token_file"`
	// TokensFile has several tokens instead, each with a scope.
	TokensFile string `yaml:"tokens_file"`
	// TLS is of the server; without a certificate it speaks plain HTTP.
	TLS HTTPTLS `yaml:"tls"`
	// TrustedProxies are the peers that say in X-Forwarded-For who the client is.
	TrustedProxies []Network `yaml:"trusted_proxies,flow"`
	// Rate is the requests per second that one client may send, 0: no limit.
	Rate float64 `yaml:"rate"`
	// History bounds what is remembered of past posteriors.
	History size `yaml:"history"`
	Pprof   bool `yaml:"pprof"`
}

// Log is the section log.
type Log struct {
	Format string `yaml:"format"`
	Level  string `yaml:"level"`
	// AuditFile gets a line before and after every command that changes what is stored.
	AuditFile string `yaml:"audit_file"`
}

// HTTPTLS is the section http.tls. With ClientCAFile clients need a certificate.
type HTTPTLS struct {
	CertFile     string `yaml:"cert_file"`
	KeyFile      string `yaml:"key_file"`
	ClientCAFile string `yaml:"client_ca_file"`
}

// Heartbeat is the time between two heartbeats of a member of the group.
const Heartbeat = 500 * time.Millisecond

// Embedded stands for a broker or store inside the process.
const Embedded = "embedded"

// Default returns the configuration that holds where nothing is given.
func Default() *Config {
	limits := cdf.NewSpec("", "", nil, nil).Limits
	return &Config{
		Seed: 1,
		Kafka: Kafka{
			Brokers: []string{"127.0.0.1:9092"}, Group: "credence",
			Input: "shards", Output: "posteriors", Format: "arrow", CreateTopics: true,
			SessionTimeout: Duration(30 * time.Second), PeerTimeout: Duration(2 * time.Second),
		},
		Input:      Input{Format: FormatArrow},
		Redis:      Redis{URL: "redis://127.0.0.1:6379/0", Eviction: "refuse"},
		Checkpoint: Checkpoint{Interval: Duration(time.Second), MinPause: Duration(5 * time.Millisecond), Records: 2000, Bytes: 4 << 20},
		Memory:     Memory{Inflight: 256 << 20, Cache: 1 << 30},
		Limits:     Limits{Record: 32 << 20, Rows: limits.Rows, Columns: limits.Columns, Groups: limits.Groups, Summary: 16 << 20, DeadLetter: 1000 << 10},
		HTTP:       HTTP{Listen: "127.0.0.1:8080", Rate: 200, History: 64 << 20},
		Log:        Log{Format: "text", Level: "info"},
		Traces:     Traces{Sample: 1, Service: "credence"},
		OnGap:      "halt",
	}
}

// maxConfigFile bounds the file, which is read whole.
const maxConfigFile = 1 << 20

// Source says where a configuration comes from. Later ones win: the file, the
// environment, the flags.
type Source struct {
	Kinds kind.Registry
	File  string
	Env   []string // as of os.Environ
	Sets  []string // section.key=value
}

// Load reads, overrides, checks and completes a configuration. The
// warnings are worth telling and stop nothing.
func Load(s Source) (c *Config, warnings []string, err error) {
	info, err := os.Stat(s.File)
	if err != nil {
		return nil, nil, fmt.Errorf("configuration: %w", err)
	}
	if info.Size() > maxConfigFile {
		return nil, nil, fmt.Errorf("configuration %s has %d bytes, more than %d", s.File, info.Size(), maxConfigFile)
	}
	text, err := os.ReadFile(s.File)
	if err != nil {
		return nil, nil, fmt.Errorf("configuration: %w", err)
	}
	return Parse(s, text)
}

// Parse is Load for a file whose text is at hand.
func Parse(s Source, text []byte) (*Config, []string, error) {
	root, err := parseYAML(s.File, text)
	if err != nil {
		return nil, nil, err
	}
	d := &decoder{file: s.File, origin: map[yamlNode]string{}}
	warnings := d.overrideFromEnv(root, s.Env)
	if err := d.overrideFromFlags(root, s.Sets); err != nil {
		return nil, warnings, err
	}
	c := Default()
	c.File, c.Kinds = s.File, s.Kinds
	d.decodeInto(root, c, "")
	if err := d.err(); err != nil {
		return nil, warnings, err
	}
	if c.Kafka.DeadLetters == "" {
		c.Kafka.DeadLetters = c.Kafka.Input + ".dead"
	}
	problems := c.check()
	for i := range c.Models {
		problems = append(problems, c.Models[i].resolve(c, d, fmt.Sprintf("models[%d]", i))...)
	}
	for i := range problems {
		problems[i] = d.placed(root, problems[i])
	}
	if err := errors.Join(problems...); err != nil {
		return nil, warnings, err
	}
	for i := range c.Models {
		for _, doubt := range c.Models[i].doubts {
			warnings = append(warnings, d.placed(root, doubt).Error())
		}
	}
	return c, append(warnings, c.warnings()...), nil
}
