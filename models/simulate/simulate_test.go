package simulate

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

func TestShardIsAFunctionOfSeedKeyAndNumber(t *testing.T) {
	for _, name := range Names() {
		s, ok := Lookup(name)
		if !ok {
			t.Fatalf("%s is listed and not found", name)
		}
		late := s.Shard(1, "a", 7, s.Rows)
		s.Shard(1, "a", 6, s.Rows)
		if !reflect.DeepEqual(late, s.Shard(1, "a", 7, s.Rows)) {
			t.Errorf("%s: shard 7 depends on what was made before it", name)
		}
		for what, other := range map[string]Data{
			"seed": s.Shard(2, "a", 7, s.Rows), "key": s.Shard(1, "b", 7, s.Rows), "number": s.Shard(1, "a", 8, s.Rows),
		} {
			if reflect.DeepEqual(late.Columns, other.Columns) {
				t.Errorf("%s: the %s does not matter", name, what)
			}
		}
		for j, c := range late.Columns {
			if len(c) != s.Rows {
				t.Errorf("%s: column %s has %d rows, want %d", name, late.Names[j], len(c), s.Rows)
			}
		}
	}
}

// Over 5,000 shards the moments miss the truth by more than 4.5 standard
// errors in 7 of a million runs; the seed is fixed.
func TestLinearHasTheStatedTruth(t *testing.T) {
	s, _ := Lookup("linear")
	var n, x, x2, e, e2 float64
	truth := s.Truth(3, "k", 1)
	for shard := int64(1); shard <= 5000; shard++ {
		d := s.Shard(3, "k", shard, s.Rows)
		for i, y := range d.Columns[5] {
			for j := range 5 {
				v := d.Columns[j][i]
				if v < 0 || v >= 1 {
					t.Fatalf("predictor %v outside [0, 1)", v)
				}
				x += v / 5
				x2 += v * v / 5
				y -= v * truth[j].Value
			}
			n++
			e += y
			e2 += y * y
		}
	}
	sigma2 := truth[5].Value
	check := func(what string, got, want, se float64) {
		if math.Abs(got-want) > 4.5*se {
			t.Errorf("%s is %v, want %v within %v", what, got, want, 4.5*se)
		}
	}
	check("mean of x", x/n, 0.5, math.Sqrt(1./12/5/n))
	check("mean of x^2", x2/n, 1./3, math.Sqrt(4./45/5/n))
	check("mean error", e/n, 0, math.Sqrt(sigma2/n))
	check("error variance", e2/n, sigma2, sigma2*math.Sqrt(2/n))
}

// Means of the groups, of their levels over keys, and of the noise: 4.5
// standard errors, as above.
func TestAnovaHasTheStatedTruth(t *testing.T) {
	s, _ := Lookup("anova")
	const shards, keys = 200, 400
	truth := s.Truth(3, "k", 1)
	sum, squares := make([]float64, anovaGroups), 0.0
	for shard := int64(1); shard <= shards; shard++ {
		d := s.Shard(3, "k", shard, s.Rows)
		if len(d.Whole) != 1 || d.Whole[0] != "group" || d.Names[0] != "group" {
			t.Fatalf("columns %v, whole %v", d.Names, d.Whole)
		}
		for i, y := range d.Columns[1] {
			g := int(d.Columns[0][i]) - 1
			sum[g] += y
			e := y - truth[3+g].Value
			squares += e * e
		}
	}
	per := float64(shards * s.Rows / anovaGroups)
	for g, v := range sum {
		if math.Abs(v/per-truth[3+g].Value) > 4.5*10/math.Sqrt(per) {
			t.Errorf("mean of group %d is %v, its level %v", g+1, v/per, truth[3+g].Value)
		}
	}
	n := per * anovaGroups
	if v := squares / n; math.Abs(v-100) > 4.5*100*math.Sqrt(2/n) {
		t.Errorf("noise variance %v", v)
	}
	mean, square := 0.0, 0.0
	for key := range keys {
		for _, z := range s.Truth(3, string(rune('a'+key)), 1)[3:] {
			mean += z.Value / keys / anovaGroups
			square += (z.Value - 4) * (z.Value - 4) / keys / anovaGroups
		}
	}
	if n := float64(keys * anovaGroups); math.Abs(mean-4) > 4.5*.1/math.Sqrt(n) || math.Abs(square-.01) > 4.5*.01*math.Sqrt(2/n) {
		t.Errorf("levels have mean %v and variance %v", mean, square)
	}
	jump, _ := Lookup("anova-jump")
	before, after := jump.Truth(3, "k", 150), jump.Truth(3, "k", 151)
	if before[3].Value != 4 || after[3].Value != 8 || before[4] != after[4] || before[2].Value != 25 {
		t.Errorf("the jump is from %v to %v", before, after)
	}
}

// The score x(y - Phi(x'beta)) has mean 0 at the truth: 45,000 rows, 4.5
// standard errors over 625 coefficients and four sds: a false alarm in 230
// seeds.
func TestProbitHasTheStatedTruth(t *testing.T) {
	for name, sd := range map[string]float64{"probit": .25, "probit-wide": .25, "probit-wide-20": .2, "probit-long": 1, "probit-drift": 1} {
		s, _ := Lookup(name)
		p := len(s.Truth(5, "k", 1))
		score, info, square, n := make([]float64, p), make([]float64, p), 0., 0.
		for _, shard := range []int64{1, 2, 3, 250, 251, 252} {
			d, truth := s.Shard(5, "k", shard, 7500), s.Truth(5, "k", shard)
			for i, y := range d.Columns[p] {
				eta := 0.
				for j := range p {
					eta += d.Columns[j][i] * truth[j].Value
				}
				if y != 0 && y != 1 {
					t.Fatalf("%s: response %v", name, y)
				}
				q := .5 * math.Erfc(-eta/math.Sqrt2)
				for j := range p {
					x := d.Columns[j][i]
					score[j] += x * (y - q)
					info[j] += x * x * q * (1 - q)
					square += x * x
					n++
				}
			}
		}
		for j := range p {
			if z := score[j] / math.Sqrt(info[j]); !(math.Abs(z) < 4.5) {
				t.Errorf("%s: the score of coefficient %d is off by %.1f standard errors", name, j+1, z)
			}
		}
		if got := math.Sqrt(square / n); !(math.Abs(got/sd-1) < 4.5/math.Sqrt(2*n)) {
			t.Errorf("%s: predictors have sd %v, want %v", name, got, sd)
		}
	}
}

// The second design: weak coefficients within (-1/3, 1/3), of mean square 1/27
// over those of 20 seeds (limits of 4.5 standard errors), none behind the 200th.
func TestProbitWideIsThePapersDesign(t *testing.T) {
	for _, name := range []string{"probit-wide", "probit-wide-20"} {
		s, ok := Lookup(name)
		if !ok || s.Rows != 100 {
			t.Fatalf("%s: %v, %d rows a shard", name, ok, s.Rows)
		}
		var count, squares float64
		for seed := range uint64(20) {
			truth := s.Truth(seed, "k", 1)
			if len(truth) != 500 || truth[0].Value != 3.5 || truth[9].Value != 1 {
				t.Fatalf("%s: %d coefficients, %v", name, len(truth), truth[:10])
			}
			for j, v := range truth[10:] {
				if b := v.Value; math.Abs(b) > 1./3 || (b == 0) != (j+10 >= 200) {
					t.Fatalf("%s: coefficient %d is %v", name, j+11, b)
				} else if b != 0 {
					count++
					squares += b * b
				}
			}
		}
		// b^2 has mean 1/27 and variance 4/3645.
		if mean := squares / count; math.Abs(mean-1./27) > 4.5*math.Sqrt(4./3645/count) {
			t.Errorf("%s: weak coefficients have mean square %v, want %v", name, mean, 1./27)
		}
	}
}

// The designs of the paper's six cases: number of columns, correlation of two
// neighbours and variance of the noise over 4,000 rows, 2,000 of 1,000 columns,
// limits of 4.5 standard errors; coefficients
// within (-3, 3), of mean square 3 over those of 20 seeds, or all .10.
func TestCompressedIsThePapersDesign(t *testing.T) {
	for i, c := range []struct {
		p, nonzero int
		rho, level float64
	}{{500, 10, .1, 0}, {1000, 10, .1, 0}, {500, 10, .4, 0}, {1000, 10, .4, 0}, {500, 500, .1, 0}, {500, 500, .1, .1}} {
		name := fmt.Sprintf("compressed-%d", i+1)
		s, ok := Lookup(name)
		if !ok || s.Rows != 100 {
			t.Fatalf("%s: %v, %d rows a shard", name, ok, s.Rows)
		}
		var count, squares float64
		for seed := range uint64(20) {
			truth := s.Truth(seed, "k", 1)
			if len(truth) != c.p+1 || truth[c.p].Value != 4 {
				t.Fatalf("%s: %d parameters, the last %v", name, len(truth), truth[len(truth)-1])
			}
			for j, v := range truth[:c.p] {
				switch g := v.Value; {
				case j >= c.nonzero && g != 0, j < c.nonzero && c.level > 0 && g != c.level, math.Abs(g) > 3:
					t.Fatalf("%s: coefficient %d is %v", name, j, g)
				case j < c.nonzero:
					count++
					squares += g * g
				}
			}
		}
		// g^2 has mean 3 and variance 7.2.
		if mean := squares / count; c.level == 0 && math.Abs(mean-3) > 4.5*math.Sqrt(7.2/count) {
			t.Errorf("%s: mean square of a coefficient %v", name, mean)
		}
		truth := s.Truth(3, "k", 1)
		var n, cross, e2 float64
		for shard := range 20_000 / int64(c.p) {
			d := s.Shard(3, "k", 1+shard, s.Rows)
			for i, y := range d.Columns[c.p] {
				for j := range c.nonzero {
					y -= truth[j].Value * d.Columns[j][i]
				}
				n++
				e2 += y * y
				cross += d.Columns[20][i] * d.Columns[21][i]
			}
		}
		if v := e2 / n; math.Abs(v-4) > 4.5*4*math.Sqrt(2/n) {
			t.Errorf("%s: error variance %v", name, v)
		}
		if r := cross / n; math.Abs(r-c.rho) > 4.5*math.Sqrt((1+c.rho*c.rho)/n) {
			t.Errorf("%s: correlation %v", name, r)
		}
	}
}

// The counts of both scenarios have the stated means: over 100 shards their
// sum misses the truth's by more than 4.5 standard errors in 7 of a million
// runs; the seed is fixed.
func TestPoissonHasTheStatedTruth(t *testing.T) {
	for _, name := range []string{"poisson", "poisson-late"} {
		s, _ := Lookup(name)
		truth := map[string]float64{}
		for _, v := range s.Truth(3, "k", 1) {
			truth[v.Variable] = v.Value
		}
		seen, first := map[float64]bool{}, 0
		var sum, mean, byX float64
		for shard := int64(1); shard <= 100; shard++ {
			d := s.Shard(3, "k", shard, s.Rows)
			for i, y := range d.Columns[4] {
				x1, x2, g, e := d.Columns[0][i], d.Columns[1][i], d.Columns[2][i], d.Columns[3][i]
				rate := e * math.Exp(truth["beta[intercept]"]+truth["beta[x1]"]*x1+truth["beta[x2]"]*x2+truth["u["+strconv.Itoa(int(g))+"]"])
				sum += y - rate
				byX += (y - rate) * x1
				mean += rate
				seen[g] = true
			}
			if shard == 1 {
				first = len(seen)
			}
		}
		if math.Abs(sum) > 4.5*math.Sqrt(mean) || math.Abs(byX) > 4.5*math.Sqrt(2*mean) {
			t.Errorf("%s: counts miss their means by %g of %g, by x1 %g", name, sum, mean, byX)
		}
		if len(seen) != 100 || name == "poisson-late" && first > 51 {
			t.Errorf("%s: %d groups, %d in the first shard", name, len(seen), first)
		}
	}
}

// A group is a whole number: a consumer takes no number with fractions for one.
func TestBatchHasGroupsAsWholeNumbers(t *testing.T) {
	sc, ok := Lookup("anova")
	if !ok {
		t.Fatal("no scenario")
	}
	d := sc.Shard(1, "k", 1, 12)
	b := d.Batch(7)
	if g := b.Columns[0]; g.Name != "group" || g.Type != cdf.Integer || len(g.Int) != 12 || g.Int[11] != 2 || g.Number[11] != 2 {
		t.Errorf("the group is %+v", g)
	}
	if y := b.Columns[1]; b.Rows != 12 || b.Time != 7 || y.Type != cdf.Float || len(y.Int) != 0 {
		t.Errorf("the batch is %+v", b)
	}
}

// Rows stay in order and none is lost, whether or not the shards are equal.
func TestCut(t *testing.T) {
	d := Data{Names: []string{"y"}, Columns: [][]float64{{0, 1, 2, 3, 4, 5, 6}}}
	next := 0.0
	for i, b := range d.Cut(3) {
		if b.Rows != len(b.Columns[0].Number) || b.Rows < 2 || b.Time != int64(1000*(i+1)) {
			t.Errorf("shard %d is %+v", i+1, b)
		}
		for _, v := range b.Columns[0].Number {
			if v != next {
				t.Errorf("row %v where %v belongs", v, next)
			}
			next++
		}
	}
	if next != 7 {
		t.Errorf("%v rows of 7", next)
	}
}
