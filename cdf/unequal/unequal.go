// Package unequal tells whether the errors of groups have variances of their own, where a model says that these are one.
//
// Rows of a group are taken in threes as they come. The variance of three has nothing of the group's level, nor of what is
// known of it, and is of the same law in all groups if their errors are, normal or not: so nothing need be known of that law. It is made a number between 0 and 1,
// by the same scale for all groups, so that a row far out counts for no more than 1. What such numbers are above those of all groups is weighted by
// what the group's were above them before. The sum of these products stays about 0, and grows where groups
// keep to their side, as does the statistic of Levene (1960), whose sum of squares between groups they make. It is a martingale, and its own
// squares tell its variance (de la Peña, Annals of Probability 27, 1999).
package unequal

import (
	"math"
	"math/bits"
	"slices"
)

const (
	// aim is the mean number that the scale is for: that of normal errors is then 1.4 of their sd.
	aim = .3
	// slope is by about how much the mean falls where the logarithm of the scale grows by one.
	slope = .3
	// fewest and slowest are the most threes that mean and scale of the numbers count as: they follow what changes for all.
	fewest, slowest = 16, 64
	// settled is the most threes that a group's mean counts as, and doubt as how many, of other groups, it counts beside these.
	settled = 63
	doubt   = 2
	// sharp is from how many scales on a number of 32 bits no longer tells by how much rows differ.
	sharp = 1e5
	// greatest is how large a response may be.
	greatest = 1e37
	// most is how many rows of a shard are looked at, so that a large one costs little.
	most = 512
	// recalled is about how many threes the account holds: more fade.
	recalled = 7_000
	// leastThrees is how many it needs to be judged.
	leastThrees = 40
	// young is how many threes a key has whose shards are looked at by themselves, so that there are few of them, and old how many
	// when that is no longer told.
	young, old = 8, 3 * leastThrees
	// unlikely is twice the logarithm of 1,000.
	unlikely = 13.82
	// departure is a variance of groups' means that is left alone: that of half of the groups with an sd of 1.2 times the others'.
	departure = 8e-4
)

// Group is what is known of a group.
type Group struct {
	first, second float32 // rows that wait for a third
	off           int16   // by how much its numbers are above the mean of all, in parts of parts
	count         uint8   // as how many threes that counts, and in the last two bits how many rows wait
}

// parts of a number are what off is in.
const parts = 1 << 15

// Account is what is known of the groups of a key.
type Account struct {
	Threes   float32 // of about the last recalled
	Scale    float32 // 0 while nothing varied
	Middle   float32 // mean of the numbers
	Sum      float32 // of the products, and its variance
	Variance float32
	Early    bool // a shard told by itself, and the sum is too young to
	Groups   []Group
}

// Room is what Add works in.
type Room struct {
	numbers []float64
	of      []int32
	rows    []row
}

// picked returns the row that is the i-th to be looked at, of ever so many: as the rows of a watch.
func picked(i, rows int) int {
	if rows <= most {
		return i
	}
	const golden = 0x9e3779b97f4a7c15 // 2^64 over the golden ratio
	row, _ := bits.Mul64(uint64(i)*golden, uint64(rows))
	return int(row)
}

// Add takes in the rows of a shard, each of a group, of as many. NaN is no response, and a group below 0 is none.
func (a *Account) Add(y []float64, group []int32, groups int, room *Room) {
	if n := len(a.Groups); n < groups {
		a.Groups = slices.Grow(a.Groups, groups-n)[:groups]
		clear(a.Groups[n:])
	}
	switch {
	case a.Threes < young:
		a.Early = a.Early || room.early(y, group)
	case a.Threes > old:
		a.Early = false
	}
	room.numbers, room.of = room.numbers[:0], room.of[:0]
	furthest := greatest
	if a.Scale > 0 {
		furthest = min(furthest, sharp*float64(a.Scale))
	}
	for i := range min(len(y), most) {
		row := picked(i, len(y))
		v, g := y[row], group[row]
		if g < 0 || !(math.Abs(v) < furthest) {
			continue
		}
		if variance := a.Groups[g].add(v); variance >= 0 {
			room.numbers, room.of = append(room.numbers, variance), append(room.of, g)
		}
	}
	a.take(room)
}

// add returns the variance of three rows, and -1 while one waits.
func (g *Group) add(y float64) float64 {
	switch g.count++; g.count & 3 {
	case 1:
		g.first = float32(y)
		return -1
	case 2:
		g.second = float32(y)
		return -1
	}
	g.count -= 3
	third := float64(float32(y)) // equal rows differ by nothing
	a, b := float64(g.first)-third, float64(g.second)-third
	return (float64(a*a) + float64(b*b) - float64(a*b)) / 3
}

// take takes in variances, of the groups that they are of.
func (a *Account) take(room *Room) {
	v := room.numbers
	if len(v) == 0 {
		return
	}
	if a.Scale == 0 {
		vary := slices.DeleteFunc(slices.Clone(v), func(variance float64) bool { return variance == 0 })
		if len(vary) == 0 {
			return
		}
		a.Scale = max(float32(1.5*math.Sqrt(median(vary))), math.SmallestNonzeroFloat32)
	}
	square, sum, vary := float64(a.Scale)*float64(a.Scale), 0., 0.
	for i, variance := range v {
		if v[i] = 0; variance > 0 {
			v[i] = variance / (variance + square)
			sum += v[i]
			vary++
		}
	}
	n, before := float64(len(v)), float64(min(a.Threes, fewest))
	middle := (float64(before*float64(a.Middle)) + sum) / (before + n)
	products, squares := 0., 0.
	for i, x := range v {
		q := a.Groups[room.of[i]].move(x - middle)
		products += q
		squares += float64(q * q)
	}
	a.Middle = float32(middle)
	a.Sum += float32(products)
	a.Variance += float32(squares)
	window := float64(min(a.Threes, slowest))
	if a.Middle < aim/4 || a.Middle > 3*aim {
		window /= 8 // a scale that was of a wild row, or of before all changed
	}
	// Newton's step. Threes that are equal, as of responses in few digits, say nothing of the scale.
	a.Scale *= float32(math.Exp(min(max((sum-float64(vary*aim))/(slope*max(vary, 1)), -1), 1) * vary / (vary + window)))
	if a.Threes += float32(n); a.Threes > recalled {
		by := recalled / a.Threes
		a.Sum *= by
		a.Variance *= by
		a.Threes = recalled
	}
}

// move takes in by how much a number is above the mean of all, and returns its product with what those before it were.
func (g *Group) move(u float64) (product float64) {
	n := float64(g.count >> 2)
	off := float64(g.off) / parts
	if g.count>>2 < settled {
		g.count += 4
	}
	g.off = int16(math.RoundToEven(parts * (off + (u-off)/float64(g.count>>2))))
	return float64(u*off) * n / (n + doubt)
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// CopyTo makes to the same, and keeps the room that it has.
func (a *Account) CopyTo(to *Account) {
	groups := append(to.Groups[:0], a.Groups...)
	*to = *a
	to.Groups = groups
}

// Retire takes groups out, of ascending indices.
func (a *Account) Retire(gone []int32) {
	kept := 0
	for i := range a.Groups {
		if len(gone) > 0 && int(gone[0]) == i {
			gone = gone[1:]
			continue
		}
		a.Groups[kept] = a.Groups[i]
		kept++
	}
	a.Groups = a.Groups[:kept]
}

// Unequal reports whether variances differ: by more than chance allows, and by enough to matter.
func (a *Account) Unequal() bool {
	sum := float64(a.Sum)
	return a.Early || a.Threes >= leastThrees && sum > departure*float64(a.Threes) && float64(sum*sum) > unlikely*float64(a.Variance)
}
