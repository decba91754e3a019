package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/simulate"
)

// The largest effect is the one far from the mean of all, the farthest that which is off most; both and the
// intercept are absent where there are none, or too few.
func TestSinglesAreWhatAveragesHide(t *testing.T) {
	sum := &cdf.Summary{}
	var truth []simulate.Truth
	add := func(name string, value, mean float64) {
		truth = append(truth, simulate.Truth{Variable: name, Value: value})
		sum.Rows = append(sum.Rows, cdf.Row{Variable: name, Mean: mean, SD: .5, Q025: mean - 1, Q975: mean + 1})
	}
	add("beta[intercept]", 1, 2.5)
	add("sigma2", 1, 9)
	for j, v := range []float64{10, 10, 10, 4} {
		add(fmt.Sprintf("zeta[%d]", j), v, v+.1)
	}
	sum.Rows[3].Mean += 2 // zeta[1]
	sum.Rows[3].Q025 += 2
	got := singles(truth, sum)
	for e, want := range [effects]single{intercept: {3, false}, largest: {.2, true}, farthest: {4.2, false}} {
		if math.Abs(got[e].off-want.off) > 1e-9 || got[e].covered != want.covered {
			t.Errorf("%s: %+v, want %+v", effectNames[e], got[e], want)
		}
	}
	few := singles(truth[1:4], sum)
	for e := range few {
		if !math.IsNaN(few[e].off) {
			t.Errorf("%s of two levels: %+v", effectNames[e], few[e])
		}
	}
	var page bytes.Buffer
	f := &found{outcomes: []outcome{{singles: [2][effects]single{got, few}}}}
	f.effectTable(&page)
	if !strings.Contains(page.String(), "| intercept | 3.00 | 0.000 | none | |\n") {
		t.Errorf("page %q", page.String())
	}
	page.Reset()
	f = &found{outcomes: []outcome{{singles: [2][effects]single{few, few}}}}
	if f.effectTable(&page); page.Len() > 0 {
		t.Errorf("a table of nothing: %q", page.String())
	}
}
