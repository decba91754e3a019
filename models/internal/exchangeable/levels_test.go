package exchangeable

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf/lin"
	"gonum.org/v1/gonum/mat"
)

const p = 9

var levels = Levels{{First: 1, Columns: 2}, {First: 4, Columns: 4}}

// covariance is V: I, and 1 more within a factor.
func covariance() *mat.Dense {
	v := mat.NewDense(p, p, nil)
	for i := range p {
		v.Set(i, i, 1)
	}
	for _, s := range levels {
		for i := s.First; i < s.First+s.Columns; i++ {
			for j := s.First; j < s.First+s.Columns; j++ {
				v.Set(i, j, v.At(i, j)+1)
			}
		}
	}
	return v
}

// numbers are p that have no pattern.
func numbers(k int) []float64 {
	v := make([]float64, p)
	for i := range v {
		v[i] = math.Sin(float64(7*k + 3*i + 1))
	}
	return v
}

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) < 1e-14*(1+math.Abs(want[i]))) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// dense is U, by what Times makes of the columns of I.
func dense() *mat.Dense {
	u := mat.NewDense(p, p, nil)
	for j := range p {
		v := make([]float64, p)
		v[j] = 1
		levels.Times(v)
		u.SetCol(j, v)
	}
	return u
}

// U is upper triangular and UU' = V.
func TestRoot(t *testing.T) {
	u := dense()
	for i := range p {
		for j := range i {
			if u.At(i, j) != 0 {
				t.Errorf("U has %v at %d, %d", u.At(i, j), i, j)
			}
		}
	}
	var v mat.Dense
	v.Mul(u, u.T())
	near(t, "UU'", v.RawMatrix().Data, covariance().RawMatrix().Data)
}

// Products and solutions are those of the dense matrices.
func TestProducts(t *testing.T) {
	u, v := dense(), covariance()
	m := mat.NewDense(p, p, nil)
	for i := range p {
		m.SetRow(i, numbers(i))
	}
	var want, inverse mat.Dense
	want.Mul(u, m)
	got := mat.DenseCopyOf(m).RawMatrix().Data
	levels.Rows(p, got, make([]float64, p))
	near(t, "rows", got, want.RawMatrix().Data)

	// The last column of a packed factor is that of the response.
	packed := make([]float64, lin.PackedLen(p+1))
	upper := mat.NewDense(p, p, nil)
	for i := range p {
		packed[lin.PackedRow(p+1, i)+p-i] = 5
		for j := i; j < p; j++ {
			packed[lin.PackedRow(p+1, i)+j-i] = m.At(i, j)
			upper.Set(i, j, m.At(i, j))
		}
	}
	want.Mul(upper, u)
	levels.Columns(p, packed, make([]float64, p))
	for i := range p {
		row := packed[lin.PackedRow(p+1, i):lin.PackedRow(p+1, i+1)]
		near(t, "columns", row, append(append([]float64(nil), want.RawRowView(i)[i:]...), 5))
	}

	x := numbers(20)
	if err := inverse.Inverse(v); err != nil {
		t.Fatal(err)
	}
	var y mat.VecDense
	y.MulVec(&inverse, mat.NewVecDense(p, x))
	off := append([]float64(nil), x...)
	levels.Precision(off)
	near(t, "precision", off, y.RawVector().Data)
	excess := mat.Dot(mat.NewVecDense(p, x), mat.NewVecDense(p, x)) - mat.Dot(mat.NewVecDense(p, x), &y)
	near(t, "excess", []float64{levels.Excess(x)}, []float64{excess})
	copy(off, x)
	levels.Times(off)
	levels.Solve(off)
	near(t, "solution", off, x)

	sum, lower := make([]float64, p*p), make([]float64, p*p)
	levels.AddVariance(p, 2, sum)
	levels.AddPrecision(p, 3, lower)
	for i := range p {
		for j := range p {
			same := 0.
			if i == j {
				same = 1
			}
			near(t, "variance", sum[i*p+j:i*p+j+1], []float64{2 * (v.At(i, j) - same)})
			if j <= i {
				near(t, "precision of a matrix", lower[i*p+j:i*p+j+1], []float64{3 * (inverse.At(i, j) - same)})
			}
		}
	}
	param, w := []int{0, 4, 1, 7}, []float64{1, -2, .5, 3}
	variance, squares := 0., 0.
	for a, i := range param {
		squares += w[a] * w[a]
		for b, j := range param {
			variance += w[a] * w[b] * v.At(i, j)
		}
	}
	near(t, "shared", []float64{levels.Shared(param, w)}, []float64{variance - squares})
}
