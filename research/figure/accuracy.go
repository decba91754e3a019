package figure

// accuracy shows accuracies over time, a panel per parameter.
func accuracy(d *Data) (*page, string) {
	p := &page{columns: 2, rule: "an exact sampler", notes: []string{d.replications()}}
	metrics := d.metrics("accuracy")
	if len(metrics) == 0 {
		return nil, "there are no accuracies"
	}
	for _, metric := range metrics {
		at := d.times(metric)
		if len(at) < 2 {
			continue
		}
		one := panel{title: metric, x: overTime(at), y: axis{label: "accuracy"}, across: []float64{d.Ceiling}}
		for _, method := range d.methods(metric) {
			one.curves = append(one.curves, d.curve(method, metric))
		}
		if len(p.panels)%p.columns > 0 {
			one.y.label = "" // it is that of the panel to the left
		}
		one.fit(0, 1)
		p.panels = append(p.panels, one)
	}
	if len(p.panels) == 0 {
		return nil, "accuracies are of one shard only"
	}
	return p, ""
}

// overTime is an axis of shards, logarithmic, because posteriors narrow with
// the root of t, with ticks where there are results.
func overTime(at []float64) axis {
	return axis{label: "shards absorbed", min: at[0], max: at[len(at)-1], log: true, ticks: at}
}
