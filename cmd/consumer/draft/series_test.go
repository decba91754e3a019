package draft

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// seriesSample are series of y by the days since the first, with errors of sd 1, each the share phi of that before.
type seriesSample struct {
	name, asks string
	rows       int
	step, phi  float64
	y          func(r *rand.Rand, days, e float64) float64
}

func (c *seriesSample) columns(seed uint64) []cdf.Column {
	r := rand.New(rand.NewPCG(seed, 9))
	at, y := cdf.Column{Name: "at", Type: cdf.Time}, cdf.Column{Name: "y"}
	e := r.NormFloat64()
	for i := range c.rows {
		e = c.phi*e + math.Sqrt(1-c.phi*c.phi)*r.NormFloat64()
		days := c.step * float64(i) / perDay
		at.Number = append(at.Number, 1.7e9+days*perDay)
		y.Number = append(y.Number, c.y(r, days, e))
	}
	return []cdf.Column{at, y}
}

// weekend is 1 on two days of seven.
func weekend(days float64) float64 { return float64(int(days) % 7 / 5) }

var seriesSamples = func() []seriesSample {
	const perHour = 3600.
	level := func(_ *rand.Rand, _, e float64) float64 { return 40 + e }
	return []seriesSample{
		{"weekdays", "--kind linear --formula y ~ weekday(at)", 400, perDay, 0, func(_ *rand.Rand, days, e float64) float64 { return 40 + 3*weekend(days) + e }},
		{"weekdays with errors that go on", "--kind linear --formula y ~ weekday(at)", 400, perDay, .5, func(_ *rand.Rand, days, e float64) float64 { return 40 + 5*weekend(days) + e }},
		{"counts by weekday", "--kind poisson --formula y ~ weekday(at)", 600, perDay, 0, func(r *rand.Rand, days, _ float64) float64 {
			return poissonOf(r, math.Exp(.5+1.2*weekend(days)))
		}},
		{"a logarithm", "--formula log(y) ~ 1", 400, perDay, .9, func(_ *rand.Rand, _, e float64) float64 { return math.Exp(3 + e) }},
		{"errors alone", "", 100, perDay, 0, level},
		{"errors alone", "", 1500, perDay, 0, level},
		{"a level that returns", "", 400, perDay, .8, level},
		{"a level by hour", "", 700, perHour, .9, level},
		{"a walk", "", 400, perDay, .9999, func(_ *rand.Rand, _, e float64) float64 { return 400 + 30*e }},
		{"a level in noise", "", 400, perDay, .9, func(r *rand.Rand, _, e float64) float64 { return 40 + e + r.NormFloat64() }},
		{"a year and a slow level", "", 800, perDay, .95, func(_ *rand.Rand, days, e float64) float64 { return 40 + 3*math.Sin(2*math.Pi*days/365) + e }},
		{"a jump", "", 700, perDay, 0, func(_ *rand.Rand, days, e float64) float64 { return 40 + 20*math.Floor(days/300) + e }},
		{"a hundredth far off", "", 400, perDay, .8, func(r *rand.Rand, _, e float64) float64 {
			if r.IntN(100) == 0 {
				return 70 + e
			}
			return 40 + e
		}},
	}
}()

// A series is compared with what parts of its times explain. Of 50 samples of each all had the note that is meant, or none where none is.
func TestSeries(t *testing.T) {
	manySamples(t)
	for _, c := range seriesSamples {
		for seed := range uint64(4) {
			_, m, _ := drafted(t, sampleOf(c.columns(seed), c.rows))
			if !strings.HasSuffix(unquoted(m.likelier), c.asks) || c.asks == "" && m.likelier != "" {
				t.Errorf("%s of %d rows, seed %d: note %q, want %s", c.name, c.rows, seed, m.likelier, c.asks)
			}
		}
	}
}

// A series is compared with all of its rows, since without its extremes it is another.
func TestSeriesAreWhole(t *testing.T) {
	c := seriesSamples[0]
	p := sampleOf(c.columns(1), c.rows)
	_, m, _ := drafted(t, p)
	if rows := m.comparedRows(p.rows.Batch()); len(rows) != c.rows {
		t.Errorf("%d of %d rows are compared", len(rows), c.rows)
	}
}

// A kind that was asked for is not compared with others, and a series by numbers has no parts of times.
func TestSeriesThatAreNotCompared(t *testing.T) {
	c := seriesSamples[0]
	for _, wanted := range []string{"", "dlm"} {
		columns := c.columns(1)
		if wanted == "" {
			columns[0].Name, columns[0].Type = "time", cdf.Integer
			for i := range columns[0].Number {
				columns[0].Number[i] = float64(i)
				columns[0].Int = append(columns[0].Int, int64(i))
			}
		}
		if _, m, _ := draftedAs(t, sampleOf(columns, c.rows), Wish{Response: "y", Kind: wanted}); m.Kind.Name != "dlm" || m.likelier != "" {
			t.Errorf("kind %q: kind %s with the note %q", wanted, m.Kind.Name, m.likelier)
		}
	}
}

// Groups are compared with levels of linear beside parts of times, few enough for levels; of 50 samples of each sort likewise.
func TestGroupsInTime(t *testing.T) {
	for _, c := range []struct {
		name, asks string
		groups     int
		weekend    float64
		counts     bool
	}{
		{"weekdays", "with kind linear, and weekday(at) as a feature: --kind linear --formula y ~ shop + weekday(at)", 5, 3, false},
		{"no weekdays", "", 5, 0, false},
		{"many groups", "", mostLevels + 1, 3, false},
		{"counts by weekday", "with weekday(at) as a feature more: --formula y ~ (1 | shop) + weekday(at)", 5, 3, true},
		{"counts", "", 5, 0, true},
	} {
		series := seriesSample{rows: 600, step: perDay, y: func(_ *rand.Rand, days, e float64) float64 {
			return 40 + c.weekend*weekend(days) + e
		}}
		shop := cdf.Column{Name: "shop", Type: cdf.Text}
		for g := range c.groups {
			shop.Levels = append(shop.Levels, fmt.Sprint("shop ", g))
		}
		for seed := range uint64(2) {
			columns := series.columns(seed)
			r := rand.New(rand.NewPCG(seed, 11))
			shop.Code = nil
			for i := range series.rows {
				g := r.IntN(c.groups)
				shop.Code = append(shop.Code, int32(g))
				if columns[1].Number[i] += float64(g % 5); c.counts {
					columns[1].Number[i] = poissonOf(r, (columns[1].Number[i]-38)/2)
				}
			}
			_, m, _ := drafted(t, sampleOf(append(columns, shop), series.rows))
			if m.Kind.Name != map[bool]string{false: "anova", true: "poisson"}[c.counts] || !strings.HasSuffix(unquoted(m.likelier), c.asks) || c.asks == "" && m.likelier != "" {
				t.Errorf("%s, seed %d: kind %s, note %q, want %s", c.name, seed, m.Kind.Name, m.likelier, c.asks)
			}
		}
	}
}

// A time that a formula names is a feature, and is not said to be left out.
func TestTimesOfFormulas(t *testing.T) {
	c := seriesSamples[0]
	_, m, _ := draftedAs(t, sampleOf(c.columns(1), c.rows), Wish{Formula: "y ~ weekday(at)"})
	if left := m.LeftOut(); len(left) > 0 {
		t.Errorf("left out: %q", left)
	}
	table := m.table("", m.profile)
	if !slices.ContainsFunc(strings.Split(table, "\n"), func(line string) bool { return strings.HasPrefix(line, `"at"`) && strings.HasSuffix(line, "feature") }) {
		t.Errorf("the time is no feature:\n%s", table)
	}
}
