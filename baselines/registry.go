package baselines

import (
	"fmt"

	"github.com/credence-stream/credence/models"
)

// entry is a competitor of the models of one kind.
type entry struct {
	kind   string
	method models.Kind
}

// entries lists the competitors kind by kind, in the order of the paper's
// tables. None has variants: the empty one stands for the method.
func entries() []entry {
	return []entry{
		{"linear", models.Kind{Name: "smcmc", Variants: []string{""}, Draws: true, Configure: configureLinearSMCMC}},
		{"anova", models.Kind{Name: "smcmc", Variants: []string{""}, Draws: true, Configure: configureAnovaSMCMC}},
		{"anova", models.Kind{Name: "smc", Variants: []string{""}, Configure: configureAnovaSMC}},
		{"anova", models.Kind{Name: "adf", Variants: []string{""}, Configure: configureAnovaADF}},
		{"dlm", models.Kind{Name: "pl", Variants: []string{""}, Configure: configureDLMPL}},
		{"dlm", models.Kind{Name: "ffbs", Variants: []string{""}, Draws: true, Configure: configureDLMFFBS}},
		{"probit", models.Kind{Name: "smcmc", Variants: []string{""}, Draws: true, Configure: configureProbitSMCMC}},
		{"probit", models.Kind{Name: "smc", Variants: []string{""}, Configure: configureProbitSMC}},
		{"probit", models.Kind{Name: "svb", Variants: []string{""}, Configure: configureProbitSVB}},
		{"compressed", models.Kind{Name: "smcmc", Variants: []string{""}, Draws: true, Configure: configureCompressedSMCMC}},
		{"compressed", models.Kind{Name: "vb-gdp", Variants: []string{""}, Configure: configureCompressedVB}},
		{"poisson", models.Kind{Name: "gva", Variants: []string{""}, Configure: configurePoissonGVA}},
	}
}

// Lookup returns a competitor of the models of a kind, in the form of a kind:
// Configure reads its settings.
func Lookup(kind, method string) (models.Kind, bool) {
	for _, e := range entries() {
		if e.kind == kind && e.method.Name == method {
			return e.method, true
		}
	}
	return models.Kind{}, false
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
