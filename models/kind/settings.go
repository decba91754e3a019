package kind

import (
	"fmt"
	"math"
)

// ErrVariant reports a variant that the kind does not have.
func ErrVariant(kind, variant string, have []string) error {
	return fmt.Errorf("%s has no variant %q, only %q", kind, variant, have)
}

// Positive reports a number of a prior that is not positive and finite, by the
// name that a configuration gives it.
func Positive(kind, name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return fmt.Errorf("%s: prior.%s must be positive and finite, got %v", kind, name, v)
	}
	return nil
}
