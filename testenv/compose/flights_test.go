package compose

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/credence-stream/credence/testenv/probe"
)

// TestCompose replays the demo's flights through the containers, kills the
// consumer, Redis and Kafka while records flow, and compares every key's last
// posterior with those of a second group that read the same topic
// undisturbed.
func TestCompose(t *testing.T) {
	if os.Getenv("CREDENCE_BACKEND") == "" {
		t.Log("not asked for: CREDENCE_BACKEND=compose runs it")
		return
	}
	ctx := t.Context()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(ctx, filepath.Join(root, "testenv", "compose", "prepare")).CombinedOutput(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no containers: %v: %s", err, out)
		}
		fmt.Fprintf(os.Stderr, "\n*** NOT TESTED IN CONTAINERS: %v: %s ***\n\n", err, out)
		return
	}
	e, err := Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			if out, err := e.Project.Run(context.WithoutCancel(ctx), "logs", "--no-color", "--tail", "40"); err == nil {
				t.Logf("%s", out)
			}
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s := &stack{t: t, ctx: ctx, stop: stop, e: e, client: &kafka.Client{Addr: kafka.TCP(e.Brokers()...), Timeout: 10 * time.Second}}
	s.disturbed()
	s.consumer(finish...)
	s.consumer(append(finish, "--set", "kafka.group=calm", "--set", "kafka.output=calm", "--set", "kafka.dead_letters=calm.dead")...)

	got, want := s.posteriors("posteriors"), s.posteriors("calm")
	rows := 0
	for key, w := range want {
		rows += w.N
		if g, ok := got[key]; !ok || !bytes.Equal(g.line, w.line) {
			t.Errorf("posterior of %s differs:\n%s\nundisturbed:\n%s", key, g.line, w.line)
		}
	}
	if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
		t.Errorf("%d keys, undisturbed %d", len(got), len(want))
	}
	if rows != 2*flights {
		t.Errorf("%d rows absorbed, sent were %d", rows, 2*flights)
	}
	t.Logf("%d keys, %d rows, %d summaries for %d", len(got), rows, s.sum("posteriors"), s.sum("calm"))
}

const (
	flights = 20_000 // rows of the demo's file
	config  = "/etc/credence/consumer.yaml"
)

var finish = []string{"run", "--config", config, "--until-end"}

type stack struct {
	t      *testing.T
	ctx    context.Context
	stop   context.CancelCauseFunc
	e      *Env
	client *kafka.Client
}

func (s *stack) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// disturbed runs the service while things go wrong around it.
func (s *stack) disturbed() {
	p := s.e.Project
	s.must(s.input())
	_, err := p.Run(s.ctx, "up", "-d", "--no-deps", "consumer")
	s.must(err)
	s.guarded()
	sent := make(chan error, 1)
	go func() {
		err := s.replay("a-", "--rate", "300")
		if err != nil {
			s.stop(err) // nobody need wait for summaries
		}
		sent <- err
	}()
	s.outputs(300)
	s.must(p.Kill(s.ctx, "consumer"))
	s.must(p.Start(s.ctx, "consumer"))
	s.outputs(600)
	s.must(s.e.KillRedis())
	s.must(s.e.StartRedis(s.ctx))
	s.must(<-sent)
	s.outputs(900)

	s.must(p.Pause(s.ctx, "consumer")) // so that Kafka goes while it has much to do
	s.must(s.replay("b-"))
	before := s.sum("posteriors")
	s.must(p.Resume(s.ctx, "consumer"))
	s.outputs(before + 100)
	s.must(s.e.KillKafka())
	s.must(s.e.StartKafka(s.ctx))
	s.outputs(before + 500)
	_, err = p.Run(s.ctx, "stop", "--timeout", "30", "consumer")
	s.must(err)
}

// input creates the input topic, so that the consumer need not wait for it.
func (s *stack) input() error {
	_, err := s.client.CreateTopics(s.ctx, &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{
		{Topic: "shards", NumPartitions: 4, ReplicationFactor: 1},
	}})
	return err
}

// replay sends all flights, ten per shard, keys starting with prefix.
func (s *stack) replay(prefix string, more ...string) error {
	_, err := s.e.Project.Run(s.ctx, append([]string{"run", "--rm", "-T", "--no-deps", "producer", "replay",
		"--input", "/data/flights.csv", "--key-column", "origin", "--key-prefix", prefix,
		"--columns", "delay,distance,hour", "--rows", "10", "--topic", "shards", "--brokers", "kafka:19092"}, more...)...)
	return err
}

// consumer runs the program to its end in a container of its own.
func (s *stack) consumer(args ...string) []byte {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, probe.Patience)
	defer cancel()
	out, err := s.e.Project.Run(ctx, append([]string{"run", "--rm", "-T", "--no-deps", "consumer"}, args...)...)
	s.must(err)
	return out
}

// sum returns the number of records of a topic, 0 where there is none.
func (s *stack) sum(topic string) int64 {
	n, _ := s.count(s.ctx, topic) // asked again by whoever waits
	return n
}

func (s *stack) count(ctx context.Context, topic string) (n int64, err error) {
	var ends []kafka.OffsetRequest
	for p := range 4 {
		ends = append(ends, kafka.LastOffsetOf(p))
	}
	resp, err := s.client.ListOffsets(ctx, &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{topic: ends}})
	if err != nil {
		return 0, err
	}
	for _, p := range resp.Topics[topic] {
		if p.Error != nil {
			return 0, p.Error
		}
		n += p.LastOffset
	}
	return n, nil
}

// outputs waits until the service has published n summaries.
func (s *stack) outputs(n int64) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, probe.Patience)
	defer cancel()
	s.must(probe.Until(ctx, func(ctx context.Context) error {
		got, err := s.count(ctx, "posteriors")
		if err == nil && got < n {
			err = fmt.Errorf("%d summaries, waiting for %d", got, n)
		}
		return err
	}))
}

type posterior struct {
	Key    string
	N      int
	Source struct{ Offset int64 }
	line   []byte
}

// posteriors reads a topic with the program itself and keeps, per key, the
// line of the greatest input offset.
func (s *stack) posteriors(topic string) map[string]posterior {
	s.t.Helper()
	out := s.consumer("tail", "--config", config, "--set", "kafka.output="+topic, "--format", "json", "--until-end")
	last := map[string]posterior{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var p posterior
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			s.t.Fatalf("%v in %q", err, lines.Bytes())
		}
		p.line = slices.Clone(lines.Bytes())
		if old, ok := last[p.Key]; !ok || p.Source.Offset > old.Source.Offset {
			last[p.Key] = p
		}
	}
	s.must(lines.Err())
	return last
}

// guarded checks that the service has no more rights than it needs, that its version is
// the commit's, and that the engine finds it healthy, which is when it is ready.
func (s *stack) guarded() {
	id, err := s.e.Project.container(s.ctx, "consumer")
	s.must(err)
	inspect := func(format string) string {
		out, err := s.e.Project.docker(s.ctx, nil, "inspect", "--format", format, id)
		s.must(err)
		return strings.TrimSpace(string(out))
	}
	for format, want := range map[string]string{
		"{{.HostConfig.ReadonlyRootfs}}": "true", "{{.HostConfig.CapDrop}}": "[ALL]", "{{.HostConfig.SecurityOpt}}": "[no-new-privileges:true]",
		"{{.HostConfig.Memory}}": "2147483648", "{{.Config.StopTimeout}}": "20", "{{.Config.User}}": "65532:65532",
		"{{.Config.Healthcheck.Test}}": "[CMD consumer ready --config " + config + "]",
	} {
		if got := inspect(format); got != want {
			s.t.Errorf("%s is %s, want %s", format, got, want)
		}
	}
	version, err := s.e.Project.docker(s.ctx, nil, "exec", id, "consumer", "version")
	s.must(err)
	if label := inspect(`{{index .Config.Labels "org.opencontainers.image.version"}}`); label == "" || !strings.Contains(string(version), label) || strings.Contains(string(version), "devel") {
		s.t.Errorf("the program says %q and the image %q", version, label)
	}
	s.must(probe.Until(s.ctx, func(context.Context) error {
		if health := inspect("{{.State.Health.Status}}"); health != "healthy" {
			return fmt.Errorf("the service is %s", health)
		}
		return nil
	}))
}
