package replay

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// show writes a shard as text, so that two can be compared: NaN equals NaN.
func show(sh Shard) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%d", sh.Key, sh.N)
	for _, c := range sh.Batch.Columns {
		fmt.Fprintf(&b, " %s:%v%v%v%v", c.Name, c.Number, c.Int, c.Code, c.Levels)
	}
	return b.String()
}

func TestCutterKeepsFileOrderPerKey(t *testing.T) {
	tests := []struct {
		name string
		rows int
		keys string // one letter per row; the row's number is its value
		want []string
	}{
		{"one key", 2, "aaaaa", []string{"a/1 x:[0 1]", "a/2 x:[2 3]", "a/3 x:[4]"}},
		{"shards go out as they fill", 2, "abba", []string{"b/1 x:[1 2]", "a/1 x:[0 3]"}},
		{"leftovers by first appearance", 2, "cabccb", []string{"c/1 x:[0 3]", "b/1 x:[2 5]", "c/2 x:[4]", "a/1 x:[1]"}},
		{"single rows", 1, "aba", []string{"a/1 x:[0]", "b/1 x:[1]", "a/2 x:[2]"}},
		{"fewer rows than a shard", 9, "ba", []string{"b/1 x:[0]", "a/1 x:[1]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := NewCutter([]Field{{Name: "x", Type: cdf.Float}}, tt.rows)
			var got []string
			take := func(sh Shard) { got = append(got, strings.TrimSuffix(show(sh), "[][][]")) }
			for i, key := range tt.keys {
				if sh, full := c.Add(string(key), []Value{{Number: float64(i)}}); full {
					take(sh)
				}
			}
			for sh := range c.Rest() {
				take(sh)
			}
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("shards are\n%v, want\n%v", got, tt.want)
			}
		})
	}
}

func TestCutterColumns(t *testing.T) {
	fields := []Field{
		{"f", cdf.Float}, {"i", cdf.Integer}, {"b", cdf.Bool}, {"t", cdf.Time}, {"s", cdf.Text},
	}
	c := NewCutter(fields, 2)
	null := Value{Null: true, Number: 7, Int: 7, Text: "left from the row before"}
	rows := [][]Value{
		{{Number: 1.5}, {Int: math.MaxInt64}, {Number: 1}, {Number: 86400}, {Text: "x"}},
		{null, null, null, null, null},
		// The next shard has levels of its own and a Number for each Int.
		{{Number: 2}, {Int: -3}, {Number: 0}, {Number: 0.5}, {Text: "y"}},
		{{Number: 3}, {Int: 4}, {Number: 1}, {Number: 1}, {Text: "x"}},
	}
	var got []string
	for _, row := range rows {
		if sh, full := c.Add("k", row); full {
			got = append(got, show(sh))
		}
	}
	want := []string{
		"k/1 f:[1.5 NaN][][][] i:[9.223372036854776e+18 NaN][9223372036854775807 0][][]" +
			" b:[1 NaN][][][] t:[86400 NaN][][][] s:[][][0 -1][x]",
		"k/2 f:[2 3][][][] i:[-3 4][-3 4][][] b:[0 1][][][] t:[0.5 1][][][] s:[][][0 1][y x]",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("shards are\n%v, want\n%v", got, want)
	}
}

func TestCheckRun(t *testing.T) {
	for id, good := range map[string]bool{
		"0123456789abcdef": true, "flights-2001.v1_a": true, NewRun(): true,
		"": false, "a/b": false, "dlq.x": false, ".x": false, "a b": false, strings.Repeat("x", 65): false,
	} {
		if err := CheckRun(id); (err == nil) != good {
			t.Errorf("run %q: error %v, want good %v", id, err, good)
		}
	}
	if a, b := NewRun(), NewRun(); a == b {
		t.Errorf("two new runs are called %s", a)
	}
}

func TestCheckKey(t *testing.T) {
	for key, good := range map[string]bool{
		"a": true, "flights/JFK": true, strings.Repeat("x", 512): true,
		"": false, strings.Repeat("x", 513): false, "a\xff": false,
	} {
		if err := CheckKey(key); (err == nil) != good {
			t.Errorf("key %.20q: error %v, want good %v", key, err, good)
		}
	}
}
