//go:build unix

package observe

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/credence-stream/credence/testenv/compose"
	"github.com/credence-stream/credence/testenv/install"
)

// file reads a file of the repository.
func file(t *testing.T, parts ...string) []byte {
	t.Helper()
	root, err := compose.Root()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(append([]string{root}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// program returns a program of Debian's package prometheus, which is installed where that
// may be. Elsewhere than in CI the test goes on without it, with a line.
func program(t *testing.T, name string) string {
	t.Helper()
	i, err := install.New(t.Context(), t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close() //nolint:errcheck // a lock
	path, err := i.Program(t.Context(), name, "prometheus")
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatal(err)
	case err != nil:
		t.Skip(err)
	}
	return path
}

// rule is one alert or recording rule.
type rule struct {
	Alert, Record, Expr, For string
	Annotations              map[string]string
}

func rules(t *testing.T) (all []rule) {
	t.Helper()
	var f struct{ Groups []struct{ Rules []rule } }
	if err := yaml.Unmarshal(file(t, "deploy", "prometheus", "rules.yaml"), &f); err != nil {
		t.Fatal(err)
	}
	for _, g := range f.Groups {
		all = append(all, g.Rules...)
	}
	return all
}

// query is one of a panel.
type query struct{ panel, expr string }

func queries(t *testing.T) (all []query) {
	t.Helper()
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(file(t, "deploy", "grafana", "dashboards", "credence.json"), &d); err != nil {
		t.Fatal(err)
	}
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			all = append(all, query{p.Title, target.Expr})
		}
	}
	return all
}

// TestRules has promtool check the rules and run their tests, of which each alert has one.
func TestRules(t *testing.T) {
	promtool := program(t, "promtool")
	root, err := compose.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"check", "config", filepath.Join(root, "deploy", "prometheus", "prometheus.yml")},
		{"check", "rules", filepath.Join(root, "deploy", "prometheus", "rules.yaml")},
		{"test", "rules", filepath.Join("testdata", "alerts.yaml")},
	} {
		if out, err := exec.CommandContext(t.Context(), promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	tested := string(file(t, "testenv", "observe", "testdata", "alerts.yaml"))
	page := string(file(t, "docs", "runbook.md"))
	alerts := 0
	for _, r := range rules(t) {
		if r.Alert == "" {
			continue
		}
		alerts++
		if !strings.Contains(tested, "exp_alerts: [{exp_labels") || !regexp.MustCompile(`alertname: `+r.Alert+`\n\s+eval_time: \w+\n\s+exp_alerts: \[\{`).MatchString(tested) {
			t.Errorf("no test has %s fire", r.Alert)
		}
		_, entry, found := strings.Cut(page, "\n## "+r.Alert+"\n")
		entry, _, _ = strings.Cut(entry, "\n## ")
		for _, part := range []string{"**Means**", "**Check**", "**Do**"} {
			if !found || !strings.Contains(entry, part) {
				t.Errorf("runbook.md does not say of %s: %s", r.Alert, part)
			}
		}
		if r.Annotations["summary"] == "" || r.Annotations["runbook_url"] != "docs/runbook.md#"+strings.ToLower(r.Alert) {
			t.Errorf("%s has the annotations %v", r.Alert, r.Annotations)
		}
	}
	if n := strings.Count(page, "\n## "); alerts < 8 || n != alerts {
		t.Errorf("%d alerts, and the runbook has %d", alerts, n)
	}
}

// TestMetricsExist finds names in rules and panels that no process and no rule has.
func TestMetricsExist(t *testing.T) {
	known := string(file(t, "docs", "reference", "metrics.md"))
	recorded := map[string]bool{}
	all := queries(t)
	if len(all) < 20 {
		t.Fatalf("the dashboard has %d queries", len(all))
	}
	for _, r := range rules(t) {
		recorded[r.Record] = true
		all = append(all, query{r.Alert + r.Record, r.Expr})
	}
	for _, q := range all {
		for _, name := range regexp.MustCompile(`credence[_:][\w:]+`).FindAllString(q.expr, -1) {
			of := strings.TrimSuffix(name, "_bucket")
			if !recorded[name] && !strings.Contains(known, "`"+of+"`") && !strings.Contains(known, "`"+of+"{") {
				t.Errorf("%s: there is no metric %s", q.panel, name)
			}
		}
	}
}
