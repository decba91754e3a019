package poisson

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

const (
	// wildLeast is how many rows it takes to tell one from the others, wildEnough
	// how many tell it well: a wild count bends the fit to fewer.
	wildLeast, wildEnough = 20, 50
	// wildSDs is how far above the others the logarithm of a count is: 1e-5 under a
	// normal law, wildSDsFew where there are fewer than wildEnough to tell their sd.
	wildSDs, wildSDsFew = 4.2, 4.8
	// wildTill is the part of the discounted rows from which wild ones are told.
	wildTill = 0.002
)

// Sample is that of base; it looks for wild counts in the first rows.
func (m *Model) Sample(s *cdf.Step) error {
	unjudged := s.Shard.Observed() > 0 && (m.n == 0 || m.early.n > 0)
	if err := m.base.Sample(s); err != nil {
		return err
	}
	if unjudged {
		w := m.work()
		defer m.scratch.Put(w)
		m.judge(s.Shard, w)
	}
	return nil
}

// judge looks at the first rows when there are wildLeast of them, and for good when
// there are wildEnough, up to which they are kept.
func (m *Model) judge(sh *cdf.Shard, w *work) {
	before := m.early.n
	n := before + sh.Observed()
	if n >= wildEnough || n >= wildLeast && before < wildLeast {
		w.rows.reset(&m.shape)
		w.rows.appendRows(&m.early)
		w.rows.appendShard(sh)
		m.odd = m.wild(w)
	}
	if n < wildEnough {
		m.early.appendShard(sh)
		return
	}
	m.early = rowStats{} // its memory is not needed again
	m.early.reset(&m.shape)
}

// wild returns how many of the first rows' counts, discounted, are out of
// proportion to the others. Nothing predicted these rows, or hardly anything. The
// fit follows such counts, and the variance of rows' effects is theirs, so
// the others are taken for themselves: by the median of the log ratios of counts
// and rates, and the distance from it within which three quarters are, 1.15 sds of
// a normal law, or the sd of a Poisson count where that is more.
func (m *Model) wild(w *work) float64 {
	r := &w.rows
	n := r.n
	w.log, w.above, w.sorted = lin.Grow(w.log, n), lin.Grow(w.above, n), lin.Grow(w.sorted, n)
	log, above, sorted := w.log, w.above, w.sorted
	sh := cdf.Shard{Rows: n, Cols: r.k, X: r.x, Y: r.y, Offset: r.offset, Group: r.level, Slopes: r.slopes}
	for i, y := range r.y {
		m.placeAt(&sh, i, &w.place, w)
		m.mixAt(&w.place, 0, w)
		mean, sd := w.mix.Moments()
		log[i] = min(mean+0.5*min(sd*sd, vague), etaMax)
		above[i] = math.Log((y + 0.5) / (math.Exp(log[i]) + 0.5))
	}
	copy(sorted, above)
	slices.Sort(sorted)
	median := sorted[n/2]
	for i, v := range above {
		sorted[i] = math.Abs(v - median)
	}
	slices.Sort(sorted)
	sd := sorted[3*n/4] / 1.15 * float64(n) / float64(n-2) // of few rows it varies
	sds, found := wildSDs, 0.0
	if n < wildEnough {
		sds = wildSDsFew
	}
	for i, v := range above {
		rate := math.Exp(log[i] + median)
		if v-median > sds*max(sd, 1/math.Sqrt(rate+0.5)) {
			found += r.weight[i]
		}
	}
	return found
}
