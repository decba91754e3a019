package main

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

var birdstrikes = scenario{
	name: "birdstrikes", kind: "probit",
	question: "When does a bird damage the aircraft that it hits?",
	file:     "birdstrikes.csv", topic: "strikes",
	sends:    []send{{key: "aircraft", columns: "damaged,speed,size", rows: 100}},
	findings: strikeFindings, picture: strikePicture,
}

// size is how big a bird is, how it looks and what its indicators are.
type size struct {
	name          string
	medium, large float64
	colour        color.NRGBA
	shape         draw.GlyphDrawer
}

var sizes = []size{
	{"small", 0, 0, blue, draw.CircleGlyph{}},
	{"medium", 1, 0, orange, draw.PyramidGlyph{}},
	{"large", 0, 1, vermillion, draw.BoxGlyph{}},
}

// phi is the normal distribution function.
func phi(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// damage returns median and intervals of the probability of damage, in percent, by the
// normal law of the linear predictor that has its mean and sd.
func (s *size) damage(p *posterior, knots float64) (median, q025, q25, q75, q975 float64) {
	m, sd := p.linear(1, knots, s.medium, s.large)
	at := func(z float64) float64 { return 100 * phi(m+z*sd) }
	return at(0), at(-z95), at(-z50), at(z50), at(z95)
}

func strikeFindings(r *result) []finding {
	p := r.last("aircraft")
	share := func(s size, knots float64) finding {
		median, lo, _, _, hi := s.damage(p, knots)
		return finding{s.name + " bird at " + ftoa(knots) + " knots, % damaged", median, lo, hi, 1}
	}
	small, medium, large := sizes[0], sizes[1], sizes[2]
	return []finding{
		share(small, 150), share(medium, 150), share(large, 150), share(large, 100), share(large, 250),
		of("speed, probit per 100 knots", 2, p.of("beta[speed]"), times(100)),
		of("medium rather than small, probit", 2, p.of("beta[size=medium]"), same),
		of("large rather than small, probit", 2, p.of("beta[size=large]"), same),
	}
}

// strikePicture has the probability by speed beside what was seen, and how the
// one of a large bird at 150 knots was learnt.
func strikePicture(r *result) *page {
	left := panel("speed, knots", "strikes with damage, %")
	right := panel("strikes seen", "damage by a large bird at 150 knots, %")
	last := r.last("aircraft")
	out := &page{
		title:  "7,150 bird strikes: size decides, speed matters less",
		height: 265, shares: []float64{.6, .4}, panels: []*plot.Plot{left, right},
	}
	for _, s := range sizes {
		f := new(fan)
		for knots := 60.; knots <= 300; knots += 5 {
			median, q025, q25, q75, q975 := s.damage(last, knots)
			f.add(knots, median, q025, q25, q75, q975)
		}
		f.draw(left, s.colour, solid(s.colour))
		seen := marker(s.colour, 3.2, s.shape)
		dots(left, seen, shares(r.rows, s.name))
		l := solid(s.colour)
		label := s.name + " bird"
		if s.large == 1 {
			label += ": share seen, 50 %, 95 %"
		}
		out.legend = append(out.legend, entry{label: label, line: &l, glyph: &seen, bands: &s.colour})
	}
	frame(left, 58, 302, 0, 68)
	learnt := new(fan)
	for _, p := range r.keys["aircraft"] {
		median, q025, q25, q75, q975 := sizes[2].damage(p, 150)
		learnt.add(float64(p.Rows), median, q025, q25, q75, q975)
	}
	learnt.draw(right, vermillion, solid(vermillion))
	frame(right, 100, 7150, 0, 68)
	return out
}

// shares returns the share of strikes with damage, in percent, in seven ranges
// of speed, each at its mean speed; ranges with under 25 strikes are left out.
func shares(data *rows, name string) plotter.XYs {
	bounds := []float64{60, 90, 110, 130, 150, 180, 220, 300}
	speed, damaged := data.number("speed"), data.number("damaged")
	sums := make([]struct{ n, speed, damaged float64 }, len(bounds)-1)
	for i, s := range data.text("size") {
		for j := range sums {
			if s == name && speed[i] >= bounds[j] && speed[i] < bounds[j+1] {
				sums[j].n++
				sums[j].speed += speed[i]
				sums[j].damaged += damaged[i]
			}
		}
	}
	var out plotter.XYs
	for _, s := range sums {
		if s.n >= 25 {
			out = append(out, plotter.XY{X: s.speed / s.n, Y: 100 * s.damaged / s.n})
		}
	}
	return out
}
