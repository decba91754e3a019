package cdf

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/credence-stream/credence/cdf/vec"
)

// rows is the storage behind shards: bound rows with the columns of X in
// order.
type rows struct {
	n, cols int
	y, x    []float64
	finite  bool // all of x is known to be
	group   [][]int32
	slopes  [][]float64
	offset  []float64
	time    []int64

	room []float64 // scratch
}

// shape makes room for n rows; contents are undefined.
func (r *rows) shape(n int, d *design, at *layout) {
	r.n, r.cols, r.finite = n, len(d.names), false
	r.y = slices.Grow(r.y[:0], n)[:n]
	r.x = slices.Grow(r.x[:0], n*r.cols)[:n*r.cols]
	r.group = shapeEach(r.group, len(at.groups), n)
	r.slopes = shapeEach(r.slopes, len(at.slopes), n)
	if r.offset = r.offset[:0]; at.exposure >= 0 {
		r.offset = slices.Grow(r.offset, n)[:n]
	}
	if r.time = r.time[:0]; at.time >= 0 {
		r.time = slices.Grow(r.time, n)[:n]
	}
}

func shapeEach[T any](dst [][]T, columns, n int) [][]T {
	if len(dst) < columns {
		dst = append(dst, make([][]T, columns-len(dst))...)
	}
	dst = dst[:columns]
	for i := range dst {
		dst[i] = slices.Grow(dst[i][:0], n)[:n]
	}
	return dst
}

func copyEach[T any](dst, src [][]T) [][]T {
	dst = shapeEach(dst, len(src), 0)
	for i := range src {
		dst[i] = append(dst[i], src[i]...)
	}
	return dst
}

// fill lays the admitted rows out, scaled by s. grow lets new groups join; where errNotFinite is
// returned, none has.
func (r *rows) fill(in *intake, spec *Spec, d *design, factors []factor, s *scaling, grow bool) error {
	b, at := in.batch, in.at
	r.shape(len(in.rows), d, at)
	if at.y < 0 {
		for k := range r.y {
			r.y[k] = math.NaN()
		}
	} else {
		v := in.numbersOf(b.Columns[at.y].Number, 0, r.n, r.y)
		vec.Standardize(r.y, v, s.y.Center, s.y.Scale)
	}
	p := r.cols
	lead := numbersOf(d.sources)
	beside := spec.Columns.Intercept && r.n > 0 && 0 < lead && lead < abreast
	if spec.Columns.Intercept && !beside {
		for k := range in.rows {
			r.x[k*p] = 1
		}
	}
	for i := range d.sources {
		src := &d.sources[i]
		if src.categorical {
			lo, hi := src.first, src.first+src.width()
			for k, row := range in.rows {
				clear(r.x[k*p+lo : k*p+hi])
				if column := in.hot[i][row]; column >= 0 {
					r.x[k*p+int(column)] = 1
				}
			}
		}
	}
	r.finite = true
	for i := 0; i < len(d.sources); {
		if i > 0 {
			lead = numbersOf(d.sources[i:])
		}
		r.fillNumbers(in, d.sources[i:i+lead], at.sources[i:], s, beside && i == 0)
		i += max(lead, 1)
		if in.presumes && !r.finite {
			return errNotFinite
		}
	}
	r.fillBaselines(d)
	for i := range d.products {
		p := &d.products[i]
		sum, _ := s.centred(p, r.n, &r.room, func(column int, dst []float64) {
			values := b.Columns[at.sources[column-d.sources[0].first]].Number // a source of a formula is one column
			for k, row := range in.rows {
				dst[k] = values[row]
			}
		})
		if sum != nil && !r.put(p.column, sum, &s.x[p.column]) && in.presumes {
			return errNotFinite
		}
	}
	for f, i := range at.groups {
		if err := factors[f].enrol(r.group[f], &b.Columns[i], &spec.Columns.Groups[f], in, spec.Limits.Groups, grow); err != nil {
			return err
		}
	}
	for f, i := range at.slopes {
		for k, row := range in.rows {
			r.slopes[f][k] = b.Columns[i].Number[row]
		}
	}
	s.scaleSlopes(d, r.slopes)
	for k := range r.offset {
		r.offset[k] = math.Log(b.Columns[at.exposure].Number[in.rows[k]])
	}
	for k := range r.time {
		r.time[k] = b.Columns[at.time].step(int(in.rows[k]))
	}
	return nil
}

// together is how many rows are filled at a time, and abreast how many columns, so
// that what is written stays in the first-level cache.
const together, abreast = 128, vec.Abreast

// errNotFinite says that rows are not finite though the intake presumes that all are.
var errNotFinite = errors.New("a number is not finite")

// fillNumbers lays out the admitted rows of sources that are numbers and stand together in X, abreast at most; with ones, those before
// them too, of which there is room for: so each row is written once. Where a number is not finite, or too large when it is scaled, r.finite
// becomes false.
func (r *rows) fillNumbers(in *intake, sources []source, at []int, s *scaling, ones bool) {
	k := len(sources)
	if k == 0 || r.n == 0 {
		return
	}
	x := r.x[sources[0].first:]
	if k == abreast && !in.lost {
		var columns [abreast][]float64
		var constants vec.Constants
		for j := range columns {
			c := &s.x[sources[j].first]
			columns[j] = in.batch.Columns[at[j]].Number
			constants.Set(j, c.Center, c.Scale)
		}
		if vec.StandardizeAcross(x, r.cols, r.n, &columns, &constants) {
			return
		}
	}
	r.room = slices.Grow(r.room[:0], abreast*together)[:abreast*together]
	before := 0
	if ones {
		before, x = 1, r.x
		for i := range r.room[:min(r.n, together)] {
			r.room[i] = 1
		}
	}
	for from := 0; from < r.n; from += together {
		to := min(from+together, r.n)
		n := to - from
		for j := range k {
			dst, c := r.room[(before+j)*n:][:n], &s.x[sources[j].first]
			finite := vec.Standardize(dst, in.numbersOf(in.batch.Columns[at[j]].Number, from, to, dst), c.Center, c.Scale)
			r.finite = r.finite && finite
		}
		vec.Transpose(before+k, n, r.room, n, x[from*r.cols:], r.cols)
	}
}

// numbersOf returns how many of the first sources are numbers, abreast at most.
func numbersOf(sources []source) int {
	k := 0
	for k < min(len(sources), abreast) && !sources[k].categorical {
		k++
	}
	return k
}

// shard makes sh a view of rows lo to hi.
func (r *rows) shard(sh *Shard, lo, hi int) {
	sh.Rows, sh.Cols, sh.Forget, sh.Inner, sh.Glance, sh.Serial, sh.Finite = hi-lo, r.cols, 1, false, false, 0, r.finite
	sh.Y = r.y[lo:hi:hi]
	sh.X = r.x[lo*r.cols : hi*r.cols : hi*r.cols]
	sh.Group = sh.Group[:0]
	for _, g := range r.group {
		sh.Group = append(sh.Group, g[lo:hi:hi])
	}
	sh.Slopes = sh.Slopes[:0]
	for _, v := range r.slopes {
		sh.Slopes = append(sh.Slopes, v[lo:hi:hi])
	}
	sh.Offset, sh.Time = nil, nil
	if len(r.offset) > 0 {
		sh.Offset = r.offset[lo:hi:hi]
	}
	if len(r.time) > 0 {
		sh.Time = r.time[lo:hi:hi]
	}
}

// divide copies the rows of a shard that have a response in two halves, one behind the other, and returns how many the first one
// has; in turn 1 the other half is first, and time runs back. A Weyl sequence picks them, and they are mixed, so that no order or period of the rows has a say; of steps of time all rows are
// copied as they are. Groups are numbered anew, in the order in which they come now.
func (r *rows) divide(sh *Shard, steps bool, turn int) (first int) {
	order := make([]int32, 0, sh.Rows)
	if steps {
		for i := range sh.Rows {
			order = append(order, int32(i))
		}
		if first = sh.Rows / 2; turn == 1 {
			slices.Reverse(order)
			first = sh.Rows - first
		}
	} else {
		for half := range uint64(2) {
			for i, y := range sh.Y {
				if uint64(i)*golden>>63 == half^uint64(turn) && !math.IsNaN(y) {
					order = append(order, int32(i))
				}
			}
			if half == 0 {
				first = len(order)
			}
		}
		mixed := rand.New(rand.NewPCG(golden, uint64(len(order))))
		for _, half := range [][]int32{order[:first], order[first:]} {
			mixed.Shuffle(len(half), func(i, j int) { half[i], half[j] = half[j], half[i] })
		}
	}
	r.n, r.cols, r.finite = len(order), sh.Cols, sh.Finite
	r.y, r.x = gather(r.y, sh.Y, order, 1), gather(r.x, sh.X, order, sh.Cols)
	r.group, r.slopes = shapeEach(r.group, len(sh.Group), 0), shapeEach(r.slopes, len(sh.Slopes), 0)
	for k, g := range sh.Group {
		r.group[k] = inOrder(gather(r.group[k], g, order, 1))
	}
	for k, v := range sh.Slopes {
		r.slopes[k] = gather(r.slopes[k], v, order, 1)
	}
	if r.offset = r.offset[:0]; sh.Offset != nil {
		r.offset = gather(r.offset, sh.Offset, order, 1)
	}
	if r.time = r.time[:0]; sh.Time != nil {
		r.time = gather(r.time, sh.Time, order, 1)
		for i := range r.time {
			if steps && turn == 1 {
				r.time[i] = -r.time[i]
			}
		}
	}
	return first
}

// gather copies rows of so many numbers in an order.
func gather[T any](dst, src []T, order []int32, columns int) []T {
	dst = slices.Grow(dst[:0], len(order)*columns)
	for _, i := range order {
		dst = append(dst, src[int(i)*columns:][:columns]...)
	}
	return dst
}

// inOrder numbers levels in the order in which they come.
func inOrder(levels []int32) []int32 {
	number := map[int32]int32{}
	for i, level := range levels {
		n, known := number[level]
		if !known {
			n = int32(len(number))
			number[level] = n
		}
		levels[i] = n
	}
	return levels
}

// append copies the rows of from that have a response, with silent those
// without one too, and returns how many have one.
func (r *rows) append(from *rows, silent bool) (observed int) {
	more := 0
	r.cols = from.cols
	for _, y := range from.y {
		if silent || !math.IsNaN(y) {
			more++
		}
	}
	r.y, r.x = roomFor(r.y, more), roomFor(r.x, more*r.cols)
	if len(r.group) == 0 {
		r.group = make([][]int32, len(from.group))
		r.slopes = make([][]float64, len(from.slopes))
	}
	for k, y := range from.y {
		if !math.IsNaN(y) {
			observed++
		} else if !silent {
			continue
		}
		r.n++
		r.y = append(r.y, y)
		r.x = append(r.x, from.x[k*from.cols:(k+1)*from.cols]...)
		for f := range from.group {
			r.group[f] = append(r.group[f], from.group[f][k])
		}
		for f := range from.slopes {
			r.slopes[f] = append(r.slopes[f], from.slopes[f][k])
		}
		if len(from.offset) > 0 {
			r.offset = append(r.offset, from.offset[k])
		}
		if len(from.time) > 0 {
			r.time = append(r.time, from.time[k])
		}
	}
	return observed
}

// roomFor makes room for n more: those of a key's first shard take what they need.
func roomFor(v []float64, n int) []float64 {
	if v == nil {
		return make([]float64, 0, n)
	}
	return slices.Grow(v, n)
}

// drop forgets the first n rows; the slices of earlier copies of r stay.
func (r *rows) drop(n int) {
	r.n -= n
	r.y, r.x = r.y[n:], r.x[n*r.cols:]
	for f := range r.group {
		r.group[f] = r.group[f][n:]
	}
	for f := range r.slopes {
		r.slopes[f] = r.slopes[f][n:]
	}
	r.offset, r.time = r.offset[min(n, len(r.offset)):], r.time[min(n, len(r.time)):]
}
