//go:build unix

package observe

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/probe"
	"github.com/credence-stream/credence/testenv/programs"
)

// binaries is the folder of the programs under test.
var binaries string

func TestMain(m *testing.M) { os.Exit(programs.Main(m, &binaries)) }

// faster is by what the rules' durations are divided, as docs/operations.md says: what
// takes ten minutes in the rules takes five seconds here.
const faster = 120

// shorten divides every duration of the rules.
func shorten(rules string) string {
	units := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}
	duration := regexp.MustCompile(`(\[|offset |for: )(\d+)([smhd])\b`)
	return duration.ReplaceAllStringFunc(rules, func(text string) string {
		m := duration.FindStringSubmatch(text)
		n, _ := strconv.Atoi(m[2]) // digits by the pattern
		return fmt.Sprintf("%s%dms", m[1], (time.Duration(n) * units[m[3]] / faster).Milliseconds())
	})
}

// prometheus is a running Prometheus.
type prometheus struct{ base string }

// watch starts a Prometheus that scrapes a consumer four times a second.
func watch(t *testing.T, targets ...string) *prometheus {
	t.Helper()
	address, err := probe.FreeAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config := fmt.Sprintf(`global: {scrape_interval: 250ms, scrape_timeout: 250ms, evaluation_interval: 250ms}
rule_files: [rules.yaml]
scrape_configs:
  - job_name: credence
    authorization: {credentials: %s}
    static_configs: [{targets: [%s]}]
`, token, strings.Join(targets, ", "))
	for name, text := range map[string]string{"prometheus.yml": config, "rules.yaml": shorten(string(file(t, "deploy", "prometheus", "rules.yaml")))} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program(t, "prometheus"), "--config.file="+filepath.Join(dir, "prometheus.yml"),
		"--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGKILL)
		_ = cmd.Wait()
		_ = log.Close()
		if said, err := os.ReadFile(log.Name()); t.Failed() && err == nil {
			t.Logf("Prometheus:\n%s", programs.Last(string(said)))
		}
	})
	p := &prometheus{"http://" + address}
	programs.Eventually(t, "Prometheus answers", func() (bool, error) {
		_, err := p.ask(t, "up")
		return err == nil, err
	})
	return p
}

// sample is one of the answer to a query.
type sample struct {
	Metric map[string]string
	Value  [2]any
}

// ask evaluates a query now.
func (p *prometheus) ask(t *testing.T, expr string) ([]sample, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.base+"/api/v1/query?query="+url.QueryEscape(expr), nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	var a struct {
		Status, Error string
		Data          struct{ Result []sample }
	}
	if err := json.Unmarshal(b, &a); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", expr, err, b)
	}
	if a.Status != "success" {
		return nil, fmt.Errorf("%s: %s", expr, a.Error)
	}
	return a.Data.Result, nil
}

// fires waits until an alert fires.
func (p *prometheus) fires(t *testing.T, alert string, labels ...string) {
	t.Helper()
	expr := `ALERTS{alertstate="firing",alertname="` + alert + `"` + strings.Join(slices.Concat([]string{""}, labels), ",") + `}`
	start := time.Now()
	programs.Eventually(t, alert+" fires", func() (bool, error) {
		got, err := p.ask(t, expr)
		return len(got) > 0, err
	})
	t.Logf("%s fires after %.1f s", alert, time.Since(start).Seconds())
}

// world is a broker, a store and a consumer's configuration.
type world struct {
	env    *testenv.Env
	dir    string
	config string
	rows   int // of the file that replay sends, so far
}

const token = "of-sixteen-letters"

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{env: testenv.Open(t, testenv.Embedded), dir: t.TempDir()}
	w.config = filepath.Join(w.dir, "consumer.yaml")
	w.write(t, "token", token)
	w.write(t, "consumer.yaml", fmt.Sprintf(`seed: 7
kafka: {brokers: [%q], group: watched, input: watched, session_timeout: 6s}
redis: {url: %q}
checkpoint: {interval: 100ms}
http: {listen: "127.0.0.1:0", token_file: %q}
models: [{match: "**", kind: linear, columns: {response: y}}]
`, w.env.Brokers()[0], w.env.RedisURL(), filepath.Join(w.dir, "token")))
	if err := w.env.CreateTopic(t.Context(), "watched", 1, nil); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// start runs a consumer and returns it with its address.
func (w *world) start(t *testing.T, args ...string) (*programs.Service, string) {
	t.Helper()
	s := programs.Start(t, filepath.Join(binaries, "consumer"), append([]string{"run", "--config", w.config}, args...)...)
	return s, strings.TrimPrefix(s.Base, "http://")
}

// send sends shards of ten rows each, of one key; y is the response of row i.
func (w *world) send(t *testing.T, header string, shards int, y func(i int) string) {
	t.Helper()
	var text strings.Builder
	text.WriteString("key," + header + "\n")
	for range 10 * shards {
		fmt.Fprintf(&text, "a,%s,%d\n", y(w.rows), w.rows%7)
		w.rows++
	}
	w.write(t, "rows.csv", text.String())
	got := programs.Run(t, filepath.Join(binaries, "producer"), "replay", "--input", filepath.Join(w.dir, "rows.csv"), "--key-column", "key",
		"--columns", header, "--rows", "10", "--topic", "watched", "--brokers", w.env.Brokers()[0])
	if got.Code != 0 {
		t.Fatalf("producer: exit code %d\n%s", got.Code, got.Messages)
	}
}

func usual(i int) string { return strconv.Itoa(3*(i%7) + i%5) }

// TestWatchedProcess has every panel show something and alerts fire from the start of the
// process that has the fault. What takes many minutes by its nature is promtool's, in
// TestRules: an open transaction and slow checkpoints.
func TestWatchedProcess(t *testing.T) {
	if os.Getenv("CREDENCE_OBSERVE") == "" {
		t.Skip("make observe runs it")
	}
	w := newWorld(t)
	w.send(t, "z,x", 1, usual) // has no y: a dead letter before the first scrape
	w.send(t, "y,x", 40, usual)
	s, at := w.start(t)
	halts, other := w.start(t, "--set", "kafka.group=halts")
	p := watch(t, at, other)
	p.fires(t, "CredenceDeadLetters", `stage="schema"`)
	w.send(t, "y,x", 40, usual)
	for _, q := range queries(t) {
		expr := strings.ReplaceAll(q.expr, "$__rate_interval", "30s")
		programs.Eventually(t, "the panel "+q.panel+" has data: "+expr, func() (bool, error) {
			got, err := p.ask(t, expr)
			return len(got) > 0 && slices.ContainsFunc(got, func(x sample) bool { return x.Value[1] != "NaN" }), err
		})
	}
	if got, err := p.ask(t, `ALERTS{alertstate="firing",alertname!="CredenceDeadLetters"}`); err != nil || len(got) > 0 {
		t.Errorf("nothing else is wrong, and there fire %v %v", got, err)
	}

	// Requests without the token.
	stop := make(chan struct{})
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				if resp, err := http.Get(s.Base + "/v1/models"); err == nil { //nolint:noctx // ends by itself
					_ = resp.Body.Close()
				}
			}
		}
	}()
	p.fires(t, "CredenceRefusedLogins")
	close(stop)

	// Another configuration under live state.
	halts.Stop(t)
	halts, other = w.start(t, "--set", "kafka.group=halts", "--set", "seed=8")
	p2 := watch(t, other)
	p2.fires(t, "CredenceHalted", `reason="configuration"`)
	halts.Stop(t)
	p2.fires(t, "CredenceDown")

	// A store that goes back, and then away.
	saved, err := w.env.SaveRedis(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.send(t, "y,x", 40, usual)
	programs.Eventually(t, "nothing waits", func() (bool, error) {
		got, err := p.ask(t, `sum(credence_consumer_lag_records{instance="`+at+`"}) + 0 * sum(credence_records_consumed_total{instance="`+at+`"}) == 0 and sum(credence_records_consumed_total{instance="`+at+`"}) >= 121`)
		return len(got) > 0, err
	})
	if err := w.env.RestoreRedis(t.Context(), saved); err != nil {
		t.Fatal(err)
	}
	p.fires(t, "CredenceStoreWentBack")
	if err := w.env.KillRedis(); err != nil {
		t.Fatal(err)
	}
	p.fires(t, "CredenceOutage", `dependency="redis"`)
	programs.Eventually(t, "CredenceLag fires while shards arrive", func() (bool, error) {
		w.send(t, "y,x", 100, usual)
		got, err := p.ask(t, `ALERTS{alertstate="firing",alertname="CredenceLag"}`)
		return len(got) > 0, err
	})
	if err := w.env.StartRedis(t.Context()); err != nil {
		t.Fatal(err)
	}

	// Responses that no prediction of before held.
	wild := 1.0
	for range 8 {
		w.send(t, "y,x", 1, func(i int) string { wild *= 1.7; return strconv.FormatFloat(wild*float64(1-2*(i%2)), 'g', 8, 64) })
	}
	p.fires(t, "CredenceMiscalibrated")
	s.Stop(t)
}
