package reliability

import (
	"math"
	"math/rand/v2"
	"testing"
)

// labelled returns whether the ratio was ever told of, and what the account is after so many shards of 50 rows: predictions are
// those of probabilities whose normal scores are c times as far from 0 as the truth's, of which a part has the wrong label.
func labelled(r *rand.Rand, shards int, sd, c, part float64, link func(float64) float64) (ever bool, a Account) {
	var s Shard
	for range shards {
		s.Reset(true)
		s.Begin(1)
		for range 50 {
			eta, y := sd*r.NormFloat64(), 0.
			q := normalCDF(c * eta)
			if (r.Float64() < link(eta)) != (r.Float64() < part) {
				y = 1
			} else {
				q = 1 - q
			}
			s.Add(y, q, 0, []float64{2*y - 1})
		}
		a.Add(&s)
		ever = ever || a.Mislabelled()
	}
	return ever, a
}

// Wrong labels are told, of slopes that are as flat as they make them, and right ones are not, whatever the slope; those of
// the logistic distribution hardly ever.
func TestWrongLabels(t *testing.T) {
	logistic := func(eta float64) float64 { return 1 / (1 + math.Exp(-1.7*eta)) }
	for _, c := range []struct {
		name        string
		sd, c, part float64
		link        func(float64) float64
		told        int // at least, of 40; 0: none
		chance      int // at most, where none
	}{
		{"2 %, steep", 2.2, .77, .02, normalCDF, 35, 0}, {"5 %", 1.5, .73, .05, normalCDF, 38, 0}, {"5 %, flat", 1.1, .8, .05, normalCDF, 20, 0}, {"10 %", 1.5, .57, .1, normalCDF, 38, 0},
		{"right, flat", .5, 1, 0, normalCDF, 0, 0}, {"right", 1.1, 1, 0, normalCDF, 0, 0}, {"right, steep", 3, 1, 0, normalCDF, 0, 0}, {"right, steeper", 8, 1, 0, normalCDF, 0, 0},
		{"too cautious", 3, .7, 0, normalCDF, 0, 0}, {"logit, flat", .8, 1, 0, logistic, 0, 1}, {"logit", 1.5, .97, 0, logistic, 0, 1}, {"logit, steep", 3, .94, 0, logistic, 0, 1},
	} {
		told := 0
		for seed := range uint64(40) {
			ever, a := labelled(rand.New(rand.NewPCG(seed, 95)), 100, c.sd, c.c, c.part, c.link)
			if !a.Valid() {
				t.Fatalf("%s: %+v", c.name, a)
			}
			if ever || a.Unreliable() && c.told > 0 {
				told++
			}
		}
		if c.told == 0 && told > c.chance || told < c.told {
			t.Errorf("%s: told of in %d of 40 streams, want %d", c.name, told, c.told)
		}
	}
	// Of the ratio alone: the classes are as they should be.
	a := Account{Rows: leastRows, Curves: []Sum{{Off: likelyWrong + 1, Variance: leastRows}}, Intercept: true}
	if !a.Unreliable() {
		t.Error("the ratio is not judged")
	}
	if a.Intercept = false; a.Mislabelled() {
		t.Error("a column's curve is a ratio")
	}
}

// The mean of the ratio of a row is 1 at most, whatever its probability and whether it is told surely.
func TestRatioHasMeanOne(t *testing.T) {
	for _, q := range []float64{1e-300, 1e-9, 1e-4, .01, .3, .5} {
		mean := q*math.Exp(wrongRatio(q)) + (1-q)*math.Exp(wrongRatio(1-q))
		if !(mean <= 1+1e-9) || q >= leastVariance && !(mean > 1-1e-9) {
			t.Errorf("of %g: %.12f", q, mean)
		}
	}
	if w := wrongRatio(1); !(math.Abs(w-math.Log(1-wrongPart)) < 1e-9) {
		t.Errorf("of a row that is sure: %g", w)
	}
}

// One row, however surely it was predicted otherwise, is no wrong label, and right ones of before hide later ones for a while only.
func TestOneSurpriseIsNoLabel(t *testing.T) {
	var s Shard
	var a Account
	add := func(rows int, y float64, q float64) {
		s.Reset(true)
		s.Begin(1)
		for range rows {
			s.Add(y, q, 0, []float64{2*y - 1})
		}
		a.Add(&s)
	}
	add(100, 1, .5)
	add(1, 1, 1e-200)
	if off := a.Curves[0].Off; a.Mislabelled() || !(off > 3.5 && off < 4) {
		t.Errorf("one row makes the ratio %g", off)
	}
	add(10_000, 1, 1)
	if off := a.Curves[0].Off; off != hardlyWrong || a.Curves[0].Variance != a.Rows {
		t.Errorf("right labels make the ratio %g", off)
	}
	if add(4, 1, 1e-6); !a.Mislabelled() {
		t.Errorf("four labels make the ratio %g", a.Curves[0].Off)
	}
}

// The ratio is in the place of the intercept's curve and no curve of it; without an intercept there is none.
func TestRatioIsNoCurve(t *testing.T) {
	a := Account{Rows: 100, Curves: []Sum{{Off: 100, Variance: 100}, {}}, Intercept: true}
	if j := a.Curved(); j != -1 {
		t.Errorf("column %d is curved", j)
	}
	if a.Intercept = false; a.Curved() != 0 {
		t.Error("a column that is curved is not told")
	}
	var s Shard
	s.Reset(false)
	s.Begin(1)
	s.Add(1, .001, 0, []float64{1})
	var none Account
	if none.Add(&s); none.Curves[0] != (Sum{}) {
		t.Errorf("%+v without an intercept", none.Curves[0])
	}
}
