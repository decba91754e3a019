package season

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// tell adds scores in shards of 20.
func tell(a *Account, s *Shard, scores []float64, steps func(i int) float64, each func()) {
	for lo := 0; lo < len(scores); lo += 20 {
		s.Reset()
		for i := lo; i < min(lo+20, len(scores)); i++ {
			s.Pass(steps(i))
			s.Tell(scores[i])
		}
		a.Add(s)
		each()
	}
}

func one(int) float64 { return 1 }

func noise(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

// Independent errors have a season in at most 1 % of streams, at any of their shards, be they short
// or long.
func TestNoSeason(t *testing.T) {
	for _, c := range []struct{ streams, rows int }{{2000, 500}, {150, 20_000}} {
		up := 0
		var s Shard
		for i := range c.streams {
			r := rand.New(rand.NewPCG(uint64(i), 8))
			var a Account
			ever := false
			tell(&a, &s, noise(r, c.rows), one, func() { ever = ever || a.Season() > 0 })
			if ever {
				up++
			}
		}
		t.Logf("%d of %d streams of %d rows", up, c.streams, c.rows)
		if float64(up) > .01*float64(c.streams) {
			t.Errorf("up in %d of %d streams of %d rows", up, c.streams, c.rows)
		}
	}
}

// Errors that last a little, or of which the variance moves, have a line in at most 4 % of streams.
func TestNoLine(t *testing.T) {
	var s Shard
	for name, make := range map[string]func(r *rand.Rand, i int, last float64) float64{
		"lasting":     func(r *rand.Rand, _ int, last float64) float64 { return .25*last + .97*r.NormFloat64() },
		"alternating": func(r *rand.Rand, _ int, last float64) float64 { return -.5*last + .87*r.NormFloat64() },
		"growing":     func(r *rand.Rand, i int, _ float64) float64 { return float64(i) / 1000 * r.NormFloat64() },
	} {
		up := 0
		for i := range 200 {
			r := rand.New(rand.NewPCG(uint64(i), 9))
			v, last := noise(r, 2000), 0.
			for i := range v {
				last = make(r, i, last)
				v[i] = last
			}
			var a Account
			ever := false
			tell(&a, &s, v, one, func() { ever = ever || a.Season() > 0 })
			if ever {
				up++
			}
		}
		t.Logf("%s: %d of 200", name, up)
		if up > 8 {
			t.Errorf("%s: up in %d of 200", name, up)
		}
	}
}

// A season of a quarter of the variance is told after 480 rows, with its period: also where steps are missing, or time is in
// seconds and rows come by the hour.
func TestSeason(t *testing.T) {
	var s Shard
	for _, c := range []struct {
		name   string
		period float64
		unit   float64
		miss   float64
		spiky  bool
	}{
		{"day", 24, 1, 0, false}, {"week", 7, 1, 0, false}, {"year", 12, 1, 0, false}, {"odd", 17.3, 1, 0, false}, {"long", 50, 1, 0, false},
		{"seconds", 24, 3600, 0, false}, {"missing", 24, 1, .2, false}, {"sundays", 7, 1, 0, true},
	} {
		up := 0
		for i := range 100 {
			r := rand.New(rand.NewPCG(uint64(i), 10))
			var v, at []float64
			gap := 0.
			for i := 0; len(v) < 480; i++ {
				if gap++; r.Float64() < c.miss {
					continue
				}
				off := math.Sqrt(.5) * math.Sin(2*math.Pi*float64(i)/c.period)
				if c.spiky {
					off = 0
					if i%7 == 0 {
						off = -2
					}
				}
				v, at = append(v, .9*r.NormFloat64()+off), append(at, gap*c.unit)
				gap = 0
			}
			var a Account
			tell(&a, &s, v, func(i int) float64 { return at[i] }, func() {})
			if math.Abs(a.Season()/(c.period*c.unit)-1) < .05 {
				up++
			}
		}
		t.Logf("%s: %d of 100", c.name, up)
		if up < 95 {
			t.Errorf("%s: up in %d of 100", c.name, up)
		}
	}
}

// One row shortly behind another, among rows by the hour, does not hide a season for good: one second, a minute, and what
// leaves most of a window between rows.
func TestOddReading(t *testing.T) {
	var s Shard
	for _, odd := range []float64{1, 60, 300, 1300} {
		up := 0
		for i := range 20 {
			r := rand.New(rand.NewPCG(uint64(i), 13))
			at := make([]float64, 3000)
			v := noise(r, len(at))
			hours := 0
			for i := range at {
				switch hours++; i {
				case 700:
					at[i] = odd
					hours--
				case 701:
					at[i] = 3600 - odd
				default:
					at[i] = 3600
				}
				v[i] = .9*v[i] + math.Sqrt(.5)*math.Sin(2*math.Pi*float64(hours)/24)
			}
			var a Account
			before := false
			shard := 0
			tell(&a, &s, v, func(i int) float64 { return at[i] }, func() {
				if shard++; shard == 34 {
					before = math.Abs(a.Season()/86400-1) < .05
				}
				if !a.Valid() {
					t.Fatalf("%+v", a)
				}
			})
			if before && math.Abs(a.Season()/86400-1) < .05 {
				up++
			}
		}
		if up < 19 {
			t.Errorf("%g seconds: the day is told in %d of 20", odd, up)
		}
	}
}

// Steps without a row at the end of a shard take their time, whatever the unit: the phase of a season does not slip.
func TestStepsBehindTheLastRow(t *testing.T) {
	for _, unit := range []float64{1, 60, 3600} {
		var whole, parts Account
		var s Shard
		for i := range 40 {
			s.Reset()
			s.Pass(unit)
			s.Tell(float64(i%5) - 2)
			if i%4 == 1 {
				s.Pass(unit) // of a row without a response
				parts.Add(&s)
				s.Reset()
				s.Pass(unit)
				s.Tell(1)
			}
			parts.Add(&s)
		}
		s.Reset()
		for i := range 40 {
			s.Pass(unit)
			s.Tell(float64(i%5) - 2)
			if i%4 == 1 {
				s.Pass(2 * unit)
				s.Tell(1)
			}
		}
		whole.Add(&s)
		if !slices.Equal(whole.Scores, parts.Scores) || whole.Unit != parts.Unit {
			t.Errorf("unit %g: %d scores in one shard, %d in many", unit, len(whole.Scores), len(parts.Scores))
		}
	}
}

// The transform is that of its definition.
func TestTransform(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 11))
	scores := make([]int8, 50)
	for i := range scores {
		scores[i] = int8(r.IntN(200) - 100)
	}
	var s spectrum
	s.transform(scores, 128)
	for k := range 128 {
		re, im := 0., 0.
		for i, v := range scores {
			sin, cos := math.Sincos(2 * math.Pi * float64(i*k) / 128)
			re += float64(v) * cos
			im -= float64(v) * sin
		}
		if math.Hypot(re-s.re[k], im-s.im[k]) > 1e-9 {
			t.Fatalf("%d: %g %g, want %g %g", k, s.re[k], s.im[k], re, im)
		}
	}
}

// A state has the room of all scores from the first row on.
func TestRoom(t *testing.T) {
	var s Shard
	for _, rows := range []int{1, 500, 1024} {
		var a, b Account
		tell(&a, &s, noise(rand.New(rand.NewPCG(2, 12)), rows), one, func() {})
		bytes := a.Append(nil)
		if _, ok := b.Read(bytes); !ok || len(bytes) < Window || len(bytes) > Window+12 || len(b.Scores) != rows {
			t.Errorf("%d rows: %d bytes, %d scores", rows, len(bytes), len(b.Scores))
		}
	}
}

// What was written is read again, and nothing else.
func TestCodec(t *testing.T) {
	var s Shard
	var a, b Account
	tell(&a, &s, noise(rand.New(rand.NewPCG(1, 12)), 1100), one, func() {})
	bytes := append(a.Append(nil), 7)
	rest, ok := b.Read(bytes)
	if !ok || len(rest) != 1 || len(b.Scores) != Window || string(b.Append(nil)) != string(bytes[:len(bytes)-1]) {
		t.Fatalf("%v, %d left", ok, len(rest))
	}
	for n := range bytes[:len(bytes)-1] {
		if _, ok := b.Read(bytes[:n]); ok {
			t.Fatalf("%d bytes are an account", n)
		}
	}
	for _, bad := range []Account{{Rows: 1}, {Unit: 1}, {Unit: 1, Rows: 1, Fresh: 2}, {Unit: 1, Rows: 1, Period: -1}, {Unit: 1, Rows: 1, Period: float32(math.NaN())}} {
		if bad.Valid() {
			t.Errorf("%+v is valid", bad)
		}
	}
}

// A gap longer than the window, a lesser unit, and rows of the same step; the steps before the first row are no gap.
func TestGaps(t *testing.T) {
	var s Shard
	var a Account
	for _, c := range []struct {
		steps float64
		unit  int64
		held  int
	}{{1, 1, 1}, {60, 60, 2}, {180, 60, 5}, {0, 60, 5}, {20, 20, 14}, {40, 20, 16}, {1e9, 20, 1}} {
		s.Reset()
		s.Pass(c.steps)
		s.Tell(1)
		if a.Add(&s); a.Unit != c.unit || len(a.Scores) != c.held || !a.Valid() {
			t.Errorf("%+v: %+v", c, a)
		}
	}
}
