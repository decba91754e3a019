package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf/isa"
	"github.com/credence-stream/credence/internal/isatest"
)

// A network that sorts all sequences of 0 and 1 sorts all (Knuth, The Art of Computer
// Programming 3, 5.3.4); it is given many, and numbers of all sizes besides. All that falls and then rises
// it merges, wherever it turns.
func TestNetwork(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 60))
		for n := LeastNetwork; n <= MostNetwork; n *= 2 {
			room := make([]float64, n+1)
			for k := range 40 {
				all := make([]float64, n+k%4)
				x := all[k%4:] // of any alignment
				for i := range x {
					switch k % 5 {
					case 0:
						x[i] = float64(r.IntN(2))
					case 1:
						x[i] = math.Ldexp(r.NormFloat64(), r.IntN(2000)-1000)
					case 2:
						x[i] = float64(n - i)
					case 3:
						x[i] = 5e-324 * float64(r.IntN(1000)) // denormal
					default:
						x[i] = r.NormFloat64()
						if i >= n-n/5 {
							x[i] = math.Inf(1)
						}
					}
				}
				want := slices.Sorted(slices.Values(x))
				falls, rises := make([]float64, 0, n), make([]float64, 0, n)
				for i := range want {
					if v := want[n-1-i]; r.IntN(8) < k%9 {
						falls = append(falls, v)
					} else {
						rises = append(rises, v)
					}
				}
				slices.Reverse(rises)
				falls = append(falls, rises...)
				got := slices.Clone(NetworkSort(x, room))
				merged := NetworkMerge(falls, room[:n:n])
				if with == isa.Portable {
					if got != nil || merged != nil {
						t.Fatal("a network without vectors")
					}
					continue
				}
				identical(t, fmt.Sprintf("sorted, %d", k), got, want)
				identical(t, fmt.Sprintf("merged, %d", k), merged, want)
			}
		}
	})
}

func BenchmarkNetwork(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 61))
	for _, n := range []int{128, 512, 4096} {
		const many = 64
		all, x, room := random(r, many*n), make([]float64, n), make([]float64, n)
		fresh := func(k int) { copy(x, all[k%many*n:][:n]) }
		for _, set := range []isa.Set{isa.AVX512, isa.AVX2} {
			b.Run(fmt.Sprintf("sort/%d/%s", n, set), func(b *testing.B) {
				isatest.Use(b, &with, set)
				for k := range b.N {
					fresh(k)
					NetworkSort(x, room)
				}
			})
			b.Run(fmt.Sprintf("merge/%d/%s", n, set), func(b *testing.B) {
				isatest.Use(b, &with, set)
				for k := range b.N {
					fresh(k)
					NetworkMerge(x, room)
				}
			})
		}
		b.Run(fmt.Sprintf("slices/%d", n), func(b *testing.B) {
			for k := range b.N {
				fresh(k)
				slices.Sort(x)
			}
		})
	}
}
