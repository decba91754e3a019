package main

import (
	"bytes"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/commands"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/config/configtest"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/producer/rows"
	"github.com/credence-stream/credence/docs/example"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/kind"
)

// allKinds are those that ship, and a seventh one, which docs/add-a-model.md
// makes: it is registered here, and nothing else knows of it.
func allKinds() kind.Registry { return append(models.Kinds(), example.Kind()) }

// command runs a command line that needs no configuration.
func command(t *testing.T, args ...string) (code int, out, messages string) {
	t.Helper()
	var o, e bytes.Buffer
	a := &app.App{Names: cli.Apart(), Kinds: allKinds(), Out: &o, Err: &e}
	code = commands.Run(t.Context(), a, args)
	return code, o.String(), e.String()
}

// table writes a file of 240 rows; line gives each from its number.
func table(t *testing.T, name, header string, line func(i int) string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	text := header
	for i := range 240 {
		text += line(i)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// noise is between -1 and 1, the same on every run.
func noise(i int) float64 { return math.Sin(12.9898 * float64(i+1) * float64(i%17+1)) }

// drafts are files from which each kind follows, without a wish.
var drafts = []struct {
	kind string
	file func(t *testing.T) string
	args []string
}{
	{"linear", func(t *testing.T) string {
		return table(t, "sales.csv", "id,shop,footfall,weather,day,currency,revenue\n", func(i int) string {
			return fmt.Sprintf("%d,s%d,%d,%s,2024-01-%02d,EUR,%.2f\n", 9000+7*i, i%3, 100+i*37%80, []string{"sun", "rain", "snow"}[i%3], 1+i%28, 50+2*float64(i*37%80)+noise(i))
		})
	}, []string{"--key-column", "shop"}},
	{"probit", func(t *testing.T) string {
		return table(t, "buys.jsonl", "", func(i int) string {
			return fmt.Sprintf("{\"price\":%.3f,\"member\":%t,\"bought\":%d}\n", 5+noise(i), i%5 < 2, (i*i+i/3)%2)
		})
	}, []string{"--response", "bought"}},
	{"poisson", func(t *testing.T) string {
		return table(t, "visits.csv", "store,price,hours,visits\n", func(i int) string {
			return fmt.Sprintf("%d,%.2f,%d,%d\n", i%8, 3+noise(i), 4+i%5, (i*7)%9)
		})
	}, nil},
	{"anova", func(t *testing.T) string {
		return table(t, "levels.csv", "county,level\n", func(i int) string { return fmt.Sprintf("c%d,%.3f\n", i%12, float64(i%12)+noise(i)) })
	}, nil},
	{"dlm", func(t *testing.T) string {
		return table(t, "flow.csv", "year,flow\n", func(i int) string { return fmt.Sprintf("%d,%.2f\n", 1700+i, 900+50*noise(i)) })
	}, nil},
	{"compressed", func(t *testing.T) string {
		header := "y"
		for j := range 1000 {
			header += fmt.Sprintf(",x%d", j)
		}
		return table(t, "wide.csv", header+"\n", func(i int) string {
			line := fmt.Sprintf("%.3f", noise(i))
			for j := range 1000 {
				line += fmt.Sprintf(",%.3f", noise(i*1001+j))
			}
			return line + "\n"
		})
	}, nil},
	{"level", func(t *testing.T) string {
		return table(t, "tide.csv", "height\n", func(i int) string { return fmt.Sprintf("%.3f\n", 3+noise(i)) })
	}, []string{"--kind", "level"}},
}

// A draft is read without a warning, check has nothing against it, and the
// file's rows go all the way to a posterior, which HTTP lists under its kind. A
// draft from the topic, once the rows are there, names the same kind.
func TestDraftsWork(t *testing.T) {
	for _, d := range drafts {
		t.Run(d.kind, func(t *testing.T) {
			w, file := newWorld(t, ""), d.file(t)
			w.kinds = allKinds()
			w.file = filepath.Join(t.TempDir(), "draft.yaml")
			place := []string{"--brokers", w.env.Brokers()[0], "--set", "redis.url=" + w.env.RedisURL(), "--set", "http.listen="}
			code, out, messages := command(t, append(append([]string{"init", "--input", file, "--out", w.file}, place...), d.args...)...)
			if code != 0 || out != "" || !strings.Contains(messages, "kind "+d.kind+" from 240 rows; next: consumer check") {
				t.Fatalf("init: exit %d, stdout %q, stderr %s", code, out, messages)
			}
			c, warnings, err := config.Load(config.Source{Kinds: w.kinds, File: w.file})
			if err != nil || len(warnings) > 0 || c.Models[0].Kind != d.kind {
				t.Fatalf("draft: %v, warnings %q", err, warnings)
			}
			key := w.sendFile(file, d.args)
			code, out, _ = w.consumer("check")
			if code != 0 || !strings.Contains(out, "newest shards fit the configuration") {
				t.Errorf("check: exit %d\n%s", code, out)
			}
			if code, _, messages := w.consumer("run", "--until-end"); code != 0 {
				t.Fatalf("run: exit %d: %s", code, messages)
			}
			code, out, messages = w.consumer("get", key, "--format", "json")
			if code != 0 || !strings.HasPrefix(out, `{"key":"`+key+`","kind":"`+d.kind+`"`) {
				t.Errorf("get: exit %d, %.200s, stderr %s", code, out, messages)
			}
			if dead := w.read(c.Kafka.DeadLetters); len(dead) > 0 {
				t.Errorf("%d dead letters, the first: %s", len(dead), dead[0].Headers)
			}
			for _, from := range []string{"beginning", "end"} {
				args := []string{"init", "--topic", c.Kafka.Input, "--from", from, "--response", c.Models[0].Columns.Response.Name}
				if slices.Contains(d.args, "--kind") {
					args = append(args, "--kind", d.kind)
				}
				code, out, messages = command(t, append(args, place...)...)
				if code != 0 || !strings.Contains(out, "kind: "+d.kind+"\n") || !strings.Contains(out, "shards of topic "+c.Kafka.Input+", 240 rows of") {
					t.Errorf("init from the topic: exit %d, stderr %s\n%s", code, messages, out)
				}
			}
			p := w.serve(nil)
			for path, want := range map[string]string{
				"/v1/kinds":                    `{"name":"` + d.kind + `","purpose":"`,
				"/v1/models?kind=" + d.kind:    `"key":"` + key + `","kind":"` + d.kind + `"`,
				"/v1/models/" + key + "/about": `"kind":"` + d.kind + `"`,
			} {
				w.eventually(path, func() bool {
					body, status := p.get(w, path)
					return status == http.StatusOK && bytes.Contains(body, []byte(want))
				})
			}
		})
	}
}

// sendFile sends a file as producer replay would and returns one of its keys.
func (w *world) sendFile(file string, args []string) (key string) {
	w.Helper()
	sel := rows.Selection{Key: "all"}
	if len(args) == 2 && args[0] == "--key-column" {
		sel.KeyColumn = args[1]
	}
	src, err := rows.Open(w.Context(), file, sel, rows.Watch{})
	if err != nil {
		w.Fatal(err)
	}
	defer func() { _ = src.Close() }()
	c := w.config()
	conn := w.connect(c)
	if err := conn.CreateTopics(w.Context(), c); err != nil {
		w.Fatal(err)
	}
	sender := conn.NewSender(c.Kafka.Input, 0)
	for shard, err := range rows.Shards(src, 40) {
		if err != nil {
			w.Fatal(err)
		}
		key = shard.Key
		if err := sender.Send(w.Context(), shard); err != nil {
			w.Fatal(err)
		}
	}
	if err := sender.Flush(w.Context()); err != nil {
		w.Fatal(err)
	}
	return key
}

func TestInitWritesOverNothing(t *testing.T) {
	file, out := drafts[4].file(t), filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(out, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, messages := command(t, "init", "--input", file, "--out", out)
	if text, _ := os.ReadFile(out); code != 1 || !strings.Contains(messages, "is there already; --force writes over it") || string(text) != "precious" {
		t.Errorf("exit %d, stderr %s, file %q", code, messages, text)
	}
	if code, _, messages = command(t, "init", "--input", file, "--out", out, "--force"); code != 0 {
		t.Errorf("exit %d, stderr %s", code, messages)
	}
	if text, _ := os.ReadFile(out); !strings.HasPrefix(string(text), "# Drafted by consumer init") {
		t.Errorf("file %q", text)
	}
}

// What is set reaches the draft, and names from outside do not break it.
func TestDraftKeepsWhatIsSet(t *testing.T) {
	odd := filepath.Join(t.TempDir(), "it's #1 (new).csv")
	text, err := os.ReadFile(drafts[4].file(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(odd, text, 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, messages := command(t, "init", "--input", odd, "--rows", "30", "--brokers", "k1:9092,k2:9092", "--null", "$(date)",
		"--set", "kafka.tls.enabled=true", "--set", "kafka.tls.ca_file=/etc/ca, mine.pem", "--set", "kafka.session_timeout=45s", "--set", "kafka.peer_timeout=5s",
		"--set", "kafka.sasl.mechanism=plain", "--set", "kafka.sasl.username=u", "--set", "kafka.sasl.password_file=p", "--set", "kafka.create_topics=false",
		"--set", "redis.password_file=secret", "--set", "http.listen=127.0.0.1:0", "--set", "kafka.dead_letters=lost", "--set", "kafka.format=arrow")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, messages)
	}
	c := configtest.Parse(t, out)
	want := config.Default()
	want.Kafka = config.Kafka{
		Brokers: []string{"k1:9092", "k2:9092"}, Group: "it-s-1-new", Input: "it-s-1-new", Output: "it-s-1-new.posteriors", DeadLetters: "lost",
		Format: "arrow", SessionTimeout: config.Duration(45e9), PeerTimeout: config.Duration(5e9),
		TLS: config.TLS{Enabled: true, CAFile: "/etc/ca, mine.pem"}, SASL: config.SASL{Mechanism: "plain", Username: "u", PasswordFile: "p"},
	}
	want.Redis.PasswordFile, want.HTTP.Listen = "secret", "127.0.0.1:0"
	want.Models = c.Models
	if c.String() != want.String() {
		t.Errorf("the draft is read as\n%swant\n%s", c, want)
	}
	if !strings.Contains(out, "the first 30 of 240 rows of") || !strings.Contains(out, `it'\''s #1 (new).csv'`) || !strings.Contains(out, "--null '$(date)'") {
		t.Errorf("sample or command line:\n%s", out)
	}
}

// A draft without flags has the defaults of the configuration, but for the names of group
// and topics, and posteriors that people can read. What help says of defaults are these.
func TestDraftsHaveTheDefaultsOfTheConfiguration(t *testing.T) {
	code, out, messages := command(t, "init", "--input", table(t, "sales.csv", "x,y\n", func(i int) string { return fmt.Sprintf("%d,%d\n", i, 3*i+i%7) }))
	if code != 0 {
		t.Fatalf("exit %d: %s", code, messages)
	}
	c, want := configtest.Parse(t, out), config.Default()
	want.Kafka.Group, want.Kafka.Input, want.Kafka.Output, want.Kafka.DeadLetters = "sales", "sales", "sales.posteriors", "sales.dead"
	want.Kafka.Format = "json"
	want.Models = c.Models
	if c.String() != want.String() {
		t.Errorf("the draft is read as\n%swant\n%s", c, want)
	}
	if _, help, _ := command(t, "init", "--help"); !strings.Contains(help, "(default "+strings.Join(want.Kafka.Brokers, ",")+")") {
		t.Errorf("help does not say that brokers are %q:\n%s", want.Kafka.Brokers, help)
	}
}

// TestTooWideToDraft: no flag of init and try raises the limit of columns, so that is not what they advise.
func TestTooWideToDraft(t *testing.T) {
	names := []string{"y"}
	for i := range 5001 {
		names = append(names, fmt.Sprint("c", i))
	}
	file := table(t, "wide.csv", strings.Join(names, ",")+"\n", func(i int) string {
		if i >= 3 {
			return ""
		}
		return fmt.Sprint(i) + strings.Repeat(fmt.Sprintf(",%.3f", noise(i)), 5001) + "\n"
	})
	for _, args := range [][]string{
		{"init", "--input", file, "--response", "y", "--kind", "linear"}, {"init", "--input", file, "--formula", "y ~ ."},
		{"try", file, "--formula", "y ~ .", "--listen", "", "--exit"},
	} {
		code, _, messages := command(t, args...)
		if code != 1 || !strings.Contains(messages, "choose some with --columns or --formula") || strings.Contains(messages, "raise limits.columns") {
			t.Errorf("%s: exit %d\n%.2000s", strings.Join(args, " "), code, messages)
		}
	}
}
