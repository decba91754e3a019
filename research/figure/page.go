package figure

import (
	"math"
	"slices"
)

// page is one figure: panels side by side and below each other, under one
// legend and above notes.
type page struct {
	columns int // at most
	panels  []panel
	rule    string   // what the panels' rules stand for
	notes   []string // lines
}

// panel is one pair of axes with what is drawn between them.
type panel struct {
	title  string
	x, y   axis
	curves []curve
	across []float64 // heights of horizontal rules
	up     []float64 // places of vertical rules
}

// axis is a label and a range.
type axis struct {
	label    string
	min, max float64
	log      bool
	ticks    []float64 // nil: at round numbers
}

// place returns where on the axis a value is: linear in it, or in its
// logarithm.
func (a *axis) place(v float64) float64 {
	if a.log {
		return math.Log(v)
	}
	return v
}

// curve is a method in a panel. All slices have a value per point.
type curve struct {
	method string
	x, y   []float64
	half   []float64 // half the height of a band around the points, NaN for none; nil: no band
	marked bool      // with markers at the points
}

// methods returns those on the page, in the order of all figures.
func (p *page) methods() []string {
	var out []string
	for i := range p.panels {
		for _, c := range p.panels[i].curves {
			if !slices.Contains(out, c.method) {
				out = append(out, c.method)
			}
		}
	}
	slices.SortFunc(out, byRank)
	return out
}

// fit makes the height that of curves, with their bands, and rules, but not
// beyond the range that values can have. A logarithmic axis leaves out what of
// a band is not positive, and spans a factor of two at least, lest noise look
// like much.
func (p *panel) fit(least, most float64) {
	lo, hi := math.Inf(1), math.Inf(-1)
	hold := func(v float64) {
		if s := p.y.place(v); !math.IsNaN(s) && !math.IsInf(s, 0) {
			lo, hi = min(lo, s), max(hi, s)
		}
	}
	for _, c := range p.curves {
		for i, y := range c.y {
			hold(y)
			if c.half != nil {
				hold(y - c.half[i])
				hold(y + c.half[i])
			}
		}
	}
	for _, y := range p.across {
		hold(y)
	}
	room := max(.05*(hi-lo), 1e-3)
	if p.y.log {
		room = max(room, (math.Ln2-(hi-lo))/2)
	}
	lo, hi = lo-room, hi+room
	if p.y.log {
		lo, hi = math.Exp(lo), math.Exp(hi)
	}
	p.y.min, p.y.max = max(lo, least), min(hi, most)
}
