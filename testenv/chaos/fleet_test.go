//go:build unix

package chaos

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/credence-stream/credence/testenv/probe"
	"github.com/credence-stream/credence/testenv/programs"
)

// buildConsumer compiles the program under test once.
func buildConsumer(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := programs.Build(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "consumer")
}

// timing is what of a configuration decides how soon something happens.
type timing struct{ kafka, checkpoint string }

// hurried has checkpoints many times a second, and a short session so that a frozen
// member loses its partitions soon.
var hurried = timing{", session_timeout: 2s", "interval: 100ms, records: 100, bytes: 4MiB"}

// group is one consumer group over the stream.
type group struct {
	name, config string
	output       string
	redis        string // URL
}

// kinds are models of every kind, one of them slow, and one that no shard suits.
const kinds = `models:
  - {match: "slow/*", kind: probit, draws: 1500, columns: {response: c, features: [x0, x1, x2]}, settings: {window: 1000, chains: 4}}
  - {match: "poison/*", kind: linear, columns: {response: absent}}
  - {match: "blob/*", kind: linear, variant: paper, columns: {scaling: none, response: y}}
  - {match: "k/*1", kind: anova, draws: 40, columns: {response: y, group: g}}
  - {match: "k/*2", kind: dlm, draws: 20, columns: {response: y}, settings: {mode: compact}}
  - {match: "k/*3", kind: probit, draws: 40, columns: {response: c, features: [x0, x1, x2]}, settings: {window: 40, chains: 4}}
  - {match: "k/*4", kind: compressed, columns: {response: y, features: [x0, x1, x2]}}
  - {match: "k/*5", kind: poisson, columns: {response: n, features: [x0], group: g}}
`

// formulas is a model of a formula, and alerts that rise and fall after three shards.
const formulas = `  - match: "k/*6"
    kind: linear
    formula: y ~ x0 * x1 + I(x2**2) + g
    publish: {quantities: [{name: more, of: "beta[x1] - beta[x0]"}, {name: next, predict: {x0: 1, x1: 0, x2: 0, g: a}, quantile: [0.9]}]}
    alerts:
      - {name: more, when: "P(more > 0.2) > 0.9", for: 3}
      - {name: high, when: "next[q90] > 1.4", for: 3, clear_below: 1.3}
` + others

// others is the model of all other keys, and alerts.
const others = `  - match: "k/*"
    kind: linear
    columns: {response: y, features: [x0, x1, x2]}
    publish: {quantities: [{name: gain, of: "beta[x1]"}]}
    alerts:
      - {name: gain, when: "P(gain > 0) > 0.95", for: 3 shards}
      - {name: noise, when: "P(beta[x0] > 0) > 0.7", for: 3, clear_below: 0.6}
`

// newGroup writes a configuration of all these models. CREDENCE_COALESCE, as in
// "rows: 60, time: 300ms", gathers rows.
func newGroup(t *testing.T, brokers []string, redis, name, input, cache string, when timing) group {
	t.Helper()
	return configure(t, brokers, redis, name, input, cache, when, fmt.Sprintf("input: {coalesce: {%s}}\n", os.Getenv("CREDENCE_COALESCE"))+kinds+formulas)
}

// configure writes a configuration of the models, and more sections.
func configure(t *testing.T, brokers []string, redis, name, input, cache string, when timing, more string) group {
	t.Helper()
	g := group{name: name, config: filepath.Join(t.TempDir(), name+".yaml"), output: name + "-out", redis: redis}
	text := fmt.Sprintf(`seed: 7
kafka: {brokers: [%s], group: %q, input: %q, output: %q, dead_letters: %q%s}
redis: {url: %q}
checkpoint: {%s}
memory: {inflight: 64MiB, cache: %s}
http: {listen: ""}
`, strings.Join(brokers, ", "), name, input, g.output, name+"-dead", when.kafka, redis, when.checkpoint, cache) + more
	if err := os.WriteFile(g.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return g
}

// member is one consumer process.
type member struct {
	cmd  *exec.Cmd
	log  *os.File
	done chan error
}

func startMember(ctx context.Context, binary string, g group, dir string, args ...string) (*member, error) {
	return launch(exec.CommandContext(ctx, binary, append([]string{"run", "--config", g.config}, args...)...), g, dir)
}

// launch starts a process of a group.
func launch(cmd *exec.Cmd, g group, dir string) (*member, error) {
	log, err := os.CreateTemp(dir, g.name+"-*.log")
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	m := &member{cmd: cmd, log: log, done: make(chan error, 1)}
	go func() { m.done <- cmd.Wait() }()
	return m, nil
}

func (m *member) signal(s syscall.Signal) error { return m.cmd.Process.Signal(s) }

// kill ends the process at once and waits for it.
func (m *member) kill() {
	_ = m.signal(syscall.SIGKILL)
	<-m.done
	_ = m.log.Close()
}

// awake waits until the process has said something: before that it may not yet
// know what to do with a SIGTERM.
func (m *member) awake() error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(probe.Patience); time.Now().Before(end); <-tick.C {
		if info, err := os.Stat(m.log.Name()); err != nil || info.Size() > 0 {
			return err
		}
	}
	return fmt.Errorf("the consumer has said nothing for %v", probe.Patience)
}

// says waits until the process has said something.
func (m *member) says(ctx context.Context, what string) error {
	ctx, cancel := context.WithTimeout(ctx, probe.Patience)
	defer cancel()
	return probe.Until(ctx, func(context.Context) error {
		said, err := m.said(what)
		if err == nil && said == 0 {
			err = fmt.Errorf("the consumer does not say %q", what)
		}
		return err
	})
}

// said is how often the process has said something.
func (m *member) said(what string) (int, error) {
	b, err := os.ReadFile(m.log.Name())
	return strings.Count(string(b), what), err
}

// stop asks the process to end and reports how it did.
func (m *member) stop() error {
	if err := m.awake(); err != nil {
		return err
	}
	if err := m.signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-m.done:
		_ = m.log.Close()
		return err
	case <-time.After(probe.Patience):
		m.kill()
		return fmt.Errorf("the consumer did not end within %v of SIGTERM", probe.Patience)
	}
}

// stacks ends the process and returns the end of what it said and the stacks of
// its goroutines.
func (m *member) stacks() string {
	said := m.tail()
	from, err := os.Stat(m.log.Name())
	if err != nil || m.signal(syscall.SIGQUIT) != nil {
		return said
	}
	m.done <- <-m.done
	b, err := os.ReadFile(m.log.Name())
	if err != nil {
		return err.Error()
	}
	return said + string(b[from.Size():])
}

// tail is the end of what the process said.
func (m *member) tail() string {
	b, err := os.ReadFile(m.log.Name())
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-3000):])
}
