package lin

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/internal/isatest"
)

// All shapes to 17 x 70, and rows beyond those of a call, at all places in a cache
// line, against the twin. What lies around the block stays.
func TestPasses(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 20))
		ms := []int{passRows, passRows + 9}
		for m := range 18 {
			ms = append(ms, m)
		}
		for _, m := range ms {
			for n := range 71 {
				stride := n + 1 + r.IntN(9)
				a, x, v, u, w := hard(r, m*stride+16), hard(r, m+9), hard(r, m+9), hard(r, n+9), hard(r, n+9)
				at := 8 - r.IntN(8)
				x, u = x[r.IntN(9):], u[r.IntN(9):]
				copied := func(x []float64) []float64 { return append([]float64(nil), x...) }
				got, want, gotW, wantW := copied(a), copied(a), copied(w), copied(w)
				subSum(m, n, stride, got[at:], x, u, v, gotW)
				if n < narrow {
					narrowSum(m, n, stride, want[at:], x, u, v, wantW)
				} else {
					sumRows(m, n, stride, want[at:], x, u, v, wantW)
				}
				name := fmt.Sprintf("%d x %d", m, n)
				identical(t, "sum: a of "+name, got, want)
				identical(t, "sum: w of "+name, gotW, wantW)
				gotY, wantY := copied(v), copied(v)
				subDot(m, n, stride, got[at:], x, u, w, gotY)
				if n < narrow {
					narrowDot(m, n, stride, want[at:], x, u, w, wantY)
				} else {
					dotRows(m, n, stride, want[at:], x, u, w, wantY)
				}
				identical(t, "dot: a of "+name, got, want)
				identical(t, "dot: y of "+name, gotY, wantY)
			}
		}
	})
}

// The twin, and the loops for a few columns, against the definition.
func TestPassesAreSums(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 21))
	for _, m := range []int{1, 4, 9} {
		for _, n := range []int{1, 7, 8, 20} {
			a, x, v, u, w := random(r, m*n), random(r, m), random(r, m), random(r, n), random(r, n)
			want, sum, dot := make([]float64, m*n), append([]float64(nil), w...), make([]float64, m)
			for i := range m {
				for j := range n {
					want[i*n+j] = a[i*n+j] - x[i]*u[j]
					sum[j] += v[i] * want[i*n+j]
					dot[i] += w[j] * want[i*n+j]
				}
			}
			got, y := append([]float64(nil), a...), make([]float64, m)
			start, w2 := append([]float64(nil), a...), append([]float64(nil), w...)
			dotRows(m, n, n, got, x, u, w, y)
			sumRows(m, n, n, a, x, u, v, w)
			if n < narrow {
				some, y2 := append([]float64(nil), start...), make([]float64, m)
				narrowDot(m, n, n, some, x, u, w2, y2)
				for i := range dot {
					near(t, "y, narrow", y2[i], dot[i], 1e-13)
				}
				narrowSum(m, n, n, start, x, u, v, w2)
				for j := range sum {
					near(t, "w, narrow", w2[j], sum[j], 1e-13)
				}
				for i := range want {
					near(t, "a, narrow", start[i], want[i], 1e-14)
					near(t, "a, narrow", some[i], want[i], 1e-14)
				}
			}
			for i := range want {
				near(t, "a", a[i], want[i], 1e-14)
				near(t, "a", got[i], want[i], 1e-14)
			}
			for j := range sum {
				near(t, "w", w[j], sum[j], 1e-13)
			}
			for i := range dot {
				near(t, "y", y[i], dot[i], 1e-13)
			}
		}
	}
}
