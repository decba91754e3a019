//go:build unix

package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv/compose"
	"github.com/credence-stream/credence/testenv/probe"
	"github.com/credence-stream/credence/testenv/programs"
)

// TestDocumentedRequests runs every command of docs/http.md against
// `consumer demo`, as a reader would.
func TestDocumentedRequests(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("no curl")
		}
		t.Skip("no curl: the examples of docs/http.md are not run")
	}
	root, err := compose.Root()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "http.md"))
	if err != nil {
		t.Fatal(err)
	}
	base := programs.Start(t, filepath.Join(binaries, "consumer"), "demo", "--no-browser", "--listen", "127.0.0.1:0").Base
	programs.Eventually(t, "the demo's first posterior", func() (bool, error) {
		status, _ := request(t, http.MethodGet, base+"/v1/models/ATL", "", "")
		return status == http.StatusOK, nil
	})
	lines := regexp.MustCompile(`(?m)^curl .*$`).FindAllString(string(page), -1)
	if len(lines) < 15 {
		t.Fatalf("docs/http.md has %d commands", len(lines))
	}
	for _, line := range lines {
		t.Run(line, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
			defer cancel()
			stream := strings.Contains(line, "/v1/events")
			run := strings.Replace(line, "curl", curl, 1)
			if stream {
				run += " --max-time 4"
			}
			c := exec.CommandContext(ctx, "sh", "-c", strings.ReplaceAll(run, "http://127.0.0.1:8080", base))
			c.Dir = t.TempDir()
			var messages strings.Builder
			c.Stderr = &messages
			out, err := c.Output()
			var exit *exec.ExitError
			switch {
			case stream && errors.As(err, &exit) && exit.ExitCode() == 28: // the time is up
				if !strings.Contains(string(out), "\nevent: updates\n") {
					t.Errorf("no updates in %.300s", out)
				}
			case err != nil:
				t.Errorf("%v: %s", err, messages.String())
			case strings.Contains(line, " -o "):
				if files, err := os.ReadDir(c.Dir); err != nil || len(files) != 1 {
					t.Errorf("no file: %v", err)
				}
			case !strings.Contains(line, "/metrics") && !json.Valid(out):
				t.Errorf("no JSON: %.300s", out)
			}
		})
	}
}
