// Package method makes a baseline of the kind of models that it competes with.
package method

import "github.com/credence-stream/credence/models/kind"

// Of returns a method for the models of a kind, in the form of a kind that
// takes the same columns. draws says that its summary needs draws. It has no
// variants: the empty one stands for the method. build names the first setting
// that is out of range.
func Of[S any](model *kind.Kind, name string, draws bool, defaults S, build func(*S) (kind.Build, error)) *kind.Kind {
	as := *model
	as.Name, as.Variants, as.Draws = name, []string{""}, draws
	as.Configure = kind.Settings(defaults, func(s *S, _ string) (kind.Build, error) { return build(s) })
	return &as
}
