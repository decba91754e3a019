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

// TestManifests reads every YAML of the how-tos.
func TestManifests(t *testing.T) {
	root, err := compose.Root()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "docs", "howto", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
			var d any
			for decoder := yaml.NewDecoder(strings.NewReader(m[1])); ; {
				if err := decoder.Decode(&d); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%s: %v\n%s", name, err, m[1])
				}
			}
		}
	}
}
