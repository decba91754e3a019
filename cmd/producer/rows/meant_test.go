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
		_, notes := notesOf(t, fields)
		if want := `take "` + word + `" out of the file`; strings.Contains(notes, "a word behind") != (word != "") || word != "" && !strings.Contains(notes, want) {
			t.Errorf("%s: %q", fields, notes)
		}
	}
}

// Numbers in a notation that is not read are text, and a note says what to do; names that begin with digits have none.
func TestNotesOfNotations(t *testing.T) {
	for fields, want := range map[string]string{
		"0x1F|0x2A": `its numbers are hexadecimal (as line 2 has it: "0x1F"): if they`, "1.5D3|2.25d-01|12": "put an E for it",
		"12,34,500|500|1,200": `(as line 2 has it: "12,34,500"): take the commas`, "1_000|12": "underscores", "4.0-|3.5": `(as line 2 has it: "4.0-")`,
		"<0.05|0.7|1.2|< 0.05": "are partly bounds", "1/3|2/3": "look like fractions", "１２|３": "another script", "٣,٥|7": "another script",
		".|3.5|4": `because "." in line 2 is no number`, ",|3.5|4": `"," in line 2`, "31.01.26|1.2.26": `look like dates whose years have two digits (as line 2 has it: "31.01.26")`,
		"1/1/26|2026-01-02": "years have two digits",
		"EUR 12.50|EUR 7":   "have a currency before them", "US$12|US$1,200": "a currency before", "EUR|USD": "", "EURO 2024|EURO 2020": "", "99.99.26|1": "", "2.31.2026|x": "",
		"true|1|no": "it says yes and no in several ways", "0|1|Y": "in several ways", "true|no|N": "", "1|0": "", "yes|1|perhaps": "", "1|yes|2": "",
		"12:30|11:15": `look like times of day (as line 2 has it: "12:30")`, "9:05:59.5|23:00": "as 13.5 for 13:30", "4:10 p.m.|11:15 AM": "times of day",
		"25:10|24:00": "", "3:2|1:0": "", "10k|1.5K|2M|12": "that may stand for thousands or millions", "1,5 Mio.|2 Mrd": "write them out, as 1500 for 1.5k",
		"Jan-26|February 2026": "months with their year", "2005-01|2005-12": `look like months with their year (as line 2 has it: "2005-01")`, "2026/01|2026/02": "as 2026-01-01 for 2026-01",
		"1/2026|12/2026": "months with their year", "2005-13|2005-14": "", "2026/13|1/2": "look like fractions",
		"2026Q1|2026-Q2|Q3 2026": "quarters or weeks with their year", "2026-W01|2026W52": "the dates on which they begin", "Q1|Q2": "", "2026Q5|2026Q6": "",
		"2023-01-01 00:00:00 CET|2023-01-01 01:00:00 CEST": "with the name of a time zone", "Mar|Apr": "", "mars-26x|3": "", "1.2.3|1.2.4": "", "030-123|040-555": "", "3f9c|0d11": "", "A|0x1F|B": "", "berlin|<5|rome": "", "12-|red|blue": "",
		strings.Repeat("a|", mostTries) + "0x1F": "", "10.0.0.1|10.0.0.2": "", "1st|2nd": "", "０x|5": "", "0x52908400098527886E0F7030069857D2E4169EE7|0x1F": "",
		"8.61|(3.2)|1": `negative numbers in parentheses (as line 3 has it: "(3.2)")`, "9.5|1,000.5": `signs between thousands (as line 3 has it: "1,000.5")`,
		"1'200|12": `signs between thousands (as line 2 has it: "1'200")`,
	} {
		_, notes := notesOf(t, fields)
		if want != "" && !strings.Contains(notes, want) || want == "" && (strings.Contains(notes, "its numbers") || strings.Contains(notes, "several ways")) {
			t.Errorf("%s: %q, want %q", fields, notes, want)
		}
	}
	for _, long := range []string{strings.Repeat("a|", mostTries+1), strings.Repeat("7a|", mostTries+1)} {
		if g, _ := notesOf(t, long+"0x1F"); g.tries != mostTries {
			t.Errorf("%d fields were looked at", g.tries)
		}
	}
}

// notesOf are the notes of a column of fields, separated by |, with what was found of it.
func notesOf(t *testing.T, fields string) (*guess, string) {
	t.Helper()
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
	return &g[0], strings.Join(a.notes, "\n")
}
