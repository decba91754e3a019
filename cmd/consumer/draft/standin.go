package draft

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
)

const (
	// fewestBeside is how many values there have to be beside one that may stand for a missing value.
	fewestBeside = 10
	// farOff is how many times the range of the other values such a one is away from them.
	farOff = 3
)

// standIns say of numbers that some may stand for a missing value: nines that come again and again, far from
// all others, as files have them that know no gaps. Each would be an outlier.
func (m *Model) standIns() (all []string) {
	told := func(c *column) {
		for _, s := range c.standIns() {
			all = append(all, fmt.Sprintf("column %s is %s in %d of %d rows, and from %s to %s in the others: if it means missing, %s",
				plain(c.name), number(s.value), s.times, c.values, number(s.least), number(s.most), m.profile.remedy()))
		}
	}
	told(m.response)
	for i := range m.columns {
		if m.columns[i].role == numericFeature {
			told(m.columns[i].column)
		}
	}
	return all
}

// remedy says how a value that means missing becomes a gap.
func (p *Profile) remedy() string {
	if p.Of == 0 {
		return "send null instead"
	}
	return "--null with it as the file writes it makes it missing"
}

// standIn is a value that may stand for a missing one, and the range of the others.
type standIn struct {
	value       float64
	times       int
	least, most float64
}

// standIns are the nines that a column begins or ends with, in order.
func (c *column) standIns() (all []standIn) {
	if c.kind != cdf.Float && c.kind != cdf.Integer || c.full {
		return nil
	}
	least, most, beside := math.Inf(1), math.Inf(-1), 0
	for v, n := range c.exact {
		if nines(v) && n > 1 && (v == c.least || v == c.most) {
			all = append(all, standIn{value: v, times: n})
			continue
		}
		least, most, beside = min(least, v), max(most, v), beside+n
	}
	if !(least < most) || beside < fewestBeside {
		return nil
	}
	slices.SortFunc(all, func(a, b standIn) int { return cmp.Compare(a.value, b.value) })
	for i := range all {
		all[i].least, all[i].most = least, most
	}
	return slices.DeleteFunc(all, func(s standIn) bool { return max(least-s.value, s.value-most) <= farOff*(most-least) })
}

// nines reports 99, 999 and so on, and -9, -99 and so on, and the largest number that a float32 or a float64 holds.
func nines(v float64) bool {
	if size := math.Abs(v); float32(size) == math.MaxFloat32 || size == math.MaxFloat64 {
		return true // as maps and programs of measurements have them
	}
	for n := 9.; n < 1e10; n = 10*n + 9 {
		if v == -n || v == n && n > 9 {
			return true
		}
	}
	return false
}
