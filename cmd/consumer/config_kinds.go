package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/kind"
)

func findKind(name string) (kind.Kind, error) {
	if name == "" {
		return kind.Kind{}, fmt.Errorf("missing, available: %s", strings.Join(models.Names(), ", "))
	}
	if k, ok := models.Lookup(name); ok {
		return k, nil
	}
	return kind.Kind{}, fmt.Errorf("unknown kind %q%s", name, suggest(name, models.Names()))
}

// hasIntercept reports whether a kind has a coefficient for the intercept,
// which columns.intercept can take away.
func hasIntercept(kind string) bool {
	return kind == "linear" || kind == "probit" || kind == "poisson"
}

// rawResponse reports whether the response of a kind is a class or a count.
func rawResponse(kind string) bool { return kind == "probit" || kind == "poisson" }

// takes reports whether a key of columns means something to a kind.
func takes(kind, key string) bool { return slices.Contains(kindsWith(key), kind) }

// kindsWith returns the kinds that give a meaning to a key of columns.
func kindsWith(key string) []string {
	switch key {
	case "group", "groups":
		return []string{"anova", "poisson"}
	case "features":
		return []string{"linear", "probit", "compressed", "poisson"}
	case "exposure":
		return []string{"poisson"}
	case "time":
		return []string{"dlm"}
	default:
		return models.Names()
	}
}
