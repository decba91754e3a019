package main

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Colours of Okabe and Ito (2008), which people who see colours differently can
// tell apart. Nothing is told by colour alone: shapes and dashes differ too.
var (
	white      = color.NRGBA{255, 255, 255, 255}
	black      = color.NRGBA{0, 0, 0, 255}
	orange     = color.NRGBA{230, 159, 0, 255}
	green      = color.NRGBA{0, 158, 115, 255}
	blue       = color.NRGBA{0, 114, 178, 255}
	vermillion = color.NRGBA{213, 94, 0, 255}
	grey       = color.NRGBA{110, 110, 110, 255}
)

// Lengths are in points.
const (
	pageWidth  = 8 * vg.Inch
	margin     = vg.Length(10)
	gap        = vg.Length(18) // between panels
	lineWidth  = vg.Length(1.6)
	axisWidth  = vg.Length(.7)
	titleSize  = vg.Length(13)
	labelSize  = vg.Length(11.5)
	tickSize   = vg.Length(10.5)
	legendHigh = vg.Length(17) // a row of it
)

var handler = text.Plain{Fonts: font.DefaultCache}

// letters is the style of text of the given height.
func letters(size vg.Length) text.Style {
	return text.Style{
		Color: black, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		XAlign: draw.XLeft, YAlign: draw.YBottom, Handler: handler,
	}
}

// solid is the style of a line.
func solid(c color.Color) draw.LineStyle { return draw.LineStyle{Color: c, Width: lineWidth} }

// dashed is the same with dashes.
func dashed(c color.Color) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: 1.2, Dashes: []vg.Length{5, 3}}
}

// faint makes a colour see-through: strong for 50 % bands, weak for 95 %.
func faint(c color.NRGBA, alpha uint8) color.NRGBA { c.A = alpha; return c }

const (
	inner = 110 // alpha of 50 % bands
	outer = 50  // alpha of 95 % bands
)

// panel returns empty axes.
func panel(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []struct {
		axis  *plot.Axis
		label string
	}{{&p.X, x}, {&p.Y, y}} {
		a.axis.Label.Text, a.axis.Label.Padding = a.label, 3
		a.axis.Label.TextStyle.Font, a.axis.Label.TextStyle.Handler = letters(labelSize).Font, handler
		a.axis.Tick.Label.Font, a.axis.Tick.Label.Handler = letters(tickSize).Font, handler
		a.axis.Width, a.axis.Tick.Width, a.axis.Tick.Length = axisWidth, axisWidth, 4
		a.axis.Padding = 3
		a.axis.Tick.Marker = ticks(5)
	}
	return p
}

// frame fixes the range of a panel's axes, which what is added has widened.
func frame(p *plot.Plot, left, right, bottom, top float64) {
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = left, right, bottom, top
}

// ticks are multiples of the least of 1, 2 and 5 times a power of ten that
// make at most so many.
type ticks int

// Ticks implements plot.Ticker.
func (most ticks) Ticks(lo, hi float64) []plot.Tick {
	size := math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(most))))
	for _, s := range []float64{1, 2, 5, 10} {
		step := s * size
		first, last := math.Ceil(lo/step-1e-9), math.Floor(hi/step+1e-9)
		if last-first+1 > float64(most) {
			continue
		}
		var out []plot.Tick
		for k := first; k <= last; k++ {
			out = append(out, plot.Tick{Value: k * step, Label: strconv.FormatFloat(k*step+0, 'g', 6, 64)})
		}
		return out
	}
	return nil
}

// named are ticks with names at 0, 1, 2, ...
type named []string

// Ticks implements plot.Ticker.
func (n named) Ticks(_, _ float64) []plot.Tick {
	var out []plot.Tick
	for i, name := range n {
		out = append(out, plot.Tick{Value: float64(i), Label: name})
	}
	return out
}

// line adds a line.
func line(p *plot.Plot, style draw.LineStyle, points plotter.XYs) {
	p.Add(&plotter.Line{XYs: points, LineStyle: style})
}

// dots adds points.
func dots(p *plot.Plot, style draw.GlyphStyle, points plotter.XYs) {
	p.Add(&plotter.Scatter{XYs: points, GlyphStyle: style})
}

// marker is the style of points.
func marker(c color.Color, radius vg.Length, shape draw.GlyphDrawer) draw.GlyphStyle {
	return draw.GlyphStyle{Color: c, Radius: radius, Shape: shape}
}

// name writes text that ends at a point.
func name(p *plot.Plot, x, y float64, what string) {
	style := letters(tickSize)
	style.XAlign, style.YAlign = draw.XRight, draw.YCenter
	p.Add(&plotter.Labels{XYs: plotter.XYs{{X: x, Y: y}}, Labels: []string{what}, TextStyle: []text.Style{style}})
}

// fan is a curve with its 50 % and 95 % bands.
type fan struct {
	x, median, q025, q25, q75, q975 []float64
}

func (f *fan) add(x, median, q025, q25, q75, q975 float64) {
	f.x, f.median = append(f.x, x), append(f.median, median)
	f.q025, f.q975 = append(f.q025, q025), append(f.q975, q975)
	f.q25, f.q75 = append(f.q25, q25), append(f.q75, q75)
}

// variable adds a variable, seen through an increasing function.
func (f *fan) variable(x float64, v variable, through func(float64) float64) {
	f.add(x, through(v.Median), through(v.Q025), through(v.Q25), through(v.Q75), through(v.Q975))
}

// draw adds the fan.
func (f *fan) draw(p *plot.Plot, c color.NRGBA, style draw.LineStyle) {
	for _, b := range []struct {
		lo, hi []float64
		alpha  uint8
	}{{f.q025, f.q975, outer}, {f.q25, f.q75, inner}} {
		var area plotter.XYs
		for i, x := range f.x {
			area = append(area, plotter.XY{X: x, Y: b.hi[i]})
		}
		for i := len(f.x) - 1; i >= 0; i-- {
			area = append(area, plotter.XY{X: f.x[i], Y: b.lo[i]})
		}
		p.Add(&plotter.Polygon{XYs: []plotter.XYs{area}, Color: faint(c, b.alpha)})
	}
	line(p, style, points(f.x, f.median))
}

// forest adds the fan's points as intervals that stand apart: thick for 50 %,
// thin for 95 %. They lie where sideways.
func (f *fan) forest(p *plot.Plot, c color.NRGBA, sideways bool) {
	turn := func(x, y float64) plotter.XY {
		if sideways {
			return plotter.XY{X: y, Y: x}
		}
		return plotter.XY{X: x, Y: y}
	}
	for i, x := range f.x {
		line(p, draw.LineStyle{Color: faint(c, 160), Width: 1}, plotter.XYs{turn(x, f.q025[i]), turn(x, f.q975[i])})
		line(p, draw.LineStyle{Color: c, Width: 3}, plotter.XYs{turn(x, f.q25[i]), turn(x, f.q75[i])})
		dots(p, marker(c, 2.6, draw.CircleGlyph{}), plotter.XYs{turn(x, f.median[i])})
	}
}

func points(x, y []float64) plotter.XYs {
	out := make(plotter.XYs, len(x))
	for i := range x {
		out[i] = plotter.XY{X: x[i], Y: y[i]}
	}
	return out
}

// z50 and z95 are the normal quantiles of 50 % and 95 % intervals.
const (
	z50 = 0.674489750196082
	z95 = 1.959963984540054
)

func itoa(n int) string     { return strconv.Itoa(n) }
func ftoa(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
