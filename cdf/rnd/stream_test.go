package rnd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Draws are those of NormFloat64, to the bit, and the generator is left where it would be: 3 million, of which
// 40,000 are not settled at once and 800 are in the tails, in pieces of all lengths.
func TestStreamNormals(t *testing.T) {
	pcg, other := rand.NewPCG(1, 70), rand.NewPCG(1, 70)
	r, want := rand.New(pcg), rand.New(other)
	dst, tails := make([]float64, 2000), 0
	for k := 0; k < 3_000_000; {
		n := k * 7 % (len(dst) + 1)
		if n == 0 {
			n = 1
		}
		StreamNormals(r, pcg, dst[:n])
		for i, got := range dst[:n] {
			w := want.NormFloat64()
			if math.Float64bits(got) != math.Float64bits(w) {
				t.Fatalf("draw %d is %v, want %v", k+i, got, w)
			}
			if math.Abs(w) > 3.4427 {
				tails++
			}
		}
		if got, w := r.Uint64(), want.Uint64(); got != w {
			t.Fatalf("after %d draws the generator is elsewhere", k+n)
		}
		k += n
	}
	if tails < 500 {
		t.Errorf("%d draws in the tails", tails)
	}
	StreamNormals(want, nil, dst[:3])
	for i, got := range dst[:3] {
		if w := r.NormFloat64(); got != w {
			t.Errorf("without the source draw %d is %v, want %v", i, got, w)
		}
	}
	if n := testing.AllocsPerRun(20, func() { StreamNormals(r, pcg, dst) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkStreamNormals(b *testing.B) {
	pcg := rand.NewPCG(1, 71)
	r, dst := rand.New(pcg), make([]float64, 500)
	b.Run("source", func(b *testing.B) {
		for b.Loop() {
			StreamNormals(r, pcg, dst)
		}
	})
	b.Run("interface", func(b *testing.B) {
		for b.Loop() {
			StreamNormals(r, nil, dst)
		}
	})
}
