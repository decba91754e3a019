package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf/mcmc"
	"github.com/credence-stream/credence/research/measure"
	"github.com/credence-stream/credence/research/study"
)

const (
	mostTimes = 3 // columns of densities
	// mostPeak is how many median peaks a panel is high. What collapsed to a
	// few values would press all others to the ground.
	mostPeak = 2.5
	// A panel leaves tail of a posterior's mass out at either side.
	tail = .005
)

// densities shows posterior densities of the first replication: rows of
// panels are variables, columns shards, the last three of those where draws
// are taken. A row has one range of values, so that posteriors are seen to
// narrow. Variances have a logarithmic axis and the density of their
// logarithms, which is what their accuracy compares.
func densities(d *Data) (*page, string) {
	if len(d.Drawn) == 0 {
		return nil, "the experiment compares no draws"
	}
	var times []int64
	for _, v := range d.Drawn {
		times = append(times, v.T)
	}
	slices.Sort(times)
	times = slices.Compact(times)
	times = times[max(0, len(times)-mostTimes):]
	p := &page{columns: len(times), rule: "truth", notes: []string{"One replication."}}
	if len(times) == 1 {
		p.columns = 2
		p.notes[0] = fmt.Sprintf("One replication, t = %d.", times[0])
	}
	var cut bool
	var flat []string
	for _, name := range d.variables() {
		row, rowCut, rowFlat := d.row(name, times)
		cut, flat = cut || rowCut, append(flat, rowFlat...)
		if len(times) > 1 && len(p.panels) == 0 {
			for i := range row {
				row[i].title = fmt.Sprintf("t = %d", times[i])
			}
		}
		p.panels = append(p.panels, row...)
	}
	if len(p.panels) == 0 {
		return nil, "no draws have a spread"
	}
	if cut {
		p.notes = append(p.notes, fmt.Sprintf("Peaks above %g times the median peak are cut off.", mostPeak))
	}
	if len(flat) > 0 {
		slices.SortFunc(flat, byRank)
		var labels []string
		for _, method := range slices.Compact(flat) {
			labels = append(labels, looks[rank(method)].label)
		}
		p.notes = append(p.notes, "Left out where draws have no spread: "+strings.Join(labels, "; ")+".")
	}
	return p, ""
}

// variables returns those that are drawn, in the order of publication.
func (d *Data) variables() []string {
	var names []string
	for _, v := range d.Drawn {
		if !slices.Contains(names, v.Variable) {
			names = append(names, v.Variable)
		}
	}
	return names
}

// row returns the panels of a variable, one per shard, whether a peak is cut
// off, and methods of which a posterior has no density.
func (d *Data) row(name string, times []int64) (out []panel, cut bool, flat []string) {
	var all []float64 // what the range holds
	for _, t := range times {
		one := panel{x: axis{label: name}, y: axis{label: "density"}}
		if variance(name) {
			one.x.log, one.y.label = true, "density of log"
		}
		var peaks []float64
		for i := range d.Drawn {
			v := &d.Drawn[i]
			if v.T != t || v.Variable != name || rank(v.Method) < 0 {
				continue
			}
			c := curve{method: v.Method}
			if c.x, c.y = density(v); c.x == nil {
				flat = append(flat, v.Method)
				continue
			}
			one.curves = append(one.curves, c)
			sorted := slices.Sorted(slices.Values(v.Draws))
			all = append(all, mcmc.Quantile(sorted, tail), mcmc.Quantile(sorted, 1-tail))
			peaks = append(peaks, slices.Max(c.y))
			if !math.IsNaN(v.Truth) {
				one.up = []float64{v.Truth}
				all = append(all, v.Truth)
			}
		}
		if len(peaks) == 0 {
			out = append(out, panel{}) // the columns stay those of the shards
			continue
		}
		slices.SortFunc(one.curves, func(a, b curve) int { return byRank(a.method, b.method) })
		slices.Sort(peaks)
		one.y.max = 1.05 * min(peaks[len(peaks)-1], mostPeak*mcmc.Quantile(peaks, .5))
		cut = cut || one.y.max < peaks[len(peaks)-1]
		out = append(out, one)
	}
	if len(all) == 0 {
		return nil, false, flat
	}
	for i := range out {
		if i > 0 && len(times) > 1 {
			out[i].y.label = ""
		}
		out[i].x.min, out[i].x.max = slices.Min(all), slices.Max(all)
	}
	return out, cut, flat
}

// variance reports whether a variable is one.
func variance(name string) bool { return name == "tau2" || name == "sigma2" }

// density returns the density of a posterior, of its logarithm for a variance,
// and the values of the variable that it is at; nil where the draws have no
// spread.
func density(v *study.Drawn) (at, f []float64) {
	if !variance(v.Variable) {
		return measure.Density(v.Draws)
	}
	at, f = measure.Density(measure.Logs(v.Draws))
	for i := range at {
		at[i] = math.Exp(at[i])
	}
	return at, f
}
