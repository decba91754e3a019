package models_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// A row that is far off is told before there are rows enough to predict it, and by a state that was restored, too. Right rows as few
// are told nothing, nor are rare levels of large effects, and responses most of which are 0.
func TestFarFirstRowIsTold(t *testing.T) {
	const streams, rows = 40, 40
	for _, c := range []struct {
		name, kind  string
		size        int
		far         float64
		change      func(d *table, r *rand.Rand)
		least, most int
	}{
		{name: "right", kind: "linear", size: 1},
		{name: "right", kind: "anova", size: 10},
		{name: "right", kind: "dlm", size: 10},
		{name: "right", kind: "compressed", size: 10},
		{name: "one far off", kind: "linear", size: 10, far: 12, least: 35, most: 40},
		{name: "one far off", kind: "anova", size: 10, far: 15, least: 24, most: 40},
		{name: "one far off", kind: "dlm", size: 10, far: 20, least: 35, most: 40},
		{name: "one far off", kind: "compressed", size: 10, far: 25, least: 36, most: 40},
		{name: "one far off, beside much that is told", kind: "linear", size: 10, far: 12, least: 35, most: 40, change: func(d *table, _ *rand.Rand) {
			for i := range d.y {
				d.y[i] += 10 * d.x[0][i]
			}
		}},
		{name: "a rare level", kind: "linear", size: 10, most: 2, change: func(d *table, _ *rand.Rand) {
			clear(d.x[1])
			d.x[1][3] = 1
			d.y[3] += 16
		}},
		{name: "a level that jumps", kind: "dlm", size: 10, change: func(d *table, _ *rand.Rand) {
			for i := range d.y {
				if d.y[i] *= .3; i >= 35 {
					d.y[i] += 8
				}
			}
		}},
		{name: "most are 0", kind: "linear", size: 10, change: func(d *table, r *rand.Rand) {
			for i := range d.y {
				if d.y[i] = 0; i%5 == 0 {
					d.y[i] = r.ExpFloat64()
				}
			}
		}},
	} {
		var mu sync.Mutex
		told := 0
		modeltest.EachStream(streams, func(i int) {
			r := rand.New(rand.NewPCG(uint64(i), 31))
			d := new(lack).one(c.kind, rows, r)
			if d.y[r.IntN(10)] += c.far; c.change != nil {
				c.change(&d, r)
			}
			plainly := &writing{x: same, y: same}
			spec := plainly.spec(t, c.kind, len(d.x))
			f := cdf.NewFilter(spec, "key")
			up := false
			for from := 0; from < rows; from += c.size {
				sum, err := f.Update(plainly.batch(d.rows(from, from+c.size), nil))
				if err != nil {
					t.Error(err)
					return
				}
				now := slices.Contains(sum.Flags, "first_outliers")
				if up = now || up && c.far == 0; c.kind == "anova" {
					continue // its summary is of draws, which a state does not have
				}
				state, err := f.MarshalBinary()
				again := cdf.NewFilter(spec, "key")
				if err == nil {
					err = again.UnmarshalBinary(state)
				}
				if err != nil {
					t.Error(err)
					return
				}
				if sum, err = again.Summary(); err != nil || slices.Contains(sum.Flags, "first_outliers") != now {
					t.Errorf("%s, %s: restored %v (%v), before %v", c.kind, c.name, sum, err, now)
				}
			}
			if up {
				mu.Lock()
				told++
				mu.Unlock()
			}
		})
		if t.Logf("%s, %s: %d of %d", c.kind, c.name, told, streams); told < c.least || told > c.most {
			t.Errorf("%s, %s: told in %d of %d", c.kind, c.name, told, streams)
		}
	}
}
