package probit

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

const (
	// fewestNarrow is how many of the newest rows are looked at, at least.
	fewestNarrow = 200
	// narrowed is how many times less they spread than the rows before.
	narrowed = 10
	// A column wanders if the older half of the window spreads less than alike times as much as the
	// newer one, and its mean is apart sds of that away.
	alike, apart = 3, 2
	// usual is the least sd of the rows before, and 1 / usual the greatest, in units of the column's
	// scale: beyond, outliers or the scale itself are to be looked at first.
	usual = .2
)

// spreadSums are the sums of weights, values and squares of a column.
type spreadSums struct{ n, sum, square float64 }

func (s *spreadSums) add(weight, v float64) {
	s.n += weight
	s.sum += weight * v
	s.square += weight * v * v
}

func (s *spreadSums) sd() float64 {
	mean := s.sum / s.n
	return math.Sqrt(max(s.square/s.n-mean*mean, 0))
}

// wanders reports whether the rows that follow are as narrow and elsewhere, as of a column that
// follows the day.
func (s *spreadSums) wanders(now *spreadSums) bool {
	sd := now.sd()
	return s.sd() < alike*sd && math.Abs(s.sum/s.n-now.sum/now.n) > apart*sd
}

// AppendNarrowed appends the columns that vary from row to row and spread less than a tenth as
// much in the newer half of the window as in all rows before. The engine looks back on 1,000
// rows, which fade: a column that comes in a hundredth of its unit it tells by itself after some
// 3,000 rows. Predictions do not tell it either, for they are right on average where a column
// says nothing. The window does.
func (m *Model) AppendNarrowed(dst []cdf.Narrowed) []cdf.Narrowed {
	rows, p := m.rows(), m.p
	newest := rows / 2
	if newest < fewestNarrow || !m.intercept || !m.rule.weighsRows {
		return dst
	}
	for j := 1; j < p; j++ {
		// The sign of a row is that of its intercept, 1 or -1, and cancels.
		before := spreadSums{m.xx[0], m.xx[j*p], m.xx[j*p+j]}
		var older spreadSums
		for i := range rows - newest {
			xs := lin.Row(m.window.x, p, i)
			before.add(.5, xs[0]*xs[j]) // about what a frozen row weighs
			older.add(1, xs[0]*xs[j])
		}
		if sd := before.sd(); !(sd > usual && sd < 1/usual) {
			continue
		}
		var now spreadSums
		changes, last := 0, 0.0
		for i := rows - newest; i < rows; i++ {
			xs := lin.Row(m.window.x, p, i)
			v := xs[0] * xs[j]
			now.add(1, v)
			if v != last {
				changes++
			}
			last = v
		}
		// A level that is not seen for a while is no column of another unit, nor is what varies rarely.
		if changes > newest/2 && now.sd() < min(before.sd(), 1)/narrowed && !older.wanders(&now) {
			dst = append(dst, cdf.Narrowed{
				Column:     j,
				BeforeMean: before.sum / before.n, BeforeSD: before.sd(), Mean: now.sum / now.n, SD: now.sd(),
			})
		}
	}
	return dst
}
