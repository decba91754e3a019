package baselines

import (
	"fmt"

	"github.com/credence-stream/credence/models/kind"
)

// entry is a competitor of the models of one kind.
type entry struct {
	kind   string
	method kind.Kind
}

// entries lists the competitors kind by kind, in the order of the paper's
// tables. None has variants: the empty one stands for the method.
func entries() []entry {
	return []entry{
		{"linear", kind.Kind{Name: "smcmc", Variants: []string{""}, Draws: true, Configure: configureLinearSMCMC}},
		{"anova", kind.Kind{Name: "smcmc", Variants: []string{""}, Draws: true, Configure: configureAnovaSMCMC}},
		{"anova", kind.Kind{Name: "smc", Variants: []string{""}, Configure: configureAnovaSMC}},
		{"anova", kind.Kind{Name: "adf", Variants: []string{""}, Configure: configureAnovaADF}},
		{"dlm", kind.Kind{Name: "pl", Variants: []string{""}, Configure: configureDLMPL}},
		{"dlm", kind.Kind{Name: "ffbs", Variants: []string{""}, Draws: true, Configure: configureDLMFFBS}},
		{"probit", kind.Kind{Name: "smcmc", Variants: []string{""}, Draws: true, Configure: configureProbitSMCMC}},
		{"probit", kind.Kind{Name: "smc", Variants: []string{""}, Configure: configureProbitSMC}},
		{"probit", kind.Kind{Name: "svb", Variants: []string{""}, Configure: configureProbitSVB}},
		{"compressed", kind.Kind{Name: "smcmc", Variants: []string{""}, Draws: true, Configure: configureCompressedSMCMC}},
		{"compressed", kind.Kind{Name: "vb-gdp", Variants: []string{""}, Configure: configureCompressedVB}},
		{"poisson", kind.Kind{Name: "gva", Variants: []string{""}, Configure: configurePoissonGVA}},
	}
}

// Lookup returns a competitor of the models of a kind, in the form of a kind:
// Configure reads its settings.
func Lookup(of, method string) (kind.Kind, bool) {
	for _, e := range entries() {
		if e.kind == of && e.method.Name == method {
			return e.method, true
		}
	}
	return kind.Kind{}, false
}

// Names returns the competitors of a kind in the order of the paper's tables.
func Names(kind string) []string {
	var names []string
	for _, e := range entries() {
		if e.kind == kind {
			names = append(names, e.method.Name)
		}
	}
	return names
}

// read fills the settings, refusing a variant: no competitor has any.
func read(method, variant string, settings any, decode func(any) error) error {
	if variant != "" {
		return fmt.Errorf("%s has no variant %q", method, variant)
	}
	if decode == nil {
		return nil
	}
	return decode(settings)
}
