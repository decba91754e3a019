package rnd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/internal/isatest"
)

// Draws are those of NormFloat64, to the bit, and the generator is left where it would be: 3 million, of which
// 40,000 are not settled at once and 800 are in the tails, in pieces of all lengths.
func TestStreamNormals(t *testing.T) {
	isatest.Each(t, &with, testStreamNormals)
}

func testStreamNormals(t *testing.T) {
	pcg, other := rand.NewPCG(1, 70), rand.NewPCG(1, 70)
	r, want := rand.New(pcg), rand.New(other)
	dst, tails := make([]float64, 2001), 0
	for k := 0; k < 3_000_000; {
		n := k * 7 % len(dst)
		if n == 0 {
			n = 1
		}
		dst[n] = 7
		StreamNormals(r, pcg, dst[:n])
		if dst[n] != 7 {
			t.Fatalf("after %d draws there is another", n)
		}
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

// Each strip decides at its edge as math/rand/v2 does, where its last 4,000 numbers are and the second number of the source is
// anywhere.
func TestEdges(t *testing.T) {
	z, source := theZiggurat(), new(oneThenMore)
	r := rand.New(source)
	for i := uint64(1); i < strips; i++ {
		for k := range uint64(4000) {
			most := uint64(z.strips[i].most)
			u := i<<32 | most + k*(math.MaxInt32-most)/4000
			second := k * 0x9e3779b97f4a7c15 >> 11
			*source = oneThenMore{first: u, second: second}
			want := r.NormFloat64()
			s := stream{size: 1, piece: &piece{numbers: [pieceLen]uint64{second}}}
			if x, ok := z.rare(u, &s); ok != (source.asked == 2) || ok && x != want {
				t.Fatalf("strip %d, number %d: %v %v, want %v after %d numbers", i, k, x, ok, want, source.asked)
			}
		}
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
