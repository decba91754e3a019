package main

import (
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/clitest"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/pipeline/kafka"
)

// mistakes are what people get wrong, each made for real on servers of its
// own, and the flags of the `check` that has to find it.
var mistakes = []struct {
	name string // as in docs/operations.md
	make func(w *world) (flags []string)
	fine bool // exit code 0: run would work
}{
	{"wrong broker address", func(w *world) []string { return set("kafka.brokers=" + clitest.Nobody(w.T)) }, false},
	{"advertised address unreachable", func(w *world) []string { return set("kafka.brokers=" + halfReachable(w.T)) }, false},
	{"missing topic", func(*world) []string { return set("kafka.create_topics=false") }, false},
	{"input compacted", func(w *world) []string {
		w.topic(kafka.Topic{Name: "shards", Partitions: 1, Configs: []kafka.Config{{Name: "cleanup.policy", Value: "compact"}}})
		return nil
	}, false},
	{"input retention too short", func(w *world) []string {
		w.topic(kafka.Topic{Name: "shards", Partitions: 1, Configs: []kafka.Config{{Name: "retention.ms", Value: "60000"}}})
		return nil
	}, true},
	{"input retention shorter than the outage to outlast", func(w *world) []string {
		w.topic(kafka.Topic{Name: "shards", Partitions: 6, Configs: []kafka.Config{{Name: "retention.ms", Value: "604800000"}}})
		return []string{"--outage", "240h"}
	}, true},
	{"input bounded by bytes", func(w *world) []string {
		w.topic(kafka.Topic{Name: "shards", Partitions: 6, Configs: []kafka.Config{{Name: "retention.bytes", Value: "1000000"}}})
		w.send([]string{"a"}, 3)
		w.trim(kafka.PartitionOf([]byte("a"), 6), 2)
		return nil
	}, true},
	{"few partitions", func(w *world) []string {
		w.topic(kafka.Topic{Name: "shards", Partitions: connect.Partitions})
		return nil
	}, true},
	{"one replica", func(w *world) []string { return trio(w.T, 1, "1", "") }, true},
	{"one replica in sync", func(w *world) []string { return trio(w.T, 3, "1", "") }, true},
	{"more replicas in sync than there are", func(w *world) []string { return trio(w.T, 1, "2", "") }, false},
	{"unclean elections", func(w *world) []string { return trio(w.T, 3, "2", "true") }, true},
	{"messages larger than the topic allows", func(w *world) []string {
		w.topic(kafka.OutputTopic("posteriors", 1, 1<<20))
		return nil
	}, true},
	{"one topic in two roles", func(*world) []string { return set("kafka.output=shards") }, false},
	{"columns that are not in the topic", func(w *world) []string {
		w.send([]string{"a"}, 1)
		return set("models.0.columns.response=revenue")
	}, false},
	{"a response that the kind does not take", func(w *world) []string {
		w.send([]string{"a"}, 1)
		return set("models.0.kind=probit")
	}, false},
	{"records that are not shards", func(w *world) []string {
		w.topic(kafka.Topic{Name: "shards", Partitions: 1})
		w.records(kgo.Record{Topic: "shards", Key: []byte("a"), Value: []byte(`{"x":1,"y":2}`)})
		return nil
	}, false},
	{"keys without a model", func(w *world) []string {
		w.send([]string{"a"}, 1)
		return set("models.0.match=b/*")
	}, false},
	{"another partitioner", func(w *world) []string {
		w.topic(kafka.Topic{Name: "shards", Partitions: 2})
		value, err := arrow.Encode(&cdf.Batch{Rows: 2, Columns: []cdf.Column{{Name: "x", Number: []float64{1, 2}}, {Name: "y", Number: []float64{1, 3}}}})
		if err != nil {
			w.Fatal(err)
		}
		for p := range int32(2) {
			w.records(kgo.Record{Topic: "shards", Partition: p, Key: []byte("a"), Value: value})
		}
		return nil
	}, true},
	{"partitions added", func(w *world) []string {
		w.send([]string{"a"}, 1)
		if code, _, messages := w.consumer("run", "--until-end"); code != 0 {
			w.Fatal(messages)
		}
		w.partitions("shards", 6)
		return nil
	}, false},
	{"a group with other models", func(w *world) []string {
		w.send([]string{"a"}, 1)
		if code, _, messages := w.consumer("run", "--until-end"); code != 0 {
			w.Fatal(messages)
		}
		return set("models.0.forget=0.9")
	}, false},
	{"Redis unreachable", func(w *world) []string {
		if err := w.env.KillRedis(); err != nil {
			w.Fatal(err)
		}
		return nil
	}, false},
	{"Redis requires a password", func(w *world) []string {
		m := miniredis.RunT(w.T)
		m.RequireAuth("secret")
		return set("redis.url=redis://" + m.Addr())
	}, false},
	{"Redis may evict", func(w *world) []string { return set("redis.url=redis://" + evicting(w.T)) }, false},
	{"Redis does not tell its policy", func(w *world) []string { return set("redis.url=redis://" + miniredis.RunT(w.T).Addr()) }, false},
	{"HTTP port taken", func(w *world) []string { return set("http.listen=" + clitest.Listen(w.T).Addr().String()) }, true},
}

func set(assignments ...string) (flags []string) {
	for _, a := range assignments {
		flags = append(flags, "--set", a)
	}
	return flags
}

// topic makes a topic before anything else would.
func (w *world) topic(t kafka.Topic) {
	w.Helper()
	if err := w.connect(w.config()).Client.Create(w.Context(), t); err != nil {
		w.Fatal(err)
	}
}

// records sends records with a client that is not ours, to the partitions
// that they name.
func (w *world) records(all ...kgo.Record) {
	w.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(w.env.Brokers()...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		w.Fatal(err)
	}
	defer c.Close()
	for i := range all {
		if err := c.ProduceSync(w.Context(), &all[i]).FirstErr(); err != nil {
			w.Fatal(err)
		}
	}
}

// trio starts three brokers, whose topic of shards has so many replicas and settings, and
// returns the flags that name them. unclean is said by none of the brokers' own settings.
func trio(t *testing.T, replicas int, insync, unclean string) []string {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(3))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	client, err := kafka.New(kafka.Options{Brokers: c.ListenAddrs()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close() //nolint:errcheck // it is done with
	if err := client.Create(t.Context(), kafka.Topic{Name: "shards", Partitions: 6, Replication: replicas, Configs: []kafka.Config{{Name: "min.insync.replicas", Value: insync}}}); err != nil {
		t.Fatal(err)
	}
	if unclean != "" {
		c.ControlKey(int16(kmsg.DescribeConfigs), func(asked kmsg.Request) (kmsg.Response, error, bool) {
			c.KeepControl()
			r := asked.ResponseKind().(*kmsg.DescribeConfigsResponse) //nolint:forcetypeassert // by its key
			of := kmsg.NewDescribeConfigsResponseResource()
			of.ResourceType, of.ResourceName = kmsg.ConfigResourceTypeTopic, "shards"
			entry := kmsg.NewDescribeConfigsResponseResourceConfig()
			entry.Name, entry.Value = "unclean.leader.election.enable", &unclean
			of.Configs = append(of.Configs, entry)
			r.Resources = append(r.Resources, of)
			return r, nil, true
		})
	}
	return set("kafka.brokers=" + c.ListenAddrs()[0])
}

// halfReachable returns the address of one of two brokers, of which the other
// can't be reached.
func halfReachable(t *testing.T) string {
	t.Helper()
	var listeners []net.Listener
	c, err := kfake.NewCluster(kfake.NumBrokers(2), kfake.ListenFn(func(network, address string) (net.Listener, error) {
		l, err := new(net.ListenConfig).Listen(t.Context(), network, address)
		listeners = append(listeners, l)
		return l, err
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if err := listeners[1].Close(); err != nil {
		t.Fatal(err)
	}
	return listeners[0].Addr().String()
}

// evicting returns the address of a Redis that throws keys away.
func evicting(t *testing.T) string {
	t.Helper()
	m := miniredis.RunT(t)
	err := m.Server().Register("CONFIG", func(c *server.Peer, _ string, args []string) {
		value := "allkeys-lru"
		if args[1] != "maxmemory-policy" {
			value = "yes"
		}
		c.Block(func(w *server.Writer) {
			w.WriteMapLen(1)
			w.WriteBulk(args[1])
			w.WriteBulk(value)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return m.Addr()
}

// documented returns, for each mistake in the table of docs/operations.md, the
// words that it promises: what is in backticks in its last column.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(page), "### What `consumer check` finds\n")
	if !ok {
		t.Fatal("docs/operations.md has no such table")
	}
	promised, inside := map[string][]string{}, false
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if inside = inside || strings.HasPrefix(line, "| --- |"); !inside || strings.HasPrefix(line, "| --- |") {
			continue
		}
		if len(cells) != 3 {
			break
		}
		var words []string
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[2], -1) {
			words = append(words, m[1])
		}
		promised[strings.TrimPrefix(cells[0], "| ")] = words
	}
	return promised
}

func TestCheckFindsMistakesAndSaysTheFix(t *testing.T) {
	promised := documented(t)
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			words := promised[m.name]
			delete(promised, m.name)
			if len(words) == 0 {
				t.Fatalf("docs/operations.md does not say what the fix is")
			}
			w := newWorld(t, "")
			args := append([]string{"check"}, m.make(w)...)
			code, out, messages := w.consumer(args...)
			if (code == 0) != m.fine || messages != "" {
				t.Errorf("exit %d, stderr %q", code, messages)
			}
			fixes := ""
			for line := range strings.Lines(out) {
				if _, fix, ok := strings.Cut(line, "  fix: "); ok {
					fixes += fix
				}
			}
			for _, word := range words {
				if !strings.Contains(fixes, word) {
					t.Errorf("no fix says %q:\n%s", word, out)
				}
			}
		})
	}
	for name := range promised {
		t.Errorf("docs/operations.md promises %q, and nothing makes that mistake", name)
	}
}

// A world that is in order has no finding: not one of the checks cries wolf.
func TestCheckIsQuietWhereAllIsWell(t *testing.T) {
	w := newWorld(t, "")
	w.topic(kafka.Topic{Name: "shards", Partitions: 6})
	w.send([]string{"a", "b/1", "c"}, 3)
	for range 2 { // before the first run, and after it
		code, out, messages := w.consumer("check")
		var loud []string
		for line := range strings.Lines(out) {
			if level, _, _ := strings.Cut(line, " "); slices.Contains([]string{"warning", "error"}, level) && !strings.Contains(line, "append-only") {
				loud = append(loud, line)
			}
		}
		if code != 0 || messages != "" || len(loud) > 0 || !strings.Contains(out, "the 9 newest shards fit the configuration") {
			t.Errorf("exit %d, stderr %q, findings %q in\n%s", code, messages, loud, out)
		}
		if code, _, messages := w.consumer("run", "--until-end"); code != 0 {
			t.Fatal(messages)
		}
	}
	if _, out, _ := w.consumer("check"); !strings.Contains(out, "continues where it stopped") {
		t.Errorf("after a run:\n%s", out)
	}
}

// partitions adds partitions to a topic.
func (w *world) partitions(topic string, n int32) {
	w.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(w.env.Brokers()...))
	if err != nil {
		w.Fatal(err)
	}
	defer c.Close()
	q, topics := kmsg.NewPtrCreatePartitionsRequest(), kmsg.NewCreatePartitionsRequestTopic()
	topics.Topic, topics.Count = topic, n
	q.Topics = append(q.Topics, topics)
	r, err := q.RequestWith(w.Context(), c)
	if err != nil || len(r.Topics) != 1 || r.Topics[0].ErrorCode != 0 {
		w.Fatalf("%+v, error %v", r, err)
	}
}
