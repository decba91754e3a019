package figure

import (
	"image/color"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The palette of Okabe and Ito (2008), which people who see colours
// differently can tell apart, but for its yellow, which is faint on white.
var (
	white      = color.NRGBA{255, 255, 255, 255}
	black      = color.NRGBA{0, 0, 0, 255}
	orange     = color.NRGBA{230, 159, 0, 255}
	skyBlue    = color.NRGBA{86, 180, 233, 255}
	green      = color.NRGBA{0, 158, 115, 255}
	blue       = color.NRGBA{0, 114, 178, 255}
	vermillion = color.NRGBA{213, 94, 0, 255}
	purple     = color.NRGBA{204, 121, 167, 255}

	grey = color.NRGBA{110, 110, 110, 255} // of what is no method
)

// look is how a method looks in every figure.
type look struct {
	method string // as package study calls it
	label  string
	colour color.NRGBA
	dashes []vg.Length // nil: one line
	glyph  draw.GlyphDrawer
}

// looks are the methods in the order in which figures have them. No two share
// dashes and marker; colours are shared only by methods that no experiment has
// both of.
var looks = []look{
	{"cdf", "C-DF, corrected", blue, nil, draw.CircleGlyph{}},
	{"credence", "Credence", green, dashes(9, 2), draw.PyramidGlyph{}},
	{"cdf-paper", "C-DF, paper", vermillion, dashes(6, 2), draw.SquareGlyph{}},
	{"cdf-paper[500]", "C-DF, paper, 500 draws", purple, dashes(10, 3), draw.CrossGlyph{}},
	{"smcmc", "S-MCMC", orange, dashes(2, 2), draw.TriangleGlyph{}},
	{"smc", "SMC", skyBlue, dashes(6, 2, 2, 2), draw.CrossGlyph{}},
	{"pl", "PL", skyBlue, dashes(1, 2), draw.PlusGlyph{}},
	{"adf", "ADF", purple, dashes(4, 2, 1, 2), draw.BoxGlyph{}},
	{"svb", "S-VB", purple, dashes(3, 3), draw.RingGlyph{}},
	{"vb-gdp", "VB-GDP", purple, dashes(8, 2, 2, 2, 2, 2), draw.PlusGlyph{}},
	{"smcmc[batch]", "MCMC, all rows", black, dashes(1, 1.5), draw.CrossGlyph{}},
	{"ffbs", "FFBS, all rows", black, dashes(3, 1.5), draw.RingGlyph{}},
	{"gva", "GVA, all rows", black, dashes(5, 1.5), draw.BoxGlyph{}},
}

func dashes(points ...vg.Length) []vg.Length { return points }

// rank returns the place of a method in the order of all figures, -1 for one
// that has no look.
func rank(method string) int {
	for i := range looks {
		if method == looks[i].method {
			return i
		}
	}
	return -1
}

// byRank compares methods by their place.
func byRank(a, b string) int { return rank(a) - rank(b) }

// line is the style of a method's lines.
func (l *look) line() draw.LineStyle {
	return draw.LineStyle{Color: l.colour, Width: lineWidth, Dashes: l.dashes}
}

// marker is the style of a method's points.
func (l *look) marker() draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.colour, Radius: glyphRadius, Shape: l.glyph}
}

// band is the colour of the area around a method's line.
func (l *look) band() color.Color {
	c := l.colour
	c.A = 40
	return c
}

// Lengths are in points, for a page that is as wide as two columns of text:
// printed in one column letters are half as high and can still be read.
const (
	pageWidth   = 6 * vg.Inch
	lineWidth   = vg.Length(1.6)
	ruleWidth   = vg.Length(1)
	axisWidth   = vg.Length(.7)
	glyphRadius = vg.Length(3.5)
	margin      = vg.Length(8)
	labelSize   = vg.Length(12)
	tickSize    = vg.Length(11)
	noteSize    = vg.Length(10)
	dpi         = 200 // of a PNG
)

// rule is the style of lines that are no method's.
var rule = draw.LineStyle{Color: grey, Width: ruleWidth, Dashes: dashes(4, 3)}

// letters is the style of text of the given height.
func letters(size vg.Length) text.Style {
	return text.Style{
		Color: black, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		XAlign: draw.XLeft, YAlign: draw.YBottom, Handler: handler,
	}
}

var handler = text.Plain{Fonts: font.DefaultCache}
