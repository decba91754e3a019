//go:build unix

package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// TestDates sends a table with a column of dates, which the producer reads as
// times, to a model that is grouped by it, and to one that has nothing to take.
func TestDates(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{partitions: 1, models: `[{match: days, kind: anova, columns: {response: y, group: day}}, {match: "**", kind: linear, columns: {response: absent}}]`})
		table := filepath.Join(t.TempDir(), "days.csv")
		rows := "day,y\n" + strings.Repeat("2011-01-01,3\n2011-01-02,5.5\n2011-01-01,2.5\n2011-01-03,7\n", 10)
		if err := os.WriteFile(table, []byte(rows), 0o600); err != nil {
			t.Fatal(err)
		}
		replay := func(key string) {
			got := programs.Run(t, filepath.Join(binaries, "producer"), "replay", "--input", table, "--key", key,
				"--rows", "8", "--brokers", env.Brokers()[0], "--topic", w.input)
			if got.Code != 0 {
				t.Fatalf("producer: exit %d\n%s", got.Code, got.Messages)
			}
		}
		replay("other")
		if got := w.consumer(t, "run", "--until-end"); got.Code != 3 || !strings.Contains(got.Messages, "all 5 records became dead letters (schema 5)") {
			t.Errorf("nothing applied: exit %d\n%s", got.Code, programs.Last(got.Messages))
		}
		replay("days")
		if got := w.consumer(t, "run", "--until-end"); got.Code != 0 || !strings.Contains(got.Messages, ": 5 records, 40 rows") {
			t.Errorf("exit %d\n%s", got.Code, programs.Last(got.Messages))
		}
		p := w.get(t, "days")
		for _, day := range []string{"2011-01-01", "2011-01-02", "2011-01-03"} {
			found := false
			for name := range p.variable {
				found = found || strings.HasSuffix(name, "="+day+"]") || strings.Contains(name, day)
			}
			if !found {
				t.Errorf("no group %s in %s", day, p.text)
			}
		}
		replay("other")
		if got := w.consumer(t, "run", "--until-end"); got.Code != 3 {
			t.Errorf("nothing applied the second time: exit %d", got.Code)
		}
	})
}
