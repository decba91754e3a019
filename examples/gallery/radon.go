package main

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

var radon = scenario{
	name: "radon", kind: "anova",
	question: "In which counties of Minnesota do houses have much radon?",
	file:     "radon.csv", topic: "radon",
	sends:    []send{{key: "minnesota", columns: "county,log_radon", rows: 20}},
	findings: radonFindings, picture: radonPicture,
}

func radonFindings(r *result) []finding {
	p := r.last("minnesota")
	means := radonMeans(r)
	plain := func(county string) finding {
		return finding{county + ", mean of its houses alone, pCi/L", math.Exp(means[county].mean), math.NaN(), math.NaN(), 1}
	}
	level := func(county string) finding {
		return of(county+", pCi/L", 1, p.of("zeta["+county+"]"), math.Exp)
	}
	return []finding{
		of("middle of all counties, pCi/L", 2, p.of("mu"), math.Exp),
		of("sd between counties, log scale", 2, p.of("tau2"), math.Sqrt),
		of("sd between houses of a county, log scale", 2, p.of("sigma2"), math.Sqrt),
		plain("LAC QUI PARLE"), level("LAC QUI PARLE"),
		plain("BLUE EARTH"), level("BLUE EARTH"),
		plain("ST LOUIS"), level("ST LOUIS"),
	}
}

// county is what the houses of one say by themselves.
type county struct {
	name   string
	houses int
	mean   float64 // of the logarithms
}

func radonMeans(r *result) map[string]county {
	out := map[string]county{}
	level := r.rows.number("log_radon")
	for i, name := range r.rows.text("county") {
		c := out[name]
		c.mean = (c.mean*float64(c.houses) + level[i]) / float64(c.houses+1)
		c.houses++
		c.name = name
		out[name] = c
	}
	return out
}

func radonPicture(r *result) *page {
	var all []county
	for _, c := range radonMeans(r) {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b county) int {
		return cmp.Or(a.houses-b.houses, cmp.Compare(a.mean, b.mean), cmp.Compare(a.name, b.name))
	})
	p := panel("counties, those with few houses left (number of houses measured)", "radon, pCi/L (log scale)")
	last := r.last("minnesota")
	f, alone, middle := new(fan), plotter.XYs{}, last.of("mu")
	var at []plot.Tick
	for i, c := range all {
		f.variable(float64(i), last.of("zeta["+c.name+"]"), same)
		alone = append(alone, plotter.XY{X: float64(i), Y: c.mean})
		if i == 0 || c.houses != all[i-1].houses {
			switch c.houses {
			case 1, 2, 3, 4, 5, 7, 10, 14, 25, 116:
				at = append(at, plot.Tick{Value: float64(i), Label: itoa(c.houses)})
			}
		}
	}
	p.X.Tick.Marker = plot.ConstantTicks(at)
	at = nil
	for _, level := range []float64{2, 4, 8, 16} {
		at = append(at, plot.Tick{Value: math.Log(level), Label: ftoa(level)})
	}
	p.Y.Tick.Marker = plot.ConstantTicks(at)
	action, centre := dashed(vermillion), dashed(black)
	span := float64(len(all))
	line(p, action, plotter.XYs{{X: -1, Y: math.Log(4)}, {X: span, Y: math.Log(4)}})
	line(p, centre, plotter.XYs{{X: -1, Y: middle.Median}, {X: span, Y: middle.Median}})
	f.forest(p, blue, false)
	ring := marker(grey, 2.4, draw.RingGlyph{})
	dots(p, ring, alone)
	for i, c := range all {
		switch c.name {
		case "LAC QUI PARLE":
			name(p, float64(i)-.8, c.mean, c.name)
		case "BLUE EARTH":
			name(p, float64(i)+.5, c.mean+.23, c.name)
		case "ST LOUIS":
			name(p, float64(i)-.8, c.mean-.15, c.name)
		}
	}
	frame(p, -1, span, math.Log(1.1), math.Log(16))
	full := marker(blue, 2.6, draw.CircleGlyph{})
	return &page{
		title:  "Radon in 919 houses of 85 counties: the mean of two houses is hardly news",
		height: 290, panels: []*plot.Plot{p},
		legend: []entry{
			{label: "county, 50 %, 95 %", glyph: &full, bands: &blue},
			{label: "mean of its houses", glyph: &ring},
			{label: "middle of counties", line: &centre},
			{label: "EPA's action level", line: &action},
		},
	}
}
