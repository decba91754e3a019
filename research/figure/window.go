package figure

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/research/study"
)

// windows are the windows of experiment adult: what a method's name has in
// brackets behind it, and the share of all rows.
var windows = []struct {
	label string
	share float64
}{{"[.05]", .05}, {"[.07]", .07}, {"", .10}, {"[.20]", .20}}

// window shows what a window costs and gains: time, memory and accuracy of the
// C-DF rules against the rows in the window, beside S-MCMC, which keeps all, and
// how far their means are from those of all rows halfway through the stream and
// at its end.
func window(d *Data) (*page, string) {
	if d.Experiment != "adult" {
		return nil, ""
	}
	p := &page{columns: 2, notes: []string{d.replications()}}
	for _, v := range []struct {
		metric     string
		t          int64
		y          axis
		unit, most float64 // of the axis, and that the metric can be
	}{
		{"seconds", d.Size.Shards, axis{label: "time, s per shard", log: true}, float64(d.Size.Shards), math.Inf(1)},
		{"state_bytes", d.Size.Shards, axis{label: "state, MB", log: true}, 1e6, math.Inf(1)},
		{"accuracy", d.Size.Shards, axis{label: "accuracy"}, 1, 1},
		{"relative_deviance", d.Size.Shards / 2, axis{label: "relative deviance", log: true}, 1, math.Inf(1)},
		{"relative_deviance", d.Size.Shards, axis{label: "relative deviance", log: true}, 1, math.Inf(1)},
	} {
		one := panel{title: fmt.Sprintf("t = %d", v.t), y: v.y}
		one.x = axis{label: "window, share of all rows", min: windows[0].share, max: windows[len(windows)-1].share}
		for _, w := range windows {
			one.x.ticks = append(one.x.ticks, w.share)
		}
		for _, method := range []string{"cdf", "cdf-paper"} {
			c := curve{method: method, marked: true}
			for _, w := range windows {
				if r := d.at(method+w.label, v.metric, v.t); r != nil {
					c.add(w.share, r, v.unit)
				}
			}
			if len(c.x) > 1 {
				one.curves = append(one.curves, c)
			}
		}
		if len(one.curves) == 0 {
			continue
		}
		if r := d.at("smcmc", v.metric, v.t); r != nil {
			c := curve{method: "smcmc"}
			c.add(one.x.min, r, v.unit)
			c.add(one.x.max, r, v.unit)
			one.curves = append(one.curves, c)
		}
		one.fit(0, v.most)
		p.panels = append(p.panels, one)
	}
	if len(p.panels) == 0 {
		return nil, "no C-DF rule ran with two windows"
	}
	return p, ""
}

// at returns the result of a method about a metric after shard t, nil without one.
func (d *Data) at(method, metric string, t int64) *study.Result {
	for i := range d.Results {
		if r := &d.Results[i]; r.Method == method && r.Metric == metric && r.T == t {
			return r
		}
	}
	return nil
}
