// Package kind says what a kind of model is: all that configurations, tools and
// the live page know of linear, anova and the others.
package kind

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
)

// Kind is one kind of model as a configuration names it. What it does not
// mention is false, none or absent.
type Kind struct {
	Name    string
	Purpose string // one line, as in "regression with unknown noise"
	Formula string // of the likelihood, one line
	Text    string // a sentence or two about parameters and posterior

	Variants []string // the first is the default
	Revision int      // see cdf.Spec

	Response  Response
	Features  bool // takes columns.features
	Intercept bool // has a coefficient for the intercept
	// Levels says what has the levels of factors alike. nil: nothing.
	Levels   func(variant string, settings any) cdf.Levels
	Groups   Groups
	Exposure bool // takes columns.exposure
	Time     bool // takes columns.time
	// Ordered says that each row is a step in time: a row without a response is
	// a missing observation, predictions are forecasts, and a record that comes
	// late is out of order.
	Ordered bool
	// Draws says that the summary needs draws: without them the model draws
	// only what is to be published.
	Draws bool
	// Covariance says that the models publish that of their coefficients: each is a cdf.Covariancer.
	Covariance bool

	// Suggest says whether and why the kind fits a sample of rows. nil suggests
	// nothing.
	Suggest func(*Profile) Suggestion

	// Prior returns settings whose posterior is what least squares say of rows like those of
	// a sample. nil: the kind has none.
	Prior func(Fit) any

	// Configure reads the settings of a variant and returns them with defaults
	// filled in and what builds the models; see Settings. decode fills the
	// struct it is given, refuses unknown names and reads the files that a
	// FileReader names; nil means no settings were given. Call Spec instead.
	Configure func(variant string, decode func(any) error) (settings any, build Build, err error)
}

// AlikeIn returns Levels of a kind whose prior has levels alike in one variant.
func AlikeIn(variant string) func(string, any) cdf.Levels {
	return func(v string, _ any) cdf.Levels {
		if v == variant {
			return cdf.LevelsAlike
		}
		return cdf.LevelsApart
	}
}

// Build returns a model with empty statistics. ErrSchema, wrapped, says that
// the dimensions cannot serve. It is safe for concurrent use.
type Build func(cdf.Dims) (cdf.Model, error)

// FileReader is settings that name files. Models touch none: who decodes
// settings calls ReadFiles afterwards. Errors name the file and the line.
type FileReader interface {
	ReadFiles(open func(path string) (io.ReadCloser, error)) error
}

// Groups says how many grouping columns a kind takes.
type Groups int

// The numbers of grouping columns.
const (
	NoGroups  Groups = iota
	OneGroup         // exactly one, without slopes
	AnyGroups        // any number, with slopes
)

// String returns none, one or any.
func (g Groups) String() string { return [...]string{"none", "one", "any"}[g] }

// Response says which numbers a response may hold.
type Response int

// The responses.
const (
	Real   Response = iota // any number
	Binary                 // a class, 0 or 1
	Count                  // 0, 1, 2 and so on
)

// String returns real, binary or count.
func (r Response) String() string { return [...]string{"real", "binary", "count"}[r] }

// Numbers names the numbers in a sentence.
func (r Response) Numbers() string {
	return [...]string{"numbers", "0 and 1", "counts: 0, 1, 2 and so on"}[r]
}

// Takes reports whether a key of columns in a configuration means something to
// the kind.
func (k *Kind) Takes(key string) bool {
	switch key {
	case "features":
		return k.Features
	case "group", "groups":
		return k.Groups != NoGroups
	case "exposure":
		return k.Exposure
	case "time":
		return k.Time
	}
	return true
}

// Spec returns the configuration of the kind's filters, with the defaults of
// cdf.NewSpec. variant "" is the default one. Of the columns, what means
// nothing to the kind is taken away, and names that are empty are filled in.
// For decode see Configure. An error says which setting is wrong and why.
func (k *Kind) Spec(variant string, columns cdf.Roles, decode func(any) error) (*cdf.Spec, error) {
	if variant == "" {
		variant = k.Variants[0]
	}
	if !slices.Contains(k.Variants, variant) {
		return nil, fmt.Errorf("%s has no variant %q, only %s", k.Name, variant, strings.Join(k.Variants, ", "))
	}
	settings, build, err := k.Configure(variant, decode)
	if err != nil {
		return nil, err
	}
	s := cdf.NewSpec(k.Name, variant, settings, build)
	s.Revision = k.Revision
	if columns.Scaling == "" {
		columns.Scaling = s.Columns.Scaling
	}
	if columns.Response.Name == "" {
		columns.Response.Name = s.Columns.Response.Name
	}
	if !k.Features {
		columns.Features = []cdf.Feature{} // nil would be every other numeric column
	}
	columns.Intercept = columns.Intercept && k.Intercept
	s.Columns = columns
	s.RawResponse = k.Response != Real
	s.Steps = k.Ordered
	s.Origin = k.Intercept && !columns.Intercept
	if k.Levels != nil {
		s.Levels = k.Levels(variant, settings)
	}
	return s, nil
}
