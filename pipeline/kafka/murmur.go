package kafka

import (
	"encoding/binary"

	"github.com/credence-stream/credence/pipeline"
)

// murmur2 is the hash that Java's producer partitions by.
func murmur2(key []byte) uint32 {
	const seed, m = 0x9747b28c, 0x5bd1e995
	h := uint32(seed) ^ uint32(len(key))
	for ; len(key) >= 4; key = key[4:] {
		k := binary.LittleEndian.Uint32(key) * m
		k ^= k >> 24
		h = h*m ^ k*m
	}
	switch len(key) {
	case 3:
		h ^= uint32(key[2]) << 16
		fallthrough
	case 2:
		h ^= uint32(key[1]) << 8
		fallthrough
	case 1:
		h = (h ^ uint32(key[0])) * m
	}
	h = (h ^ h>>13) * m
	return h ^ h>>15
}

// PartitionOf returns the partition of a key among n, as Java's default
// partitioner chooses it. n is at least 1.
func PartitionOf(key []byte, n int) int32 {
	return int32(int(murmur2(key)&0x7fffffff) % n)
}

// place is PartitionOf, and for an output without a key, which Java would put
// anywhere, a function of its offset, so that a repeat lands where it did.
func place(o *pipeline.Output, n int) int32 {
	if o.Key == nil {
		return int32(uint64(o.Offset) % uint64(n))
	}
	return PartitionOf(o.Key, n)
}
