package cdf

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Draws holds S draws of every parameter: row i is parameter i, contiguous.
// Chains lie one after the other within a row, S/Chains draws each.
type Draws struct {
	S, Chains int
	Data      []float64 // parameters x S, row-major, without those not kept

	at    []int32 // row of Data per parameter, -1: not kept; nil: all are
	index []int32 // room for at
}

// Row returns the S draws of parameter i; the slice aliases Data. Of a
// StateSummarizer it is nil where nobody will read them: see Step.Draws.
func (d *Draws) Row(i int) []float64 {
	if d.at != nil {
		if i = int(d.at[i]); i < 0 {
			return nil
		}
	}
	return d.Data[i*d.S : (i+1)*d.S : (i+1)*d.S]
}

// shape makes room for n parameters of s draws each.
func (d *Draws) shape(n, s, chains int) {
	d.S, d.Chains, d.at = s, chains, nil
	if cap(d.Data) < n*s {
		d.Data = make([]float64, n*s)
	}
	d.Data = d.Data[:n*s]
}

// shapeFor makes room for those of n parameters that the functionals are of.
func (d *Draws) shapeFor(list []Functional, n, s, chains int) {
	at := append(d.index[:0], make([]int32, n)...)
	for i := range list {
		for _, p := range list[i].Param {
			at[p] = 1
		}
	}
	kept := 0
	for p := range at {
		if at[p] == 0 {
			at[p] = -1
			continue
		}
		at[p] = int32(kept)
		kept++
	}
	d.shape(kept, s, chains)
	d.at, d.index = at, at
}

// NewStream returns the random stream of one purpose of one shard of a key.
// It is a pure function of its arguments, so no generator is part of a state.
// PCG is seeded with the first 128 bits of
//
//	SHA-256("cdf stream 1" 0x00 | seed | t | len(purpose) | purpose | key)
//
// with little-endian 64-bit numbers.
func NewStream(seed uint64, key string, t int64, purpose string) *rand.Rand {
	var s stream
	return s.at(seed, key, t, purpose)
}

// Purposes of the streams that a filter hands out.
const (
	purposeUpdate  = "update"
	purposeScore   = "score"
	purposePrior   = "prior"
	purposeHalf    = "half" // of a shard that holdOut judges,
	purposeHeldOut = "held" // and the other one
)

// stream is a generator that is moved from one stream to the next without
// allocating.
type stream struct {
	pcg *rand.PCG
	rng *rand.Rand
	buf []byte

	late    *rand.Rand // whose source is a lateSource of this
	waiting lateSource
}

// lateSource is the generator of a stream that is moved there when it is asked for a number.
type lateSource struct {
	due          bool
	stream       *stream
	seed         uint64
	t            int64
	key, purpose string
}

func (l *lateSource) Uint64() uint64 {
	if l.due {
		l.due = false
		l.stream.at(l.seed, l.key, l.t, l.purpose)
	}
	return l.stream.pcg.Uint64()
}

// of is at for an engine, and the generator's source where that is known. A closed form hardly ever draws: what it does not
// use is not seeded.
func (s *stream) of(e *engine, seed uint64, key string, t int64, purpose string) (*rand.Rand, *rand.PCG) {
	if e.chains > 0 {
		return s.at(seed, key, t, purpose), s.pcg
	}
	if s.late == nil {
		s.late = rand.New(&s.waiting)
	}
	s.waiting = lateSource{due: true, stream: s, seed: seed, t: t, key: key, purpose: purpose}
	return s.late, nil
}

func (s *stream) at(seed uint64, key string, t int64, purpose string) *rand.Rand {
	b := append(s.buf[:0], "cdf stream 1\x00"...)
	b = binary.LittleEndian.AppendUint64(b, seed)
	b = binary.LittleEndian.AppendUint64(b, uint64(t))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(purpose)))
	b = append(b, purpose...)
	b = append(b, key...)
	s.buf = b
	h := sha256.Sum256(b)
	hi, lo := binary.LittleEndian.Uint64(h[:8]), binary.LittleEndian.Uint64(h[8:16])
	if s.rng == nil {
		s.pcg = rand.NewPCG(hi, lo)
		s.rng = rand.New(s.pcg)
	}
	s.pcg.Seed(hi, lo)
	return s.rng
}
