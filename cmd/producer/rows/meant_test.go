package rows

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// Of numbers with fractions of up to three digits, written with or without zeros at the end, none are said to be thousands.
func TestFractionsAreNoThousands(t *testing.T) {
	r := rand.New(rand.NewPCG(98, 3))
	for i := range 3000 {
		n, size, digits := 6+r.IntN(200), math.Pow(10, 4*r.Float64()), -1
		if i%3 == 0 {
			digits = 3
		}
		var fields []string
		for range n {
			v := math.Round(size*r.Float64()*1000) / 1000
			if r.IntN(10) == 0 {
				v = math.Round(v)
			}
			fields = append(fields, strconv.FormatFloat(v, 'f', digits, 64))
		}
		if got, _, err := readingOf(strings.Join(fields, "|"), Selection{}); err != nil || got.form != asNumber && got.form != asInteger {
			t.Errorf("%v: %v", fields, err)
		}
	}
}

// Numbers with a unit behind them are text, and a note says what to do.
func TestNotesOfUnits(t *testing.T) {
	for fields, word := range map[string]string{
		"12 kg|7 kg|3.5 kg": "kg", "12km/h|7km/h|-": "km/h", "-3 °C|4 °C": "°C", "1,200 m²|12 m²": "m²", "5 days|1 day|7 days": "days",
		"1st|2nd|3rd|4th": "", "berlin|rome": "", "12 kg|light|heavy": "", "2012-01-31T00:00Z": "", "12 kg|5 lb": "", "1.2.3b|1.2.4b": "", "12|5 kg|7": "",
	} {
		g := []guess{newGuess("x", &Selection{})}
		for i, f := range strings.Split(fields, "|") {
			if !g[0].missing(f) {
				g[0].add(f, i+2)
			}
		}
		var a about
		if err := a.settle("in.csv", []string{"x"}, g, &Selection{}); err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(a.notes, "\n")
		if want := `take "` + word + `" out of the file`; strings.Contains(notes, "a word behind") != (word != "") || word != "" && !strings.Contains(notes, want) {
			t.Errorf("%s: %q", fields, notes)
		}
	}
}
