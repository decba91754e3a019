// Package configtest makes configurations for tests.
package configtest

import (
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/models"
)

// Shortest is a configuration that needs nothing more.
const Shortest = `models: [{match: "**", kind: linear, columns: {response: y}}]`

// Parse returns a configuration that must be one without warnings.
func Parse(t testing.TB, text string, sets ...string) *config.Config {
	t.Helper()
	c, warnings, err := config.Parse(config.Source{Kinds: models.Kinds(), File: "c.yaml", Sets: sets}, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) > 0 {
		t.Errorf("warnings: %q", warnings)
	}
	return c
}
