package baselines

import "fmt"

// readSettings decodes settings over their defaults. No competitor has
// variants.
func readSettings(method, variant string, decode func(any) error, settings any) error {
	if variant != "" {
		return fmt.Errorf("%s has no variant %q", method, variant)
	}
	if decode == nil {
		return nil
	}
	return decode(settings)
}
