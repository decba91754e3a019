package season

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Rows by the hour, in seconds, as they really come. A season of a day is told, with its period, and none where
// there is none.
func TestTimes(t *testing.T) {
	hours := func(rows func(r *rand.Rand, hour int) []float64) func(*rand.Rand) []float64 {
		return func(r *rand.Rand) (times []float64) {
			for hour := 0; len(times) < 2000; hour++ {
				for _, seconds := range rows(r, hour) {
					times = append(times, math.Floor(3600*float64(hour)+seconds))
				}
			}
			slices.Sort(times)
			return times
		}
	}
	either := func(seconds float64) func(*rand.Rand) []float64 {
		return hours(func(r *rand.Rand, _ int) []float64 { return []float64{seconds * (2*r.Float64() - 1)} })
	}
	for name, times := range map[string]func(*rand.Rand) []float64{
		"a second early or late":    either(1.5),
		"half a minute":             either(30),
		"five minutes":              either(300),
		"a second one once a day":   hours(func(_ *rand.Rand, hour int) []float64 { return []float64{0, 1}[:1+max(hour%24-22, 0)] }),
		"ten minutes, once a day":   hours(func(_ *rand.Rand, hour int) []float64 { return []float64{0, 600}[:1+max(hour%24-22, 0)] }),
		"a second one now and then": hours(func(r *rand.Rand, _ int) []float64 { return []float64{0, 1}[:1+r.IntN(20)/19] }),
		"one behind the other":      hours(func(*rand.Rand, int) []float64 { return []float64{0, 7} }),
		"two that are not":          hours(func(_ *rand.Rand, hour int) []float64 { return []float64{0, 1700 + 3*float64(hour%24)} }),
		"at the same time":          hours(func(*rand.Rand, int) []float64 { return []float64{0, 0} }),
		"no nights": hours(func(r *rand.Rand, hour int) []float64 {
			return []float64{60 * r.Float64()}[:min(hour%24/7, 1)]
		}),
		"from six to ten": hours(func(_ *rand.Rand, hour int) []float64 {
			if day := hour / 24 % 7; day > 4 || hour%24 < 6 || hour%24 > 21 {
				return nil
			}
			return []float64{0}
		}),
		"by chance": func(r *rand.Rand) []float64 {
			times, now := make([]float64, 2000), 0.
			for i := range times {
				now += 3600 * r.ExpFloat64()
				times[i] = math.Floor(now)
			}
			return times
		},
		"three months between": hours(func(_ *rand.Rand, hour int) []float64 { return []float64{7776000 * float64(hour/700)} }),
	} {
		const streams = 20
		var told, ever int
		for i := range uint64(2 * streams) {
			r := rand.New(rand.NewPCG(i, 14))
			at := times(r)
			v := noise(r, len(at))
			if i%2 == 0 {
				for k := range v {
					v[k] = .9*v[k] + .8*math.Sin(2*math.Pi*at[k]/86400)
				}
			}
			var a Account
			var s Shard
			up := false
			tell(&a, &s, v, func(k int) float64 {
				if k == 0 {
					return 1
				}
				return at[k] - at[k-1]
			}, func() {
				if up = up || a.Season() > 0; !a.Valid() {
					t.Fatalf("%s: %+v", name, a)
				}
			})
			switch {
			case i%2 == 0 && math.Abs(a.Season()/86400-1) < .05:
				told++
			case i%2 == 1 && up:
				ever++
			}
		}
		t.Logf("%s: the day is told in %d of %d, one that there is not in %d", name, told, streams, ever)
		if told < streams-1 || ever > 1 {
			t.Errorf("%s: the day is told in %d of %d, one that there is not in %d", name, told, streams, ever)
		}
	}
}

// A key whose rows come by the minute, by the hour and by the minute again has these units, some hours behind each change.
func TestUnitFollows(t *testing.T) {
	var s Shard
	var a Account
	for _, c := range []struct {
		gap  float64
		rows int
	}{{60, 100}, {3600, 100}, {60, 4000}, {86400, 100}, {3600, 1000}} {
		for range c.rows {
			s.Reset()
			s.Pass(c.gap)
			s.Tell(1)
			a.Add(&s)
		}
		if float64(a.Unit) != c.gap || !a.Valid() {
			t.Errorf("every %g seconds: a unit of %d", c.gap, a.Unit)
		}
	}
}

// Scores keep their times in another unit, and the newest its place; of several in one the first counts.
func TestResize(t *testing.T) {
	for _, c := range []struct {
		name     string
		unit, to int64
		in, want []int8
	}{
		{"wider", 10, 30, []int8{1, 0, 0, 2, 0, 0, 0, 0, 0, 3}, []int8{1, 2, 0, 3}},
		{"several", 10, 30, []int8{1, 0, 0, 0, 0, 5, 2, 4}, []int8{1, 5, 2}},
		{"narrower", 30, 10, []int8{1, 2, 0, 3}, []int8{1, 0, 0, 2, 0, 0, 0, 0, 0, 3}},
		{"none behind", 10, 30, []int8{1, 0, 0, 2, 0, 0, 0, 0}, []int8{1, 2, 0}},
		{"none", 10, 30, nil, nil},
	} {
		a := Account{Unit: c.unit, Scores: slices.Clone(c.in), Rows: 9, Period: 6}
		if a.resize(c.to); a.Unit != c.to || !slices.Equal(a.Scores, c.want) || a.Period != 0 || !a.Valid() {
			t.Errorf("%s: %+v", c.name, a)
		}
	}
	full := Account{Unit: 30, Scores: make([]int8, Window), Rows: 9, Period: 6}
	for i := range full.Scores {
		full.Scores[i] = 1
	}
	if full.resize(10); len(full.Scores) > Window || full.Period != 18 || full.Scores[len(full.Scores)-1] != 1 || full.Scores[len(full.Scores)-4] != 1 {
		t.Errorf("%d scores", len(full.Scores))
	}
}

// The clock of a key whose rows come at even times takes no room, and any other's is read as it was written.
func TestClockCodec(t *testing.T) {
	var s Shard
	var a, b Account
	tell(&a, &s, noise(rand.New(rand.NewPCG(1, 12)), 200), one, func() {})
	even := len(a.Append(nil))
	s.Reset()
	s.Pass(3)
	s.Tell(1)
	a.Add(&s)
	if bytes := a.Append(nil); even != Window+10 || len(bytes) <= even+4 {
		t.Fatalf("%d bytes, %d behind a gap", even, len(bytes))
	} else if _, ok := b.Read(bytes); !ok || b.clock != a.clock || a.clock == (clock{}) {
		t.Fatalf("%+v, want %+v", b.clock, a.clock)
	}
	for _, bad := range []clock{{Rest: 2}, {Crowded: 1}, {Most: 1}, {Sparse: -1, Least: 1}, {Sparse: 1, Least: -1}, {Sparse: 1 << 50, Least: 1}, {Rest: -2}} {
		a.clock = bad
		if a.Valid() {
			t.Errorf("%+v is valid", bad)
		}
		if _, ok := b.Read(a.Append(nil)); ok {
			t.Errorf("%+v is read", bad)
		}
	}
}

// A season whose shape is a spike, an hour of the day, has its period and not a part of it.
func TestSpike(t *testing.T) {
	var s Shard
	told, right := 0, 0
	for i := range 40 {
		v := noise(rand.New(rand.NewPCG(uint64(i), 15)), 2000)
		for k := range v {
			if v[k] *= .9; k%24 == 3 {
				v[k] += 3
			}
		}
		var a Account
		tell(&a, &s, v, one, func() {
			if a.Season() > 0 {
				if told++; math.Abs(a.Season()-24) < 1 {
					right++
				}
			}
		})
	}
	if t.Logf("right %d of %d", right, told); told < 100 || float64(right) < .95*float64(told) {
		t.Errorf("right %d of %d", right, told)
	}
}
