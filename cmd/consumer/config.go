package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/kind"
)

// config is the configuration with defaults filled in. The tags are the names
// of the file's keys; the environment and --set use the same ones.
type config struct {
	Seed       uint64           `yaml:"seed"`
	Kafka      kafkaConfig      `yaml:"kafka"`
	Redis      redisConfig      `yaml:"redis"`
	Checkpoint checkpointConfig `yaml:"checkpoint"`
	Memory     memoryConfig     `yaml:"memory"`
	Limits     limitsConfig     `yaml:"limits"`
	HTTP       httpConfig       `yaml:"http"`
	OnGap      string           `yaml:"on_gap"`
	Models     []modelConfig    `yaml:"models"`

	file        string // where it was read
	kinds       kind.Registry
	storeInside bool // redis.url was embedded, and now is the address of that server
}

type kafkaConfig struct {
	Brokers      []string `yaml:"brokers,flow"`
	Group        string   `yaml:"group"`
	Input        string   `yaml:"input"`
	Output       string   `yaml:"output"`
	DeadLetters  string   `yaml:"dead_letters"` // empty: <input>.dead
	Format       string   `yaml:"format"`
	CreateTopics bool     `yaml:"create_topics"`
	// SessionTimeout is how long the group waits for a silent member before
	// its partitions go to others.
	SessionTimeout duration   `yaml:"session_timeout"`
	TLS            tlsConfig  `yaml:"tls"`
	SASL           saslConfig `yaml:"sasl"`
}

type tlsConfig struct {
	Enabled    bool   `yaml:"enabled"`
	CAFile     string `yaml:"ca_file"`
	CertFile   string `yaml:"cert_file"`
	KeyFile    string `yaml:"key_file"`
	ServerName string `yaml:"server_name"`
}

type saslConfig struct {
	Mechanism    string `yaml:"mechanism"`
	Username     string `yaml:"username"`
	PasswordFile string `yaml:"password_file"`
}

type redisConfig struct {
	URL          string `yaml:"url"`
	PasswordFile string `yaml:"password_file"`
}

type checkpointConfig struct {
	Interval duration `yaml:"interval"`
	Records  int      `yaml:"records"`
	Bytes    size     `yaml:"bytes"`
}

type memoryConfig struct {
	Inflight size `yaml:"inflight"`
	Cache    size `yaml:"cache"`
}

type limitsConfig struct {
	Record  size `yaml:"record"`
	Rows    int  `yaml:"rows"`
	Columns int  `yaml:"columns"`
	Groups  int  `yaml:"groups"`
	Summary size `yaml:"summary"`
}

type httpConfig struct {
	Listen    string `yaml:"listen"`
	TokenFile string `yaml:"token_file"`
	// Rate is the requests per second that one client may send, 0: no limit.
	Rate float64 `yaml:"rate"`
	// History bounds what is remembered of past posteriors.
	History size `yaml:"history"`
}

// embedded stands for a broker or store inside the process.
const embedded = "embedded"

func defaultConfig() *config {
	limits := cdf.NewSpec("", "", nil, nil).Limits
	return &config{
		Seed: 1,
		Kafka: kafkaConfig{
			Brokers: []string{"127.0.0.1:9092"}, Group: "credence",
			Input: "shards", Output: "posteriors", Format: "arrow", CreateTopics: true,
			SessionTimeout: duration(30 * time.Second),
		},
		Redis:      redisConfig{URL: "redis://127.0.0.1:6379/0"},
		Checkpoint: checkpointConfig{Interval: duration(time.Second), Records: 2000, Bytes: 4 << 20},
		Memory:     memoryConfig{Inflight: 256 << 20, Cache: 1 << 30},
		Limits:     limitsConfig{Record: 32 << 20, Rows: limits.Rows, Columns: limits.Columns, Groups: limits.Groups, Summary: 16 << 20},
		HTTP:       httpConfig{Listen: "127.0.0.1:8080", Rate: 200, History: 64 << 20},
		OnGap:      "halt",
	}
}

// maxConfigFile bounds the file, which is read whole.
const maxConfigFile = 1 << 20

// source says where a configuration comes from. Later ones win: the file, the
// environment, the flags.
type source struct {
	kinds kind.Registry
	file  string
	env   []string // as of os.Environ
	sets  []string // section.key=value
}

// loadConfig reads, overrides, checks and completes a configuration. The
// warnings are worth telling and stop nothing.
func loadConfig(s source) (c *config, warnings []string, err error) {
	info, err := os.Stat(s.file)
	if err != nil {
		return nil, nil, fmt.Errorf("configuration: %w", err)
	}
	if info.Size() > maxConfigFile {
		return nil, nil, fmt.Errorf("configuration %s has %d bytes, more than %d", s.file, info.Size(), maxConfigFile)
	}
	text, err := os.ReadFile(s.file)
	if err != nil {
		return nil, nil, fmt.Errorf("configuration: %w", err)
	}
	return parseConfig(s, text)
}

// parseConfig is loadConfig for a file whose text is at hand.
func parseConfig(s source, text []byte) (*config, []string, error) {
	root, err := parseYAML(s.file, text)
	if err != nil {
		return nil, nil, err
	}
	d := &decoder{file: s.file, origin: map[yamlNode]string{}}
	warnings := d.overrideFromEnv(root, s.env)
	if err := d.overrideFromFlags(root, s.sets); err != nil {
		return nil, warnings, err
	}
	c := defaultConfig()
	c.file, c.kinds = s.file, s.kinds
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
	if err := errors.Join(problems...); err != nil {
		return nil, warnings, err
	}
	return c, append(warnings, c.warnings()...), nil
}
