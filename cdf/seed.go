package cdf

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

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
	purposeUpdate = "update"
	purposeScore  = "score"
	purposePrior  = "prior"
)

// stream is a generator that is moved from one stream to the next without
// allocating.
type stream struct {
	pcg *rand.PCG
	rng *rand.Rand
	buf []byte
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
