package formula

import (
	"fmt"
	"math"
	"strconv"
)

const (
	mostDegree   = 20  // of poly, and harmonics of season
	mostKnots    = 200 // of bs
	splineDegree = 5
)

// poly reads poly(x, k): the powers 1 to k of x.
func (p *parser) poly(n *node) *several {
	a := p.arguments(n, 2, "x", "degree", "raw")
	p.numeric(a["x"])
	degree := p.count(a["degree"], "the degree", mostDegree)
	first := 1
	if raw := a["raw"]; raw != nil {
		if !p.truth(raw, "raw") {
			p.fail(raw.at, "orthogonal polynomials need all of the data, which a stream does not have: poly has raw powers")
		}
		first = 0 // formulaic counts raw powers from 0
	}
	s := &several{x: a["x"], powers: true, fill: func(dst []float64, x float64) {
		power := x
		for i := range dst {
			dst[i] = power
			power *= x
		}
	}}
	for i := range degree {
		s.fields = append(s.fields, strconv.Itoa(first+i))
	}
	return s
}

// season reads season(x, period, k): sines and cosines of the period and of its first
// k parts, of a time in UTC or of any number.
func (p *parser) season(n *node) *several {
	a := p.arguments(n, 3, "x", "period", "harmonics")
	p.numeric(a["x"])
	period := 0.
	switch t := a["period"]; t.op {
	case opSpan:
		period = t.value
	case opText:
		token, size, what := measure(t.text)
		if t.text == "" || what != "" || size != len(t.text) || token.kind != span {
			p.fail(t.at, "the period is a number, or a span of time such as 24h; the units are %s", unitNames)
		}
		period = token.value
	default:
		period = p.constant(t, "the period")
	}
	if !(period > 0) || math.IsInf(period, 1) {
		p.fail(a["period"].at, "the period is above 0")
	}
	k := p.count(a["harmonics"], "the number of harmonics", mostDegree)
	op := a["period"].op
	s := &several{x: a["x"], timed: op == opSpan || op == opText, fill: func(dst []float64, x float64) {
		turn := 2 * math.Pi * (remainder(x, period) / period)
		for i := 0; i < len(dst); i += 2 {
			dst[i], dst[i+1] = math.Sincos(float64(i/2+1) * turn)
		}
	}}
	for i := range k {
		s.fields = append(s.fields, fmt.Sprint("sin", i+1), fmt.Sprint("cos", i+1))
	}
	return s
}

// spline reads bs(x, knots=[...], lower_bound=, upper_bound=): B-splines of given knots.
func (p *parser) spline(n *node) *several {
	a := p.arguments(n, 1, "x", "df", "knots", "degree", "include_intercept", "lower_bound", "upper_bound", "extrapolation")
	p.numeric(a["x"])
	if df := a["df"]; df != nil {
		p.fail(df.at, "knots from degrees of freedom need all of the data, which a stream does not have: give knots=[...]")
	}
	lower, upper := a["lower_bound"], a["upper_bound"]
	if lower == nil || upper == nil {
		p.fail(n.at, "bs needs lower_bound and upper_bound: without them they come from all of the data, which a stream does not have")
	}
	b := basis{degree: 3}
	from, to := p.constant(lower, "lower_bound"), p.constant(upper, "upper_bound")
	if !(from < to) {
		p.fail(upper.at, "upper_bound is not above lower_bound")
	}
	if d := a["degree"]; d != nil {
		b.degree = p.count(d, "the degree", splineDegree)
	}
	b.begin(from)
	if k := a["knots"]; k != nil {
		if k.op != opList || len(k.args) > mostKnots {
			p.fail(k.at, "knots are a list of at most %d numbers: [10, 20]", mostKnots)
		}
		last := from
		for _, item := range k.args {
			v := p.constant(item, "a knot")
			if !(v > last && v < to) {
				p.fail(item.at, "knots rise, from above lower_bound to below upper_bound")
			}
			b.knots, last = append(b.knots, v), v
		}
	}
	b.end(to)
	s := &several{x: a["x"]}
	if e := a["extrapolation"]; e != nil {
		switch b.beyond = p.word(e, "extrapolation"); b.beyond {
		case "clip", "zero", "na", "extend":
		case "raise":
			s.raises = true
		default:
			p.fail(e.at, "extrapolation is clip, extend, zero, na or raise")
		}
	}
	all := len(b.knots) - b.degree - 1
	first := 1
	if i := a["include_intercept"]; i != nil && p.truth(i, "include_intercept") {
		first, s.spans = 0, true
	}
	for i := first; i < all; i++ {
		s.fields = append(s.fields, strconv.Itoa(i))
	}
	s.fill = func(dst []float64, x float64) { b.at(dst, x, first) }
	return s
}

// basis are the B-splines of a degree, between the first and the last of its knots,
// which stand degree times more at both ends.
//
// Source: de Boor, A Practical Guide to Splines, 2001, chapter IX.
type basis struct {
	degree int
	knots  []float64
	beyond string // what a number out of bounds has: clip, zero, extend, else NaN
}

func (b *basis) begin(lower float64) {
	for range b.degree + 1 {
		b.knots = append(b.knots, lower)
	}
}

func (b *basis) end(upper float64) {
	for range b.degree + 1 {
		b.knots = append(b.knots, upper)
	}
}

// at writes the values of the splines from the first on.
func (b *basis) at(dst []float64, x float64, first int) {
	lower, upper := b.knots[0], b.knots[len(b.knots)-1]
	clear(dst)
	if math.IsNaN(x) || !(x >= lower && x <= upper) && b.beyond != "zero" && b.beyond != "clip" && b.beyond != "extend" {
		for i := range dst {
			dst[i] = math.NaN()
		}
		return
	}
	if !(x >= lower && x <= upper) {
		switch b.beyond {
		case "zero":
			return
		case "clip":
			x = min(max(x, lower), upper)
		}
	}
	d, in := b.degree, b.degree // the interval that x is in, the last one with its end
	for in+d+2 < len(b.knots) && x >= b.knots[in+1] {
		in++
	}
	var room [splineDegree + 1]float64 // the splines in-d to in, of a degree that rises
	v := room[:d+1]
	v[0] = 1
	for k := 1; k <= d; k++ {
		carried := 0.
		for j := range k {
			right, left := b.knots[in+1+j], b.knots[in+1+j-k]
			share := v[j] / (right - left)
			v[j] = carried + float64((right-x)*share)
			carried = float64((x - left) * share)
		}
		v[k] = carried
	}
	for j, value := range v {
		if at := in - d + j - first; at >= 0 {
			dst[at] = value
		}
	}
}
