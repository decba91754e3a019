//go:build unix

package rscript

import (
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/internal/accept"
)

func TestAcceptanceRun(t *testing.T) {
	accept.Reps(t, 0, 1, 1) // R is a large thing to install for `make test`
	script := `x <- scan(file("stdin"), quiet = TRUE)
cat(sd(x), commandArgs(trailingOnly = TRUE))`
	if got := Run(t, []string{"stats"}, script, strings.NewReader("1 2 3\n"), "a b", "c"); got != "1 a b c" {
		t.Errorf("printed %q, want \"1 a b c\"", got)
	}
}

// TestAcceptanceFailures shows that neither a script that stops nor a package that is
// not there passes unseen.
func TestAcceptanceFailures(t *testing.T) {
	accept.Reps(t, 0, 1, 1)
	program, err := Find(t.Context(), nil)
	if err != nil {
		t.Skip(err)
	}
	if out, err := run(t.Context(), program, t.TempDir(), `cat("half"); stop("the reason")`, nil, nil); err == nil || !strings.Contains(err.Error(), "the reason") {
		t.Errorf("printed %q, error %v", out, err)
	}
	if err := has(t.Context(), program, []string{"stats", "no.such.package"}); err == nil || !strings.Contains(err.Error(), "no.such.package") {
		t.Errorf("a package that is not there: %v", err)
	}
}

func TestDebianNames(t *testing.T) {
	if got := debian([]string{"lme4", "MCMCpack"}); !slices.Equal(got, []string{"r-cran-lme4", "r-cran-mcmcpack"}) {
		t.Errorf("%q", got)
	}
}
