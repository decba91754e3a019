package draft

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/internal/cli"
)

// head is the draft above the models: where the data are, and what to do next.
func (f *draftFlags) head(l *look) []byte {
	var w strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&w, format+"\n", args...) }
	file := f.out
	if file == "" {
		file = "FILE"
	}
	k, defaults := f.config.Kafka, config.Default()
	line("# Drafted by %s %s from %s.", f.names.Consumer, f.by, l.what)
	for _, note := range l.notes {
		line("# %s", inComment(note))
	}
	line("# Every key and its default: docs/configuration.md. Next:")
	line("#   %s check --config %s", f.names.Consumer, inShell(file))
	if f.input != "" {
		line("#   %s", f.replayCommand())
	}
	line("#   %s run --config %s", f.names.Consumer, inShell(file))
	line("#   %s tail --config %s", f.names.Consumer, inShell(file))
	line("kafka:")
	line("  brokers: %s", inline(k.Brokers))
	line("  group: %s  # consumer group: another one starts at the beginning of the topic", inline(k.Group))
	line("  input: %s", inline(k.Input))
	line("  output: %s  # created if missing, as is %s", inline(k.Output), k.DeadLetters)
	line("  format: %s  # of the posteriors: json or arrow", inline(k.Format))
	if k.DeadLetters != k.Input+".dead" {
		line("  dead_letters: %s", inline(k.DeadLetters))
	}
	if k.CreateTopics != defaults.Kafka.CreateTopics {
		line("  create_topics: %t", k.CreateTopics)
	}
	if k.SessionTimeout != defaults.Kafka.SessionTimeout {
		line("  session_timeout: %s", k.SessionTimeout)
	}
	if k.PeerTimeout != defaults.Kafka.PeerTimeout {
		line("  peer_timeout: %s", k.PeerTimeout)
	}
	if k.TLS != defaults.Kafka.TLS {
		line("  tls: %s", inline(k.TLS))
	}
	if k.SASL != defaults.Kafka.SASL {
		line("  sasl: %s", inline(k.SASL))
	}
	if f.records.Format != config.FormatArrow {
		line("input: %s  # what the records of the topic are", inline(inputOf{f.records.Format, f.records.Payload, schemaOf(f.config.Input.Schema)}))
	}
	line("redis: %s  # stores the state; must not evict", inline(redisPlaceOf(f.config.Redis)))
	if !reflect.DeepEqual(f.config.HTTP, defaults.HTTP) {
		line("http: %s", inline(f.config.HTTP))
	}
	return []byte(w.String())
}

// inputOf is config.Input without what is empty.
type inputOf struct {
	Format  string   `yaml:"format"`
	Payload string   `yaml:"payload,omitempty"`
	Schema  schemaOf `yaml:"schema,omitempty"`
}

// schemaOf is config.Schema without what is empty.
type schemaOf struct {
	File         string     `yaml:"file,omitempty"`
	Message      string     `yaml:"message,omitempty"`
	Registry     string     `yaml:"registry,omitempty"`
	Username     string     `yaml:"username,omitempty"`
	PasswordFile string     `yaml:"password_file,omitempty"`
	TLS          config.TLS `yaml:"tls,omitempty"`
}

// redisPlace is config.Redis without what is empty.
type redisPlace struct {
	URL          string `yaml:"url"`
	PasswordFile string `yaml:"password_file,omitempty"`
	Eviction     string `yaml:"eviction,omitempty"`

	TLS                  config.RedisTLS `yaml:"tls,omitempty"`
	SentinelUsername     string          `yaml:"sentinel_username,omitempty"`
	SentinelPasswordFile string          `yaml:"sentinel_password_file,omitempty"`
}

func redisPlaceOf(c config.Redis) redisPlace {
	p := redisPlace(c)
	if p.Eviction == config.Default().Redis.Eviction {
		p.Eviction = ""
	}
	return p
}

// replayCommand is the command line that sends the file.
func (f *draftFlags) replayCommand() string {
	words := []string{f.names.Producer + " replay --input", inShell(f.name())}
	if f.sel.KeyColumn != "" {
		words = append(words, "--key-column", inShell(f.sel.KeyColumn))
	}
	if len(f.sel.Columns) > 0 {
		words = append(words, "--columns", inShell(strings.Join(f.sel.Columns, ",")))
	}
	for _, word := range f.sel.Args() {
		words = append(words, inShell(word))
	}
	words = append(words, fmt.Sprintf("--rows %d --topic", f.shard), f.config.Kafka.Input, "--brokers", strings.Join(f.config.Kafka.Brokers, ","))
	if f.sel.KeyColumn == "" {
		words = append(words, " # --key-column C: a model for each value of a column")
	}
	return strings.Join(words, " ")
}

// inShell is a word of a command line in a comment.
func inShell(word string) string { return cli.Quote(inComment(word)) }
