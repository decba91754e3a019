package dist

import (
	"slices"

	"github.com/credence-stream/credence/cdf/lin"
)

// strips is how many parts the range of the places is divided into.
const strips = 256

// places are the components of a mixture by where they are. Of laws that are all of one
// scale and end somewhere most are wholly below or above any one point: these are
// counted by their strips.
type places struct {
	known     bool
	low, each float64             // where the first strip begins, strips per unit
	first     [strips + 1]int32   // component of each
	below     [strips + 1]float64 // weight before each
	w, loc    []float64           // room
	strips    []uint8             // of the components, as they came
}

// arrange puts the components in order of their strips where that is worth while.
func (x *Mixture) arrange(f *form) {
	s := &x.places
	s.each = strips / (f.high - f.low)
	if x.law.heavy || !(s.each > 0) || f.narrowest != f.widest || len(x.w) < 32 || !lin.Finite(s.each) {
		return
	}
	s.known, s.low = true, f.low
	s.first, s.below = [strips + 1]int32{}, [strips + 1]float64{}
	w, locs := x.w, x.loc[:len(x.w)]
	s.strips = slices.Grow(s.strips[:0], len(w))[:len(w)]
	for k, loc := range locs {
		i := s.strip(loc)
		s.strips[k] = uint8(i)
		s.first[i+1]++
		s.below[i+1] += w[k]
	}
	first, below := int32(0), 0.0
	for i := 1; i <= strips; i++ {
		first += s.first[i]
		below += s.below[i]
		s.first[i], s.below[i] = first, below
	}
	next := s.first
	s.w, s.loc = lin.Grow(s.w, len(w)), lin.Grow(s.loc, len(w))
	for k, i := range s.strips {
		to := next[i]
		s.w[to], s.loc[to] = w[k], locs[k]
		next[i] = to + 1
	}
	x.w, s.w = s.w, x.w
	x.loc, s.loc = s.loc, x.loc
}

// strip returns which strip a place is in, the nearest where it is in none.
func (s *places) strip(loc float64) int {
	at := (loc - s.low) * s.each
	switch {
	case !(at > 0):
		return 0
	case at < strips-1:
		return int(at)
	}
	return strips - 1
}

// near returns the components that y may be among, of arranged ones, and the weight of
// those wholly below it.
func (x *Mixture) near(y float64) (from, to int, below float64) {
	s, t, scale := &x.places, x.law, x.scale[0]
	i := s.strip(y - scale*(t.low+t.h*float64(t.last)))
	j := s.strip(y - scale*(t.low+t.h*float64(t.first)))
	return int(s.first[i]), int(s.first[j+1]), s.below[i]
}

// place returns where the part p of the weight of arranged components is reached.
func (x *Mixture) place(p float64) float64 {
	s := &x.places
	target, lo, hi := p*s.below[strips], 0, strips
	for hi-lo > 1 {
		if k := (lo + hi) / 2; s.below[k] <= target {
			lo = k
		} else {
			hi = k
		}
	}
	part := 0.5
	if in := s.below[hi] - s.below[lo]; in > 0 {
		part = (target - s.below[lo]) / in
	}
	return s.low + (float64(lo)+part)/s.each
}
