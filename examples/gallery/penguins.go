package main

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

var penguins = scenario{
	name: "penguins", kind: "linear",
	question: "Does a longer flipper mean a heavier penguin?",
	file:     "penguins.csv", topic: "penguins",
	sends:    []send{{key: "alone", rows: 10}, {key: "beside", rows: 10}},
	findings: penguinFindings, picture: penguinPicture,
}

func penguinFindings(r *result) []finding {
	alone, beside := r.last("alone"), r.last("beside")
	return []finding{
		of("flipper alone, g per mm", 1, alone.of("beta[flipper_mm]"), same),
		of("flipper beside species and sex, g per mm", 1, beside.of("beta[flipper_mm]"), same),
		of("male, g more than female", 0, beside.of("beta[sex=male]"), same),
		of("Chinstrap, g more than Adelie", 0, beside.of("beta[species=Chinstrap]"), same),
		of("Gentoo, g more than Adelie", 0, beside.of("beta[species=Gentoo]"), same),
	}
}

// species is how one looks, which flippers it has and what its indicators are.
type species struct {
	name              string
	from, to          float64 // mm
	chinstrap, gentoo float64
	colour            color.NRGBA
	shape             draw.GlyphDrawer
}

var kinds = []species{
	{"Adelie", 172, 210, 0, 0, blue, draw.CircleGlyph{}},
	{"Chinstrap", 178, 212, 1, 0, vermillion, draw.PyramidGlyph{}},
	{"Gentoo", 203, 231, 0, 1, green, draw.BoxGlyph{}},
}

func penguinPicture(r *result) *page {
	pooled, apart := dashed(black), solid(black)
	out := &page{
		title:  "Flipper and mass of 333 penguins: much of what the flipper seems to say is species and sex",
		height: 265, shares: []float64{.55, .45},
		panels: []*plot.Plot{penguinLines(r, pooled), penguinSlopes(r, pooled, apart)},
	}
	for _, k := range kinds {
		l, g := solid(k.colour), marker(k.colour, 2.6, k.shape)
		out.legend = append(out.legend, entry{label: k.name, line: &l, glyph: &g})
	}
	out.legend = append(out.legend,
		entry{label: "flipper alone", line: &pooled, bands: &grey},
		entry{label: "beside species and sex, 50 %, 95 %", line: &apart, bands: &orange})
	return out
}

// penguinLines is mass by flipper, with the mean of all penguins and that of
// each species halfway between its sexes.
func penguinLines(r *result, pooled draw.LineStyle) *plot.Plot {
	p := panel("flipper, mm", "body mass, kg")
	flipper, mass := r.rows.number("flipper_mm"), r.rows.number("mass_g")
	of := map[string]plotter.XYs{}
	for i, name := range r.rows.text("species") {
		of[name] = append(of[name], plotter.XY{X: flipper[i], Y: mass[i] / 1000})
	}
	for _, k := range kinds {
		dots(p, marker(faint(k.colour, 110), 2.2, k.shape), of[k.name])
	}
	along := func(p *posterior, from, to float64, weights func(x float64) []float64) *fan {
		f := new(fan)
		for x := from; x <= to; x++ {
			m, s := p.linear(weights(x)...)
			m, s = m/1000, s/1000
			f.add(x, m, m-z95*s, m-z50*s, m+z50*s, m+z95*s)
		}
		return f
	}
	along(r.last("alone"), 172, 231, func(x float64) []float64 { return []float64{1, x} }).draw(p, grey, pooled)
	for _, k := range kinds {
		along(r.last("beside"), k.from, k.to, func(x float64) []float64 {
			return []float64{1, x, k.chinstrap, k.gentoo, .5}
		}).draw(p, k.colour, solid(k.colour))
	}
	frame(p, 170, 233, 2.5, 6.5)
	return p
}

// penguinSlopes is the slope of both models as penguins come in.
func penguinSlopes(r *result, pooled, apart draw.LineStyle) *plot.Plot {
	p := panel("penguins seen", "slope, g per mm of flipper")
	for _, m := range []struct {
		key    string
		colour color.NRGBA
		style  draw.LineStyle
	}{{"alone", grey, pooled}, {"beside", orange, apart}} {
		f := new(fan)
		for _, post := range r.keys[m.key] {
			if post.Rows >= 30 {
				f.variable(float64(post.Rows), post.of("beta[flipper_mm]"), same)
			}
		}
		f.draw(p, m.colour, m.style)
	}
	frame(p, 30, 335, -5, 78)
	return p
}
