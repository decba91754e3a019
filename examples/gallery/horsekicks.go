package main

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

var horsekicks = scenario{
	name: "horsekicks", kind: "poisson",
	question: "Did some corps of the Prussian army have worse horses?",
	file:     "horsekicks.csv", topic: "kicks",
	sends:    []send{{key: "army", columns: "deaths,decades,corps", rows: 14}},
	findings: kickFindings, picture: kickPicture,
}

func kickFindings(r *result) []finding {
	p := r.last("army")
	found := []finding{
		of("deaths of a typical corps a year, 1884/85", 2, p.of("beta[intercept]"), math.Exp),
		of("times as many ten years later", 2, p.of("beta[decades]"), math.Exp),
		of("sd between corps, log scale", 2, p.of("sigma2_u"), math.Sqrt),
	}
	all := corps(r)
	found = append(found, finding{"chi-squared of the corps' totals, 13 degrees of freedom", kickChi2(r, all), math.NaN(), math.NaN(), 1})
	for _, name := range []string{all[0], all[len(all)-1]} {
		found = append(found, of("corps "+name+", times the typical rate", 2, p.of("u["+name+"]"), math.Exp))
	}
	return found
}

// kickChi2 is the statistic of the test that all corps have one rate.
func kickChi2(r *result, all []string) float64 {
	mean, sum := 0., 0.
	for _, v := range r.rows.number("deaths") {
		mean += v / float64(len(all))
	}
	for _, at := range kickRatios(r, all) {
		sum += mean * (at.X - 1) * (at.X - 1)
	}
	return sum
}

// corps returns the corps, those with most deaths last.
func corps(r *result) []string {
	count := map[string]float64{}
	deaths := r.rows.number("deaths")
	for i, name := range r.rows.text("corps") {
		count[name] += deaths[i]
	}
	return slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(a, b))
	})
}

func kickPicture(r *result) *page {
	left := panel("deaths, times those of a typical corps", "corps")
	last, all := r.last("army"), corps(r)
	f := new(fan)
	for i, name := range all {
		f.variable(float64(i), last.of("u["+name+"]"), math.Exp)
	}
	one := dashed(grey)
	line(left, one, plotter.XYs{{X: 1, Y: -.7}, {X: 1, Y: float64(len(all)) - .3}})
	f.forest(left, blue, true)
	ring := marker(grey, 2.6, draw.RingGlyph{})
	dots(left, ring, kickRatios(r, all))
	left.Y.Tick.Marker = named(all)
	frame(left, .3, 2.5, -.7, float64(len(all))-.3)

	right := panel("year", "sd between corps, log scale")
	spread := new(fan)
	for i, p := range r.keys["army"] {
		spread.variable(float64(1875+i), p.of("sigma2_u"), math.Sqrt)
	}
	spread.draw(right, vermillion, solid(vermillion))
	frame(right, 1875, 1894, 0, 1.95)
	full, l := marker(blue, 2.6, draw.CircleGlyph{}), solid(vermillion)
	return &page{
		title:  "196 deaths by the kick of a horse: corps differ, and none stands out for certain",
		height: 290, shares: []float64{.56, .44}, panels: []*plot.Plot{left, right},
		legend: []entry{
			{label: "corps, 50 %, 95 %", glyph: &full, bands: &blue},
			{label: "its own count alone", glyph: &ring},
			{label: "sd between corps, 50 %, 95 %", line: &l, bands: &vermillion},
		},
	}
}

// kickRatios returns the deaths of each corps over the mean of all, beside
// its place.
func kickRatios(r *result, all []string) plotter.XYs {
	deaths, total := r.rows.number("deaths"), 0.
	out := make(plotter.XYs, len(all))
	for i, name := range r.rows.text("corps") {
		j := slices.Index(all, name)
		out[j].X += deaths[i]
		total += deaths[i]
	}
	for j := range out {
		out[j] = plotter.XY{X: out[j].X * float64(len(all)) / total, Y: float64(j)}
	}
	return out
}
