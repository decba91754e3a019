package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// capacity measures what the sample has, whatever the demand, and says what a
// worker would refuse.
func TestCapacity(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	config := write("c.yaml", `kafka: {brokers: ["127.0.0.1:9092"], group: g, input: in, output: out}
redis: {url: "redis://127.0.0.1:6379/0"}
models: [{match: "shop-*", kind: linear, columns: {response: y}}]
`)
	rows := write("rows.csv", "shop,x,y\n"+strings.Repeat("shop-1,1,2\nshop-2,2,1\nshop-1,3,5\nshop-2,4,4\n", 10))
	demand := []string{"--keys", "1000", "--rate", "10"}
	ask := func(args ...string) (int, string, string) {
		return command(t, append([]string{"capacity", "--config", config, "--rows", "4"}, args...)...)
	}
	code, out, messages := ask(append(demand, "--input", rows, "--key-column", "shop", "--json")...)
	var plan struct {
		Measured struct {
			Shards int     `json:"shards"`
			Keys   int     `json:"keys"`
			Rows   float64 `json:"rows_per_shard"`
			Stored float64 `json:"stored_bytes"`
		} `json:"measured"`
		Demand struct {
			Keys int `json:"keys"`
		} `json:"demand"`
	}
	if err := json.Unmarshal([]byte(out), &plan); err != nil || code != 0 {
		t.Fatalf("exit %d, %v: %s%s", code, err, out, messages)
	}
	if m := plan.Measured; m.Shards != 10 || m.Keys != 2 || m.Rows != 4 || !(m.Stored > 300) || plan.Demand.Keys != 1000 {
		t.Errorf("%+v", plan)
	}
	if code, out, _ = ask(append(demand, "--input", rows, "--key-column", "shop", "--sample", "3")...); code != 0 || !strings.Contains(out, "3 shards of 4 rows on average, 2 keys") {
		t.Errorf("exit %d: %s", code, out)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{append(demand, "--input", rows, "--key", "other"), 1, `key "other" matches no entry of models`},
		{append(demand, "--input", write("text.csv", "x,y\n1,low\n2,high\n3,low\n4,low\n"), "--key", "shop-3"), 1, `shard 1 of key "shop-3" would be a dead letter: `},
		{append(demand, "--input", write("none.csv", "x,y\n"), "--key", "shop-3"), 1, "no row"},
		{[]string{"--input", rows, "--rate", "10"}, 2, "--keys N is missing"},
		{[]string{"--input", rows, "--keys", "10"}, 2, "--rate R is missing"},
		{demand, 2, "--input FILE is missing"},
		{append(demand, "--input", "rows.xls"), 2, "must end in one of"},
		{append(demand, "--input", rows, "--sample", "0"), 2, "--sample 0: must be at least 1"},
	} {
		if code, out, messages := ask(c.args...); code != c.code || !strings.Contains(messages, c.says) {
			t.Errorf("%q: exit %d, %q, %q; want %d, %q", c.args, code, out, messages, c.code, c.says)
		}
	}
}
