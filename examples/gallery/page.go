package main

import (
	"bytes"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// page is one picture: panels side by side under a title and a legend.
type page struct {
	title  string
	panels []*plot.Plot
	shares []float64 // of the width, one per panel; nil: equal
	height vg.Length // of the panels
	legend []entry
}

// entry is one line of the legend: a band, a line, a glyph or several of them.
type entry struct {
	label string
	line  *draw.LineStyle
	glyph *draw.GlyphStyle
	bands *color.NRGBA // 50 % in 95 %
}

// svg returns the picture. The same results give the same bytes.
func (p *page) svg() ([]byte, error) {
	c := vgsvg.New(pageWidth, p.tall())
	p.draw(draw.New(c))
	var out bytes.Buffer
	if _, err := c.WriteTo(&out); err != nil {
		return nil, err
	}
	// Readers without this font have one of the same widths, or another
	// without serifs.
	return bytes.ReplaceAll(out.Bytes(), []byte("Liberation Sans;"), []byte("Liberation Sans,Arial,Helvetica,sans-serif;")), nil
}

// tall returns the height of the page.
func (p *page) tall() vg.Length {
	return 2*margin + p.head(draw.Canvas{}) + p.height
}

// draw draws the page on a canvas of its size.
func (p *page) draw(c draw.Canvas) {
	c.SetColor(white)
	c.Fill(c.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	c = draw.Crop(c, 0, 0, 0, -p.head(c))
	shares := p.shares
	if shares == nil {
		for range p.panels {
			shares = append(shares, 1/float64(len(p.panels)))
		}
	}
	room := c.Max.X - c.Min.X - gap*vg.Length(len(p.panels)-1)
	left := vg.Length(0)
	for i, panel := range p.panels {
		wide := room * vg.Length(shares[i])
		panel.Draw(draw.Crop(c, left, left+wide-(c.Max.X-c.Min.X), 0, 0))
		left += wide + gap
	}
}

// head draws title and legend at the top of a canvas, in as many rows as they
// need, and returns their height. It only measures on an empty canvas.
func (p *page) head(c draw.Canvas) vg.Length {
	const (
		thumb   = vg.Length(24)
		between = vg.Length(14)
	)
	high := titleSize + 10
	if c.Canvas != nil {
		style := letters(titleSize)
		style.YAlign = draw.YTop
		c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y}, p.title)
	}
	style := letters(labelSize)
	style.YAlign = draw.YCenter
	left := vg.Length(0)
	for _, e := range p.legend {
		wide := thumb + 4 + style.Width(e.label)
		if left > 0 && left+wide > pageWidth-2*margin {
			left = 0
			high += legendHigh
		}
		if c.Canvas != nil {
			at := vg.Point{X: c.Min.X + left, Y: c.Max.Y - high - legendHigh/2}
			e.draw(c, at, thumb)
			c.FillText(style, vg.Point{X: at.X + thumb + 4, Y: at.Y}, e.label)
		}
		left += wide + between
	}
	return high + legendHigh + 6
}

// draw draws what stands before an entry's label, from a point rightwards.
func (e *entry) draw(c draw.Canvas, at vg.Point, wide vg.Length) {
	if e.bands != nil {
		box := func(half vg.Length, alpha uint8) {
			c.FillPolygon(faint(*e.bands, alpha), []vg.Point{
				{X: at.X, Y: at.Y - half}, {X: at.X + wide, Y: at.Y - half},
				{X: at.X + wide, Y: at.Y + half}, {X: at.X, Y: at.Y + half},
			})
		}
		box(6, outer)
		box(2.5, inner)
	}
	if e.line != nil {
		c.StrokeLine2(*e.line, at.X, at.Y, at.X+wide, at.Y)
	}
	if e.glyph != nil {
		c.DrawGlyph(*e.glyph, vg.Point{X: at.X + wide/2, Y: at.Y})
	}
}
