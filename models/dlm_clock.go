package models

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
)

// DLMClock counts steps. Without a time column every row is a step; with one,
// rows of equal time share a step and the times between two rows are missing
// steps. It goes on from shard to shard.
type DLMClock struct {
	Seen bool  // a row with a time was absorbed
	Last int64 // its time
}

// Tick moves the clock to row i of the shard and returns the steps that pass:
// 0 within a step. The first row of a key is one step after theta_0.
func (c *DLMClock) Tick(sh *cdf.Shard, i int) float64 {
	if len(sh.Time) == 0 {
		return 1
	}
	now := sh.Time[i]
	if !c.Seen {
		c.Seen, c.Last = true, now
		return 1
	}
	steps := uint64(now) - uint64(c.Last)
	c.Last = now
	return float64(steps)
}

// Check reports, wrapping ErrShard, responses that are infinite and times
// that go backwards.
func (c DLMClock) Check(sh *cdf.Shard) error {
	if sh.Cols != 0 || len(sh.Y) != sh.Rows || len(sh.Time) != 0 && len(sh.Time) != sh.Rows {
		return fmt.Errorf("%w: %d rows with %d columns, %d responses and %d times",
			cdf.ErrShard, sh.Rows, sh.Cols, len(sh.Y), len(sh.Time))
	}
	for i, y := range sh.Y {
		if math.IsInf(y, 0) {
			return fmt.Errorf("%w: response of row %d is %v", cdf.ErrShard, i+1, y)
		}
	}
	for i, now := range sh.Time {
		if c.Seen && now < c.Last {
			return fmt.Errorf("%w: time goes backwards: %d after %d in row %d", cdf.ErrShard, now, c.Last, i+1)
		}
		c.Seen, c.Last = true, now
	}
	return nil
}

// carry returns what a number of steps does to the state equation
// theta' = phi theta + w: theta is multiplied by power = phi^steps, and
// variance tau2 * sum is added, sum = 1 + phi^2 + .. + phi^(2 steps - 2).
// It needs |phi| < 1.
func carry(phi, steps float64) (power, sum float64) {
	switch steps {
	case 1:
		return phi, 1
	case 0:
		return 1, 0
	}
	power = math.Pow(phi, steps)
	return power, (1 - power*power) / (1 - phi*phi)
}
