package unequal

import (
	"cmp"
	"math"
	"slices"
)

const (
	// leastOf a group are the rows that a shard has to have of it.
	leastOf = 5
	// leastWithin are the degrees of freedom within groups.
	leastWithin = 10
	// surprising is how many sds a normal score of the statistic has to be from the mean, and gross the part of the
	// variance of numbers that groups then have to make at least.
	surprising = 3.2
	gross      = .25
)

// row is a row of a shard, later its distance from the median of its group.
type row struct {
	group int32
	y     float64
}

// early reports whether the groups of a shard differ so much in their variances that the shard tells it by itself: by the
// analysis of variance of numbers between 0 and 1 that grow with the distance of rows from their group's median, as of Brown and Forsythe
// (Journal of the American Statistical Association 69, 1974). The row in the middle of a group, which is that median or as far from it as another, is
// none (Hines and O'Hara Hines, Biometrics 56, 2000).
func (room *Room) early(y []float64, group []int32) bool {
	rows := room.rows[:0]
	for i := range min(len(y), most) {
		at := picked(i, len(y))
		if g := group[at]; g >= 0 && !math.IsNaN(y[at]) {
			rows = append(rows, row{g, y[at]})
		}
	}
	room.rows = rows
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.y, b.y)) })
	kept, groups := rows[:0], 0
	for from, to := 0, 0; from < len(rows); from = to {
		for to = from + 1; to < len(rows) && rows[to].group == rows[from].group; to++ {
		}
		n := to - from
		if n < leastOf {
			continue
		}
		groups++
		middle := from + n/2
		median := (rows[from+(n-1)/2].y + rows[middle].y) / 2
		for i := from; i < to; i++ {
			if d := rows[i].y - median; i != middle {
				kept = append(kept, row{rows[i].group, float64(d * d)})
			}
		}
	}
	within := float64(len(kept) - groups)
	if groups < 2 || within < leastWithin {
		return false
	}
	numbers := room.numbers[:0]
	for _, r := range kept {
		numbers = append(numbers, r.y)
	}
	room.numbers = numbers
	square := 4 * median(numbers)
	if !(square > 0 && square < math.MaxFloat64/4) {
		return false
	}
	var sum, squares, means float64
	for from, to := 0, 0; from < len(kept); from = to {
		total := 0.
		for ; to < len(kept) && kept[to].group == kept[from].group; to++ {
			x := kept[to].y / (kept[to].y + square)
			total += x
			squares += float64(x * x)
		}
		sum += total
		means += total * total / float64(to-from)
	}
	n, between := float64(len(kept)), float64(groups-1)
	ratio := (means - sum*sum/n) / between * within / (squares - means)
	// The cube root of the ratio is about normal (Paulson 1942).
	root, a, b := math.Cbrt(ratio), 2/(9*between), 2/(9*within)
	if !(float64((1-b)*root)-(1-a) > surprising*math.Sqrt(a+float64(b*root*root))) {
		return false
	}
	each := n / float64(groups)
	return ratio-1 > gross*(ratio-1+each)
}
