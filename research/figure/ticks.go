package figure

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// ticks are those of an axis: the given ones, or round numbers: on a
// logarithmic axis 1, 2 and 5 times powers of ten, or the powers alone where
// it spans more than two, and elsewhere, or where these are less than two,
// multiples of the least of 1, 2 and 5 times a power of ten that make at most
// five.
type ticks struct{ *axis }

// Ticks returns the ticks of the axis, whatever range gonum takes it to have.
func (t ticks) Ticks(_, _ float64) []plot.Tick {
	lo, hi := t.min, t.max
	at := t.ticks
	if at == nil && t.log {
		at = logTicks(lo, hi)
	}
	if len(at) < 2 {
		at = evenTicks(lo, hi)
	}
	var out []plot.Tick
	for _, v := range at {
		out = append(out, plot.Tick{Value: t.place(v), Label: strconv.FormatFloat(v, 'g', 6, 64)})
	}
	return out
}

func logTicks(lo, hi float64) []float64 {
	steps := []float64{1, 2, 5}
	if math.Log10(hi/lo) > 2 {
		steps = steps[:1]
	}
	var out []float64
	for k := math.Floor(math.Log10(lo)); k <= math.Log10(hi); k++ {
		for _, s := range steps {
			if v := s * math.Pow(10, k); v >= lo && v <= hi {
				out = append(out, v)
			}
		}
	}
	return out
}

func evenTicks(lo, hi float64) []float64 {
	const most = 5
	size := math.Pow(10, math.Floor(math.Log10((hi-lo)/most)))
	for _, s := range []float64{1, 2, 5, 10} {
		step := s * size
		first, last := math.Ceil(lo/step-1e-9), math.Floor(hi/step+1e-9)
		if last-first+1 > most {
			continue
		}
		var out []float64
		for k := first; k <= last; k++ {
			out = append(out, k*step+0) // + 0 makes -0 a 0
		}
		return out
	}
	return nil
}
