// Package isatest runs tests of kernels with all sets of instructions, and tells which builds have the bits of golden files.
package isatest

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/credence-stream/credence/cdf/isa"
	"github.com/credence-stream/credence/internal/arithmetic"
)

// Use makes with, what a package's kernels are run with, the set until the test ends. It
// skips the test, loudly, where there are no such instructions.
func Use(t testing.TB, with *isa.Set, set isa.Set) {
	if set > isa.Best() {
		fmt.Fprintf(os.Stderr, "\n*** NOT TESTED: %s, which is not here ***\n\n", set)
		t.Skip("see the line above")
	}
	before := *with
	*with = set
	t.Cleanup(func() { *with = before })
}

// Each runs a test with every set.
func Each(t *testing.T, with *isa.Set, run func(t *testing.T)) {
	for set := range isa.AVX512 + 1 {
		t.Run(set.String(), func(t *testing.T) {
			Use(t, with, set)
			run(t)
		})
	}
}

// SameBits reports whether this build computes with the bits that golden files have, and logs where it does not.
func SameBits(t testing.TB) bool {
	same := arithmetic.ID() == arithmetic.Reference
	if !same {
		t.Logf("bytes are not compared: this is %s with the arithmetic %s, golden files are of %s", runtime.GOARCH, arithmetic.ID(), arithmetic.Reference)
	}
	return same
}
