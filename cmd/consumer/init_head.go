package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/credence-stream/credence/cmd/consumer/draft"
)

// head is the draft above the models: where the data are, and what to do next.
func (f *initFlags) head(l *look) []byte {
	var w strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&w, format+"\n", args...) }
	file := f.out
	if file == "" {
		file = "FILE"
	}
	k, defaults := f.config.Kafka, defaultConfig()
	line("# Drafted by consumer init from %s.", l.what)
	for _, note := range l.notes {
		line("# %s", inComment(note))
	}
	line("# Every key and its default: docs/configuration.md. Next:")
	line("#   consumer check --config %s", shellWord(file))
	if f.input != "" {
		line("#   %s", f.replayCommand())
	}
	line("#   consumer run --config %s", shellWord(file))
	line("#   consumer tail --config %s", shellWord(file))
	line("kafka:")
	line("  brokers: %s", draft.Inline(k.Brokers))
	line("  group: %s  # the name of this work: another one begins at the start of the topic", draft.Inline(k.Group))
	line("  input: %s", draft.Inline(k.Input))
	line("  output: %s  # made if it is missing, as is %s", draft.Inline(k.Output), k.DeadLetters)
	line("  format: %s  # of the posteriors: json or arrow", draft.Inline(k.Format))
	if k.DeadLetters != k.Input+".dead" {
		line("  dead_letters: %s", draft.Inline(k.DeadLetters))
	}
	if k.CreateTopics != defaults.Kafka.CreateTopics {
		line("  create_topics: %t", k.CreateTopics)
	}
	if k.SessionTimeout != defaults.Kafka.SessionTimeout {
		line("  session_timeout: %s", k.SessionTimeout)
	}
	if k.TLS != defaults.Kafka.TLS {
		line("  tls: %s", draft.Inline(k.TLS))
	}
	if k.SASL != defaults.Kafka.SASL {
		line("  sasl: %s", draft.Inline(k.SASL))
	}
	line("redis: %s  # state is kept there; it must not evict", draft.Inline(redisPlace(f.config.Redis)))
	if f.config.HTTP != defaults.HTTP {
		line("http: %s", draft.Inline(f.config.HTTP))
	}
	return []byte(w.String())
}

// redisPlace is redisConfig without what is empty.
type redisPlace struct {
	URL          string `yaml:"url"`
	PasswordFile string `yaml:"password_file,omitempty"`
}

// replayCommand is the command line that sends the file.
func (f *initFlags) replayCommand() string {
	words := []string{"producer replay --input", shellWord(f.input)}
	if f.keyColumn != "" {
		words = append(words, "--key-column", shellWord(f.keyColumn))
	}
	if len(f.columns) > 0 {
		words = append(words, "--columns", shellWord(strings.Join(f.columns, ",")))
	}
	for _, null := range f.null {
		words = append(words, "--null", shellWord(null))
	}
	words = append(words, "--rows 50 --topic", f.config.Kafka.Input, "--brokers", strings.Join(f.config.Kafka.Brokers, ","))
	if f.keyColumn == "" {
		words = append(words, " # --key-column C: a model for each value of a column")
	}
	return strings.Join(words, " ")
}

var harmless = regexp.MustCompile(`^[A-Za-z0-9@%+=:,./_-]+$`)

// shellWord quotes a word of a command line where it has to be.
func shellWord(word string) string {
	if harmless.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(inComment(word), "'", `'\''`) + "'"
}
