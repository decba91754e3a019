package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/anova"
	"github.com/credence-stream/credence/models/linear"
)

// smallest is a configuration that needs nothing more.
const smallest = `models: [{match: "**", kind: linear, columns: {response: y}}]`

func parse(t *testing.T, text string, sets ...string) *Config {
	t.Helper()
	c, warnings, err := Parse(Source{Kinds: models.Kinds(), File: "c.yaml", Sets: sets}, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) > 0 {
		t.Errorf("warnings: %q", warnings)
	}
	return c
}

func readTestdata(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDefaults(t *testing.T) {
	c := parse(t, smallest)
	want := Default()
	want.Kafka.DeadLetters = "shards.dead"
	want.Models, want.File, want.Kinds = c.Models, c.File, c.Kinds
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v\nwant %+v", c, want)
	}
	s := *c.Models[0].Spec
	s.New, s.Settings = nil, nil
	if want := (cdf.Spec{
		Kind: "linear", Variant: "corrected", Seed: 1,
		Columns: cdf.Roles{Scaling: "first", Response: cdf.Feature{Name: "y"}, Intercept: true},
		Draws:   500, Forget: 1, ForgetPer: cdf.Clock{Unit: "shard"}, Missing: "drop", Revision: 3, Levels: cdf.LevelsAlike,
		Publish: cdf.Publish{Every: 1, Scale: "original", Predictions: "none", Groups: "all", Variables: []string{"**"}},
		Limits:  cdf.Limits{Rows: 1_000_000, Columns: 5000, Groups: 100_000},
	}); !reflect.DeepEqual(s, want) {
		t.Errorf("got  %+v\nwant %+v", s, want)
	}
}

// An anova needs its group and nothing else; what it prints is read again.
func TestAnovaRoles(t *testing.T) {
	text := `models: [{match: "**", kind: anova, columns: {response: score, group: school}}]`
	c := parse(t, text)
	s := c.Models[0].Spec
	want := cdf.Roles{
		Scaling: "first", Response: cdf.Feature{Name: "score"},
		Features: []cdf.Feature{}, Groups: []cdf.Group{{Column: "school"}},
	}
	if !reflect.DeepEqual(s.Columns, want) || s.Origin || s.RawResponse || s.Settings != anova.Defaults() {
		t.Errorf("%+v", s)
	}
	again := parse(t, c.String()).Models[0].Spec
	if again.Fingerprint() != s.Fingerprint() {
		t.Errorf("printed and read again: %+v", again)
	}
	if long := parse(t, strings.Replace(text, "group: school", "groups: [{column: school}]", 1)); long.Models[0].Spec.Fingerprint() != s.Fingerprint() {
		t.Error("groups: [{column: school}] is another model than group: school")
	}
}

func TestForms(t *testing.T) {
	c := parse(t, `
kafka: {brokers: [a:1, b:2], input: in}
checkpoint: {interval: 1m30s, bytes: 512KiB}
memory: {inflight: 1.5GiB, cache: 100000}
seed: 18446744073709551615
models:
  - match: "a/*"
    kind: linear
    variant: paper
    columns:
      scaling: none
      response: {name: delay, center: 7, scale: 30}
      intercept: false
      features:
        - {name: distance, center: 700, scale: 500}
        - hour
        - {name: carrier, levels: [AA, DL], baseline: AA}
        - {name: day, levels: first, other: drop}
    forget: 0.99
    forget_per: 1h
    publish: {every: 10, draws: true, variables: ["beta*", sigma2]}
    settings: {prior: {beta_variance: 10}}
`)
	if got := c.Kafka.Brokers; !reflect.DeepEqual(got, []string{"a:1", "b:2"}) || c.Kafka.DeadLetters != "in.dead" {
		t.Errorf("kafka: %+v", c.Kafka)
	}
	if c.Seed != 1<<64-1 || time.Duration(c.Checkpoint.Interval) != 90*time.Second || c.Checkpoint.Bytes != 512<<10 ||
		c.Memory.Inflight != 3<<29 || c.Memory.Cache != 100000 {
		t.Errorf("seed %d, %+v, %+v", c.Seed, c.Checkpoint, c.Memory)
	}
	s := *c.Models[0].Spec
	num := func(x float64) *float64 { return &x }
	if want := (cdf.Roles{
		Scaling: "none", Response: cdf.Feature{Name: "delay", Center: num(7), Scale: num(30)},
		Features: []cdf.Feature{
			{Name: "distance", Center: num(700), Scale: num(500)},
			{Name: "hour"},
			{Name: "carrier", Levels: []string{"AA", "DL"}, Baseline: "AA", Other: "level"},
			{Name: "day", LevelsFirst: true, Other: "drop"},
		},
	}); !reflect.DeepEqual(s.Columns, want) {
		t.Errorf("columns\n got %+v\nwant %+v", s.Columns, want)
	}
	if s.Variant != "paper" || s.Forget != .99 || s.ForgetPer != (cdf.Clock{Unit: "duration", Millis: 3_600_000}) || !s.Origin {
		t.Errorf("%+v", s)
	}
	if s.Publish.Every != 10 || !s.Publish.Draws || len(s.Publish.Variables) != 2 {
		t.Errorf("publish: %+v", s.Publish)
	}
	if text := c.String(); !strings.Contains(text, "beta_variance: 10\n") || !strings.Contains(text, "intercept_variance: 100\n") {
		t.Errorf("settings lack the given or the default value:\n%s", text)
	}
}

func TestGroupShorthand(t *testing.T) {
	d := &decoder{file: "c.yaml", origin: map[yamlNode]string{}}
	root, err := parseYAML("c.yaml", []byte(`{group: school, groups: [day, {column: store, slopes: [price]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var c Columns
	d.decodeInto(root, &c, "")
	want := []Group{{Column: "day"}, {Column: "store", Slopes: []string{"price"}}}
	if d.err() != nil || c.Group != "school" || !reflect.DeepEqual(c.Groups, want) {
		t.Errorf("%+v, %v", c, d.err())
	}
}

func TestPrecedence(t *testing.T) {
	s := Source{
		Kinds: models.Kinds(),
		File:  "c.yaml",
		Env:   []string{"CREDENCE_KAFKA_GROUP=env", "CREDENCE_KAFKA_BROKERS=e:1, e:2", "CREDENCE_CHECKPOINT_INTERVAL=2s", "CREDENCE_KAFKA_TLS_SERVER_NAME=", "CREDENCE_ON_GAP=skip", "HOME=x", "CREDENCE_SERVICE_HOST=10.0.0.1"},
		Sets:  []string{"kafka.group=first", "kafka.group=flag", "models.0.draws=100", "models.0.columns.features=a,b", "http.listen=", "redis.password_file=p=q"},
	}
	c, warnings, err := Parse(s, []byte("kafka: {group: file, output: file, brokers: [f:1]}\n"+smallest))
	if err != nil {
		t.Fatal(err)
	}
	if c.Kafka.Group != "flag" || c.Kafka.Output != "file" || !reflect.DeepEqual(c.Kafka.Brokers, []string{"e:1", "e:2"}) ||
		time.Duration(c.Checkpoint.Interval) != 2*time.Second || c.OnGap != "skip" || c.HTTP.Listen != "" || c.Redis.PasswordFile != "p=q" {
		t.Errorf("%+v", c)
	}
	if m := c.Models[0]; m.Draws != 100 || len(m.Spec.Columns.Features) != 2 {
		t.Errorf("%+v", m)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "CREDENCE_SERVICE_HOST") {
		t.Errorf("warnings %q, want one about CREDENCE_SERVICE_HOST", warnings)
	}
}

// An empty list is no feature, the key left out all columns of numbers; both are printed as they are.
func TestNoFeatures(t *testing.T) {
	for list, none := range map[string]bool{"features: []": true, "response: y": false} {
		text := "kafka: {group: g, input: i, output: o}\nmodels: [{match: a, kind: linear, columns: {" + list + "}}]\n"
		for range 2 {
			c, _, err := Parse(Source{Kinds: models.Kinds(), File: "c.yaml"}, []byte(text))
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if f := c.Models[0].Spec.Columns.Features; (f != nil) != none || len(f) > 0 {
				t.Errorf("%s: %v", list, f)
			}
			text = c.String()
		}
	}
}

func TestOverrideErrorsNameTheirOrigin(t *testing.T) {
	for _, c := range []struct {
		s    Source
		want string
		code int
	}{
		{Source{Kinds: models.Kinds(), Sets: []string{"kafka.grup=x"}}, `--set kafka.grup: unknown key "grup" in kafka, did you mean "group"?`, 1},
		{Source{Kinds: models.Kinds(), Sets: []string{"seed=x"}}, `--set seed: seed: "x" is not a whole number`, 1},
		{Source{Kinds: models.Kinds(), Sets: []string{"models.0.columns.features="}}, `--set models.0.columns.features: models[0].columns.features: nothing is listed: [] in the file says that there is no feature`, 1},
		{Source{Kinds: models.Kinds(), Env: []string{"CREDENCE_SEED=x"}}, `CREDENCE_SEED: seed: "x" is not a whole number`, 1},
		{Source{Kinds: models.Kinds(), Sets: []string{"kafka"}}, "expected section.key=value", 2},
		{Source{Kinds: models.Kinds(), Sets: []string{"models.7.draws=1"}}, `"7" is not an index of a list of 1`, 2},
	} {
		_, _, err := Parse(c.s, []byte(smallest))
		if err == nil || !strings.Contains(err.Error(), c.want) || cli.ExitCode(err) != c.code {
			t.Errorf("%v (exit %d), want %s (exit %d)", err, cli.ExitCode(err), c.want, c.code)
		}
	}
}

func TestWarnings(t *testing.T) {
	model := func(keys string) string { return "models:\n- match: \"**\"\n  kind: linear\n  " + keys }
	predicts := func(other, level string) string {
		return model("columns: {response: y, features: [{name: shop, levels: [north, south], baseline: south, other: " + other + "}]}\n  publish:\n    quantities: [{predict: {shop: " + level + "}}]")
	}
	for _, c := range []struct{ text, want string }{
		{"redis: {url: embedded}", "all state is lost"},
		{"redis: {url: embedded}\nkafka: {brokers: [embedded]}", ""},
		{"http: {listen: '0.0.0.0:8080'}", "everyone who reaches"},
		{"http: {listen: ':8080'}", "everyone who reaches"},
		{"http: {listen: '[::1]:8080'}", ""},
		{"http: {listen: 'localhost:8080'}", ""},
		{"http: {listen: ':8080', token_file: t}", ""},
		{"http: {listen: ':8080', tokens_file: t}", ""},
		{model("forget_per: 1h"), "c.yaml:4: models[0].forget_per: it says per what"},
		{model("forget: 1\n  forget_per: 1h"), ""},
		{model("forget: 0.9"), ""},
		{model("publish: {covariance: true}"), ""},
		{strings.Replace(model("publish: {covariance: true}"), "linear", "compressed", 1), "c.yaml:4: models[0].publish.covariance: kind compressed publishes none: draws have it"},
		{predicts("level", "nroth"), `c.yaml:6: models[0].publish.quantities[0].predict: "nroth" is none of the levels of column "shop", and the prediction is that of all that are not listed: write __other__ if it is to be, did you mean "north"?`},
		{predicts("level", "north"), ""},
		{predicts("level", "__other__"), ""},
		{predicts("level", "__missing__"), `"__missing__" is none of the levels of column "shop"`},
		{predicts("level", "__missing__") + "\n  missing: level", ""},
	} {
		if !strings.Contains(c.text, "models:") {
			c.text += "\n" + smallest
		}
		_, warnings, err := Parse(Source{Kinds: models.Kinds(), File: "c.yaml"}, []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(warnings, "\n"); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: warnings %q, want %q", c.text, got, c.want)
		}
	}
	for _, other := range []string{"drop", "reject"} {
		_, _, err := Parse(Source{Kinds: models.Kinds(), File: "c.yaml"}, []byte(predicts(other, "nroth")))
		if want := `"nroth" is none of the levels of column "shop", and other: ` + other + ` leaves it without a prediction, did you mean "north"?`; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// What is printed at start is a configuration that means the same.
func TestPrintedConfigurationIsGolden(t *testing.T) {
	c, _, err := Parse(Source{Kinds: models.Kinds(), File: "c.yaml"}, readTestdata(t, "full.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	got, golden := c.String(), string(readTestdata(t, "full.golden.yaml"))
	if got != golden {
		t.Errorf("got\n%s\nwant\n%s", got, golden)
	}
	if strings.Contains(got, "hush") {
		t.Error("the password is printed")
	}
	again, _, err := Parse(Source{Kinds: models.Kinds(), File: "again.yaml", Sets: []string{"redis.url=" + c.Redis.URL}}, []byte(got))
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Models {
		c.Models[i].Spec.New, again.Models[i].Spec.New = nil, nil
		if !reflect.DeepEqual(c.Models[i].Spec, again.Models[i].Spec) {
			t.Errorf("model %d read again: %+v, was %+v", i, again.Models[i].Spec, c.Models[i].Spec)
		}
	}
	if again.String() != got {
		t.Errorf("read again:\n%s", again)
	}
}

func TestHideSecrets(t *testing.T) {
	for url, want := range map[string]string{
		"redis://h:6379/0":                         "redis://h:6379/0",
		"redis://:hush@h:6379/0":                   "redis://:***@h:6379/0",
		"rediss://u:hu/sh@h:1/0":                   "rediss://u:***@h:1/0",
		"rediss://u:hu@sh@h:1/0":                   "rediss://u:***@h:1/0",
		"redis+cluster://user@h1:1,h2:2":           "redis+cluster://user@h1:1,h2:2",
		"redis+cluster://user:hush@h1:1,h2:2":      "redis+cluster://user:***@h1:1,h2:2",
		"redis+sentinel://h:1/m?sentinelpass=hush": "redis+sentinel://h:1/m?sentinelpass=***",
		"u:hush@h:1":                               "u:***@h:1",
	} {
		if got := hideSecrets(url); got != want {
			t.Errorf("%s is shown as %s, want %s", url, got, want)
		}
	}
}

func TestSizeRoundTrip(t *testing.T) {
	for text, want := range map[string]size{"4MiB": 4 << 20, "1kB": 1000, "7": 7, "3 GiB": 3 << 30, "0.5KiB": 512, "1TiB": 1 << 40} {
		got, err := parseSize(text)
		if err != nil || got != want {
			t.Errorf("%s: %d, %v, want %d", text, got, err, want)
		}
		if again, err := parseSize(got.String()); err != nil || again != got {
			t.Errorf("%s printed as %s", text, got)
		}
	}
	for _, text := range []string{"", "MiB", "-1", "1.5B", "NaN", "Inf", "1e300GiB", "4 MB s"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q is taken as %d", text, got)
		}
	}
}

func TestConfigFileErrors(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := Load(Source{Kinds: models.Kinds(), File: filepath.Join(dir, "none.yaml")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	big := filepath.Join(dir, "big.yaml")
	if err := os.WriteFile(big, make([]byte, maxConfigFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(Source{Kinds: models.Kinds(), File: big}); err == nil || !strings.Contains(err.Error(), "bytes, more than") {
		t.Errorf("large file: %v", err)
	}
}

// FuzzConfig: whatever the bytes, an error or a configuration that prints
// itself, never a panic.
func FuzzConfig(f *testing.F) {
	f.Add(smallest)
	f.Add("a: &a [*a]\nmodels: *a")
	f.Add("kafka: {brokers: &b [a:1], group: *b}")
	f.Add("models: [{match: a, kind: linear, settings: {prior: []}}]")
	f.Add("? [a]\n: b")
	f.Add("<<: {seed: 1}")
	f.Add("seed: !!binary aGk=\non_gap: !foo bar")
	f.Fuzz(func(t *testing.T, text string) {
		c, _, err := Parse(Source{Kinds: models.Kinds(), File: "c.yaml", Env: []string{"CREDENCE_SEED=7"}, Sets: []string{"kafka.group=g"}}, []byte(text))
		if (c == nil) == (err == nil) {
			t.Fatalf("configuration %v and error %v", c, err)
		}
		if c == nil {
			return
		}
		if _, _, err := Parse(Source{Kinds: models.Kinds(), File: "again.yaml", Sets: []string{"redis.url=" + c.Redis.URL}}, []byte(c.String())); err != nil {
			t.Fatalf("printed configuration is refused: %v\n%s", err, c)
		}
	})
}

// A kind under another name is that kind: it takes what the first one takes.
func TestSecondName(t *testing.T) {
	second := *linear.Kind()
	second.Name = "line"
	source := Source{Kinds: append(models.Kinds(), &second), File: "c.yaml"}
	spec := func(kind string) *cdf.Spec {
		c, _, err := Parse(source, []byte(`models: [{match: "**", kind: `+kind+`, columns: {response: z, features: [a, b], intercept: false}}]`))
		if err != nil {
			t.Fatal(err)
		}
		s := *c.Models[0].Spec
		s.Kind, s.New = "", nil
		return &s
	}
	if a, b := spec("linear"), spec("line"); !reflect.DeepEqual(a, b) {
		t.Errorf("as linear %+v, as line %+v", a, b)
	}
}
