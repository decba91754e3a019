package normal

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf/isa"
	"github.com/credence-stream/credence/internal/isatest"
)

// stepsOf returns sums of a mixture at points some way from the levels, and its sixth.
func stepsOf(r *rand.Rand, far float64) (f [6][Points]float64, p [Points]float64, sixth float64) {
	w, mean, inv := mixture(r, 1+r.IntN(20))
	sum := 0.0
	for i := range w {
		mean[i] *= 0.1
		sum += w[i]
	}
	for i, s := range inv {
		w[i] /= sum
		sixth += w[i] * math.Pow(s, 6)
	}
	var at [Points]float64
	for k := range at {
		at[k] = r.NormFloat64()
	}
	f = AtPoints(w, mean, inv, &at)
	for k := range p {
		p[k] = f[0][k] + far*f[1][k]*r.NormFloat64()
	}
	return f, p, sixth
}

// All at once against each alone, to the bit: last steps and others, and no numbers.
func TestSteps(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 97))
		ends := [2]int{}
		for i := range 3000 {
			f, p, sixth := stepsOf(r, math.Exp(-float64(i%8)))
			switch i % 50 {
			case 7:
				f[1][i%Points], f[1][(i+5)%Points] = 0, math.NaN()
			case 8:
				f[2][i%Points], p[(i+3)%Points] = math.NaN(), math.Inf(1)
			case 9:
				sixth = math.NaN()
			}
			got, last := Steps(&f, &p, sixth)
			var want [Points]float64
			if all := stepsLoop(&f, &p, sixth, &want); last != all {
				t.Fatalf("last steps %b, alone %b", last, all)
			}
			for k := range got {
				ends[last>>k&1]++
				if math.Float64bits(got[k]) != math.Float64bits(want[k]) && !(math.IsNaN(got[k]) && math.IsNaN(want[k])) {
					t.Fatalf("step %d is %v, alone %v", k, got[k], want[k])
				}
			}
		}
		if ends[0] < 1000 || ends[1] < 1000 {
			t.Errorf("%d steps before others and %d last ones: not both were tried", ends[0], ends[1])
		}
	})
}

// A last step ends where Taylor's series of five terms is 0.
func TestStepEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 98))
	for range 2000 {
		f, p, sixth := stepsOf(r, 0.1)
		for k := range p {
			step, last := Step(f[0][k]-p[k], f[1][k], f[2][k], f[3][k], f[4][k], f[5][k], sixth)
			if !last {
				continue
			}
			left, power := f[0][k]-p[k], 1.0
			for j := 1; j < len(f); j++ {
				power *= step / float64(j)
				left += f[j][k] * power
			}
			if math.Abs(left) > 2e-11 {
				t.Fatalf("a step of %v leaves %v of probability", step, left)
			}
		}
	}
}

func BenchmarkSteps(b *testing.B) {
	f, p, sixth := stepsOf(rand.New(rand.NewPCG(1, 99)), 1e-3)
	for _, set := range []isa.Set{isa.Portable, isa.Best()} {
		b.Run(set.String(), func(b *testing.B) {
			isatest.Use(b, &with, set)
			for b.Loop() {
				Steps(&f, &p, sixth)
			}
		})
	}
}
