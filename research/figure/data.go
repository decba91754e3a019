package figure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/credence-stream/credence/research/study"
)

// metrics returns the metrics of the given name, plain or with brackets behind
// it, in the order of the results.
func (d *Data) metrics(name string) []string {
	var out []string
	for _, r := range d.Results {
		plain, _, _ := strings.Cut(r.Metric, "[")
		if plain == name && !slices.Contains(out, r.Metric) {
			out = append(out, r.Metric)
		}
	}
	return out
}

// times returns the shards at which there is a metric, ascending.
func (d *Data) times(metric string) []float64 {
	var out []float64
	for _, r := range d.Results {
		if r.Metric == metric {
			out = append(out, float64(r.T))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// methods returns those with a look that have a metric, in the order of all
// figures.
func (d *Data) methods(metric string) []string {
	var out []string
	for _, r := range d.Results {
		if r.Metric == metric && rank(r.Method) >= 0 && !slices.Contains(out, r.Method) {
			out = append(out, r.Method)
		}
	}
	slices.SortFunc(out, byRank)
	return out
}

// curve returns a metric of a method over time.
func (d *Data) curve(method, metric string) curve {
	c := curve{method: method, marked: true}
	for i := range d.Results {
		if r := &d.Results[i]; r.Method == method && r.Metric == metric {
			c.add(float64(r.T), r, 1)
		}
	}
	return c
}

// add adds a result, in units of the given size, to a curve with a band.
func (c *curve) add(x float64, r *study.Result, unit float64) {
	const z = 1.96 // of a 95 % interval
	c.x, c.y, c.half = append(c.x, x), append(c.y, r.Mean/unit), append(c.half, z*r.SE/unit)
}

// replications says what curves and bands are.
func (d *Data) replications() string {
	if d.Size.Reps < 2 {
		return "One replication."
	}
	return fmt.Sprintf("Means over %d replications. Bands: 1.96 standard errors either way.", d.Size.Reps)
}
