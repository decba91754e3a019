//go:build unix

package api

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// configuration has every kind of model, categories and groups, and no limit
// of requests.
const configuration = `
kafka: {brokers: [%q], group: api, input: shards, output: posteriors}
redis: {url: %q}
http: {listen: "127.0.0.1:0", rate: 0}
limits: {record: 1MiB, rows: 20000}
checkpoint: {interval: 50ms}
models:
  - {match: "linear/*", kind: linear, columns: {scaling: none}}
  - {match: "anova/*", kind: anova, columns: {group: group}}
  - {match: "dlm/*", kind: dlm}
  - {match: "probit/*", kind: probit, draws: 64, columns: {scaling: none, features: [x1, x2, x3]}, settings: {chains: 4}}
  - {match: "poisson/*", kind: poisson, columns: {scaling: none, group: group, exposure: exposure}}
  - {match: "compressed/*", kind: compressed, columns: {scaling: none, features: [x1, x2, x3, x4]}, settings: {dimension: 2}}
  - match: "air/**"
    kind: linear
    columns:
      response: delay
      features: [distance, {name: carrier, levels: [AA, DL], baseline: AA, other: reject}]
`

// scenarios are what the producer draws shards from, by kind.
var scenarios = map[string]string{
	"linear": "linear", "anova": "anova", "dlm": "dlm", "probit": "probit", "poisson": "poisson", "compressed": "compressed-1",
}

// keys are those that the world has models for.
var keys = []string{
	"linear/1", "linear/2", "anova/1", "dlm/1", "probit/1", "poisson/1", "compressed/1", "air/x/history", "air/../<b>&?#%",
}

// open starts servers and a consumer, gives it shards of every kind and some
// that end as dead letters, and returns its URL when all of them are applied.
func open(t *testing.T) string {
	t.Helper()
	env := testenv.Open(t, testenv.Embedded)
	dir := t.TempDir()
	file := filepath.Join(dir, "c.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, configuration, env.Brokers()[0], env.RedisURL()), 0o600); err != nil {
		t.Fatal(err)
	}
	base := programs.Start(t, filepath.Join(binaries, "consumer"), "run", "--config", file).Base
	to := []string{"--topic", "shards", "--brokers", env.Brokers()[0]}
	for kind, name := range scenarios {
		produce(t, append([]string{"simulate", "--scenario", name, "--shards", "4", "--rows", "60", "--key-prefix", kind + "/"}, to...)...)
	}
	produce(t, append([]string{"simulate", "--scenario", "linear", "--shards", "2", "--rows", "60", "--keys", "2", "--key-prefix", "linear/"}, to...)...)
	var csv strings.Builder
	csv.WriteString("delay,distance,carrier\n")
	for i := range 60 {
		fmt.Fprintf(&csv, "%d,%d,%s\n", 5+i%7, 100+i*13%90, []string{"AA", "DL"}[i%2])
	}
	table := filepath.Join(dir, "air.csv")
	if err := os.WriteFile(table, []byte(csv.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"air/x/history", "air/../<b>&?#%", "nobody's"} {
		produce(t, append([]string{"replay", "--input", table, "--key", key, "--rows", "30"}, to...)...)
	}
	programs.Eventually(t, "models of all keys, and the dead letters", func() (bool, error) {
		q := url.Values{"key": keys, "fields": {"key"}}
		var list struct{ Models []struct{ Key string } }
		var dead struct{ Letters []struct{ Stage string } }
		var now struct {
			Totals struct{ Lag *int64 }
		}
		get(t, base+"/v1/models?"+q.Encode(), &list)
		get(t, base+"/v1/dead-letters", &dead)
		get(t, base+"/v1/operations", &now)
		return len(list.Models) == len(keys) && len(dead.Letters) == 2 && now.Totals.Lag != nil && *now.Totals.Lag == 0, nil
	})
	return base
}

// get reads a JSON answer; any other than 200 leaves target as it is.
func get(t *testing.T, address string, target any) {
	t.Helper()
	status, body := request(t, http.MethodGet, address, "", "")
	if status == http.StatusOK {
		if err := json.Unmarshal(body, target); err != nil {
			t.Fatalf("%s: %v in %s", address, err, body)
		}
	}
}

// request sends a request and returns the answer.
func request(t *testing.T, method, address, contentType, body string) (int, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Body.Close() }()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, b
}
