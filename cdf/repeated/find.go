package repeated

import (
	"math"
	"math/bits"
	"slices"
)

const (
	// looked is how many rows of a shard are compared with each other, of more those with some responses, or with some columns: a part of them, 2 to minus some power.
	looked = 4096
	// tries is how many rows with a response of before are looked at where no shard had a row twice: of rounded responses there may be many.
	tries = 32
)

// Table is a shard of rows with responses, which are numbers.
type Table struct {
	Y []float64
	// Ends are the first and the last column of numbers, nil: there is none. They, and Rows, know the rows by At, nil: as Y does.
	Ends [2][]float64
	At   []int32
	Rows Rows
}

// Rows are those of a table.
type Rows interface {
	SameColumns(i, j int32) bool
	Columns(i int32) Hash // fingerprint of all
}

func (t *Table) at(i int32) int32 {
	if t.At != nil {
		return t.At[i]
	}
	return i
}

// Room is reused from shard to shard.
type Room struct {
	slots  []uint16 // by hash the place + 1 of the first row that has it
	hashes []uint64 // of the rows that are looked at, by their places
	rows   []int32
	tied   []tie
	sets   []uint16 // by the place of their first row, how many others are the same
	groups []group  // by the place of their first row
	common []float64
	some   [64]float64
}

// tie is a row that may be the same as an earlier one, by their places.
type tie struct{ row, first uint16 }

// group are rows with the same columns behind the first of them.
type group struct{ last, rows uint16 }

// find finds sets of rows that are the same, of a part of all, but for those with a response that is common, and returns how many came before.
// Where no shard had a row twice that is 0 if it would take more than a few tries.
func (r *Room) find(t *Table, first bool) (part float32, again int) {
	shift := r.begin(len(t.Y))
	part = 1 / float32(int(1)<<shift)
	r.tied = r.tied[:0]
	for i, v := range t.Y {
		h := Hash(math.Float64bits(v+0) * multiplier) // -0 is 0
		for _, end := range t.Ends {
			if end != nil {
				h = h.Word(math.Float64bits(end[t.at(int32(i))]))
			}
		}
		if at, of := r.tie(i, fold(uint64(h), secret2), shift); of >= 0 {
			r.tied = append(r.tied, tie{uint16(at), uint16(of)})
		}
	}
	if len(r.tied) == 0 {
		return part, 0
	}
	r.sets = slices.Grow(r.sets[:0], len(r.rows))[:len(r.rows)]
	clear(r.sets)
	same := 0
	for i, pair := range r.tied {
		if i, j := r.rows[pair.first], r.rows[pair.row]; t.Y[i] == t.Y[j] && t.Rows.SameColumns(t.at(i), t.at(j)) {
			r.sets[pair.first]++
			same++
		}
		if first && same == 0 && i == tries {
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

// begin empties the room for n rows, and returns by which power of 2 those that are looked at are fewer.
func (r *Room) begin(n int) (shift int) {
	for n > looked && n>>shift > looked/2 {
		shift++
	}
	size := 1 << bits.Len(uint(2*min(n, looked)))
	r.slots = slices.Grow(r.slots[:0], size)[:size]
	clear(r.slots)
	r.rows, r.hashes = r.rows[:0], r.hashes[:0]
	return shift
}

// tie looks at a row with a hash and returns its place and that of the first with the same, -1: there is none, or the row is left out.
func (r *Room) tie(row int, h uint64, shift int) (at, of int) {
	if h&(1<<shift-1) != 0 || len(r.rows) == looked {
		return 0, -1
	}
	at = len(r.rows)
	r.rows, r.hashes = append(r.rows, int32(row)), append(r.hashes, h)
	mask := uint64(len(r.slots) - 1)
	for i := h >> 32 & mask; ; i = (i + 1) & mask {
		switch slot := r.slots[i]; {
		case slot == 0:
			r.slots[i] = uint16(at + 1)
			return at, -1
		case r.hashes[slot-1] == h:
			return at, int(slot - 1)
		}
	}
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
func (r *Room) alike(t *Table) (l likeness) {
	shift := r.begin(len(t.Y))
	size := min(len(t.Y), looked)
	r.groups = slices.Grow(r.groups[:0], size)[:size]
	clear(r.groups)
	l.apart = r.some[:0]
	for i, v := range t.Y {
		at, of := r.tie(i, uint64(t.Rows.Columns(t.at(int32(i)))), shift)
		if of < 0 {
			continue
		}
		switch is := t.Y[r.rows[of]] == v; {
		case !is:
			l.alike++
		case !slices.Contains(r.common, v):
			l.alike++
			l.same++
		}
		g := &r.groups[of]
		before := of
		if g.rows > 0 {
			before = int(g.last)
		}
		g.last = uint16(at)
		g.rows++
		l.pairs += float64(g.rows)
		if d := math.Abs(v - t.Y[r.rows[before]]); d > 0 && len(l.apart) < len(r.some) {
			l.apart = append(l.apart, d)
		}
	}
	return l
}

// byChance returns how many of the pairs have the same response by chance, where those of rows with the same columns are multiples of a unit
// apart, and as often near 0 as the distances say.
func (l *likeness) byChance(y []float64) float64 {
	if len(l.apart) < 2 {
		return (l.pairs - float64(l.same)) / 8
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
