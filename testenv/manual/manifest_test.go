//go:build unix

package manual

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/credence-stream/credence/testenv/compose"
)

// TestManifests reads every YAML of the how-tos, and looks at which metrics the alerts name.
func TestManifests(t *testing.T) {
	root, err := compose.Root()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "docs", "howto", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	known, err := os.ReadFile(filepath.Join(root, "docs", "reference", "metrics.md"))
	if err != nil {
		t.Fatal(err)
	}
	alerts := 0
	for _, name := range files {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
			var d rules
			for decoder := yaml.NewDecoder(strings.NewReader(m[1])); ; {
				if err := decoder.Decode(&d); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%s: %v\n%s", name, err, m[1])
				}
			}
			for _, g := range d.Groups {
				for _, r := range g.Rules {
					alerts++
					for _, metric := range regexp.MustCompile(`credence_\w+`).FindAllString(r.Expr, -1) {
						if !strings.Contains(string(known), metric) {
							t.Errorf("%s: alert %s: there is no metric %s", name, r.Alert, metric)
						}
					}
				}
			}
		}
	}
	if alerts < 5 {
		t.Errorf("%d alerts", alerts)
	}
}

// rules is what is looked at of a file of alerts.
type rules struct {
	Groups []struct {
		Rules []struct{ Alert, Expr string }
	}
}
