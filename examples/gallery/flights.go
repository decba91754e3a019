package main

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

var flights = scenario{
	name: "flights", kind: "linear",
	question: "How do you see that a model does not fit?",
	file:     "flights.csv", topic: "ord",
	sends: []send{
		{key: "minutes", columns: "delay,distance,hour", rows: 25},
		{key: "late", columns: "late,distance,hour", rows: 25},
	},
	findings: flightFindings, picture: flightPicture,
}

// typical is the distance, in miles, of which probabilities are given.
const typical = 800

// lateAt returns median and intervals of the probability of being late, in
// percent, as damage does.
func lateAt(p *posterior, hour float64) (median, q025, q25, q75, q975 float64) {
	m, sd := p.linear(1, typical, hour)
	at := func(z float64) float64 { return 100 * phi(m+z*sd) }
	return at(0), at(-z95), at(-z50), at(z50), at(z95)
}

// ranks returns where the delay of each flight after the first shard lies in
// the law that the posterior before its shard predicts, from 0 to 1.
func ranks(r *result) []float64 {
	delay, distance, hour := r.rows.number("delay"), r.rows.number("distance"), r.rows.number("hour")
	var out []float64
	for _, p := range r.keys["minutes"] {
		for i := p.Rows; i < min(p.Rows+25, len(delay)); i++ {
			mean, sd := p.linear(1, distance[i], hour[i])
			out = append(out, phi((delay[i]-mean)/math.Hypot(sd, math.Sqrt(p.of("sigma2").Mean))))
		}
	}
	return out
}

// between returns the share of ranks inside two bounds, in percent.
func between(ranks []float64, lo, hi float64) float64 {
	n := 0.
	for _, u := range ranks {
		if lo <= u && u < hi {
			n++
		}
	}
	return 100 * n / float64(len(ranks))
}

func flightFindings(r *result) []finding {
	late := func(hour float64) finding {
		median, lo, _, _, hi := lateAt(r.last("late"), hour)
		return finding{"late at " + ftoa(hour) + " o'clock, %", median, lo, hi, 0}
	}
	u, none := ranks(r), math.NaN()
	return []finding{
		of("minutes per hour of the day", 2, r.last("minutes").of("beta[hour]"), same),
		{"inside the middle 50 % of predictions, %", between(u, .25, .75), none, none, 0},
		{"above the middle 95 % of predictions, %", between(u, .975, 2), none, none, 1},
		{"below the middle 95 % of predictions, %", between(u, -1, .025), none, none, 1},
		late(8), late(20),
	}
}

// flightPicture has the ranks of delays, which should be equally frequent, beside
// what the model of late flights says, with what was seen.
func flightPicture(r *result) *page {
	const bins = 20
	left := panel("where a delay lies in its prediction", "flights, %")
	right := panel("hour of departure", "more than 15 minutes late, %")
	out := &page{
		title:  "1,095 flights from Chicago: delays do not fit a normal law, being late fits a probit",
		height: 265, shares: []float64{.5, .5}, panels: []*plot.Plot{left, right},
	}
	u := ranks(r)
	for k := range bins {
		lo, hi := float64(k)/bins, float64(k+1)/bins
		high := between(u, lo, hi)
		left.Add(&plotter.Polygon{XYs: []plotter.XYs{{{X: lo}, {X: lo, Y: high}, {X: hi, Y: high}, {X: hi}}}, Color: faint(blue, inner)})
	}
	// Of that many flights a bin has this share but in one of twenty.
	half := 100 * z95 * math.Sqrt(1./bins*(1-1./bins)/float64(len(u)))
	even := dashed(black)
	for _, y := range []float64{100./bins - half, 100./bins + half} {
		line(left, even, plotter.XYs{{X: 0, Y: y}, {X: 1, Y: y}})
	}
	frame(left, 0, 1, 0, 14)
	f := new(fan)
	for hour := 5.; hour <= 23; hour++ {
		median, q025, q25, q75, q975 := lateAt(r.last("late"), hour)
		f.add(hour, median, q025, q25, q75, q975)
	}
	f.draw(right, vermillion, solid(vermillion))
	seen := marker(vermillion, 3.2, sizes[0].shape)
	dots(right, seen, lateShares(r.rows))
	frame(right, 4.5, 23.5, 0, 60)
	l, bars := solid(vermillion), blue
	out.legend = []entry{
		{label: "delays", bands: &bars}, {label: "if equally frequent, 95 %", line: &even},
		{label: "late: share seen, 50 %, 95 %", line: &l, glyph: &seen, bands: &vermillion},
	}
	return out
}

// lateShares returns the share of late flights in percent, by two hours at a
// time, at their mean hour; fewer than 25 flights are left out.
func lateShares(data *rows) plotter.XYs {
	const wide = 2
	var sums [24 / wide]struct{ n, hour, late float64 }
	late := data.text("late")
	for i, hour := range data.number("hour") {
		s := &sums[int(hour)/wide]
		s.n++
		s.hour += hour
		if late[i] == "true" {
			s.late++
		}
	}
	var out plotter.XYs
	for _, s := range sums {
		if s.n >= 25 {
			out = append(out, plotter.XY{X: s.hour / s.n, Y: 100 * s.late / s.n})
		}
	}
	return out
}
