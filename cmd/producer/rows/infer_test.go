package rows

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

func TestGuess(t *testing.T) {
	tests := []struct {
		name   string
		fields string // separated by |
		want   cdf.ColumnType
	}{
		{"integers", "1|-2|+3|007|9223372036854775807", cdf.Integer},
		{"integer out of range", "1|9223372036854775808", cdf.Float},
		{"integers with blanks around", " 1|2 ", cdf.Integer},
		{"numbers", "1|2.5|-1e-3|.5|5.", cdf.Float},
		{"missing numbers by name", "1|NaN|nan", cdf.Float},
		{"infinite", "1|inf|-Infinity|1e999", cdf.Float},
		{"hexadecimal", "0x10|0x1p-2", cdf.Text},
		{"underscores", "1_000", cdf.Text},
		{"thousands", "1,000", cdf.Text},
		{"booleans", "true|False|TRUE", cdf.Bool},
		{"zeros and ones", "0|1", cdf.Integer},
		{"booleans and numbers", "true|1", cdf.Text},
		{"words that are no booleans", "yes|no|t|f", cdf.Text},
		{"dates", "2001-02-03|1969-12-31", cdf.Time},
		{"dates and times", "2001-02-03|2001-02-03T04:05|2001-02-03 04:05:06.789+01:00", cdf.Time},
		{"no such day", "2001-02-29", cdf.Text},
		{"other dates", "03/02/2001", cdf.Text},
		{"years", "2001|2002", cdf.Integer},
		{"dates and numbers", "2001-02-03|5", cdf.Text},
		{"late text", strings.Repeat("1|", 5000) + "x", cdf.Text},
		{"nothing", "", cdf.Float},
		{"NA", "1|NA", cdf.Text},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGuess()
			if tt.fields != "" {
				for _, f := range strings.Split(tt.fields, "|") {
					g.add(f)
				}
			}
			if got := g.result(); got != tt.want {
				t.Fatalf("type is %d, want %d", got, tt.want)
			}
			if tt.fields == "" {
				return
			}
			for _, f := range strings.Split(tt.fields, "|") {
				if _, ok := parseAs(f, g.result()); !ok {
					t.Errorf("%q is not read back as type %d", f, g.result())
				}
			}
		})
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
		got, ok := parseTime(tt.text)
		if want := tt.want; ok != !math.IsNaN(want) || ok && got != want {
			t.Errorf("%q is %v (%v), want %v", tt.text, got, ok, want)
		}
	}
}

func TestNulls(t *testing.T) {
	n := nulls{"NA", "?"}
	for field, want := range map[string]bool{
		"": true, "  ": true, "NA": true, " NA ": true, "?": true,
		"na": false, "0": false, "NAN": false,
	} {
		if got := n.is(field); got != want {
			t.Errorf("%q null: %v, want %v", field, got, want)
		}
	}
}

func TestParseAsKeepsTextAsItIs(t *testing.T) {
	v, ok := parseAs(" a ", cdf.Text)
	if !ok || v.Text != " a " {
		t.Errorf("text is %s", fmt.Sprintf("%q", v.Text))
	}
}
