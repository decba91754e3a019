package config

import (
	"fmt"
	"strings"

	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/models/kind"
)

// FindKind returns a kind by its name, or an error that names what there is.
func FindKind(kinds kind.Registry, name string) (*kind.Kind, error) {
	if name == "" {
		return nil, fmt.Errorf("missing, available: %s", strings.Join(kinds.Names(), ", "))
	}
	if k, ok := kinds.Lookup(name); ok {
		return k, nil
	}
	return nil, fmt.Errorf("unknown kind %q%s", name, cli.Suggest(name, kinds.Names()))
}
