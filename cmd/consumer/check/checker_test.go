package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config/configtest"
	"github.com/credence-stream/credence/cmd/consumer/connect/connecttest"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/clitest"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/redis"
)

type fakeCluster struct {
	topics     map[string]topicState
	advertised []string
	err        error
}

func (c fakeCluster) ClusterID(context.Context) (string, error) { return "id", c.err }
func (c fakeCluster) Advertised(context.Context) ([]string, error) {
	return c.advertised, c.err
}

// three are the addresses of a cluster that can lose a broker.
var three = []string{"a:9092", "b:9092", "c:9092"}

func (c fakeCluster) Topic(_ context.Context, name string) (topicState, error) {
	return c.topics[name], nil
}

// fakeStore is a store of fixed answers.
type fakeStore struct {
	connecttest.Shelf
	eviction   string
	appendOnly bool
	pinned     int
	meta       map[int32]pipeline.Meta
}

func (s fakeStore) Layout(context.Context, string) (pipeline.Layout, error) {
	return pipeline.Layout{Partitions: s.pinned}, s.Err
}

func (s fakeStore) Begun(context.Context, string, int) (int, error) { return len(s.meta), s.Err }

func (s fakeStore) Meta(_ context.Context, p pipeline.Partition) (pipeline.Meta, error) {
	return s.meta[p.ID], nil
}

func (s fakeStore) Policy(context.Context) (string, bool, error) {
	return s.eviction, s.appendOnly, s.Err
}

// findingsOf runs part of a check and returns what is not ok, one per line.
func findingsOf(t *testing.T, text string, run func(*checker)) (string, bool) {
	t.Helper()
	k := &checker{config: configtest.Parse(t, text), outage: 24 * time.Hour}
	run(k)
	var b strings.Builder
	for _, f := range k.findings {
		if f.Level == levelOK || f.Level == levelNote {
			continue
		}
		if f.Fix == "" {
			t.Errorf("%+v does not say the fix", f)
		}
		b.WriteString(string(f.Level) + " " + f.Subject + ": " + f.Message + " fix: " + f.Fix + "\n")
	}
	return b.String(), k.failed()
}

func goodTopics() map[string]topicState {
	settings := func(more ...string) map[string]string {
		m := map[string]string{"cleanup.policy": "delete", "retention.ms": "-1", "message.timestamp.type": "CreateTime", "max.message.bytes": "67108864",
			"retention.bytes": "-1", "min.insync.replicas": "2", "unclean.leader.election.enable": "false"}
		for i := 0; i < len(more); i += 2 {
			m[more[i]] = more[i+1]
		}
		return m
	}
	return map[string]topicState{
		"shards":                 {12, 3, settings("retention.ms", "604800000")},
		"posteriors":             {12, 3, settings()},
		"posteriors.draws":       {12, 3, settings()},
		"posteriors.predictions": {12, 3, settings()},
		"shards.dead":            {12, 3, settings()},
	}
}

func TestCheckTopics(t *testing.T) {
	for _, c := range []struct {
		name, text     string
		topic, setting string
		value          string // "gone": the topic does not exist
		want           string
		failed         bool
	}{
		{"all good", configtest.Shortest, "", "", "", "", false},
		{"input compacted", configtest.Shortest, "shards", "cleanup.policy", "compact,delete", "cleanup.policy=delete", true},
		{"input kept for an hour", configtest.Shortest, "shards", "retention.ms", "3600000", "retention.ms=604800000", false},
		{"input kept for as long as it has to outlast", configtest.Shortest, "shards", "retention.ms", "86400000", "", false},
		{"output deletes by age", configtest.Shortest, "posteriors", "retention.ms", "604800000", "retention.ms=-1", false},
		{"output compacted", configtest.Shortest, "posteriors", "cleanup.policy", "compact", "cleanup.policy=delete", false},
		{"output restamped", configtest.Shortest, "posteriors", "message.timestamp.type", "LogAppendTime", "message.timestamp.type=CreateTime", false},
		{"output narrow", configtest.Shortest, "posteriors", "max.message.bytes", "1048588", "max.message.bytes=16842752, or lower limits.summary", false},
		{"dead letters narrow", configtest.Shortest, "shards.dead", "max.message.bytes", "500000", "max.message.bytes=1028096, or lower limits.dead_letter", false},
		{"dead letters as by default", configtest.Shortest, "shards.dead", "max.message.bytes", "1048588", "", false},
		{"missing, to be made", configtest.Shortest, "posteriors", "", "gone", "", false},
		{"output missing", configtest.Shortest + "\nkafka: {create_topics: false}", "posteriors", "", "gone", "kafka-topics.sh --create --topic posteriors", true},
		{"draws not published", configtest.Shortest, "posteriors.draws", "max.message.bytes", "1048588", "", false},
		{"draws narrow", publishingAll, "posteriors.draws", "max.message.bytes", "1048588", "max.message.bytes=16842752, or lower limits.summary", false},
		{"draws missing", publishingAll, "posteriors.draws", "", "gone", "kafka-topics.sh --create --topic posteriors.draws", true},
		{"predictions not published", configtest.Shortest, "posteriors.predictions", "", "gone", "", false},
		{"predictions narrow", publishingAll, "posteriors.predictions", "max.message.bytes", "1048588", "max.message.bytes=16842752, or lower limits.summary", false},
		{"predictions delete by age", publishingAll, "posteriors.predictions", "retention.ms", "604800000", "retention.ms=-1", false},
		{"predictions missing", publishingAll, "posteriors.predictions", "", "gone", "kafka-topics.sh --create --topic posteriors.predictions", true},
		{"input missing", configtest.Shortest + "\nkafka: {create_topics: false}", "shards", "", "gone", "kafka-topics.sh --create --topic shards", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			topics := goodTopics()
			if c.value == "gone" {
				delete(topics, c.topic)
			} else if c.topic != "" {
				topics[c.topic].settings[c.setting] = c.value
			}
			got, failed := findingsOf(t, c.text, func(k *checker) { k.kafka(t.Context(), fakeCluster{topics: topics, advertised: three}) })
			if failed != c.failed || (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("failed %v, found %q, want %q", failed, got, c.want)
			}
		})
	}
}

// publishingAll has models of which the last publishes more than summaries.
const publishingAll = `models: [{match: a, kind: linear}, {match: "**", kind: linear, publish: {draws: true, predictions: null_rows}}]` + "\nkafka: {create_topics: false}"

func TestCheckClusterThatDoesNotAnswer(t *testing.T) {
	got, failed := findingsOf(t, configtest.Shortest, func(k *checker) {
		if k.kafka(t.Context(), fakeCluster{err: errors.New("SASL refused")}) {
			t.Error("went on")
		}
	})
	if !failed || !strings.Contains(got, "SASL refused") || !strings.Contains(got, "kafka.sasl") {
		t.Errorf("found %q", got)
	}
}

func TestCheckBrokers(t *testing.T) {
	up, down := clitest.Listen(t).Addr().String(), clitest.Nobody(t)
	for _, c := range []struct {
		brokers   string
		level     string
		reachable bool
	}{
		{up, "", true},
		{down + ", " + up, "warning broker " + down, true},
		{down, "error broker " + down, false},
	} {
		got, failed := findingsOf(t, configtest.Shortest+"\nkafka: {brokers: ["+c.brokers+"]}", func(k *checker) {
			if k.brokers(t.Context()) != c.reachable {
				t.Errorf("%s: reachable is %v", c.brokers, !c.reachable)
			}
		})
		if failed == c.reachable || (got == "") != (c.level == "") || !strings.HasPrefix(got, c.level) {
			t.Errorf("%s: found %q, want %q", c.brokers, got, c.level)
		}
	}
}

func TestCheckStore(t *testing.T) {
	fails := func(err error) fakeStore { return fakeStore{Shelf: connecttest.Shelf{Err: err}} }
	for _, c := range []struct {
		store    fakeStore
		eviction string
		want     string
		failed   bool
	}{
		{fakeStore{eviction: "noeviction", appendOnly: true}, "", "", false},
		{fakeStore{eviction: "noeviction"}, "", "appendonly yes", false},
		{fakeStore{eviction: "allkeys-lru", appendOnly: true}, "", "maxmemory-policy noeviction", true},
		{fakeStore{eviction: "allkeys-lru", appendOnly: true}, "accept_unknown", "maxmemory-policy noeviction", true},
		{fakeStore{eviction: "allkeys-lru", appendOnly: true}, "accept_silent_loss", "maxmemory-policy noeviction", false},
		{fails(errors.New("connection refused")), "", "start Redis", true},
		{fails(fmt.Errorf("%w: NOAUTH Authentication required", redis.ErrCredentials)), "", "name it in redis.password_file", true},
		{fails(fmt.Errorf("%w: NOPERM", redis.ErrPolicyUnknown)), "", "allow this user the command INFO", true},
		{fails(fmt.Errorf("%w: NOPERM", redis.ErrPolicyUnknown)), "accept_unknown", "allow this user the command INFO", false},
	} {
		text := configtest.Shortest
		if c.eviction != "" {
			text += "\nredis: {eviction: " + c.eviction + "}\n"
		}
		got, failed := findingsOf(t, text, func(k *checker) { k.store(t.Context(), c.store) })
		if failed != c.failed || (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: failed %v, found %q", c.store, failed, got)
		}
	}
}

// What is to be done about a Redis that is not there is said once.
func TestCheckRemedyOnce(t *testing.T) {
	s, err := redis.Open(redis.Options{URL: "redis://" + clitest.Nobody(t), Cluster: "c", Group: "g"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // nothing was written
	got, failed := findingsOf(t, configtest.Shortest, func(k *checker) { k.store(t.Context(), redisStore{s}) })
	if !failed || strings.Count(got, "correct redis.url") != 1 || strings.Count(got, "tart Redis") != 1 || !strings.Contains(got, "refused") {
		t.Errorf("failed %v, found %q", failed, got)
	}
}

func TestCheckAdvertised(t *testing.T) {
	up, down := clitest.Listen(t).Addr().String(), clitest.Nobody(t)
	for _, c := range []struct {
		advertised []string
		want       string
	}{
		{[]string{"127.0.0.1:9092", up}, ""}, // the first is configured, and judged elsewhere
		{[]string{up, down}, "error broker " + down},
	} {
		got, failed := findingsOf(t, configtest.Shortest, func(k *checker) {
			if k.advertised(t.Context(), fakeCluster{advertised: c.advertised}) != (c.want == "") {
				t.Errorf("%q: goes on, or doesn't", c.advertised)
			}
		})
		if failed != (c.want != "") || !strings.HasPrefix(got, c.want) || failed && !strings.Contains(got, "advertised.listeners") {
			t.Errorf("%q: found %q", c.advertised, got)
		}
	}
}

func TestCheckGroup(t *testing.T) {
	made := pipeline.Meta{Exists: true, Format: pipeline.StateFormat, Configured: []pipeline.Configured{{Fingerprint: "0123456789abcdef0123"}}}
	older := pipeline.Meta{Exists: true, Format: pipeline.StateFormat + 1}
	for _, c := range []struct {
		name    string
		store   fakeStore
		accepts bool
		want    string
	}{
		{"new", fakeStore{pinned: pipeline.Unbegun}, false, ""},
		{"an import", fakeStore{}, true, "are being imported"},
		{"without state", fakeStore{pinned: 4}, false, ""},
		{"its own", fakeStore{pinned: 4, meta: map[int32]pipeline.Meta{3: made}}, true, ""},
		{"another configuration", fakeStore{pinned: 4, meta: map[int32]pipeline.Meta{3: made}}, false, "error group credence: the state of shards/3 was made under another configuration (0123456789abcdef)"},
		{"another format", fakeStore{pinned: 4, meta: map[int32]pipeline.Meta{0: older}}, true, "run the version that wrote it"},
		{"other partitions", fakeStore{pinned: 3}, true, "has 4 partitions and had 3"},
		{"the count lost, none added", fakeStore{pinned: pipeline.Unbegun, meta: map[int32]pipeline.Meta{0: made, 1: made, 2: made, 3: made}}, false, "under another configuration"},
		{"the count lost", fakeStore{pinned: pipeline.Unbegun, meta: map[int32]pipeline.Meta{1: made, 2: made}}, true, "the store has lost how many partitions topic shards had"},
		{"no answer", fakeStore{Shelf: connecttest.Shelf{Err: errors.New("connection refused")}}, true, "connection refused"},
		{"another type", fakeStore{Shelf: connecttest.Shelf{Err: pipeline.ErrOtherType}}, true, "restore or delete that key"},
		{"damage", fakeStore{Shelf: connecttest.Shelf{Err: pipeline.ErrDamaged}}, true, "the command state repair"},
	} {
		got, failed := findingsOf(t, configtest.Shortest, func(k *checker) {
			k.group(t.Context(), c.store, 4, nil, func([]pipeline.Configured) bool { return c.accepts })
		})
		if failed != (c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: failed %v, found %q, want %q", c.name, failed, got, c.want)
		}
	}
}

// A sample tells keys that are not where murmur2 puts them.
func TestCheckPartitioner(t *testing.T) {
	s := fakeStore{Shelf: connecttest.Shelf{Held: map[int32][]string{1: {"a"}, 2: {"bb", "cc"}}}}
	run := func(k *checker) { k.partitioner(t.Context(), s, 4, connecttest.ByLength) }
	if got, _ := findingsOf(t, configtest.Shortest, run); got != "" {
		t.Errorf("keys at home: %q", got)
	}
	s.Held[3] = []string{"astray"}
	if got, _ := findingsOf(t, configtest.Shortest, run); !strings.Contains(got, `"astray"`) || !strings.Contains(got, "murmur2_random") || !strings.Contains(got, "partition 3") {
		t.Errorf("a key astray: %q", got)
	}
}

func TestFindingsForPeopleAndPrograms(t *testing.T) {
	all := []finding{{levelOK, "kafka", "answers", ""}, {levelError, "redis store", "away", "start <it>"}}
	var out bytes.Buffer
	a := &app.App{Names: cli.Apart(), Kinds: models.Kinds(), Out: &out}
	if err := writeFindings(a, all, false); err != nil {
		t.Fatal(err)
	}
	want := "ok       kafka        answers\nerror    redis store  away\n                      fix: start <it>\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
	out.Reset()
	if err := writeFindings(a, all, true); err != nil {
		t.Fatal(err)
	}
	want = `{"level":"ok","subject":"kafka","message":"answers"}` + "\n" + `{"level":"error","subject":"redis store","message":"away","fix":"start <it>"}` + "\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
