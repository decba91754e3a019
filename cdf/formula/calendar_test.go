package formula

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/credence-stream/credence/cdf"
)

// The calendar is that of package time, in years that are far apart and on the
// seconds where they change.
func TestCalendarIsTimes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	var list []int64
	for range 20_000 {
		list = append(list, rng.Int64N(4e11)-2e11)
	}
	for year := 1600; year <= 2404; year++ {
		for _, month := range []time.Month{time.January, time.March, time.December} {
			first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC).Unix()
			list = append(list, first-1, first)
		}
	}
	for _, s := range list {
		at := time.Unix(s, 0).UTC()
		for part, want := range map[string]int{
			"year": at.Year(), "quarter": (int(at.Month()) + 2) / 3, "month": int(at.Month()), "day": at.Day(), "dayofyear": at.YearDay(),
			"weekday": (int(at.Weekday())+6)%7 + 1, "hour": at.Hour(), "minute": at.Minute(),
		} {
			if got := ofCalendar(parts[part], float64(s)+.25); got != float64(want) {
				t.Fatalf("%s of %v is %v, want %d", part, at, got, want)
			}
		}
	}
	for _, s := range []float64{math.NaN(), math.Inf(1), 1e300, -cdf.Furthest} {
		for name, part := range parts {
			if v := ofCalendar(part, s); !math.IsNaN(v) {
				t.Errorf("%s of %v is %v", name, s, v)
			}
		}
	}
}

// A period repeats exactly, on both sides of 1970, and harmonics are of its parts.
func TestSeasonRepeats(t *testing.T) {
	f := parse(t, "y ~ season(at, 7d, 2)")
	at := func(s float64) []float64 {
		_, columns := matrix(t, f, &cdf.Batch{Rows: 1, Columns: []cdf.Column{{Name: "at", Number: []float64{s}}}})
		return []float64{columns[0][0], columns[1][0], columns[2][0], columns[3][0]}
	}
	for k := range 100 {
		s := float64(k * 6_001)
		a, b := at(s), at(s-1000*7*day)
		turn := 2 * math.Pi * math.Mod(s, 7*day) / (7 * day)
		for i, want := range []float64{math.Sin(turn), math.Cos(turn), math.Sin(2 * turn), math.Cos(2 * turn)} {
			if a[i] != b[i] || math.Abs(a[i]-want) > 1e-13 {
				t.Fatalf("%v s, column %d: %v, a thousand weeks before %v, want %v", s, i, a[i], b[i], want)
			}
		}
	}
}

// Inside their bounds splines add up to one; out of them they are missing.
func TestSplinesAddUp(t *testing.T) {
	for degree := 1; degree <= splineDegree; degree++ {
		f := parse(t, "y ~ 0 + bs(x, knots=[1, 2.5, 4], degree="+strconv.Itoa(degree)+", include_intercept=True, lower_bound=0, upper_bound=5)")
		c := cdf.Column{Name: "x"}
		for i := range 501 {
			c.Number = append(c.Number, float64(i)/100)
		}
		c.Number = append(c.Number, -.01, 5.01, math.NaN())
		_, columns := matrix(t, f, &cdf.Batch{Rows: len(c.Number), Columns: []cdf.Column{c}})
		if len(columns) != 3+degree+1 {
			t.Fatalf("%d columns", len(columns))
		}
		for row, x := range c.Number {
			sum := 0.
			for _, v := range columns {
				sum += v[row]
			}
			if in := x >= 0 && x <= 5; in != (math.Abs(sum-1) < 1e-14) || !in && !math.IsNaN(sum) {
				t.Errorf("degree %d, %v: %v", degree, x, sum)
			}
		}
	}
}

// What is predicted or observed is told by the response as the formula has it.
func TestResponses(t *testing.T) {
	b := &cdf.Batch{Rows: 3, Columns: []cdf.Column{
		{Name: "y", Number: []float64{math.E, 0, math.NaN()}}, {Name: "text", Type: cdf.Text, Code: []int32{0, 0, 0}, Levels: []string{"a"}},
	}}
	if v := parse(t, "log(y) ~ x").Responses(b); len(v) != 3 || v[0] != 1 || !math.IsNaN(v[1]) || !math.IsNaN(v[2]) {
		t.Errorf("%v", v)
	}
	if v := parse(t, "y ~ x").Responses(b); len(v) != 3 || v[0] != math.E || v[1] != 0 {
		t.Errorf("%v", v)
	}
	for _, text := range []string{"z ~ x", "log(y + z) ~ x", "text ~ x"} {
		if v := parse(t, text).Responses(b); v != nil {
			t.Errorf("%s: %v", text, v)
		}
	}
}
