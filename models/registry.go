package models

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
)

// Build returns a model with empty statistics. ErrSchema, wrapped, says that
// the dimensions cannot serve. It is safe for concurrent use.
type Build func(cdf.Dims) (cdf.Model, error)

// Kind is one kind of model as a configuration names it.
type Kind struct {
	Name     string
	Variants []string // the first is the default
	// Draws says that the summary needs draws: without them the model draws
	// only what is to be published.
	Draws bool
	// Configure reads the settings of a variant ("" is the default one) and
	// returns them with defaults filled in and what builds the models.
	// decode fills the struct it is given, refuses unknown names and reads
	// the files that a FileReader names; nil means no settings were given.
	Configure func(variant string, decode func(any) error) (settings any, build Build, err error)
}

// FileReader is settings that name files. Models touch none: who decodes
// settings calls ReadFiles afterwards. Errors name the file and the line.
type FileReader interface {
	ReadFiles(open func(path string) (io.ReadCloser, error)) error
}

// Lookup returns the kind of the given name.
func Lookup(name string) (Kind, bool) {
	all := kinds()
	i := slices.IndexFunc(all, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, false
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

func kinds() []Kind {
	return []Kind{
		{Name: "linear", Variants: []string{"corrected", "paper"}, Configure: configureLinear},
		{Name: "anova", Variants: []string{"corrected", "paper"}, Draws: true, Configure: configureAnova},
		{Name: "dlm", Variants: []string{"corrected", "paper"}, Configure: configureDLM},
		{Name: "probit", Variants: []string{"corrected", "paper"}, Draws: true, Configure: configureProbit},
		{Name: "compressed", Variants: []string{"corrected", "paper"}, Configure: configureCompressed},
		{Name: "poisson", Variants: []string{"corrected", "paper"}, Configure: configurePoisson},
	}
}

// errVariant reports a variant that the kind does not have.
func errVariant(kind, variant string, have []string) error {
	return fmt.Errorf("%s has no variant %q, only %q", kind, variant, have)
}

// priorNumber is a number of a prior, by the name that a configuration gives
// it.
type priorNumber struct {
	name  string
	value float64
}

// positive names the first number that is not positive and finite.
func positive(kind string, numbers []priorNumber) error {
	for _, v := range numbers {
		if !(v.value > 0) || math.IsInf(v.value, 1) {
			return fmt.Errorf("%s: prior.%s must be positive and finite, got %v", kind, v.name, v.value)
		}
	}
	return nil
}
