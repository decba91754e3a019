package study

import (
	"fmt"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/research/baselines"
)

// Method is one way to the posterior within an experiment.
type Method struct {
	// Name is `cdf`, the corrected C-DF, `credence`, the product's default
	// where that is another rule, `cdf-paper`, the paper's own rule, or a
	// competitor's in package baselines. Where an experiment has one method
	// under several settings, brackets behind the name tell them apart.
	Name     string
	Settings string // of the kind or the competitor, as a configuration has them, in YAML
	Draws    int    // per shard
	// Batch says that the method takes all rows at once, at the compared
	// shards alone, rather than shard by shard.
	Batch bool
}

// methods returns methods of the same settings and draws.
func methods(settings string, draws int, names ...string) (list []Method) {
	for _, name := range names {
		list = append(list, Method{Name: name, Settings: settings, Draws: draws})
	}
	return list
}

// base returns the name without what is in brackets.
func (m *Method) base() string {
	name, _, _ := strings.Cut(m.Name, "[")
	return name
}

// ours reports whether the method is a variant of the kind itself, and which.
func (m *Method) ours() (variant string, ok bool) {
	switch m.base() {
	case "cdf", "credence":
		return "corrected", true
	case "cdf-paper":
		return "paper", true
	}
	return "", false
}

// kind returns what the method is configured through.
func (m *Method) kind(of string) (k *kind.Kind, variant string, err error) {
	variant, ours := m.ours()
	ok := false
	if ours {
		k, ok = models.Lookup(of)
	} else {
		k, ok = baselines.Lookup(of, m.base())
	}
	if !ok {
		return nil, "", fmt.Errorf("method %s of models of kind %s is not part of this build", m.base(), of)
	}
	return k, variant, nil
}

// spec is the configuration of the method's filters: columns as they are,
// draws only where the method needs them.
func (e *Experiment) spec(m *Method, seed uint64) (*cdf.Spec, error) {
	k, variant, err := m.kind(e.Kind)
	if err != nil {
		return nil, err
	}
	columns := e.Columns
	columns.Scaling = "none"
	spec, err := k.Spec(variant, columns, strictyaml.Decode(m.Settings))
	if err != nil {
		return nil, fmt.Errorf("settings of %s: %w", m.Name, err)
	}
	spec.Seed, spec.Draws = seed, m.Draws
	spec.Limits = cdf.Limits{}
	spec.Seal()
	return spec, nil
}
