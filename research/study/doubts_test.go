package study

import (
	"slices"
	"testing"
)

// Every doubt is about a figure that the paper prints.
func TestDoubtsAreAboutPrintedFigures(t *testing.T) {
	for _, d := range doubts {
		for _, e := range d.Experiments {
			for _, metric := range d.Metrics {
				if !slices.ContainsFunc(Figures(), func(p Printed) bool {
					return p.Experiment == e && p.Metric == metric && (d.Methods == nil || slices.Contains(d.Methods, p.Method))
				}) {
					t.Errorf("%s %v %s: the paper prints no such figure", e, d.Methods, metric)
				}
			}
		}
	}
}
