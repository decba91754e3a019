package cdf

import (
	"fmt"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf/vec"
)

// enough is the number of usable rows that fix centre and scale.
const enough = FirstRows

// FirstRows is the number of usable rows with which constants from a key's first rows
// are fixed: before, predictions are those of constants that still move.
const FirstRows = 50

// most bounds the rows that are kept, where those without a response are
// too. Beyond it the constants are fixed by the responses there are; without
// any the oldest shards are given up.
const most = 2000

// scaling holds centre and scale of every column. Until enough usable rows
// are there it keeps the key's first rows, so that constants can be computed
// anew and these shards processed again from the start.
type scaling struct {
	y      Constant
	x      []Constant // per column of X, {0, 1} where never scaled; replaced, not changed
	frozen bool
	kept   []keptShard
	raw    rows // of the kept shards, unscaled
	// observed counts the kept rows with a response: all of them, but where
	// time passes without one.
	observed int
	watch    watch
	// pending is the discount of shards without a usable row since the last
	// kept one: they leave nothing to process again but their discount.
	pending float64
}

// keptShard is one shard among the kept rows.
type keptShard struct {
	t      int64
	forget float64 // together with that of the unkept shards before it
	rows   int
}

// newScaling returns the constants of a key without rows. x is room for those of
// the design's columns, nil: there is none yet.
func newScaling(spec *Spec, d *design, x []Constant) scaling {
	s := scaling{pending: 1, frozen: true}
	r := &spec.Columns.Response
	first := spec.Columns.Scaling == "first"
	s.y = explicit(d.response, r.Center, r.Scale)
	if first && !spec.RawResponse && (r.Center == nil || r.Scale == nil) {
		s.frozen = false
	}
	if s.x = x; x == nil {
		s.x = make([]Constant, d.constants())
	}
	for j, name := range d.names {
		s.x[j] = Constant{Column: name, Scale: 1}
	}
	for j, name := range d.alone {
		s.x[len(d.names)+j] = Constant{Column: name, Scale: 1}
	}
	if first && len(d.alone) > 0 {
		s.frozen = false
	}
	for i := range d.sources {
		src := &d.sources[i]
		if src.categorical {
			continue
		}
		s.x[src.first] = explicit(src.feature.Name, src.feature.Center, src.feature.Scale)
		if first && (src.feature.Center == nil || src.feature.Scale == nil) {
			s.frozen = false
		}
	}
	return s
}

// centersResponse reports that the response has its centre from the first rows.
func (s *Spec) centersResponse() bool {
	return s.Columns.Scaling == "first" && !s.RawResponse && !s.Origin && s.Columns.Response.Center == nil
}

func explicit(name string, center, scale *float64) Constant {
	c := Constant{Column: name, Scale: 1}
	if center != nil {
		c.Center = *center
	}
	if scale != nil {
		c.Scale = *scale
	}
	return c
}

// keep adds the observed rows of a shard, with silent all of them; the slices
// of earlier copies of s stay as they are up to their lengths.
func (s *scaling) keep(t int64, forget float64, from *rows, silent bool) {
	// The columns of columns are copied: an earlier copy of s must not see
	// them change.
	s.raw.group, s.raw.slopes = slices.Clone(s.raw.group), slices.Clone(s.raw.slopes)
	for s.observed == 0 && len(s.kept) > 0 && s.raw.n+from.n > most {
		s.raw.drop(s.kept[0].rows)
		s.kept = s.kept[1:]
	}
	before := s.raw.n
	s.observed += s.raw.append(from, silent)
	s.kept = append(s.kept, keptShard{t: t, forget: both(s.pending, forget), rows: s.raw.n - before})
	s.pending = 1
}

// ascending is room for the values of a column, to sort them, and to make those of products.
type ascending struct{ v, room, products []float64 }

func (a *ascending) sort(x []float64) { a.room = vec.Sort(x, a.room) }

// compute derives the constants from the kept rows, in room. ErrNumeric: they
// have no finite ones.
func (s *scaling) compute(spec *Spec, d *design, room *ascending) error {
	if r := &spec.Columns.Response; !spec.RawResponse {
		s.y = column(s.y, s.raw.y, 0, 1, r.Center, r.Scale, spec.Origin, false, room)
		if v := room.v; r.Scale == nil && len(v) > 0 {
			if spread := v[len(v)-1] - v[0]; spread > 0 && spread < leastSpread {
				return fmt.Errorf("%w: column %q has values that differ by %.2g, whose square no number holds, and variances are squares; send it in another unit", ErrNumeric, s.y.Column, spread)
			}
		}
	}
	s.x = slices.Clone(s.x)
	for i := range d.sources {
		src := &d.sources[i]
		if !src.categorical {
			s.x[src.first] = column(s.x[src.first], s.raw.x, src.first, s.raw.cols,
				src.feature.Center, src.feature.Scale, spec.Origin, true, room)
		}
	}
	for i := range d.products {
		p := &d.products[i]
		if sum, size := s.centred(p, s.raw.n, &room.products, s.raw.column); sum != nil {
			c := column(Constant{Column: s.x[p.column].Column, Scale: 1}, sum, 0, 1, nil, nil, spec.Origin, true, room)
			if c.Scale < noSpread*size {
				c.Scale = 1
			}
			s.x[p.column] = c
		}
	}
	for f, place := range d.slopes {
		if place >= len(d.names) {
			s.x[place] = column(s.x[place], s.raw.slopes[f], 0, 1, nil, nil, spec.Origin, true, room)
		}
	}
	if err := s.y.known(); err != nil {
		return err
	}
	for i := range s.x {
		if err := s.x[i].known(); err != nil {
			return err
		}
	}
	return nil
}

// leastSpread is how far apart the values of a response are at least, if they differ: its square has all digits.
const leastSpread = 0x1p-511

func (c *Constant) known() error {
	if !finite(c.Center, c.Scale) {
		return fmt.Errorf("%w: column %q has no finite centre and scale: its values differ by more than numbers can do; send it in another unit, or its logarithm", ErrNumeric, c.Column)
	}
	return nil
}

// column returns the constants of the values v[j], v[j+stride] ... that are
// numbers, see located; what is given explicitly wins. Where indicator says so a
// column of zeros and ones keeps centre 0 and scale 1.
func column(c Constant, v []float64, j, stride int, center, scale *float64, origin, indicator bool, room *ascending) Constant {
	if center != nil && scale != nil {
		return c
	}
	buf := room.v[:0]
	for i := j; i < len(v); i += stride {
		if !math.IsNaN(v[i]) {
			buf = append(buf, v[i])
			indicator = indicator && (v[i] == 0 || v[i] == 1)
		}
	}
	if room.v = buf; len(buf) == 0 {
		return c
	}
	mean, sd := 0., 1.
	if !indicator {
		room.sort(buf)
		mean, sd = located(buf)
	}
	if center == nil && !origin {
		c.Center = mean
	}
	if scale == nil {
		c.Scale = sd
	}
	return c
}

// freeze drops the kept rows once there are enough.
func (s *scaling) freeze(spec *Spec, d *design) {
	if s.observed >= enough || s.observed > 0 && s.raw.n >= most {
		s.fix(spec, d)
	}
}

// fix makes the constants final.
func (s *scaling) fix(spec *Spec, d *design) {
	s.frozen, s.kept, s.raw, s.observed = true, nil, rows{}, 0
	s.watch.begin(spec, d)
}

// known reports whether the constants mean anything yet.
func (s *scaling) known() bool { return s.frozen || s.observed > 0 }

// unitless reports that the response has its scale from first rows that do not tell it as yet: it is 1, whatever the unit.
func (s *scaling) unitless(spec *Spec) bool {
	if s.frozen || spec.RawResponse || spec.Columns.Response.Scale != nil {
		return false
	}
	last := math.NaN()
	for _, y := range s.raw.y {
		if y < last || y > last {
			return false
		}
		if !math.IsNaN(y) {
			last = y
		}
	}
	return true
}

// scaled lays the kept rows out in dst with the constants applied.
func (s *scaling) scaled(d *design, dst *rows) {
	r := &s.raw
	dst.n, dst.cols, dst.finite = r.n, r.cols, false
	dst.y = dst.y[:0]
	for _, y := range r.y {
		dst.y = append(dst.y, (y-s.y.Center)/s.y.Scale)
	}
	dst.x = slices.Grow(dst.x[:0], len(r.x))[:len(r.x)]
	for from := 0; from < len(r.x); from += r.cols {
		row := dst.x[from:][:r.cols]
		for j, v := range r.x[from:][:r.cols] {
			c := &s.x[j]
			row[j] = (v - c.Center) / c.Scale
		}
	}
	for i := range d.products {
		p := &d.products[i]
		if sum, _ := s.centred(p, r.n, &dst.room, r.column); sum != nil {
			dst.put(p.column, sum, &s.x[p.column])
		}
	}
	dst.group = copyEach(dst.group, r.group)
	dst.slopes = copyEach(dst.slopes, r.slopes)
	s.scaleSlopes(d, dst.slopes)
	dst.offset = append(dst.offset[:0], r.offset...)
	dst.time = append(dst.time[:0], r.time...)
}

// scaleSlopes centres and scales the values of slopes, as those of features are: how far a column is from 0 in its own unit is nothing that
// groups differ by, and priors act on the scaled columns.
func (s *scaling) scaleSlopes(d *design, slopes [][]float64) {
	for f, values := range slopes {
		c := &s.x[d.slopes[f]]
		for k, v := range values {
			values[k] = (v - c.Center) / c.Scale
		}
	}
}

// published returns the columns that are centred or scaled, the response
// first.
func (s *scaling) published(dst []Constant) []Constant {
	if s.y.Center != 0 || s.y.Scale != 1 {
		dst = append(dst, s.y)
	}
	for _, c := range s.x {
		if c.Center != 0 || c.Scale != 1 {
			dst = append(dst, c)
		}
	}
	return dst
}

// located returns the mean and the sd (divisor n-1; 0 becomes 1) of ascending
// values within a fence around their median, so that up to a fifth of the values
// may be anything. Normal values are all within (of 50 the fence is at 9 sd): theirs
// are the mean and the sd as they are. The order in which values came is of no
// account.
func located(v []float64) (mean, sd float64) {
	n := len(v)
	if v[0] == v[n-1] { // a mean of equal values may round to another one
		return v[0], 1
	}
	median := v[(n-1)/2]/2 + v[n/2]/2
	far, lo, hi := fence(v, median), 0, n
	for median-v[lo] > far {
		lo++
	}
	for v[hi-1]-median > far {
		hi--
	}
	v = v[lo:hi]
	sum, squares := 0., 0.
	for _, x := range v {
		sum += x - median
	}
	mean = median + sum/float64(len(v))
	for _, x := range v {
		d := x - mean
		squares += float64(d * d)
	}
	if sd = math.Sqrt(squares / float64(len(v)-1)); sd == 0 {
		sd = 1
	}
	return mean, sd
}

// fence returns how far from their median ascending values have a say: eight
// times the distance within which three quarters of all are, and half of those m
// that differ from it, which matters where many are equal to it. Where m is small
// that distance says little of the next value, and the fence is (10/m)^3 times
// as far again: fewer than four values are all within.
func fence(v []float64, median float64) float64 {
	n := len(v)
	// v[lo:hi] is at the median: halves of the least numbers are 0.
	lo := first(0, n, func(i int) bool { return v[i] >= median })
	hi := first(lo, n, func(i int) bool { return v[i] > median })
	differ := n - (hi - lo)
	if within := max((3*n+3)/4, n-differ/2); hi-lo < within {
		// The nearest ones: of what they begin with and what follows them, the former is no further.
		lo = first(max(hi-within, 0), min(lo, n-within), func(i int) bool { return median-v[i] <= v[i+within]-median })
		hi = lo + within
	}
	reach := max(median-v[lo], v[hi-1]-median)
	few := 10 / float64(differ)
	return 8 * reach * (1 + float64(few*few*few))
}

// first returns the first number from lo on, below hi, from which on something holds, else hi.
func first(lo, hi int, holds func(int) bool) int {
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); holds(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// finite reports whether no x is infinite or NaN.
func finite(x ...float64) bool {
	for _, v := range x {
		if v-v != 0 { // Inf-Inf is NaN
			return false
		}
	}
	return true
}
