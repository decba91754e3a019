package cdf

import (
	"encoding/binary"
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/credence-stream/credence/cdf/vec"
)

const (
	memory    = 1000 // rows that the running spread looks back on
	sample    = 200  // most rows of a shard that it sees
	earliest  = 50   // rows before which it says nothing of more
	calm      = 500  // and of less: what varies rarely needs them
	reached   = 10   // scales beyond which a value counts as one that far away
	moved     = 5    // ratio of running spread and scale, either way
	far       = 300  // scales from which a value of later rows is one, whose column may have a long tail
	stray     = 30   // scales from which a value of the first rows is an outlier
	strayTill = .1   // of the discounted rows
	// indicating is how far the mean square of zeros and ones may be from their mean, as a part of it.
	indicating = 1e-3
	unitSDs    = 5  // sds that a column in another unit may be from where that puts it,
	unitPart   = .2 // and part of that place, as sds are not known better
)

// watch compares later rows with the constants that the first ones gave, of the
// columns whose scale was learnt. Numbers are in units of the scale.
type watch struct {
	rows    int      // behind the spreads, at most memory
	spreads []spread // the response's first; nil while rows are kept
	// outliers is the greatest sum of squares, over the columns, of the first
	// rows' outliers, discounted.
	outliers float64
}

// spread is the running mean and variance of a column, bounded: a value that is
// further than reached from the mean counts as one at reached. Where rows are
// steps in time, mean is the last value and variance half the mean square of
// the steps: a level may go where it likes.
type spread struct{ mean, variance float32 }

// learnt yields the columns that have their scale from the first rows, with
// the place of their spread: -1 for the response, then those of X.
func learnt(spec *Spec, d *design) iter.Seq2[int, int] {
	return func(yield func(place, column int) bool) {
		place := 0
		if spec.Columns.Scaling != "first" {
			return
		}
		if !spec.RawResponse && spec.Columns.Response.Scale == nil {
			if !yield(place, -1) {
				return
			}
			place++
		}
		for i := range d.sources {
			if src := &d.sources[i]; !src.categorical && src.feature.Scale == nil {
				if !yield(place, src.first) {
					return
				}
				place++
			}
		}
	}
}

// begin makes room for the spreads.
func (w *watch) begin(spec *Spec, d *design) {
	n := 0
	for range learnt(spec, d) {
		n++
	}
	w.spreads = slices.Grow(w.spreads[:0], n)[:n]
	clear(w.spreads)
}

// at returns where the values of a column are: of X, or -1 for the response.
func (r *rows) at(column int) (v []float64, stride int) {
	if column < 0 {
		return r.y, 1
	}
	return r.x[column:], r.cols
}

// first weighs the outliers among the kept rows, whose scaled form is given.
func (w *watch) first(spec *Spec, d *design, kept []keptShard, scaled *rows) {
	w.outliers = 0
	for _, column := range learnt(spec, d) {
		v, stride := scaled.at(column)
		sum, i := 0., 0
		for _, k := range kept {
			sum *= k.forget
			for range k.rows {
				if z := v[i*stride]; math.Abs(z) > stray {
					sum = min(sum+float64(z*z), math.MaxFloat64)
				}
				i++
			}
		}
		w.outliers = max(w.outliers, sum)
	}
}

// add takes in a shard after the constants are fixed: its rows with a response,
// of a large shard the last steps or rows that a Weyl sequence picks, so that no
// period of the data is missed.
func (w *watch) add(spec *Spec, d *design, r *rows, forget float64) {
	w.outliers *= forget
	if len(w.spreads) == 0 {
		return
	}
	var room [sample]int32
	seen := r.seen(room[:0], spec.Steps)
	if len(seen) == 0 {
		return
	}
	old := min(w.rows, memory-len(seen))
	run := columnRun{}
	for place, column := range learnt(spec, d) {
		v, stride := r.at(column)
		switch s := &w.spreads[place]; {
		case spec.Steps:
			s.step(v, stride, seen, float64(old))
		case column < 0:
			addTogether(w.spreads[place:][:1], v, stride, seen, float64(old))
		case run.n > 0 && run.n < sideBySide && run.column+run.n == column:
			run.n++
		default:
			run.add(w, r, seen, float64(old))
			run = columnRun{place, column, 1}
		}
	}
	run.add(w, r, seen, float64(old))
	w.rows = old + len(seen)
}

// sideBySide is how many columns of X are taken in at a time: two vectors, or four.
const sideBySide = 16

// far returns the sum of squares of the values that are farther than far from their centre, of the
// column with the most, before the watch takes them in. Responses are looked at where one surprised the model. Where
// rows are steps in time a level may be anywhere. A feature that is that far off determines its coefficient and says
// nothing else, for as long as the other rows do not outweigh it.
func (s *scaling) far(spec *Spec, d *design, r *rows, surprised bool) (most float64) {
	if spec.Steps || len(s.watch.spreads) == 0 {
		return 0
	}
	for x := range slices.Chunk(r.x, 1<<13) { // as many as vectors take at once
		least, greatest := vec.Extremes(x)
		surprised = surprised || greatest > far || least < -far
	}
	if !surprised {
		return 0
	}
	for place, column := range learnt(spec, d) {
		if !s.judges(place, column) {
			continue
		}
		v, stride := r.at(column)
		sum := 0.
		for i, y := range r.y {
			if z := math.Abs(v[i*stride]); z > far && !math.IsNaN(y) {
				sum += float64(z * z)
			}
		}
		most = max(most, min(sum, math.MaxFloat64))
	}
	return most
}

// judges reports whether the scale of a column says how far off a value of it is. Values that were all the same have
// the scale 1, whatever their unit, and so have zeros and ones, which are what they were while both are seen: the mean of
// their squares is then their mean.
func (s *scaling) judges(place, column int) bool {
	c := &s.y
	if column >= 0 {
		c = &s.x[column]
	}
	if c.Scale != 1 {
		return true
	}
	w := &s.watch.spreads[place]
	mean, variance := float64(w.mean), float64(w.variance)
	return c.Center == 0 && s.watch.rows >= earliest && variance > 0 &&
		math.Abs(variance+float64(mean*mean)-mean) < indicating*mean
}

// columnRun are columns of X that stand side by side, and the places of their spreads.
type columnRun struct{ place, column, n int }

func (c columnRun) add(w *watch, r *rows, seen []int32, old float64) {
	if c.n > 0 {
		addTogether(w.spreads[c.place:][:c.n], r.x[c.column:], r.cols, seen, old)
	}
}

// addTogether takes in the seen rows of as many columns, beside as many old rows as given.
func addTogether(spreads []spread, v []float64, stride int, seen []int32, old float64) {
	var mean, sum, squares [sideBySide]float64
	for k := range spreads {
		mean[k] = float64(spreads[k].mean)
	}
	n := len(spreads)
	vec.AddBounded(v, stride, seen, mean[:n], sum[:n], squares[:n], reached)
	for k := range spreads {
		spreads[k].add(mean[k], sum[k], squares[k], float64(len(seen)), old)
	}
}

// add takes in n rows, of whose distances from the mean the sum and the squares are given.
func (s *spread) add(mean, sum, squares, n, old float64) {
	all := old + n
	shift := sum / all
	variance := (float64(old*float64(s.variance))+squares)/all - float64(shift*shift)
	s.mean, s.variance = float32(mean+shift), float32(max(variance, 0))
}

// step is add where rows are steps in time. Steps between independent
// values vary by the root of two more than these, and so does their bound.
func (s *spread) step(v []float64, stride int, seen []int32, old float64) {
	const bound = reached * math.Sqrt2
	last, squares := float64(s.mean), 0.
	for _, row := range seen {
		z := v[int(row)*stride]
		d := min(max(z-last, -bound), bound)
		squares += float64(d * d)
		last = min(max(z, -math.MaxFloat32), math.MaxFloat32)
	}
	s.mean = float32(last)
	s.variance = float32((float64(old*float64(s.variance)) + squares/2) / (old + float64(len(seen))))
}

// seen appends the rows with a response among those that are picked.
func (r *rows) seen(dst []int32, last bool) []int32 {
	for i := range min(r.n, sample) {
		if row := r.picked(i, last); !math.IsNaN(r.y[row]) {
			dst = append(dst, int32(row))
		}
	}
	return dst
}

// golden is 2^64 over the golden ratio: that of a Weyl sequence.
const golden = 0x9e3779b97f4a7c15

// picked returns the row that is the i-th to be seen.
func (r *rows) picked(i int, last bool) int {
	if r.n <= sample || last {
		return max(r.n-sample, 0) + i
	}
	row, _ := bits.Mul64(uint64(i)*golden, uint64(r.n))
	return int(row)
}

// appendFlags appends what the constants are not to be trusted for, in a state
// of as many discounted rows, and of columns that a model has found narrow.
func (s *scaling) appendFlags(dst []string, spec *Spec, d *design, rows float64, narrowed []Narrowed) []string {
	w := &s.watch
	if w.outliers > strayTill*rows && !slices.Contains(dst, firstOutliers) { // a model may tell it as well
		dst = append(dst, firstOutliers)
	}
	if s.moved(spec, d, narrowed) {
		dst = append(dst, scaleMoved)
	}
	return dst
}

// moved reports whether a column spreads otherwise than the rows that its scale is from.
func (s *scaling) moved(spec *Spec, d *design, narrowed []Narrowed) bool {
	for i := range narrowed {
		if narrowed[i].inAnotherUnit(s.x[narrowed[i].Column]) {
			return true
		}
	}
	w := &s.watch
	if w.rows < earliest {
		return false
	}
	for place, column := range learnt(spec, d) {
		c := s.y
		if column >= 0 {
			c = s.x[column]
		}
		v := float64(w.spreads[place].variance)
		// A scale of 1 is that of a column of equal values, or of zeros and
		// ones: less than that says nothing, and neither do small steps.
		less := w.rows >= calm && c.Scale != 1 && !spec.Steps
		if v > moved*moved || less && v < 1./(moved*moved) {
			return true
		}
	}
	return false
}

// inAnotherUnit reports whether the values are where another unit would put them: closer to 0
// by as much as they spread less. Those of one hour of a day, or of a sensor that hangs, are elsewhere.
func (n *Narrowed) inAnotherUnit(c Constant) bool {
	is, put := c.Center+c.Scale*n.Mean, (c.Center+c.Scale*n.BeforeMean)*n.SD/n.BeforeSD
	return math.Abs(is-put) <= unitSDs*c.Scale*n.SD+unitPart*math.Abs(put)
}

func (w *watch) append(b []byte) []byte {
	b = appendFloat(b, w.outliers)
	b = binary.AppendUvarint(b, uint64(w.rows))
	for _, s := range w.spreads {
		b = appendFloat32(appendFloat32(b, s.mean), s.variance)
	}
	return b
}

// read reads the watch into the spreads that begin made, none while rows are kept.
func (w *watch) read(r *reader) {
	w.outliers = r.float()
	rows := r.uint()
	if !(w.outliers >= 0 && finite(w.outliers)) || rows > memory || len(w.spreads) == 0 && rows > 0 {
		r.fail("scaling watched over %d rows, outliers %g", rows, w.outliers)
		return
	}
	w.rows = int(rows)
	for i := range w.spreads {
		s := spread{mean: r.float32(), variance: r.float32()}
		if w.spreads[i] = s; s.variance < 0 {
			r.fail("a column has running variance %g", s.variance)
		}
	}
}
