package capacity

import (
	"bytes"
	"strings"
	"testing"
)

// Each figure of a plan is the demand times what a sample took.
func TestPlan(t *testing.T) {
	c := Cost{Shards: 10, Keys: 2, Rows: 100, FirstMicros: 100, LaterMicros: 15, Input: 4000, Output: 3000, Stored: 1000, Resting: 1250}
	p := c.Plan(Demand{Keys: 1_000_000, Rate: 70_000})
	for _, f := range []struct {
		name      string
		got, want float64
	}{
		{"cores", p.Cores, 70_000 * (15 + recordMicros) / 1e6 / .7},
		{"partitions", float64(p.Partitions), 8},
		{"cache", p.Cache, 1.25e9},
		{"Redis", p.Redis, 1e6 * (1000 + redisKey) * grown},
		{"writes", p.RedisWrites, 7e7},
		{"input", p.InputDay, 4000 * 70_000 * 86_400},
		{"output", p.OutputDay, 3000 * 70_000 * 86_400},
	} {
		if d := f.got/f.want - 1; d > 1e-12 || d < -1e-12 {
			t.Errorf("%s: %g, want %g", f.name, f.got, f.want)
		}
	}
	if p = c.Plan(Demand{Keys: 1, Rate: 1}); p.Partitions != 4 {
		t.Errorf("%d partitions for next to nothing, want 4", p.Partitions)
	}
	// Keys of one shard each have no later ones.
	c.LaterMicros = 0
	if got, want := c.Plan(Demand{Keys: 1, Rate: 1000}).Cores, 1000*(100+recordMicros)/1e6/.7; got != want {
		t.Errorf("cores for first shards alone: %g, want %g", got, want)
	}
	var out bytes.Buffer
	p = c.Plan(Demand{Keys: 3, Rate: 1e6})
	if err := p.print(&out); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"8.64 trillion rows a day", "10 shards of 100 rows on average, 2 keys", "1 million shards a second", "314 TiB a day"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("no %q in\n%s", part, out.String())
		}
	}
	if strings.Contains(out.String(), "later shards") {
		t.Errorf("there are no later shards:\n%s", out.String())
	}
}

func TestNamesOfNumbers(t *testing.T) {
	for bytes, want := range map[float64]string{999: "999 B", 999.6: "0.976 KiB", 1000: "0.977 KiB", 5 << 20: "5 MiB", 3 << 30: "3 GiB", 1 << 50: "1.02e+03 TiB"} {
		if got := size(bytes); got != want {
			t.Errorf("%g bytes: %s, want %s", bytes, got, want)
		}
	}
	for n, want := range map[float64]string{12: "12", 8640: "8.64 thousand", 2.5e6: "2.5 million", 1e9: "1 billion", 1e13: "10 trillion"} {
		if got := count(n); got != want {
			t.Errorf("%g: %s, want %s", n, got, want)
		}
	}
}
