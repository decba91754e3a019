package season

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// scoresOf are the errors of a series, by their sds, that a level with such parameters about 0 makes of the rows.
func scoresOf(y []float64, phi, ratio, sd float64) []float64 {
	z := make([]float64, len(y))
	level, p := 0., ratio/(1-phi*phi)
	for i, v := range y {
		f := p + 1
		e := v - level
		z[i] = e / math.Sqrt(f) / sd
		level, p = phi*(level+p/f*e), phi*phi*p/f+ratio
	}
	return z
}

// leveled returns rows of a level with phi .8 and steps of sd .6 in noise of sd 1, to which shift is added.
func leveled(r *rand.Rand, n int, shift func(i int) float64) []float64 {
	y, level := make([]float64, n), r.NormFloat64()
	for i := range y {
		level = .8*level + .6*r.NormFloat64()
		y[i] = level + r.NormFloat64() + shift(i)
	}
	return y
}

// judged adds scores in shards of 20 under parameters, and returns whether the mean moved at any, and at last.
func judged(a *Account, z []float64, phi, ratio float64) (ever bool) {
	var s Shard
	for lo := 0; lo < len(z); lo += 20 {
		s.Reset()
		for _, v := range z[lo:min(lo+20, len(z))] {
			s.Pass(1)
			s.Tell(v)
		}
		s.Level(phi, ratio)
		a.Add(&s)
		ever = ever || a.MeanMoved() > 0
	}
	return ever
}

// Independent scores have a mean that moved at any shard in at most 1 of 200 streams, whatever the parameters are.
func TestNoMeanMoved(t *testing.T) {
	for _, law := range [][2]float64{{-.8, .3}, {.5, .02}, {.8, .4}, {.95, .2}, {.99, .04}, {.999, .1}} {
		up := 0
		for i := range 30 {
			r := rand.New(rand.NewPCG(uint64(i), 100))
			var a Account
			if judged(&a, noise(r, 1300), law[0], law[1]) {
				up++
			}
		}
		if up > 1 {
			t.Errorf("phi %v, ratio %v: up in %d of 30", law[0], law[1], up)
		}
	}
}

// Of a level whose mean jumps by two sds of its rows, and that is followed with phi nearer to 1, the jump is found where it was, and stays known
// when it is out of the window; with the parameters of the rows it is not looked for behind it.
func TestMeanMoved(t *testing.T) {
	const rows, jump = 2600, 1200
	found, near, kept := 0, 0, 0
	for i := range 20 {
		r := rand.New(rand.NewPCG(uint64(i), 101))
		y := leveled(r, rows, func(i int) float64 {
			if i < jump {
				return 0
			}
			return 3
		})
		z := scoresOf(y, .965, .12, 1.13)
		var a Account
		judged(&a, z[:1800], .965, .12)
		if a.MeanMoved() > 0 {
			found++
			if math.Abs(1800-a.MeanMoved()-jump) <= 40 {
				near++
			}
			judged(&a, z[1800:], .965, .12)
			if ago := a.MeanMoved(); ago > 0 && math.Abs(rows-ago-jump) <= 200 {
				kept++
			}
		}
		var right Account
		if judged(&right, scoresOf(leveled(r, 1800, func(int) float64 { return 0 }), .8, .36, 1), .8, .36) {
			t.Errorf("seed %d: moved without a jump", i)
		}
	}
	t.Logf("found %d, near %d, kept %d of 20", found, near, kept)
	if found < 18 || near < 16 || kept < 13 {
		t.Errorf("found in %d, near in %d, kept in %d of 20", found, near, kept)
	}
}

// A mean that moved stays one that did while the rows show other parameters by less than it takes to tell of one, and no longer when they
// show the same.
func TestMovedStays(t *testing.T) {
	stays, goes, told := 0, 0, 0
	for i := range 20 {
		r := rand.New(rand.NewPCG(uint64(i), 103))
		y := leveled(r, 1000, func(int) float64 { return 0 })
		for _, law := range [][2]float64{{.93, .18}, {.8, .36}} {
			z := scoresOf(y, law[0], law[1], 1)
			var a, fresh Account
			judged(&a, z[:900], law[0], law[1])
			a.CopyTo(&fresh)
			a.Moved = max(a.Moved, 1)
			judged(&a, z[900:], law[0], law[1])
			judged(&fresh, z[900:], law[0], law[1])
			switch {
			case fresh.Moved > 0:
				told++
			case law[0] > .85 && a.Moved > 0:
				stays++
			case law[0] < .85 && a.Moved == 0:
				goes++
			}
		}
	}
	t.Logf("stays %d, goes %d, told %d", stays, goes, told)
	if stays < 6 || goes < 15 {
		t.Errorf("stays in %d and goes in %d of 20, told anew in %d", stays, goes, told)
	}
}

// What a jump from a row on explains is that of least squares with a series of ones from that row.
func TestShift(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 102))
	scores := make([]int8, 90)
	for i := range scores {
		if i%7 != 3 {
			scores[i] = stored(r.NormFloat64())
		}
	}
	for _, law := range [][2]float64{{.8, .4}, {-.5, 2}, {.99, .01}, {0, 1}} {
		var x series
		x.rebuild(scores, .9, .2)
		one, two, at := x.fit(law[0], law[1])
		filtered := func(y []float64) (e, w []float64) {
			level, p := 0., law[1]/(1-law[0]*law[0])
			for t, v := range y {
				if math.IsNaN(x.y[t]) {
					level, p = law[0]*level, law[0]*law[0]*p+law[1]
					continue
				}
				e, w = append(e, v-level), append(w, 1/(p+1))
				level, p = law[0]*(level+p/(p+1)*(v-level)), law[0]*law[0]*p/(p+1)+law[1]
			}
			return e, w
		}
		from := func(row int) (e []float64) {
			v := make([]float64, len(scores))
			for i := range v {
				if i >= row {
					v[i] = 1
				}
			}
			e, _ = filtered(v)
			return e
		}
		e, w := filtered(x.y)
		dot := func(a, b []float64) (sum float64) {
			for i, v := range a {
				sum += v * w[i] * b[i]
			}
			return sum
		}
		logs := 0.
		for _, v := range w {
			logs -= math.Log(v)
		}
		log := func(squares float64) float64 { return -.5 * (float64(len(e))*math.Log(squares) + logs) }
		ones := from(0)
		squares := dot(e, e) - dot(e, ones)*dot(e, ones)/dot(ones, ones)
		least, row := squares, 0
		for i, v := range scores {
			part := from(i)
			if v == 0 || len(e)-slices.Index(part, 1) < aside || slices.Index(part, 1) < aside {
				continue
			}
			own := dot(part, part) - dot(part, ones)*dot(part, ones)/dot(ones, ones)
			to := dot(e, part) - dot(e, ones)*dot(ones, part)/dot(ones, ones)
			if left := squares - to*to/own; left < least {
				least, row = left, i
			}
		}
		if math.Abs(one-log(squares)) > 1e-9 || math.Abs(two-log(least)) > 1e-9 || at != row {
			t.Errorf("phi %v: %v and %v from row %d on, want %v and %v from row %d on", law[0], one, two, at, log(squares), log(least), row)
		}
	}
}

// Scores of rows that are all alike, and such as many rows far out leave, tell nothing of the mean.
func TestNothingToldOfTheMean(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 102))
	var alike, far Account
	if judged(&alike, make([]float64, 1200), .3, .1) {
		t.Error("rows that are all alike have a mean that moved")
	}
	y := leveled(r, 1200, func(int) float64 { return 0 })
	for i := range y[600:] {
		y[600+i] *= 20
	}
	if judged(&far, scoresOf(y, .8, .36, 1), .8, .36) {
		t.Error("rows that are far out, one as the other, are a mean that moved")
	}
}

// When the mean moved is kept through a codec, a unit that changes and a pause, and is a part that releases before do not read.
func TestMovedIsKept(t *testing.T) {
	var a, b Account
	judged(&a, noise(rand.New(rand.NewPCG(3, 102)), 200), .5, .5)
	if a.Amended() {
		t.Error("amended without a mean that moved")
	}
	a.Moved = 150
	rest, ok := b.Read(append(a.Append(nil), 7))
	if !ok || len(rest) != 1 || b.Moved != 150 || !a.Amended() || !slices.Equal(b.Scores, a.Scores) {
		t.Fatalf("read %v with %d bytes behind it, moved %d", ok, len(rest), b.Moved)
	}
	bad := a.Append(nil)
	bad[len(bad)-Window-6] = 0 // the two bytes of Moved are before those of the period
	bad[len(bad)-Window-5] = 0
	if _, ok := new(Account).Read(bad); ok {
		t.Error("a mean that moved never is read")
	}
	b.pass(30)
	if b.Moved != 180 {
		t.Errorf("moved %d units ago, want 180", b.Moved)
	}
	b.pass(2 * Window)
	if b.Moved != 180+2*Window {
		t.Errorf("moved %d units ago, want %d", b.Moved, 180+2*Window)
	}
	a.resize(2)
	if a.Moved != 75 || a.MeanMoved() != 150 {
		t.Errorf("moved %d units ago, %v steps", a.Moved, a.MeanMoved())
	}
}
