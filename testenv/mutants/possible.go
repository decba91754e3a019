package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf/isa"
)

// possible are the mutants that can be tried here: those of the page need npm, which CI has, and those of AVX-512 a processor that
// has it, since no other runs what they change.
func possible(all []mutant) []mutant {
	if _, err := exec.LookPath("npm"); err != nil && os.Getenv("CI") != "true" {
		all = without(all, mutant.ofPage, "THE PAGE", err.Error())
	}
	if isa.Best() != isa.AVX512 {
		all = without(all, mutant.ofAVX512, "AVX-512", "it is not here")
	}
	return all
}

// ofAVX512 reports that the mutant is of what only AVX-512 runs, as its name says.
func (m mutant) ofAVX512() bool { return strings.Contains(m.name, "AVX-512") }

// without leaves out those of a sort, and says so.
func without(all []mutant, are func(mutant) bool, what, why string) []mutant {
	if !slices.ContainsFunc(all, are) {
		return all
	}
	fmt.Fprintf(os.Stderr, "\n*** MUTANTS OF %s ARE NOT TRIED: %s ***\n\n", what, why)
	return slices.DeleteFunc(all, are)
}
