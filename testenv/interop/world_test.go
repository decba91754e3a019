//go:build unix

package interop

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// world is one topic of shards that two groups fold, one that publishes Arrow
// and one that publishes JSON.
type world struct {
	env       *testenv.Env
	dir       string // of the programs and of all files
	id        string // starts the names of topics and groups
	arrow     *group
	json      *group
	published []posterior // what both groups have published, once, in order per key
	base      string      // URL of the group with Arrow
}

// group is a consumer group with its output topic.
type group struct {
	file, output string
}

// shards is the number of shards of each key.
const shards = 4

// streams are what is sent: the scenario and the prefix of its one key. The
// first key has what must be escaped in a URL.
var streams = [][2]string{
	{"linear", "linear/Zürich, 50%? "},
	{"anova", "anova/"},
	{"anova", "anova/paper"},
	{"probit", "probit/"},
	{"dlm", "dlm/"},
}

const (
	linearKey = "linear/Zürich, 50%? 1"
	goneKey   = "linear/gone1" // a model that is deleted again
)

const models = `
  - {match: "linear/*", kind: linear, publish: {draws: true}}
  - {match: "anova/paper*", kind: anova, variant: paper, columns: {group: group}, publish: {draws: true}}
  - {match: "anova/*", kind: anova, columns: {group: group}, publish: {draws: true}}
  - {match: "probit/*", kind: probit, publish: {draws: true}}
  - {match: "dlm/*", kind: dlm, settings: {mode: compact}, publish: {draws: true}}
`

// newWorld starts the servers, has both groups fold the shards, and then does
// to the topics what a crash does: some messages come again.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{
		env: testenv.Open(t, backend(t)), dir: t.TempDir(),
		id: "interop-" + strconv.FormatInt(time.Now().UnixNano(), 36),
	}
	if err := programs.Build(t.Context(), w.dir, "cmd/credence", "examples/clients/go"); err != nil {
		t.Fatal(err)
	}
	input := w.id + "-in"
	w.create(t, input)
	for _, s := range append(streams, [2]string{"linear", "linear/gone"}) {
		run(t, nil, w.program("producer"), "simulate", "--scenario", s[0], "--key-prefix", s[1], "--seed", "6",
			"--shards", fmt.Sprint(shards), "--topic", input, "--brokers", w.broker())
	}
	w.send(t, &kgo.Record{Topic: input, Key: []byte(goneKey)})
	w.arrow = w.group(t, "arrow", input, "arrow", models)
	w.json = w.group(t, "json", input, "json", models)
	for _, g := range []*group{w.arrow, w.json} {
		w.settle(t, g)
		w.again(t, g.output)
		w.again(t, g.output+".draws")
	}
	w.published = w.posteriors(t, w.arrow)
	if want := shards * (len(streams) + 1); len(w.published) != want {
		t.Fatalf("%d posteriors, want %d", len(w.published), want)
	}
	same(t, w.posteriors(t, w.json), w.published)
	w.base = programs.Start(t, w.program("consumer"), "run", "--config", w.arrow.file).Base
	return w
}

func (w *world) broker() string { return w.env.Brokers()[0] }

func (w *world) program(name string) string { return filepath.Join(w.dir, name) }

func (w *world) create(t *testing.T, topic string) {
	t.Helper()
	if err := w.env.CreateTopic(t.Context(), topic, 4, nil); err != nil {
		t.Fatal(err)
	}
}

// group writes the configuration of a group that reads input.
func (w *world) group(t *testing.T, name, input, format, models string) *group {
	t.Helper()
	g := &group{file: filepath.Join(w.dir, name+".yaml"), output: w.id + "-" + name}
	text := fmt.Sprintf(`seed: 7
kafka: {brokers: [%q], group: %q, input: %q, output: %q, dead_letters: %q, format: %s}
redis: {url: %q}
checkpoint: {interval: 100ms}
http: {listen: "127.0.0.1:0"}
models: %s
`, w.broker(), g.output, input, g.output, input+".dead", format, w.env.RedisURL(), models)
	if err := os.WriteFile(g.file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return g
}

// consumer runs a command of the consumer to its end.
func (w *world) consumer(t *testing.T, g *group, args ...string) string {
	t.Helper()
	return run(t, nil, w.program("consumer"), append(args, "--config", g.file)...)
}

// settle runs a group to the end of its input.
func (w *world) settle(t *testing.T, g *group) {
	t.Helper()
	w.consumer(t, g, "run", "--until-end")
}

// posteriors returns what a group's output topic holds.
func (w *world) posteriors(t *testing.T, g *group) []posterior {
	t.Helper()
	return parseJSON(t, w.consumer(t, g, "tail", "--format", "json", "--until-end"))
}

// newest returns the last posterior of a key.
func (w *world) newest(t *testing.T, key string) posterior {
	t.Helper()
	for i := len(w.published) - 1; i >= 0; i-- {
		if w.published[i].key == key {
			return w.published[i]
		}
	}
	t.Fatalf("nothing of key %q", key)
	return posterior{}
}
