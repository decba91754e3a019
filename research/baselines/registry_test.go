package baselines

import (
	"errors"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/anova"
	"github.com/credence-stream/credence/models/linear"
)

// methods are all names that a competitor can have.
var methods = []string{"smcmc", "adf", "smc", "pl", "ffbs", "svb", "vb-gdp", "gva"}

// Every competitor is found by its name, competes with a kind that there is,
// has defaults, and refuses variants and what its settings refuse.
func TestRegistry(t *testing.T) {
	count := 0
	for _, kind := range models.Kinds().Names() {
		for _, method := range Names(kind) {
			count++
			if !slices.Contains(methods, method) {
				t.Errorf("%s has a competitor %s", kind, method)
			}
			k := lookup(t, kind, method)
			if s, err := k.Spec("", cdf.Roles{}, nil); err != nil || s.Settings == nil || s.New == nil {
				t.Errorf("%s %s: defaults give %v, %v", kind, method, s, err)
			}
			if _, err := k.Spec("paper", cdf.Roles{}, nil); err == nil {
				t.Errorf("%s %s takes a variant", kind, method)
			}
			refused := errors.New("refused")
			if _, err := k.Spec("", cdf.Roles{}, func(any) error { return refused }); !errors.Is(err, refused) {
				t.Errorf("%s %s: unreadable settings give %v", kind, method, err)
			}
		}
	}
	if count != len(competitors()) {
		t.Errorf("%d of %d competitors are of a known kind", count, len(competitors()))
	}
	if _, ok := Lookup("anova", "gva"); ok {
		t.Error("anova has a competitor gva")
	}
}

// Settings out of range are named.
func TestSettingsOutOfRange(t *testing.T) {
	for _, c := range []struct {
		kind, method string
		decode       func(any) error
	}{
		{"linear", "smcmc", func(v any) error { v.(*linear.Settings).Prior.BetaVariance = 0; return nil }},
		{"anova", "smcmc", func(v any) error { v.(*anova.Settings).Prior.Tau2Rate = -1; return nil }},
		{"anova", "adf", func(v any) error { v.(*anova.Settings).Prior.Tau2Rate = -1; return nil }},
		{"anova", "smc", func(v any) error { v.(*AnovaSMCSettings).Prior.Tau2Rate = -1; return nil }},
		{"anova", "smc", func(v any) error { v.(*AnovaSMCSettings).Particles = 1; return nil }},
	} {
		if _, err := lookup(t, c.kind, c.method).Spec("", cdf.Roles{}, c.decode); err == nil {
			t.Errorf("%s %s takes settings out of range", c.kind, c.method)
		}
	}
}
