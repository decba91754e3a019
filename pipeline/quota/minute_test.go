package quota

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestMinutesOfRecords: what the minute of a prefix is after records with these times, in minutes,
// and whether there is room in it that the first of them have taken.
func TestMinutesOfRecords(t *testing.T) {
	const now, year2100, year1970 = 29_000_000, 68_400_000, 5
	times := func(n int, at int64) (all []int64) {
		for range n {
			all = append(all, at)
		}
		return all
	}
	for name, c := range map[string]struct {
		before []int64 // the last of these makes a key
		then   []int64
		want   int64
		room   bool
	}{
		"the same minute":                  {times(1, now), times(3, now), now, false},
		"the next minute":                  {times(1, now), []int64{now + 1}, now + 1, true},
		"an hour later":                    {times(1, now), []int64{now + 60}, now + 60, true},
		"a day later, after a pause":       {times(1, now), []int64{now + 1440}, now + 1440, true},
		"day after day":                    {[]int64{now, now + 1440}, []int64{now + 2880}, now + 2880, true},
		"late":                             {times(1, now), times(100, now-60), now, false},
		"one of long ago":                  {times(1, now), []int64{year1970}, now, false},
		"long ago, now and then":           {times(1, now), append(append(times(7, year1970), now), times(7, year1970)...), now, false},
		"long ago, eight in a row":         {times(1, now), times(8, year1970), year1970, false},
		"one of far ahead":                 {times(1, now), []int64{year2100}, year2100, true},
		"far ahead, before it is wrong":    {append(times(7, now), year2100), times(7, now), year2100, false},
		"far ahead, and it was wrong":      {append(times(7, now), year2100), times(8, now), now, false},
		"far ahead, and a minute after it": {append(times(7, now), year2100), append(times(8, now), now+1), now + 1, true},
		"far ahead once more":              {append(append(times(1, now), year2100), times(9, now)...), times(7, year2100), now, false},
		"far ahead, eight in a row":        {append(append(times(1, now), year2100), times(9, now)...), times(8, year2100), year2100, true},
		"no time at all":                   {times(1, 0), times(9, 0), 0, false},
		"the first is far ahead":           {[]int64{year2100}, times(8, now), now, false},
	} {
		var m Minute
		for _, at := range c.before {
			m.See(at*60_000 + 59_999)
		}
		m.Made++
		for _, at := range c.then {
			m.See(at * 60_000)
		}
		if m.Begin != c.want || (m.Made == 0) != c.room {
			t.Errorf("%s: %+v, want minute %d with room %v", name, m, c.want, c.room)
		}
	}
}

// TestWrongTimesNeitherOpenNorClose: among records whose time goes on, however many have wild
// times, as long as eight of them do not come in a row the minutes are those of the others alone,
// once a first wild one was found out.
func TestWrongTimesNeitherOpenNorClose(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 61))
		with, without, ms, row, opened := Minute{Wary: true}, Minute{Wary: true}, int64(1e12), 0, 0
		with.Begin, without.Begin = ms/60_000, ms/60_000
		for range 2000 {
			if row < awayRecords-1 && rng.IntN(2) == 0 {
				row++
				wild := [...]int64{math.MinInt64, math.MaxInt64, -1, 0, ms * 1000, ms + 7_200_000 + rng.Int64N(1e12), ms - 7_200_000 - rng.Int64N(1e12)}
				if with.See(wild[rng.IntN(len(wild))]) {
					t.Fatalf("seed %d: a minute begins with a wild time", seed)
				}
				continue
			}
			row = 0
			ms += rng.Int64N(60_000)
			if a, b := with.See(ms), without.See(ms); a != b || with != without {
				t.Fatalf("seed %d: %+v begins %v, without wild times %+v, %v", seed, with, a, without, b)
			} else if a {
				opened++
			}
		}
		if opened < 100 {
			t.Errorf("seed %d: %d minutes", seed, opened)
		}
	}
}

// TestNoTimeClosesForEver: whatever came before, after eight records with right times and a minute
// there is room.
func TestNoTimeClosesForEver(t *testing.T) {
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 62))
		var m Minute
		for range rng.IntN(60) {
			times := [...]int64{math.MinInt64, math.MaxInt64, 0, 1e12, 1e12 + rng.Int64N(1e8), 4e12, 4e12 + rng.Int64N(1e8)}
			m.See(times[rng.IntN(len(times))])
			m.Made++
		}
		ms := int64(2e12) + rng.Int64N(60_000)
		for range awayRecords {
			m.See(ms)
		}
		if m.See(ms + 60_000); m.Made != 0 {
			t.Fatalf("seed %d: %+v has no room at minute %d", seed, m, ms/60_000+1)
		}
	}
}

// TestMinuteSaysWhen: minutes of all times have a text.
func TestMinuteSaysWhen(t *testing.T) {
	for begin, want := range map[int64]string{0: "1970-01-01T00:00Z", 29_000_000: "2025-02-19T21:20Z", -1: "1969-12-31T23:59Z"} {
		if m := (&Minute{Begin: begin}); m.String() != want {
			t.Errorf("%d is %s, want %s", begin, m, want)
		}
	}
	m := Minute{Begin: -10}
	if m.See(-1); m.Begin != -1 {
		t.Errorf("%+v: the last millisecond of 1969 is in another minute", m)
	}
}
