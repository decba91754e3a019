// Package models is the registry of the kinds of models that a stream can carry.
// Each kind is a package below it; package kind says what a kind is.
package models

import (
	"github.com/credence-stream/credence/models/anova"
	"github.com/credence-stream/credence/models/compressed"
	"github.com/credence-stream/credence/models/dlm"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/models/linear"
	"github.com/credence-stream/credence/models/poisson"
	"github.com/credence-stream/credence/models/probit"
)

// Kinds returns the kinds of models that Credence ships.
func Kinds() kind.Registry {
	return kind.Registry{
		linear.Kind(),
		anova.Kind(),
		dlm.Kind(),
		probit.Kind(),
		compressed.Kind(),
		poisson.Kind(),
	}
}

// Lookup returns the kind of the given name.
func Lookup(name string) (*kind.Kind, bool) { return Kinds().Lookup(name) }
