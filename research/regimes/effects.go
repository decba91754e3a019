package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/simulate"
	"github.com/credence-stream/credence/research/measure"
)

// The effects that a second table has beside the averages, which hide them.
const (
	intercept = iota // beta[intercept]
	largest          // of all variables of levels or coefficients the one whose truth is farthest from the mean of theirs
	farthest         // that whose interval is farthest from its truth
	effects
)

var effectNames = [effects]string{"intercept", "largest effect", "farthest effect"}

// single is what one replicate's summary says about one variable: how many sds it is off, NaN where it is not there,
// and whether its 95 % interval has the truth.
type single struct {
	off     float64
	covered bool
}

// singles returns what the summary says about the effects. Of fewer than four levels or coefficients none is the largest.
func singles(truth []simulate.Truth, sum *cdf.Summary) (out [effects]single) {
	for i := range out {
		out[i].off = math.NaN()
	}
	var list []single
	var values []float64
	for _, t := range truth {
		at := slices.IndexFunc(sum.Rows, func(r cdf.Row) bool { return r.Variable == t.Variable })
		if at < 0 {
			continue
		}
		r := &sum.Rows[at]
		s := single{math.Abs(t.Value-r.Mean) / r.SD, r.Q025 <= t.Value && t.Value <= r.Q975}
		switch {
		case t.Variable == "beta[intercept]":
			out[intercept] = s
		case param(t.Variable) != t.Variable:
			list, values = append(list, s), append(values, t.Value)
		}
	}
	if len(list) < 4 {
		return out
	}
	mean, _ := measure.MeanSE(values)
	at := 0
	for i, v := range values {
		if math.Abs(v-mean) > math.Abs(values[at]-mean) {
			at = i
		}
	}
	out[largest] = list[at]
	out[farthest] = slices.MaxFunc(list, func(a, b single) int { return cmp.Compare(a.off, b.off) })
	return out
}

// effectTable writes of each effect that is there how many sds it is off on average, and how often its interval has the
// truth. The farthest of many is far by chance.
func (f *found) effectTable(w io.Writer) {
	begun := false
	for e, name := range effectNames {
		text := ""
		for look := range looks {
			var off, covered []float64
			for i := range f.outcomes {
				s := f.outcomes[i].singles[look][e]
				if math.IsNaN(s.off) {
					continue
				}
				off = append(off, s.off)
				covered = append(covered, map[bool]float64{true: 1}[s.covered])
			}
			if len(off) == 0 {
				text += " none | |"
				continue
			}
			z, _ := measure.MeanSE(off)
			share, _ := measure.MeanSE(covered)
			text += fmt.Sprintf(" %.2f | %.3f |", z, share)
		}
		if text == " none | | none | |" {
			continue
		}
		if !begun {
			fmt.Fprint(w, "\n| effect |")
			for _, look := range looks {
				fmt.Fprintf(w, " %s: sds off | 95 %% |", look)
			}
			fmt.Fprint(w, "\n| --- | --- | --- | --- | --- |\n")
			begun = true
		}
		fmt.Fprintf(w, "| %s |%s\n", name, text)
	}
}
