package main

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

var nile = scenario{
	name: "nile", kind: "dlm",
	question: "How much water does the Nile carry, behind the noise of single years?",
	file:     "nile.csv", topic: "nile",
	sends:    []send{{key: "nile", rows: 1}},
	findings: nileFindings, picture: nilePicture,
}

// year returns the posterior after a year, 1871 the first.
func (r *result) year(y int) *posterior { return r.keys["nile"][y-1871] }

func nileFindings(r *result) []finding {
	last := r.last("nile")
	level := func(y int) finding {
		return of("level in "+itoa(y)+", km³", 0, r.year(y).of("theta"), times(.1))
	}
	return []finding{
		level(1898), level(1899), level(1903), level(1913), level(1970),
		of("noise of a year, sd, km³", 0, last.of("sigma2"), func(v float64) float64 { return math.Sqrt(v) / 10 }),
		of("step of the level, sd, km³", 0, last.of("tau2"), func(v float64) float64 { return math.Sqrt(v) / 10 }),
		of("mean of the level, km³", 0, last.of("mu"), times(.1)),
		of("phi", 2, last.of("phi"), same),
	}
}

func nilePicture(r *result) *page {
	left := panel("year", "flow at Aswan, km³ a year")
	year, flow := r.rows.number("year"), r.rows.number("flow")
	for i := range flow {
		flow[i] /= 10
	}
	thin := draw.LineStyle{Color: faint(grey, 120), Width: .6}
	ring := marker(grey, 2.4, draw.RingGlyph{})
	level := new(fan)
	for i, p := range r.keys["nile"] {
		level.variable(year[i], p.of("theta"), times(.1))
	}
	level.draw(left, blue, solid(blue))
	line(left, thin, points(year, flow))
	dots(left, ring, points(year, flow))
	frame(left, 1870, 1971, 40, 145)

	right := panel("year", "sd, km³")
	noise, step := solid(vermillion), dashed(black)
	for _, v := range []struct {
		name  string
		style draw.LineStyle
	}{{"sigma2", noise}, {"tau2", step}} {
		f := new(fan)
		for i, p := range r.keys["nile"] {
			if year[i] >= 1885 {
				f.variable(year[i], p.of(v.name), func(v float64) float64 { return math.Sqrt(v) / 10 })
			}
		}
		c := vermillion
		if v.name == "tau2" {
			c = grey
		}
		f.draw(right, c, v.style)
	}
	frame(right, 1885, 1971, 0, 19)
	blueLine := solid(blue)
	return &page{
		title:  "The Nile, 1871 to 1970: what was known of its level at the end of each year",
		height: 265, shares: []float64{.62, .38}, panels: []*plot.Plot{left, right},
		legend: []entry{
			{label: "flow of the year", line: &thin, glyph: &ring},
			{label: "level, 50 %, 95 %", line: &blueLine, bands: &blue},
			{label: "noise of a year", line: &noise, bands: &vermillion},
			{label: "step of the level", line: &step, bands: &grey},
		},
	}
}
