package baselines

import (
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/research/baselines/anova"
	"github.com/credence-stream/credence/research/baselines/compressed"
	"github.com/credence-stream/credence/research/baselines/dlm"
	"github.com/credence-stream/credence/research/baselines/linear"
	"github.com/credence-stream/credence/research/baselines/poisson"
	"github.com/credence-stream/credence/research/baselines/probit"
)

// competitors has the methods for the models of each kind.
var competitors = map[string]func() kind.Registry{
	"linear":     linear.Competitors,
	"anova":      anova.Competitors,
	"dlm":        dlm.Competitors,
	"probit":     probit.Competitors,
	"compressed": compressed.Competitors,
	"poisson":    poisson.Competitors,
}

// Lookup returns a competitor of the models of a kind, in the form of a kind
// that takes the same columns. It has no variants: the empty one stands for the
// method.
func Lookup(of, method string) (*kind.Kind, bool) {
	if all, ok := competitors[of]; ok {
		return all().Lookup(method)
	}
	return nil, false
}

// Names returns the competitors of a kind in the order of the paper's tables.
func Names(kind string) []string {
	if all, ok := competitors[kind]; ok {
		return all().Names()
	}
	return nil
}
