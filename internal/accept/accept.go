// Package accept records the acceptance figures of the models' specification:
// what was measured, over which seeds, against which accepted range.
//
// CREDENCE_ACCEPT says how much runs: unset what `make test` has time for,
// `quick` more, `full` all of it.
package accept

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
)

// Level is how much of the acceptance lists a run takes.
type Level int

// The levels, in the order of their cost.
const (
	Test Level = iota
	Quick
	Full
)

// Asked returns the level of this run.
func Asked() Level {
	switch v := os.Getenv("CREDENCE_ACCEPT"); v {
	case "":
		return Test
	case "quick":
		return Quick
	case "full":
		return Full
	default:
		panic(fmt.Sprintf("CREDENCE_ACCEPT=%s: want quick or full", v))
	}
}

// Reps returns the replications of this run's level, and skips the test where
// that is 0, or where no level is asked for under -short.
func Reps(t testing.TB, test, quick, full int) int {
	t.Helper()
	if Asked() == Test && testing.Short() {
		t.Skip("not under -short")
	}
	n := [...]int{test, quick, full}[Asked()]
	if n == 0 {
		t.Skip("runs in `make accept`")
	}
	return n
}

type row struct {
	test, id, what, seeds string
	low, high, got        float64
}

var table struct {
	sync.Mutex
	rows []row
}

// Range records a figure and fails the test unless low <= got <= high. seeds
// says what was replicated, as in "seeds 1-20".
func Range(t testing.TB, id, what string, got, low, high float64, seeds string) {
	t.Helper()
	table.Lock()
	test, _, _ := strings.Cut(strings.TrimPrefix(t.Name(), "TestAcceptance"), "/")
	table.rows = append(table.rows, row{test, id, what, seeds, low, high, got})
	table.Unlock()
	if !(got >= low && got <= high) {
		t.Errorf("%s %s: measured %.6g, accepted %g to %g (%s)", id, what, got, low, high, seeds)
	}
}

// Main runs the tests of a package and prints what Range recorded.
func Main(m *testing.M) int {
	code := m.Run()
	if Asked() != Test {
		print(os.Stdout)
	}
	return code
}

func print(w io.Writer) {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "of\tid\twhat\taccepted\tmeasured\treplications\t")
	for _, r := range table.rows {
		verdict := ""
		if !(r.got >= r.low && r.got <= r.high) {
			verdict = "OUT OF RANGE"
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%g to %g\t%.5g\t%s\t%s\n", r.test, r.id, r.what, r.low, r.high, r.got, r.seeds, verdict)
	}
	out.Flush() //nolint:errcheck // as for the tests' own lines
}
