package cdf

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// The label of a time is that of package time, for dates and to the microsecond.
func TestTimesAreAsPackageTimeWritesThem(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	check := func(seconds float64) {
		t.Helper()
		at := time.UnixMicro(int64(math.Round(seconds * 1e6))).UTC()
		want := at.Format("2006-01-02T15:04:05.999999Z")
		if at.Truncate(24 * time.Hour).Equal(at) {
			want = at.Format(time.DateOnly)
		}
		if got := string(appendTime(nil, seconds)); got != want {
			t.Fatalf("%v is %s, want %s", seconds, got, want)
		}
		if midnight(seconds) != (len(want) == len("2006-01-02")) {
			t.Fatalf("%s: midnight %v", want, midnight(seconds))
		}
	}
	for day := -719_000.0; day < 2_900_000; day++ { // years 1 to 9900
		check(day * 86_400)
	}
	for range 100_000 {
		check(math.Round((rng.Float64()*6e9-3e9)*1e6) / 1e6)
		check(math.Round(rng.Float64()*4e9 - 2e9))
	}
}
