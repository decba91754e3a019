package rows

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/clitest"
	"github.com/credence-stream/credence/cmd/internal/replay"
)

// readingOf is how a column of fields, separated by |, is read.
func readingOf(fields string, sel Selection) (reading, []guess, error) {
	g := []guess{newGuess("x", &sel)}
	for i, f := range strings.Split(fields, "|") {
		if !g[0].missing(f) {
			g[0].add(f, i+2)
		}
	}
	var a about
	if err := a.settle("in.csv", []string{"x"}, g, &sel); err != nil {
		return reading{}, g, err
	}
	return a.readings[0], g, nil
}

func TestForms(t *testing.T) {
	tests := []struct {
		name   string
		fields string
		want   form
		kind   cdf.ColumnType
	}{
		{"integers", "1|-2|+3|007|9223372036854775807", asInteger, cdf.Integer},
		{"codes with leading zeros", "01099|80331|04103", asText, cdf.Text},
		{"times of day", "0930|1745", asInteger, cdf.Integer},
		{"integers of any width", "00012|7", asInteger, cdf.Integer},
		{"integer out of range", "1|9223372036854775808", asNumber, cdf.Float},
		{"integers with blanks around", " 1|2 ", asInteger, cdf.Integer},
		{"integers with what is not seen around", "\u200b1|2\ufeff|\u200e3|\u20284|5\u2009", asInteger, cdf.Integer},
		{"nothing that is seen", "\u200b|\ufeff|1|\u00ad ", asInteger, cdf.Integer},
		{"numbers", "1|2.5|-1e-3|.5|5.", asNumber, cdf.Float},
		{"missing numbers by name", "1|NaN|nan|NA", asInteger, cdf.Integer},
		{"infinite", "1|inf|-Infinity|1e999", asNumber, cdf.Float},
		{"hexadecimal", "0x10|0x1p-2", asText, cdf.Text},
		{"underscores", "1_000", asText, cdf.Text},
		{"thousands", "1,000,000|12|2,050.10", asPoints, cdf.Float},
		{"whole thousands", "1,000,000|12|999", asPoints, cdf.Integer},
		{"thousands and an exponent", "1,000.5|1e5", asPoints, cdf.Float},
		{"decimal commas", "2.050,10|12|0,5", asCommas, cdf.Float},
		{"decimal commas alone", "1,5|0,125|12", asCommas, cdf.Float},
		{"decimal commas and exponents", "1,5e-05|-2,25E+3|1e-05|12", asCommas, cdf.Float},
		{"exponents alone", "1e5|2E-3", asNumber, cdf.Float},
		{"thousands with an exponent", "1.000,5e3|1.000,5", asText, cdf.Text},
		{"exponent of no number", "1,5e|1,5", asText, cdf.Text},
		{"point and comma by their exponents", "1,234e5|1.234e5", asText, cdf.Text},
		{"fractions without zeros at the end", "1.25|2.125|900|3.375|4.5|1.125|7.875", asNumber, cdf.Float},
		{"fractions with all digits", "1.250|2.125|9.000|3.375|4.500|1.125|7.875", asNumber, cdf.Float},
		{"fractions and integers", "1.251|2.125|9|3.375|4.501|1.125|7.875|12", asNumber, cdf.Float},
		{"fractions of more than thousands", "1.250|2.125|1200|3.375|4.500|1.125|7.875", asNumber, cdf.Float},
		{"fractions below one", "0.250|2.125|900|3.375|4.125|1.125|7.875", asNumber, cdf.Float},
		{"blanks between thousands", "1 200|12", asPoints, cdf.Integer},
		{"narrow blanks and decimal commas", "1\u202f200,50|3\u00a0000", asCommas, cdf.Float},
		{"apostrophes", "1'200.50|1’200’300", asPoints, cdf.Float},
		{"currency", "$2,050.10|-$12|$ 3", asPoints, cdf.Float},
		{"whole currency", "$5|$6", asPoints, cdf.Float},
		{"currency behind", "2.050,10 €|3 €|−1 €", asCommas, cdf.Float},
		{"negative in parentheses", "(1,200.50)|3", asPoints, cdf.Float},
		{"percent", "45%|3.5 %|-1%", asPoints, cdf.Float},
		{"percent and not", "45%|0.45", asText, cdf.Text},
		{"two currencies", "$5|€5", asText, cdf.Text},
		{"points and commas", "2,050.10|2.050,10", asText, cdf.Text},
		{"groups of two", "1,00,000.5|2", asText, cdf.Text},
		{"addresses", "10.0.0.1|10.0.0.2", asText, cdf.Text},
		{"versions", "1.2.3|1.2.4", asText, cdf.Text},
		{"telephones", "030-123|040-555", asText, cdf.Text},
		{"booleans", "true|False|TRUE", asTruth, cdf.Bool},
		{"zeros and ones", "0|1", asInteger, cdf.Integer},
		{"booleans and numbers", "true|1", asText, cdf.Text},
		{"yes and no", "yes|No|NO|YES", asTruth, cdf.Bool},
		{"y and n", "y|N|-|?", asTruth, cdf.Bool},
		{"words that are no booleans", "yes|no|t|f", asText, cdf.Text},
		{"dates", "2001-02-03|1969-12-31", asInstant, cdf.Time},
		{"dates and times", "2001-02-03|2001-02-03T04:05|2001-02-03 04:05:06.789+01:00", asInstant, cdf.Time},
		{"slashes", "2012/01/01|2012/1/31 13:00", asInstant, cdf.Time},
		{"no such day", "2001-02-29", asText, cdf.Text},
		{"day first", "03/04/2026|13/04/2026 9:05", asDayFirst, cdf.Time},
		{"month first", "03/04/2026|04/13/2026 1:05 PM", asMonthFirst, cdf.Time},
		{"points in dates", "03.04.2026", asDayFirst, cdf.Time},
		{"both orders the same", "03/03/2026|4/4/2026", asDayFirst, cdf.Time},
		{"both orders", "13/04/2026|04/13/2026", asText, cdf.Text},
		{"years", "2001|2002", asInteger, cdf.Integer},
		{"dates and numbers", "2001-02-03|5", asText, cdf.Text},
		{"late text", strings.Repeat("1|", 5000) + "x", asText, cdf.Text},
		{"nothing", "|NA|", asNumber, cdf.Float},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, _, err := readingOf(tt.fields, Selection{})
			if err != nil || r.form != tt.want || r.kind() != tt.kind {
				t.Fatalf("form %d of type %d, error %v, want %d of %d", r.form, r.kind(), err, tt.want, tt.kind)
			}
			for _, f := range strings.Split(tt.fields, "|") {
				if _, ok := r.value(f); !ok && !r.nulls.is(f) {
					t.Errorf("%q is not read back", f)
				}
			}
		})
	}
}

// What the fields do not decide is asked about, and the flag decides it; what they
// do decide no flag changes.
func TestDoubts(t *testing.T) {
	for _, c := range []struct {
		fields string
		sel    Selection
		want   string // of the error, or the first value
	}{
		{"985|1,204|2,050", Selection{}, `in.csv:3: unusable input: column "x": "1,204" is 1204 or 1.204, and no other value decides: say --decimal point or --decimal comma, or --text x`},
		{"1,204", Selection{Decimal: "point"}, "1204"},
		{"1,204", Selection{Decimal: "comma"}, "1.204"},
		{"1,204", Selection{Text: []string{"x"}}, `"1,204"`},
		{"1.204", Selection{}, "1.204"}, // as every program writes numbers
		{"1.204", Selection{Decimal: "comma"}, "1204"},
		{"985|1.204|2.050|-3.100|12.750|1.200.000", Selection{}, "985"}, // two points are no fraction's
		{"985|1.204|2.057|-3.100|12.751|1.405", Selection{}, `in.csv:3: unusable input: column "x": "1.204" is 1.204 or 1204, and no other value decides: say --decimal point or --decimal comma`},
		{"1.204|985|2.050|-3.100|12.750|1.400", Selection{Decimal: "point"}, "1.204"},
		{"1.204|985|2.050|-3.100|12.750|1.400", Selection{Decimal: "comma"}, "1204"},
		{"1,204|2,5", Selection{Decimal: "point"}, "1.204"},
		{"$1,204", Selection{}, "is 1204 or 1.204"},
		{"03/04/2026|05/06/2026", Selection{}, `in.csv:2: unusable input: column "x": "03/04/2026" is the day first or the month first, and no other value decides: say --date-order dmy`},
		{"03/04/2026", Selection{DateOrder: "dmy"}, "1.7751744e+09"},
		{"03/04/2026", Selection{DateOrder: "mdy"}, "1.7725824e+09"},
		{"03/04/2026|03/13/2026", Selection{DateOrder: "dmy"}, "1.7725824e+09"},
	} {
		r, _, err := readingOf(c.fields, c.sel)
		if err != nil {
			if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", c.fields, err, c.want)
			}
			continue
		}
		v, ok := r.value(strings.Split(c.fields, "|")[0])
		got := strings.TrimSpace(showRow([]replay.Field{{Type: r.kind()}}, []replay.Value{v}))
		if !ok || got != c.want {
			t.Errorf("%s %+v: %s, want %s", c.fields, c.sel, got, c.want)
		}
	}
}

// Other columns say how a file writes fractions, unless they contradict each other.
func TestFileDecidesDecimals(t *testing.T) {
	for _, c := range []struct{ name, content, want, err string }{
		{"point", "a;b\n1.5;1,204\n", "k 1.5 1204", ""},
		{"comma", "a;b\n1,5;1,204\n", "k 1.5 1.204", ""},
		{"neither", "a;b\n1,5;1,204\n", "k 1.5 1.204", ""},
		{"both", "a;b;c\n1,5;1,204;1.5\n", "", `column "b": "1,204" is 1204 or 1.204`},
		{"plain number among commas", "a;b\n1,5;1.204\n", "", `column "b": "1.204" is 1.204 or 1204`},
		{"plain number among points", "a;b\n1.5;1.204\n", "k 1.5 1.204", ""},
	} {
		src, err := Open(t.Context(), clitest.WriteFile(t, "in.csv", []byte(c.content)), Selection{Key: "k"}, Watch{})
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := readAll(t, src); got[0] != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

func TestDecorated(t *testing.T) {
	for text, want := range map[string]float64{
		"2,050.10": 2050.10, "$2,050.10": 2050.10, "-$2,050.10": -2050.10, "$-2,050.10": -2050.10, "(2,050.10)": -2050.10, "($5)": -5,
		"45%": 45, "45 %": 45, "+3": 3, "1 234 567.5": 1234567.5, "€ 3": 3, "3 €": 3, "\u22125": -5, ".5": .5, "0.5": .5, "12": 12,
	} {
		d, ok := parseDecorated(text, asPoints)
		if !ok || d.value() != want {
			t.Errorf("%q: %v %v, want %v", text, d.value(), ok, want)
		}
	}
	for _, text := range []string{"", "$", "%", "-", "()", "(5", "5)", "--5", "1,2", "1,23", "1,2345", "1234,567", "0,125", ",5", "5,", "1,,000", "1, 000", "1,000 000",
		"1,000.", "1.2.3", "1.000,5", "$5$", "$5%", "5%%", "5 apples", "é5", "\xff5", "5-", "- ", strings.Repeat("1", 65)} {
		if d, ok := parseDecorated(text, asPoints); ok {
			t.Errorf("%q is %v", text, d.value())
		}
	}
}

func TestParseTime(t *testing.T) {
	tests := []struct {
		text string
		want float64 // NaN: no time
	}{
		{"1970-01-02", 86400},
		{"1970-01-01T00:01", 60},
		{"1970-01-01 00:01", 60},
		{"1970-01-01T00:00:01Z", 1},
		{"1970-01-01T01:00:01+01:00", 1},
		{"1970-01-01 01:00:01+0100", 1},
		{"1970-01-01T00:00-01", 3600},
		{"1970-01-01T00:00:00.25", 0.25},
		{"1969-12-31T23:59:59.5", -0.5},
		{"2001-01-01T00:47", 978310020},
		{"2001-01-01T00:47:00.000001", 978310020.000001},
		{"1970-01-01T00:00:12.432493", 12.432493}, // 12 + 0.432493 is another number
		{"1970-01-01T00:00:00.000000001", 1e-9},
		{"1970-01-01T", math.NaN()},
		{"1970-01-01T24:00", math.NaN()},
		{"1970-01-01T00:00 UTC", math.NaN()},
		{"1970-1-1", math.NaN()},
		{"19700101", math.NaN()},
		{"", math.NaN()},
	}
	for _, tt := range tests {
		got, ok := parseInstant(tt.text)
		if want := tt.want; ok != !math.IsNaN(want) || ok && got != want {
			t.Errorf("%q is %v (%v), want %v", tt.text, got, ok, want)
		}
	}
}

func TestNulls(t *testing.T) {
	n := nulls{"NA", "?"} // as --null gives them for keys
	for field, want := range map[string]bool{
		"": true, "  ": true, "NA": true, " NA ": true, "?": true,
		"na": false, "0": false, "NAN": false,
	} {
		if got := n.is(field); got != want {
			t.Errorf("%q null: %v, want %v", field, got, want)
		}
	}
}

func TestTextStaysAsItIs(t *testing.T) {
	r := reading{form: asText}
	if v, ok := r.value(" a "); !ok || v.Text != " a " {
		t.Errorf("text is %q", v.Text)
	}
}

func TestParseDay(t *testing.T) {
	const at = 1775174400 // 3 April 2026
	for text, want := range map[string]float64{
		"03/04/2026": at, "3/4/2026": at, "3-4-2026": at, "3.4.2026": at, "3/4/2026 00:01": at + 60, "3/4/2026 1:02:03": at + 3723,
		"3/4/2026 12:00 AM": at, "3/4/2026 12:30 PM": at + 45000, "3/4/2026 1:05 pm": at + 47100,
	} {
		if got, ok := parseDay(text, asDayFirst); !ok || got != want {
			t.Errorf("%q: %v %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "3/4/26", "3/4", "3/4/2026/1", "3/4-2026", "31/02/2026", "3/13/2026", "0/4/2026", "3/4/2026 ", "3/4/2026 25:00", "3/4/2026 13:05 PM",
		"3/4/2026 0:05 AM", "3/4/2026 5 PM", "a/4/2026", "3/4/20x6", "2026/04/03", "003/04/2026"} {
		if got, ok := parseDay(text, asDayFirst); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
}
