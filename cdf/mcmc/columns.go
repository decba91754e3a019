package mcmc

import (
	"slices"

	"github.com/credence-stream/credence/cdf/vec"
)

// columns are series of draws that are judged together, cut into as many chains of n
// draws each. Chains are columns: eight lie beside each other in a block, so that one vector
// has a draw of each, and a block follows the other. Of chains whose sums have to wait for
// every addition, those of all series go on side by side.
//
// A series has columns for 1, 2, 4 or a multiple of 8 chains, those that are too many are 0.
type columns struct {
	series, chains, n int
	wide              int     // columns of a series
	at                []int32 // where draw i of a series is in data, for the first of them
	data              []float64
	mean, variance    []float64 // of each column
	centre, spread    []float64 // of each series, of the means of its chains: theirs, and the sum of squares about it
	lags              [][4]vec.Eight
	later             [][][2]vec.Eight // of each block, from lags 4 and 5 on
}

// shape makes room.
func (c *columns) shape(series, chains, n int) {
	if series == c.series && chains == c.chains && n == c.n {
		for b := range c.later {
			c.later[b] = c.later[b][:0]
		}
		return
	}
	c.series, c.chains, c.n, c.wide = series, chains, n, 1
	for c.wide < min(chains, 8) {
		c.wide *= 2
	}
	if chains > 8 {
		c.wide = (chains + 7) &^ 7
	}
	blocks := (series*c.wide + 7) / 8
	c.at = slices.Grow(c.at[:0], chains*n)[:chains*n]
	for chain := range chains {
		for i := range n {
			c.at[chain*n+i] = int32(c.place(chain) + 8*i)
		}
	}
	c.data = slices.Grow(c.data[:0], 8*blocks*n)[:8*blocks*n]
	clear(c.data) // also what no chain has
	c.mean, c.variance = slices.Grow(c.mean[:0], 8*blocks)[:8*blocks], slices.Grow(c.variance[:0], 8*blocks)[:8*blocks]
	c.centre, c.spread = slices.Grow(c.centre[:0], series)[:series], slices.Grow(c.spread[:0], series)[:series]
	c.lags = slices.Grow(c.lags[:0], blocks)[:blocks]
	c.later = slices.Grow(c.later[:0], blocks)[:blocks]
	for b := range c.later {
		c.later[b] = c.later[b][:0]
	}
}

// place is where a column begins.
func (c *columns) place(column int) int { return column/8*8*c.n + column%8 }

// block returns one of the blocks.
func (c *columns) block(b int) []float64 { return c.data[8*b*c.n:][:8*c.n] }

// of returns the draws of a series: draw i is at c.at[i].
func (c *columns) of(series int) []float64 { return c.data[c.place(series*c.wide):] }

// fill makes all draws of the first series the given numbers, one each, and 0 what no chain has in
// their blocks.
func (c *columns) fill(values ...float64) {
	for b := range (len(values)*c.wide + 7) / 8 {
		x := c.block(b)
		for k := range 8 {
			series, chain := (8*b+k)/c.wide, (8*b+k)%c.wide
			if x[k] = 0; series < len(values) && chain < c.chains {
				x[k] = values[series]
			}
		}
		for done := 8; done < len(x); done *= 2 {
			copy(x[done:], x[:done])
		}
	}
}

// moments finds those of each column, as Moments does.
func (c *columns) moments() {
	for b := range c.lags {
		vec.ChainMoments(c.block(b), (*vec.Eight)(c.mean[8*b:]), (*vec.Eight)(c.variance[8*b:]))
	}
	clear(c.centre)
	clear(c.spread)
	for chain := range c.chains {
		for s := range c.centre { // side by side: each waits for its divisions
			m := c.mean[s*c.wide+chain]
			delta := m - c.centre[s]
			c.centre[s] += delta / float64(chain+1)
			c.spread[s] += float64(delta * (m - c.centre[s]))
		}
	}
}

// lag takes the means off the columns of series, the first to that many, and sums products of the first four lags.
func (c *columns) lag(series int) {
	for b := range (series*c.wide + 7) / 8 {
		c.lags[b] = vec.ChainLags(c.block(b), (*vec.Eight)(c.mean[8*b:]))
	}
}

// autocovariances returns the biased autocovariances of a series at a lag, which is even, and the
// next, averaged over its centred chains. Of draws that mix, few lags are ever asked for.
func (c *columns) autocovariances(series, lag int) (at, next float64) {
	column := series * c.wide
	for end := column + c.chains; column < end; {
		b, from := column/8, column%8
		var x, y *vec.Eight
		if lag < 4 {
			x, y = &c.lags[b][lag], &c.lags[b][lag+1]
		} else {
			later := c.sums(b, lag/2-2)
			x, y = &later[0], &later[1]
		}
		to := min(from+end-column, 8)
		for k := from; k < to; k++ {
			at, next = at+x[k], next+y[k]
		}
		column += to - from
	}
	scale := 1 / (float64(c.n) * float64(c.chains))
	return at * scale, next * scale
}

// sums returns those of a block at lags 4 + 2k and the next.
func (c *columns) sums(b, k int) *[2]vec.Eight {
	later := c.later[b]
	for len(later) <= k {
		later = append(later, vec.ChainLagsOn(c.block(b), 4+2*len(later)))
	}
	c.later[b] = later
	return &later[k]
}

// variances are those of a series.
func (c *columns) variances(series int) []float64 { return c.variance[series*c.wide:][:c.chains] }
