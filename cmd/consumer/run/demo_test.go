package run

import (
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/internal/cli"
)

// Without a page the demo names no address to ask.
func TestExplain(t *testing.T) {
	for _, page := range []string{"", "http://127.0.0.1:8080"} {
		var text strings.Builder
		explain(&app.App{Names: cli.Apart(), Err: &text}, &config.Config{File: "demo.yaml"}, page)
		said := text.String()
		if got := strings.Contains(said, "curl"); got != (page != "") || strings.Contains(said, "curl -s none") || !strings.Contains(said, "get ATL --config demo.yaml") {
			t.Errorf("with the page %q:\n%s", page, said)
		}
	}
}
