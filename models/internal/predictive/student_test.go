package predictive

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/internal/dist"
)

// Rows scored together and one by one: the same bits, with rows that have no
// response, wild ones and such as lie at the limit, of few and of many degrees of freedom.
func TestRowsTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 40))
	for _, df := range []float64{3, 29.5, 30, 400, 1e7} {
		limit := dist.StudentQuantile(dist.NormalQuantiles[6], df)
		one, many := NewStudentScore(df, limit), NewStudentScore(df, limit)
		a, b := NewTally(cdf.NoScore()), NewTally(cdf.NoScore())
		a.Scores, b.Scores = make([]float64, 70*70/2), make([]float64, 70*70/2)
		for n := range 70 {
			s2 := math.Exp(20 * r.NormFloat64())
			y, mean, line := make([]float64, n), make([]float64, n), make([]float64, n)
			for i := range y {
				mean[i], line[i] = r.NormFloat64(), s2*r.ExpFloat64()
				z := r.NormFloat64()
				switch r.IntN(20) {
				case 0:
					z = math.NaN()
				case 1:
					z *= 1e6
				case 2:
					line[i], z = 0, math.Copysign(limit, z)
				case 3:
					mean[i], z = 0, math.Copysign(0, z)
				}
				y[i] = mean[i] + z*math.Sqrt(s2+line[i])
			}
			many.AddRows(&b, y, mean, line, s2)
			for i, v := range y {
				if !a.Skip(v) {
					pit, covered := one.Add(v-mean[i], s2+line[i])
					a.Add(v-mean[i], pit, covered)
					a.Share(line[i], s2+line[i])
				}
			}
		}
		a.Logs, a.Expected = one.Logs()
		b.Logs, b.Expected = many.Logs()
		want, err := a.Score("one by one")
		got, other := b.Score("together")
		if err != nil || other != nil {
			t.Fatal(err, other)
		}
		want.LogEvidence, got.LogEvidence = 0, 0 // not scored
		if got != want {
			t.Errorf("df %g: together %+v, one by one %+v", df, got, want)
		}
		if got.Wild == 0 || got.PredictedRows == 0 || got.PIT[0] == 0 {
			t.Errorf("df %g: the rows try too little: %+v", df, got)
		}
		if !slices.Equal(a.Scores, b.Scores) || a.Scores[0] == 0 {
			t.Errorf("df %g: scores together %v, one by one %v", df, b.Scores, a.Scores)
		}
	}
}

// The density that predictions tell is that of the law's shape, whatever shape came before.
func TestStudentDensity(t *testing.T) {
	var law dist.Standard
	for _, shape := range []float64{2, 40, 2} {
		var p cdf.Prediction
		Student(law.At(shape), 1, 2, 1, 4, &p)
		df := 2 * shape
		if want := dist.StudentLogScale(df) - math.Log(2) - (df+1)/2*math.Log1p(2.25/df); p.LogDensity != want {
			t.Errorf("of shape %v the density is %v, want %v", shape, p.LogDensity, want)
		}
	}
}

// What pairs have in common is the mean over all pairs of different rows, none of it where that is negative, and of a
// row without a response nothing.
func TestPairs(t *testing.T) {
	const rows, p = 5, 3
	r := rand.New(rand.NewPCG(2, 88))
	for _, common := range []float64{0, 1} {
		sh := &cdf.Shard{Rows: rows, Cols: p, Y: make([]float64, rows), X: make([]float64, rows*p)}
		sh.Y[2] = math.NaN()
		row := func(i int) []float64 { return sh.X[i*p : (i+1)*p] }
		for i := range sh.X {
			sh.X[i] = common + r.NormFloat64()
		}
		if common == 0 { // of rows 0 and 1, 3 and 4 one is the other's negative
			for j := range p {
				row(1)[j], row(4)[j] = -row(0)[j], -row(3)[j]
			}
		}
		dot := func(a, b []float64) (sum float64) { // A = diag(1, 2, 3)
			for j := range a {
				sum += float64(j+1) * a[j] * b[j]
			}
			return sum
		}
		tally, variance, pairs := NewTally(cdf.NoScore()), 0., 0.
		for i, y := range sh.Y {
			if tally.Skip(y) {
				continue
			}
			line := dot(row(i), row(i))
			tally.Add(0, .5, true)
			tally.Share(line, 2+line)
			variance += (2 + line) / 4
			for k, other := range sh.Y {
				if k != i && !math.IsNaN(other) {
					pairs += dot(row(i), row(k)) / 12
				}
			}
		}
		if !tally.Shares() {
			t.Fatal("it matters what rows share")
		}
		mean := make([]float64, p)
		MeanRow(sh, mean)
		tally.Pairs(dot(mean, mean))
		got, err := tally.Score("k")
		if want := max(pairs/variance, least*got.Shared); err != nil || math.Abs(got.Pair-want) > 1e-12*got.Shared || !(got.Pair > 0) {
			t.Errorf("common %g: a pair shares %g, want %g, %v", common, got.Pair, want, err)
		}
	}
	few := NewTally(cdf.NoScore())
	for range 20 {
		few.Add(0, .5, true)
		few.Share(.001, 1)
	}
	if few.Shares() {
		t.Error("20 rows share a thousandth each, and it matters")
	}
}
