package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	panelHeight = vg.Length(145)
	titleHeight = vg.Length(18) // above a row of panels that has one
	gap         = vg.Length(12) // between panels
	leading     = vg.Length(13) // of notes
)

// grid returns how many rows and columns of panels the page has.
func (p *page) grid() (rows, columns int) {
	columns = min(p.columns, len(p.panels))
	return (len(p.panels) + columns - 1) / columns, columns
}

// height returns the height of the page.
func (p *page) height() vg.Length {
	rows, _ := p.grid()
	top, between := p.above()
	return 2*margin + p.legend(draw.Canvas{}) + top + vg.Length(rows)*panelHeight +
		vg.Length(rows-1)*between + p.noteHeight()
}

// above returns the room above the first row of panels and above the others.
func (p *page) above() (first, others vg.Length) {
	_, columns := p.grid()
	first, others = 0, gap
	for i := range p.panels {
		switch {
		case p.panels[i].title == "":
		case i < columns:
			first = titleHeight
		default:
			others = gap + titleHeight
		}
	}
	return first, others
}

func (p *page) noteHeight() vg.Length {
	if len(p.notes) == 0 {
		return 0
	}
	return vg.Length(len(p.notes))*leading + margin
}

// draw draws the page on a canvas of its size.
func (p *page) draw(c draw.Canvas) {
	c.SetColor(white)
	c.Fill(c.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	top := p.legend(c)
	for i, note := range p.notes {
		c.FillText(letters(noteSize), vg.Point{X: c.Min.X, Y: c.Min.Y + vg.Length(len(p.notes)-1-i)*leading}, note)
	}
	c = draw.Crop(c, 0, 0, p.noteHeight(), -top)
	rows, columns := p.grid()
	plots := make([][]*plot.Plot, rows)
	for i := range plots {
		plots[i] = make([]*plot.Plot, columns)
	}
	for i := range p.panels {
		if len(p.panels[i].curves) > 0 {
			plots[i/columns][i%columns] = p.panels[i].plot()
		}
	}
	first, others := p.above()
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: gap, PadY: others, PadTop: first}
	style := letters(labelSize)
	style.XAlign = draw.XCenter
	for i, row := range plot.Align(plots, tiles, c) {
		for j, at := range row {
			if plots[i][j] == nil {
				continue
			}
			plots[i][j].Draw(at)
			data := plots[i][j].DataCanvas(at)
			above := vg.Point{X: data.Center().X, Y: data.Max.Y + titleHeight - labelSize}
			c.FillText(style, above, p.panels[i*columns+j].title)
		}
	}
}

// plot returns the panel as gonum has it: rules below bands below curves, the
// first at the bottom: dashes on a line that is none show where both agree.
func (p *panel) plot() *plot.Plot {
	out := plot.New()
	out.BackgroundColor = nil
	p.x.apply(&out.X)
	p.y.apply(&out.Y)
	for _, x := range p.up {
		out.Add(&plotter.Line{XYs: plotter.XYs{p.at(x, p.y.min), p.at(x, p.y.max)}, LineStyle: rule})
	}
	for _, y := range p.across {
		out.Add(&plotter.Line{XYs: plotter.XYs{p.at(p.x.min, y), p.at(p.x.max, y)}, LineStyle: rule})
	}
	for i := range p.curves {
		out.Add(p.band(&p.curves[i])...)
	}
	for i := range p.curves {
		out.Add(p.line(&p.curves[i])...)
	}
	// What is added widens the range, which is what the panel says.
	out.X.Min, out.X.Max = p.x.place(p.x.min), p.x.place(p.x.max)
	out.Y.Min, out.Y.Max = p.y.place(p.y.min), p.y.place(p.y.max)
	return out
}

// at returns where in the panel a point is.
func (p *panel) at(x, y float64) plotter.XY { return plotter.XY{X: p.x.place(x), Y: p.y.place(y)} }

// apply gives an axis of gonum's the label, the ticks and the looks. Its scale
// stays linear: gonum centres labels in values, not on the axis.
func (a *axis) apply(to *plot.Axis) {
	to.Label.Text, to.Label.Padding = a.label, 3
	to.Label.TextStyle.Font, to.Label.TextStyle.Handler = letters(labelSize).Font, handler
	to.Tick.Label.Font = letters(tickSize).Font
	to.Tick.Label.Handler = handler
	to.Width, to.Tick.Width, to.Tick.Length = axisWidth, axisWidth, 4
	to.Padding = 3
	to.Tick.Marker = ticks{a}
}

// band returns the area around a curve, cut to the panel; it ends where there
// is no standard error.
func (p *panel) band(c *curve) []plot.Plotter {
	var over, under plotter.XYs
	for i, half := range c.half {
		if !math.IsNaN(half) {
			over = append(over, p.at(c.x[i], min(c.y[i]+half, p.y.max)))
			under = append(under, p.at(c.x[i], max(c.y[i]-half, p.y.min)))
		}
	}
	if len(over) < 2 {
		return nil
	}
	slices.Reverse(under)
	area := slices.Concat(over, under)
	return []plot.Plotter{&plotter.Polygon{XYs: []plotter.XYs{area}, Color: looks[rank(c.method)].band()}}
}

// line returns a curve without its band.
func (p *panel) line(c *curve) []plot.Plotter {
	l := &looks[rank(c.method)]
	points := make(plotter.XYs, len(c.x))
	for i := range points {
		points[i] = p.at(c.x[i], c.y[i])
	}
	out := []plot.Plotter{&plotter.Line{XYs: points, LineStyle: l.line()}}
	if c.marked {
		out = append(out, &plotter.Scatter{XYs: points, GlyphStyle: l.marker()})
	}
	return out
}
