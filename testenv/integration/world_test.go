//go:build unix

package integration

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// world is one topic of shards, the group that folds it, and a configuration.
// All names are of this test alone.
type world struct {
	env     *testenv.Env
	file    string // of the configuration
	group   string
	input   string
	output  string
	dead    string
	cluster string
	kafka   *kgo.Client   // for administration
	store   *redis.Client // to look at what is stored
	dir     string
}

// setup is what tests vary.
type setup struct {
	partitions int               // of the input; 0: 4
	topic      map[string]string // settings of the input
	kafka      string            // more keys of this section
	models     string            // YAML list; empty: one linear model for all keys
}

const anyModel = `[{match: "**", kind: linear, columns: {response: y}}]`

func newWorld(t *testing.T, env *testenv.Env, s setup) *world {
	t.Helper()
	id := strings.NewReplacer("/", "-", "_", "-").Replace(t.Name()) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	w := &world{env: env, group: id, input: id + "-in", output: id + "-out", dead: id + "-dead", dir: t.TempDir()}
	w.kafka = franz(t, env)
	w.cluster = clusterID(t, w.kafka)
	o, err := redis.ParseURL(env.RedisURL())
	if err != nil {
		t.Fatal(err)
	}
	o.MaxRetries = -1
	w.store = redis.NewClient(o)
	t.Cleanup(func() { _ = w.store.Close() })
	if s.partitions == 0 {
		s.partitions = 4
	}
	if err := env.CreateTopic(t.Context(), w.input, s.partitions, s.topic); err != nil {
		t.Fatal(err)
	}
	if s.models == "" {
		s.models = anyModel
	}
	w.file = w.configure(t, s)
	return w
}

// configure writes a configuration of this world and returns its path.
func (w *world) configure(t *testing.T, s setup) string {
	t.Helper()
	text := fmt.Sprintf(`seed: 7
kafka: {brokers: [%q], group: %q, input: %q, output: %q, dead_letters: %q%s}
redis: {url: %q}
checkpoint: {interval: 100ms}
http: {listen: "127.0.0.1:0"}
models: %s
`, w.env.Brokers()[0], w.group, w.input, w.output, w.dead, s.kafka, w.env.RedisURL(), s.models)
	f, err := os.CreateTemp(w.dir, "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// apart are the flags that make a group of its own over the same input.
func (w *world) apart(name string) []string {
	return []string{"--set", "kafka.group=" + w.group + name, "--set", "kafka.output=" + w.output + name, "--set", "kafka.dead_letters=" + w.dead + name}
}

// consumer runs a command of the consumer to its end.
func (w *world) consumer(t *testing.T, args ...string) programs.Ended {
	t.Helper()
	return programs.Run(t, filepath.Join(binaries, "consumer"), append(args, "--config", w.file)...)
}

// start runs the consumer until it is stopped, or the end of the test.
func (w *world) start(t *testing.T, args ...string) *programs.Service {
	t.Helper()
	return programs.Start(t, filepath.Join(binaries, "consumer"), append([]string{"run", "--config", w.file}, args...)...)
}

// settle runs the consumer to the end of the input.
func (w *world) settle(t *testing.T, args ...string) {
	t.Helper()
	if got := w.consumer(t, append([]string{"run", "--until-end"}, args...)...); got.Code != 0 {
		t.Fatalf("run --until-end: exit %d\n%s", got.Code, got.Messages)
	}
}

// posterior is one line of JSON that tail and get print.
type posterior struct {
	Key    string `json:"key"`
	T      int64  `json:"t"`
	N      int64  `json:"n"`
	Gaps   int    `json:"gaps"`
	Source struct {
		Partition int32 `json:"partition"`
		Offset    int64 `json:"offset"`
	} `json:"source"`
	Score     map[string]*float64   `json:"score"`
	Posterior []map[string]any      `json:"posterior"`
	variable  map[string]parameters // by name
	text      string
}

type parameters struct{ mean, sd float64 }

func parse(t *testing.T, line string) posterior {
	t.Helper()
	p := posterior{text: line, variable: map[string]parameters{}}
	if err := json.Unmarshal([]byte(line), &p); err != nil {
		t.Fatalf("%v: %.300s", err, line)
	}
	for _, v := range p.Posterior {
		mean, _ := v["mean"].(float64)
		sd, _ := v["sd"].(float64)
		name, _ := v["variable"].(string)
		p.variable[name] = parameters{mean, sd}
	}
	return p
}

// tail returns what the output topic holds.
func (w *world) tail(t *testing.T, args ...string) []posterior {
	t.Helper()
	got := w.consumer(t, append([]string{"tail", "--format", "json", "--until-end"}, args...)...)
	if got.Code != 0 {
		t.Fatalf("tail: exit %d\n%s", got.Code, got.Messages)
	}
	var all []posterior
	for line := range strings.Lines(got.Data) {
		all = append(all, parse(t, line))
	}
	return all
}

// get returns the posterior of a key from the store.
func (w *world) get(t *testing.T, key string, args ...string) posterior {
	t.Helper()
	got := w.consumer(t, append([]string{"get", key, "--format", "json"}, args...)...)
	if got.Code != 0 {
		t.Fatalf("get %s: exit %d\n%s", key, got.Code, got.Messages)
	}
	return parse(t, got.Data)
}

// same fails unless all keys have the same posterior, to the last digit, as
// get printed it before.
func (w *world) same(t *testing.T, as string, want map[string]posterior, args ...string) {
	t.Helper()
	for key, p := range want {
		if got := w.get(t, key, args...); got.text != p.text {
			t.Errorf("key %s is not as %s:\n%s%s", key, as, got.text, p.text)
		}
	}
}
