package run

import (
	"maps"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/internal/cli"
)

func TestCommandsOfAKey(t *testing.T) {
	c := &config.Config{File: "my config.yaml"}
	for key, want := range map[string]map[string]string{
		"it's": {
			"get":    `consumer get 'it'\''s' --config 'my config.yaml'`,
			"tail":   `consumer tail --key 'it'\''s' --config 'my config.yaml'`,
			"verify": `consumer verify --key 'it'\''s' --config 'my config.yaml'`,
		},
		"-k": {
			"get":    `consumer get --config 'my config.yaml' -- -k`,
			"tail":   `consumer tail --key=-k --config 'my config.yaml'`,
			"verify": `consumer verify --key=-k --config 'my config.yaml'`,
		},
	} {
		if got := commandsOf(cli.Apart(), c).Key(key); !maps.Equal(got, want) {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}
