package main

import (
	"fmt"
	"strings"

	"github.com/credence-stream/credence/models/kind"
)

func findKind(kinds kind.Registry, name string) (*kind.Kind, error) {
	if name == "" {
		return nil, fmt.Errorf("missing, available: %s", strings.Join(kinds.Names(), ", "))
	}
	if k, ok := kinds.Lookup(name); ok {
		return k, nil
	}
	return nil, fmt.Errorf("unknown kind %q%s", name, suggest(name, kinds.Names()))
}
