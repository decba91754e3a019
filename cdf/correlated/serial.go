package correlated

import "math"

// Serial tells whether errors of neighbouring rows of a shard are alike, as where noise lasts from row to row, or rows of one
// customer, site or hour stand together: of shards of many rows a sum over all says so late. It is a one-sided cumulative sum (Page 1954) of
// log likelihood ratios, of a correlation of lasting against none, at most 1.5 of its alarm.
type Serial float32

const (
	// lasting is the correlation from which intervals are too short by more than a fifth: sqrt((1 + r) / (1 - r)). Of half of
	// it and less the sum does not rise.
	lasting = .2
	// fewest is how many rows of a shard are judged: beside the mean of fewer their correlation hardly shows, and Errors tells it.
	fewest = 25
	// begins is how many of its sds a shard's correlation is with which a sum begins: hardly any state of independent rows has one, so that
	// releases before, which do not know it, read the others.
	begins = 3.5
	// most is what counts of a shard, so that one is no alarm, as where the level moves in its middle.
	most = 9.
	// certain is the alarm: of 48,000,000 independent rows 8.3 was the highest sum (TestSerial).
	certain = 16.
)

// Order is what a shard's rows say in their order.
type Order struct {
	Rows            int
	Scores, Squares float64 // sums over rows of their normal scores, and of the squares
	Products        float64 // sum over rows but the first of their scores times that of the row before; NaN where the order says nothing
	Shared          float64 // as Shard's
}

// Add takes in a shard. The correlation of neighbours is about the shard's own mean, so that predictions that are all too high are none,
// whose error is made good; what rows may have in common of the state's error is taken off.
func (s *Serial) Add(o Order) {
	if o.Rows < fewest || !(o.Shared > 0 && o.Shared <= 1) {
		return
	}
	n := float64(o.Rows)
	mean := o.Scores / n
	variance := o.Squares - float64(o.Scores*mean)
	correlation := (o.Products-float64((n-1)*mean*mean))/variance + 1/n - o.Shared
	ratio := (n - 1) * lasting * (correlation - lasting/2)
	if !(variance > 0) || !(ratio-ratio == 0) || *s == 0 && correlation*math.Sqrt(n-1) < begins {
		return
	}
	*s = Serial(min(max(float64(*s)+min(ratio, most), 0), 1.5*certain))
}

// Correlated reports whether neighbouring rows have errors in common.
func (s Serial) Correlated() bool { return s > certain }

// Valid reports whether Add can have left this, and not 0.
func (s Serial) Valid() bool { return s > 0 && s <= 1.5*certain }
