// Package repeated tells whether shards come more than once, as those of a producer that sends
// again what it did not hear was taken: their rows then count twice, and intervals are too
// short. It remembers fingerprints of some shards of a key, and judges a shard that has one
// of these by how unlikely it is that another shard has the same responses. Rows that come more than
// once in their shard are judged by whether later shards have the same.
package repeated

import "slices"

const (
	recent = 4 // shards that are remembered because they were last
	least  = 8 // shards that are remembered because no others have lesser fingerprints

	// certain is what the repeats that were found must tell together: those of shards that are
	// none, by chance, once in some 1e12.
	certain = 40
	// matters is the part of a state's rows from which on repeats are told of: sds are then a
	// fortieth too small.
	matters = .05
)

// Least is how many bits a shard must tell to be remembered: of 4,096 shards that are no
// repeats one has the responses of a given one.
const Least = 12

// Shard is what a shard adds.
type Shard struct {
	Print uint32  // fingerprint of its rows, not 0
	Bits  float64 // what it tells, see Bits
}

// Sketch is what is remembered of the shards of a key. 0 is no fingerprint.
//
// The least fingerprints are of shards that are drawn from all, each with the same
// probability: of a file that is sent again, or a stretch of the log, some are
// among them. A repeat that only they tell of stands for as many shards as are remembered
// for one of them.
type Sketch struct {
	Recent [recent]uint32 // newest first
	Least  [least]uint32  // ascending
	Shards int64          // that were judged, repeats included
	Again  Again
}

// Again is what the repeats among the shards come to.
type Again struct {
	Shards int64   // that were found
	Bits   float32 // what they tell
	Stood  float32 // as many shards as they stand for
	Rows   float32 // of those that were found, discounted
	Beyond float32 // of those that they stand for besides, discounted
	// Far counts those that only the least tell of, up to 2. One alone stands for itself: more
	// probably than not it is one of a stretch, but it may be all there is.
	Far int32
}

// Add takes in a shard of as many rows, whose state has discounted those before it.
func (s *Sketch) Add(sh Shard, rows, forget float64) {
	a := &s.Again
	if a.Shards > 0 && forget < 1 {
		a.Rows, a.Beyond = float32(float64(a.Rows)*forget), float32(float64(a.Beyond)*forget)
	}
	if !(sh.Bits >= Least) {
		return
	}
	stands := s.stands(sh.Print)
	s.Shards++
	if stands == 0 {
		return
	}
	a.Shards++
	a.Bits = min(a.Bits+float32(min(sh.Bits, certain)), certain)
	a.Stood += float32(stands)
	a.Rows += float32(rows)
	if stands > 1 {
		a.Far = min(a.Far+1, 2)
		a.Beyond += float32((stands - 1) * rows)
	}
}

// stands returns how many repeats the shard of a fingerprint stands for, 0 where it is none
// that is remembered, and remembers it.
func (s *Sketch) stands(print uint32) (shards float64) {
	if slices.Contains(s.Recent[:], print) {
		shards = 1 // it stays where it is, so that repeats do not drive away what may still come again
	} else {
		copy(s.Recent[1:], s.Recent[:])
		s.Recent[0] = print
	}
	place := 0
	for place < least && s.Least[place] != 0 && s.Least[place] < print {
		place++
	}
	switch {
	case place == least:
	case s.Least[place] != print:
		copy(s.Least[place+1:], s.Least[place:])
		s.Least[place] = print
	case shards == 0:
		shards = max((float64(s.Shards)-float64(s.Again.Stood))/least, 1)
	}
	return shards
}

// rows returns how many of the discounted rows of the state are repeats, as far as is known.
func (a *Again) rows() float64 {
	if a.Far < 2 {
		return float64(a.Rows)
	}
	return float64(a.Rows) + float64(a.Beyond)
}

// Part returns which part of as many discounted rows came again, 0 where that is too
// little to matter, or may be chance.
func (s *Sketch) Part(rows float64) float64 {
	part := min(s.Again.rows()/rows, 1)
	if !(s.Again.Bits >= certain && part >= matters) {
		return 0
	}
	return part
}
