package dlm

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
)

// Clock counts steps. Without a time column every row is a step; with one,
// rows of equal time share a step and the times between two rows are missing
// steps. It goes on from shard to shard.
type Clock struct {
	Seen bool  // a row with a time was absorbed
	Last int64 // its time
}

// Tick moves the clock to row i of the shard and returns the steps that pass:
// 0 within a step. The first row of a key is one step after theta_0.
func (c *Clock) Tick(sh *cdf.Shard, i int) float64 {
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
func (c Clock) Check(sh *cdf.Shard) error { return c.CheckBehind(sh, &cdf.Before{}) }

// CheckBehind is Check of rows behind others.
func (c Clock) CheckBehind(sh *cdf.Shard, b *cdf.Before) error {
	c = c.after(b)
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
	b.Timed, b.Time = c.Seen, c.Last
	return nil
}

// after is the clock after rows that wait.
func (c Clock) after(b *cdf.Before) Clock {
	if b.Timed {
		c.Seen, c.Last = true, b.Time
	}
	return c
}

const (
	// longest is what a longer gap between two times counts as, where its steps
	// are taken one by one: theta has forgotten all by then.
	longest = 1000
	// mostSteps bounds the steps of a shard, gaps included.
	mostSteps = 200_000
)

// CheckSteps is Check for AppendSteps: it also refuses a shard whose gaps
// hold more than 200,000 steps.
func (c Clock) CheckSteps(sh *cdf.Shard) error { return c.CheckStepsBehind(sh, &cdf.Before{}) }

// CheckStepsBehind is CheckSteps of rows behind others, whose steps count too.
func (c Clock) CheckStepsBehind(sh *cdf.Shard, b *cdf.Before) error {
	c = c.after(b)
	next := *b
	if err := c.CheckBehind(sh, &next); err != nil {
		return err
	}
	steps := b.Steps
	for i := range sh.Time {
		if steps += min(c.Tick(sh, i), longest); steps > mostSteps {
			return fmt.Errorf("%w: more than %d steps from the times before row %d", cdf.ErrShard, mostSteps, i+2)
		}
	}
	next.Steps = steps
	*b = next
	return nil
}

// AppendSteps appends the steps of the shard's rows, gaps of at most 1,000
// missing ones among them, and moves the clock. A row of the time of the row
// before joins its step; without steps in dst, it begins one.
func (c *Clock) AppendSteps(dst []Step, sh *cdf.Shard) []Step {
	for i, y := range sh.Y {
		for range int(min(c.Tick(sh, i), longest)) {
			dst = append(dst, Step{})
		}
		if len(dst) == 0 { // a snapshot may end before the first step
			dst = append(dst, Step{})
		}
		if !math.IsNaN(y) {
			dst[len(dst)-1].Add(y)
		}
	}
	return dst
}

// Carry returns what a number of steps does to the state equation
// theta' = phi theta + w: theta is multiplied by power = phi^steps, and
// variance tau2 * sum is added, sum = 1 + phi^2 + .. + phi^(2 steps - 2).
// It needs |phi| < 1.
func Carry(phi, steps float64) (power, sum float64) {
	switch steps {
	case 1:
		return phi, 1
	case 0:
		return 1, 0
	}
	power = math.Pow(phi, steps)
	return power, (1 - power*power) / (1 - phi*phi)
}
