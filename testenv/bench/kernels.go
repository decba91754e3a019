//go:build unix

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
)

// kernels compares the inner loops with OpenBLAS, which numpy calls, and the
// truncated normal with the plain one of the standard library.
func (b *bench) kernels() error {
	for _, p := range []int{50, 500} {
		if err := b.against(line{fmt.Sprintf("probit sweep's products, p=%d, against OpenBLAS dgemm", p), gflops, 1.2,
			fmt.Sprintf("%d rows, %d chains; numpy.matmul of the same two shapes", sweepRows, sweepChains)},
			sweep(p), b.peers.numpy, fmt.Sprintf("matmul %d %d %d", sweepRows, p, sweepChains)); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		n, rows int
		target  figure
	}{{51, 100, 1.15}, {501, 1000, .68}} {
		if err := b.against(line{fmt.Sprintf("QR update n=%d against OpenBLAS dsyrk", c.n), gflops, c.target,
			fmt.Sprintf("%d rows; 2 rows n^2 flops against rows n (n + 1) of numpy's X'X", c.rows)},
			update(c.n, c.rows), b.peers.numpy, fmt.Sprintf("syrk %d %d", c.rows, c.n)); err != nil {
			return err
		}
	}
	if err := b.against(line{"Cholesky n=500 against OpenBLAS dpotrf", gflops, .88, "n^3/3 flops; numpy.linalg.cholesky"},
		factor(500), b.peers.numpy, "cholesky 500"); err != nil {
		return err
	}
	return b.truncated()
}

// A sweep takes the chains, side by side, over the rows of the window in blocks of so
// many or more, each of which adds to its sums.
const sweepRows, sweepChains = 48, 16

func sweep(p int) *here {
	w, beta := normals(sweepRows*p), normals(p*sweepChains)
	latent, sum := make([]float64, sweepRows*sweepChains), make([]float64, p*sweepChains)
	return ours(func() error {
		lin.Mul(sweepRows, sweepChains, p, w, beta, latent)
		lin.AddTMul(sweepRows, p, sweepChains, w, latent, sum)
		return nil
	}, 4*sweepRows*sweepChains*float64(p))
}

func update(n, rows int) *here {
	x := normals(rows * n)
	block, r := make([]float64, lin.BlockLen(rows, n)), make([]float64, lin.PackedLen(n))
	return ours(func() error {
		for i := range rows {
			row := lin.Row(x, n, i)
			lin.PutRow(block, i, row[1:], row[0])
		}
		lin.UpdateQR(r, n, block, rows)
		return nil
	}, 2*float64(rows)*float64(n)*float64(n))
}

func factor(n int) *here {
	a := make([]float64, n*n)
	x := normals(2 * n * n)
	lin.AddGram(2*n, n, x, x, a)
	work := slices.Clone(a)
	return ours(func() error {
		copy(work, a)
		if !lin.Cholesky(n, work) {
			return fmt.Errorf("not positive definite")
		}
		return nil
	}, math.Pow(float64(n), 3)/3)
}

// truncated draws above bounds as a sweep meets them.
func (b *bench) truncated() error {
	r, means := rand.New(rand.NewPCG(1, 5)), normals(1024)
	for i := range means {
		means[i] *= 1.5
	}
	sum, t, lanes := 0.0, make([]float64, len(means)), rnd.Lanes{}
	lanes.Seed(r)
	above := ours(func() error {
		copy(t, means)
		lanes.Positive(r, t)
		sum += t[0]
		return nil
	}, float64(len(means)))
	plain := ours(func() error {
		for i := range t {
			t[i] = r.NormFloat64()
		}
		sum += t[0]
		return nil
	}, float64(len(means)))
	l := line{"truncated normal against NormFloat64", nanos("draw"), .5, "a mean from N(0, 1.5^2), restricted to positive values; math/rand/v2, PCG"}
	if err := b.itself(l, above, plain); err != nil {
		return err
	}
	if math.IsNaN(sum) {
		return fmt.Errorf("a draw is no number")
	}
	return nil
}

func normals(n int) []float64 {
	x := make([]float64, n)
	rnd.Normals(rand.New(rand.NewPCG(1, uint64(n))), x)
	return x
}
