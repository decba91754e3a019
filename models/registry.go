package models

import (
	"slices"

	"github.com/credence-stream/credence/models/kind"
)

// Lookup returns the kind of the given name.
func Lookup(name string) (kind.Kind, bool) {
	all := kinds()
	i := slices.IndexFunc(all, func(k kind.Kind) bool { return k.Name == name })
	if i < 0 {
		return kind.Kind{}, false
	}
	return all[i], true
}

// Names returns the names of all kinds in the order of the documentation.
func Names() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.Name)
	}
	return names
}

func kinds() []kind.Kind {
	return []kind.Kind{
		{Name: "linear", Variants: []string{"corrected", "paper"}, Configure: configureLinear},
		{Name: "anova", Variants: []string{"corrected", "paper"}, Draws: true, Configure: configureAnova},
		{Name: "dlm", Variants: []string{"corrected", "paper"}, Configure: configureDLM},
		{Name: "probit", Variants: []string{"corrected", "paper"}, Draws: true, Configure: configureProbit},
		{Name: "compressed", Variants: []string{"corrected", "paper"}, Configure: configureCompressed},
		{Name: "poisson", Variants: []string{"corrected", "paper"}, Configure: configurePoisson},
	}
}
