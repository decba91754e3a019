package repeated

import (
	"math"
	"math/bits"
	"slices"
)

// looked is how many rows of a shard are compared with each other, of more a part, 2 to minus some power, by what they are: those that are the same are
// all in it, or none.
const (
	looked = 128
	// tries is how many rows with an earlier one's response are looked at where no shard had a row twice: of rounded responses there may be many.
	tries = 32
)

// Table is a shard of rows with responses, which are numbers.
type Table struct {
	Y []float64
	// Ends are the first and the last column of numbers, nil: there is none. They, and SameColumns, know the rows by At, nil: as Y does.
	Ends [2][]float64
	At   []int32
	Rows Rows
}

// Rows are those of a table.
type Rows interface {
	SameColumns(i, j int32) bool
	// Columns fills in hashes of all columns, of the rows of Y.
	Columns(dst []uint64)
}

func (t *Table) at(i int32) int32 {
	if t.At != nil {
		return t.At[i]
	}
	return i
}

// Room is reused from shard to shard.
type Room struct {
	all         []uint64       // hashes of all rows
	columns     []uint64       // of their columns
	slots       []uint8        // by hash the place + 1 of the first row that has it
	hashes      [looked]uint64 // of the rows that are looked at, by their places
	rows        [looked]int32
	tied        []tie
	sets        [looked]uint8 // by the place of their first row, how many others are the same
	groups      [looked]group // likewise, of rows with the same columns
	common      []float64
	some        [64]float64
	evenly      [looked]float64
	evenColumns [looked]uint64
}

// tie is a row that may be the same as an earlier one, by their places.
type tie struct{ row, first uint8 }

// group are rows with the same columns behind the first of them.
type group struct{ last, rows uint8 }

// find finds sets of rows that are the same, of a part of all, but for those with a response that is common, and returns how many came before.
// Where no shard had a row twice that is 0 if it would take more than a few tries.
func (r *Room) find(t *Table, first bool) (part float32, again int) {
	r.all = slices.Grow(r.all[:0], len(t.Y))[:len(t.Y)]
	all := r.all
	for i, v := range t.Y {
		all[i] = math.Float64bits(v+0) * multiplier // -0 is 0
	}
	for _, end := range t.Ends {
		if end != nil {
			HashNumbers(all, end, t.At)
		}
	}
	part = r.tie(all)
	if len(r.tied) == 0 {
		return part, 0
	}
	clear(r.sets[:])
	same := 0
	for k, pair := range r.tied {
		if i, j := r.rows[pair.first], r.rows[pair.row]; t.Y[i] == t.Y[j] && t.Rows.SameColumns(t.at(i), t.at(j)) {
			r.sets[pair.first]++
			same++
		}
		if first && same == 0 && k == tries {
			break
		}
	}
	if same == 0 {
		return part, 0
	}
	r.findCommon(t.Y)
	for at, n := range r.sets {
		if n > 0 && slices.Contains(r.common, t.Y[r.rows[at]]) {
			r.sets[at] = 0
		} else {
			again += int(n)
		}
	}
	return part, again
}

// HashNumbers takes a column into the hashes of rows, which are those at at, or all.
func HashNumbers(dst []uint64, v []float64, at []int32) {
	if at == nil {
		for i, v := range v[:len(dst)] {
			dst[i] = (dst[i] ^ math.Float64bits(v+0)) * multiplier
		}
		return
	}
	for i, row := range at[:len(dst)] {
		dst[i] = (dst[i] ^ math.Float64bits(v[row]+0)) * multiplier
	}
}

// tie finds rows with the hash of an earlier one among those that are looked at, and returns which part of all these are.
func (r *Room) tie(hashes []uint64) (part float32) {
	shift := 0
	for len(hashes)>>shift > looked {
		shift++
	}
	size := bits.Len(uint(6 * min(len(hashes), looked)))
	r.slots = slices.Grow(r.slots[:0], 1<<size)[:1<<size]
	clear(r.slots)
	r.tied = r.tied[:0]
	out := uint64(1)<<shift - 1
	n, mask := 0, uint64(1)<<size-1
rows:
	for row, h := range hashes {
		h = (h ^ h>>32) * multiplier
		if h>>24&out != 0 {
			continue
		}
		if n == looked {
			break
		}
		r.rows[n], r.hashes[n] = int32(row), h
		n++
		for i := h >> (64 - size); ; i = (i + 1) & mask {
			slot := r.slots[i]
			if slot == 0 {
				r.slots[i] = uint8(n)
				continue rows
			}
			if r.hashes[slot-1] == h {
				r.tied = append(r.tied, tie{uint8(n - 1), slot - 1})
				continue rows
			}
		}
	}
	return 1 / float32(int(1)<<shift)
}

// likeness is what rows say that have the columns of an earlier one, of a part of all.
type likeness struct {
	alike int // rows, but for those that have the same common response as the first
	same  int // of them those with its response
	pairs float64
	// apart are distances between responses of a row and the one before with its columns, but for those that are none.
	apart []float64
}

// alike looks for rows with the same columns.
func (r *Room) alike(y []float64, columns []uint64) (l likeness, part float32) {
	part = r.tie(columns)
	clear(r.groups[:])
	l.apart = r.some[:0]
	for _, pair := range r.tied {
		first := y[r.rows[pair.first]]
		v := y[r.rows[pair.row]]
		switch {
		case first != v:
			l.alike++
		case !slices.Contains(r.common, v):
			l.alike++
			l.same++
		}
		g := &r.groups[pair.first]
		before := first
		if g.rows > 0 {
			before = y[r.rows[g.last]]
		}
		g.last = pair.row
		g.rows++
		l.pairs += float64(g.rows)
		if d := math.Abs(v - before); d > 0 && len(l.apart) < len(r.some) {
			l.apart = append(l.apart, d)
		}
	}
	return l, part
}

// apart returns rows that are evenly apart, as many as are looked at, whatever their columns.
func (r *Room) apart(y []float64) (some []float64, columns []uint64) {
	by := (len(y) + looked - 1) / looked
	n := 0
	for i := 0; i < len(y); i += by {
		r.evenly[n], r.evenColumns[n] = y[i], r.columns[i]
		n++
	}
	return r.evenly[:n], r.evenColumns[:n]
}

// byChance returns how many of the pairs have the same response by chance, where those of rows with the same columns are multiples of a unit
// apart, and as often near 0 as the distances say.
func (l *likeness) byChance(y []float64) float64 {
	if len(l.apart) < 2 {
		return (l.pairs - float64(l.same)) / 4
	}
	slices.Sort(l.apart)
	quartile := l.apart[len(l.apart)/4]
	return l.pairs * unitAmong(l.apart, y) / (8 * quartile)
}

// findCommon finds the responses of more than a fifth of the rows.
func (r *Room) findCommon(y []float64) {
	apart, rows := (len(y)+most-1)/most, 0
	r.common = r.common[:0]
	// The counts of Misra and Gries: a value of more than a sixth of the rows is left.
	var values [5]float64
	var counts [5]int
next:
	for i := 0; i < len(y); i += apart {
		rows++
		free := -1
		for k, n := range counts {
			if n == 0 {
				free = k
			} else if values[k] == y[i] {
				counts[k]++
				continue next
			}
		}
		if free >= 0 {
			values[free], counts[free] = y[i], 1
			continue
		}
		for k := range counts {
			counts[k]--
		}
	}
	for k, left := range counts {
		if left == 0 {
			continue
		}
		n := 0
		for i := 0; i < len(y); i += apart {
			if y[i] == values[k] {
				n++
			}
		}
		if n > max(4, rows/5) {
			r.common = append(r.common, values[k])
		}
	}
}

// unitAmong returns the unit of which all distances are multiples, up to a rounding of the values that they are between; 0 where there is none.
func unitAmong(apart, values []float64) (unit float64) {
	nothing := 0.
	for _, v := range values[:min(len(values), 16)] {
		nothing = max(nothing, 1e-10*math.Abs(v))
	}
	for _, d := range apart[:min(len(apart), 16)] {
		nothing = max(nothing, 1e-10*d)
		for unit > nothing {
			d, unit = unit, math.Mod(d, unit)
			if unit > d/2 {
				unit = d - unit
			}
		}
		if unit = d; unit < 100*nothing {
			return 0
		}
	}
	return unit
}
