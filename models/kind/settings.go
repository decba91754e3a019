package kind

import (
	"fmt"
	"math"
)

// Settings makes Kind.Configure for settings of type S: the defaults, over
// them what a configuration says, and build, which completes them and names
// the first one that is out of range; a method Validate of S does so before.
func Settings[S any](defaults S, build func(s *S, variant string) (Build, error)) func(string, func(any) error) (any, Build, error) {
	return func(variant string, decode func(any) error) (any, Build, error) {
		s := defaults
		if decode != nil {
			if err := decode(&s); err != nil {
				return nil, nil, err
			}
		}
		if v, ok := any(s).(interface{ Validate() error }); ok {
			if err := v.Validate(); err != nil {
				return nil, nil, err
			}
		}
		b, err := build(&s, variant)
		if err != nil {
			return nil, nil, err
		}
		return s, b, nil
	}
}

// Positive reports a number of a prior that is not positive and finite, by the
// name that a configuration gives it.
func Positive(kind, name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return fmt.Errorf("%s: prior.%s must be positive and finite, got %v", kind, name, v)
	}
	return nil
}
