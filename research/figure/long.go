package figure

import "math"

// long shows where the errors of frozen rows go on a long stream: coverage of
// the truth and distance of the means from the exact ones, for the paper's
// rule and for ours.
func long(d *Data) (*page, string) {
	if d.Experiment != "probit-long" {
		return nil, ""
	}
	const nominal = .95 // of the intervals
	p := &page{columns: 2, rule: "nominal", notes: []string{d.replications()}}
	for _, v := range []struct {
		metric string
		one    panel
		most   float64 // that the metric can be
	}{
		{"coverage", panel{y: axis{label: "coverage"}, across: []float64{nominal}}, 1},
		{"bias_sd", panel{y: axis{label: "rms bias / sd"}}, math.Inf(1)},
	} {
		at := d.times(v.metric)
		if len(at) < 2 {
			continue
		}
		v.one.x = overTime(at)
		for _, method := range []string{"cdf", "cdf-paper"} {
			if c := d.curve(method, v.metric); len(c.x) > 1 {
				v.one.curves = append(v.one.curves, c)
			}
		}
		if len(v.one.curves) == 0 {
			continue
		}
		v.one.fit(0, v.most)
		p.panels = append(p.panels, v.one)
	}
	if len(p.panels) == 0 {
		return nil, "no C-DF rule has results at two shards"
	}
	return p, ""
}
