package figure

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legend draws the methods of the page and what its rules stand for at the
// top of a canvas, in as many rows as they need, and returns its height. It
// only measures on an empty canvas.
func (p *page) legend(c draw.Canvas) vg.Length {
	const (
		thumb   = vg.Length(30)
		between = vg.Length(14)
		high    = vg.Length(17) // a row
	)
	style := letters(labelSize)
	style.YAlign = draw.YCenter
	left, row := vg.Length(0), vg.Length(0)
	entry := func(label string, line draw.LineStyle, marker *draw.GlyphStyle) {
		wide := thumb + 4 + style.Width(label)
		if left > 0 && left+wide > pageWidth-2*margin {
			left = 0
			row++
		}
		if c.Canvas != nil {
			at := vg.Point{X: c.Min.X + left, Y: c.Max.Y - high*(row+.5)}
			c.StrokeLine2(line, at.X, at.Y, at.X+thumb, at.Y)
			if marker != nil {
				c.DrawGlyph(*marker, vg.Point{X: at.X + thumb/2, Y: at.Y})
			}
			c.FillText(style, vg.Point{X: at.X + thumb + 4, Y: at.Y}, label)
		}
		left += wide + between
	}
	for _, method := range p.methods() {
		l := &looks[rank(method)]
		var marker *draw.GlyphStyle
		if p.marked(method) {
			m := l.marker()
			marker = &m
		}
		entry(l.label, l.line(), marker)
	}
	if p.rule != "" {
		entry(p.rule, rule, nil)
	}
	return (row+1)*high + margin
}

// marked reports whether a method has markers anywhere on the page.
func (p *page) marked(method string) bool {
	for i := range p.panels {
		for _, c := range p.panels[i].curves {
			if method == c.method && c.marked {
				return true
			}
		}
	}
	return false
}
