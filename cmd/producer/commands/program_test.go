package commands

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/credence-stream/credence/cmd/consumer/demo"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/clitest"
	"github.com/credence-stream/credence/pipeline"
)

// fake is a broker that remembers what it is sent.
type fake struct {
	topics map[string]int // partitions
	absent int            // attempts before it answers
	away   error          // what they say
	sent   []pipeline.Output
	after  int          // calls to Publish that succeed, 0: all
	then   func() error // what the next one does
	calls  int
}

func (m *fake) EnsureTopic(ctx context.Context, topic string, partitions int) (bool, error) {
	if m.absent > 0 {
		m.absent--
		if m.away != nil && m.absent == 0 { // the last one waits as long as it may
			<-ctx.Done()
			return false, ctx.Err()
		}
		return false, cmp.Or(m.away, errors.New("connection refused"))
	}
	if m.topics[topic] > 0 {
		return false, nil
	}
	if partitions == 0 {
		return false, errNoTopic
	}
	m.topics[topic] = partitions
	return true, nil
}

func (m *fake) Publish(ctx context.Context, outputs []pipeline.Output) ([]pipeline.Output, error) {
	if m.calls++; m.then != nil && m.calls > m.after {
		return outputs, m.then()
	}
	m.sent = append(m.sent, slices.Clone(outputs)...)
	return nil, ctx.Err()
}

func (m *fake) Close() error { return nil }

// result is what a command line did.
type result struct {
	code           int
	stdout, stderr string
}

func (m *fake) run(ctx context.Context, args ...string) result {
	if m.topics == nil {
		m.topics = map[string]int{}
	}
	var stdout, stderr bytes.Buffer
	p := Program{names: cli.Apart(), Program: cli.Program{Stdout: &stdout, Stderr: &stderr}, encode: encode,
		dial: func(context.Context, connection) (broker, error) { return m, nil }}
	code := p.Run(ctx, args)
	return result{code, stdout.String(), stderr.String()}
}

// heads returns key and shard header of everything sent.
func (m *fake) heads() []string {
	var all []string
	for _, o := range m.sent {
		all = append(all, string(o.Key)+" "+string(o.Headers[1].Value))
	}
	return all
}

const sample = "g,x\na,1\nb,2\na,3\na,4\nc,5\nb,6\na,7\na,8\n"

func replayArgs(file string, more ...string) []string {
	return append([]string{"replay", "--input", file, "--rows", "2", "--topic", "in", "--brokers", "b:1"}, more...)
}

func TestReplay(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want []string // key and header
	}{
		{"key column", []string{"--key-column", "g"}, []string{"a R/1", "b R/1", "a R/2", "a R/3", "c R/1"}},
		{"prefix", []string{"--key-column", "g", "--key-prefix", "s/"}, []string{"s/a R/1", "s/b R/1", "s/a R/2", "s/a R/3", "s/c R/1"}},
		{"one key", []string{"--key", "k"}, []string{"k R/1", "k R/2", "k R/3", "k R/4"}},
		{"the file's name", nil, []string{"in R/1", "in R/2", "in R/3", "in R/4"}},
		{"limit", []string{"--key-column", "g", "--limit", "3"}, []string{"a R/1", "b R/1", "a R/2"}},
		{"limit among the leftovers", []string{"--key-column", "g", "--limit", "4"}, []string{"a R/1", "b R/1", "a R/2", "a R/3"}},
		{"limit beyond the end", []string{"--key-column", "g", "--limit", "99"}, []string{"a R/1", "b R/1", "a R/2", "a R/3", "c R/1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := clitest.WriteFile(t, "in.csv", []byte(sample))
			var m fake
			r := m.run(t.Context(), replayArgs(file, append(tt.args, "--run-id", "R")...)...)
			if r.code != 0 {
				t.Fatalf("exit %d: %s", r.code, r.stderr)
			}
			if got := m.heads(); fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("sent %q, want %q", got, tt.want)
			}
		})
	}
}

func TestReplaySaysWhatItSent(t *testing.T) {
	file := clitest.WriteFile(t, "in.csv", []byte(sample))
	var m fake
	r := m.run(t.Context(), replayArgs(file, "--key-column", "g")...)
	run := regexp.MustCompile(`run ([0-9a-f]{16}-[0-9a-f]{8}) to topic in`).FindStringSubmatch(r.stderr)
	if r.code != 0 || run == nil || !strings.Contains(r.stderr, "created topic in with 4 partitions") {
		t.Fatalf("exit %d, stderr %s", r.code, r.stderr)
	}
	if want := regexp.MustCompile(`^sent 5 shards \(8 rows, 3 keys, [\d,]+ bytes\) to topic in in \d+\.\d s, run ` + run[1] + "\n$"); !want.MatchString(r.stdout) {
		t.Errorf("stdout is %q, want %s", r.stdout, want)
	}
	if m.topics["in"] != 4 {
		t.Errorf("topic has %d partitions, want 4", m.topics["in"])
	}

	r = m.run(t.Context(), replayArgs(file, "--key-column", "g", "--json", "--run-id", "R")...)
	var got map[string]any
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{"run": "R", "topic": "in", "shards": 5.0, "rows": 8.0, "keys": 3.0} {
		if got[name] != want {
			t.Errorf("summary has %s %v, want %v", name, got[name], want)
		}
	}
	if strings.Contains(r.stderr, "created") {
		t.Errorf("the topic was created again: %s", r.stderr)
	}
}

func TestReplayAgainSendsTheSameHeadersAndValues(t *testing.T) {
	file := clitest.WriteFile(t, "in.csv", []byte(sample))
	var first, again fake
	first.run(t.Context(), replayArgs(file, "--key-column", "g", "--run-id", "R", "--limit", "2")...)
	again.run(t.Context(), replayArgs(file, "--key-column", "g", "--run-id", "R")...)
	if len(first.sent) != 2 || len(again.sent) != 5 {
		t.Fatalf("sent %d, then %d", len(first.sent), len(again.sent))
	}
	for i, o := range first.sent {
		if !bytes.Equal(o.Value, again.sent[i].Value) || first.heads()[i] != again.heads()[i] {
			t.Errorf("record %d is not the same again", i)
		}
	}
}

func TestInterruptedReplaySaysHowToGoOn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := fake{after: 1, then: func() error { cancel(); return context.Canceled }}
	var rows strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&rows, "a,%d\n", i)
	}
	file := clitest.WriteFile(t, "in.csv", []byte("g,x\n"+rows.String()))
	r := m.run(ctx, replayArgs(file, "--key-column", "g", "--run-id", "R7")...)
	if r.code != 1 || !strings.Contains(r.stderr, "500 shards were acknowledged. To send the rest, repeat the command with --run-id R7") ||
		!strings.HasSuffix(r.stderr, "producer: stopped\n") || r.stdout != "" {
		t.Errorf("exit %d, stdout %q, stderr %s", r.code, r.stdout, r.stderr)
	}
}

func TestReplayWaitsForBrokers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := clitest.WriteFile(t, "in.csv", []byte(sample))
		m := fake{absent: 3}
		start := time.Now()
		if r := m.run(t.Context(), replayArgs(file)...); r.code != 0 || strings.Count(r.stderr, "waiting for b:1: connection refused") != 1 {
			t.Errorf("exit %d, stderr %s", r.code, r.stderr)
		}
		if got := time.Since(start); got != 1500*time.Millisecond {
			t.Errorf("waited %v, want 1.5s", got)
		}
		// The last word is of the brokers and not of the clock, and what to do.
		for _, c := range []struct {
			err  error
			want string
		}{
			{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, "dial: connection refused\n"},
			{io.EOF, "EOF; compare the flags --tls and --sasl with what this port of the brokers expects\n"},
			{&tls.CertificateVerificationError{Err: errors.New("unknown authority: --tls-ca")}, "unknown authority: --tls-ca\n"},
		} {
			m = fake{absent: 3, away: c.err}
			if r := m.run(t.Context(), replayArgs(file)...); r.code != 1 || !strings.Contains(r.stderr, "no answer from b:1 for 30s: ") || !strings.HasSuffix(r.stderr, c.want) {
				t.Errorf("exit %d, stderr %s", r.code, r.stderr)
			}
		}
	})
}

func TestReplayRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := clitest.WriteFile(t, "in.csv", []byte(sample))
		var m fake
		start := time.Now()
		r := m.run(t.Context(), replayArgs(file, "--key-column", "g", "--rate", "2")...)
		if got := time.Since(start); r.code != 0 || got != 2*time.Second {
			t.Errorf("exit %d: five shards at 2 a second took %v, want 2s", r.code, got)
		}
		for i, o := range m.sent {
			if want := start.Add(time.Duration(i) * 500 * time.Millisecond).UnixMilli(); o.Time != want {
				t.Errorf("record %d has time %d, want that of sending, %d", i, o.Time, want)
			}
		}
	})
}

func TestFailures(t *testing.T) {
	good := clitest.WriteFile(t, "in.csv", []byte(sample))
	late := clitest.WriteFile(t, "late.csv", []byte(sample+",9\n"))
	refuse := func() error {
		return &pipeline.RefusedError{Topic: "in", Limit: "max.message.bytes", Remedy: "raise it", Err: errors.New("too large")}
	}
	tests := []struct {
		name string
		m    fake
		args []string
		want string
	}{
		{"missing topic", fake{}, replayArgs(good, "--no-create"), "no such topic: in; create it, or leave --no-create out"},
		{"refused", fake{then: refuse}, replayArgs(good), "topic in refuses the output (max.message.bytes)"},
		{"missing file", fake{}, replayArgs("none.csv"), "none.csv: no such file"},
		{"bad row", fake{}, replayArgs(late, "--key-column", "g", "--no-key", "error"), "late.csv:10: unusable input: no key"},
		{"no such column", fake{}, replayArgs(good, "--columns", "y"), `no column "y"; the columns are g, x`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := tt.m.run(t.Context(), tt.args...)
			if r.code != 1 || !strings.Contains(r.stderr, tt.want) || r.stdout != "" {
				t.Errorf("exit %d, stdout %q, stderr %s, want %q", r.code, r.stdout, r.stderr, tt.want)
			}
			if len(tt.m.sent) > 0 {
				t.Errorf("%d records of a bad file were sent", len(tt.m.sent))
			}
		})
	}
}

// TestDemoFlights checks that replaying the demo's data gives the demo's
// shards: every flight once, ten of an origin at a time.
func TestDemoFlights(t *testing.T) {
	data, err := demo.Flights()
	if err != nil {
		t.Fatal(err)
	}
	file := clitest.WriteFile(t, "flights.csv", data)
	var m fake
	r := m.run(t.Context(), "replay", "--input", file, "--key-column", "origin", "--rows", "10",
		"--topic", "in", "--brokers", "b:1", "--run-id", "R")
	if r.code != 0 || !strings.HasPrefix(r.stdout, "sent 2,104 shards (20,000 rows, 220 keys,") {
		t.Fatalf("exit %d, stdout %s, stderr %s", r.code, r.stdout, r.stderr)
	}
	i := 0
	for sh, err := range demo.Shards(10) {
		if err != nil {
			t.Fatal(err)
		}
		value, err := encode(sh.Batch)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("%s R/%d", sh.Key, sh.N); m.heads()[i] != want || !bytes.Equal(m.sent[i].Value, value) {
			t.Fatalf("record %d is %s, want %s with the same value", i, m.heads()[i], want)
		}
		i++
	}
}

func TestSimulate(t *testing.T) {
	var m fake
	args := []string{"simulate", "--scenario", "linear", "--shards", "3", "--keys", "2", "--topic", "in", "--brokers", "b:1", "--run-id", "R"}
	r := m.run(t.Context(), args...)
	if r.code != 0 || !strings.HasPrefix(r.stdout, "sent 6 shards (60 rows, 2 keys,") {
		t.Fatalf("exit %d, stdout %s, stderr %s", r.code, r.stdout, r.stderr)
	}
	want := "[linear/1 R/1 linear/2 R/1 linear/1 R/2 linear/2 R/2 linear/1 R/3 linear/2 R/3]"
	if got := fmt.Sprint(m.heads()); got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	seen := map[string]bool{}
	for _, o := range m.sent {
		seen[string(o.Value)] = true
	}
	if len(seen) != 6 {
		t.Errorf("%d different shards, want 6", len(seen))
	}
	var again, other fake
	again.run(t.Context(), args...)
	other.run(t.Context(), append(args, "--seed", "2", "--rows", "4", "--key-prefix", "k")...)
	if !bytes.Equal(m.sent[5].Value, again.sent[5].Value) || seen[string(other.sent[0].Value)] {
		t.Error("the data are not those of the seed")
	}
	if got := other.heads()[1]; got != "k2 R/1" {
		t.Errorf("second key is %s, want k2", got)
	}
}
