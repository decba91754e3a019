package methodtest

import (
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf/cdftest"
)

// Contract checks the clauses of the contract that every model must pass, of
// which a method for whole data sets breaks some, but for those left out.
func Contract(t *testing.T, s cdftest.Suite, breaks []string, leaveOut func(clause string) bool) {
	t.Helper()
	for _, c := range cdftest.Cases() {
		if leaveOut != nil && leaveOut(c.Name) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			if err := c.Check(s); (err != nil) != slices.Contains(breaks, c.Name) {
				t.Errorf("%v, to be broken: %q\n%s", err, breaks, c.Explanation)
			}
		})
	}
}
