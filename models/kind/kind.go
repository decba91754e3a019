// Package kind says what a kind of model is: what the registry, configurations
// and tools know of linear, anova and the others.
package kind

import (
	"io"

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
