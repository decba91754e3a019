//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

// In every row a larger ratio is better, and ok is whether it reaches the target.
func TestRatioIsLargerWhereWeAreBetter(t *testing.T) {
	twice, half := pace{cpu: 1e-6, wall: 3e-6}, pace{cpu: 2e-6, wall: 3e-6}
	for _, c := range []struct {
		name              string
		u                 unit
		ours, alternative pace
		target            figure
		want              row
	}{
		{"a time half as long", micros("shard"), twice, half, 2, row{Ours: 1, Alternative: 2, Ratio: 2, OK: true, WallRatio: 1}},
		{"a time twice as long", micros("shard"), half, twice, .51, row{Ours: 2, Alternative: 1, Ratio: .5, WallRatio: 1}},
		{"a rate twice as high", gflops, pace{1e-9, 1e-9}, pace{2e-9, 4e-9}, 2, row{Ours: 1, Alternative: .5, Ratio: 2, OK: true, WallRatio: 4}},
		{"a rate half as high", gflops, pace{2e-9, 4e-9}, pace{1e-9, 1e-9}, 1, row{Ours: .5, Alternative: 1, Ratio: .5, WallRatio: .25}},
	} {
		got := paced(c.name, c.u, c.ours, c.alternative, c.target, "")
		for _, f := range []struct{ got, want figure }{
			{got.Ours, c.want.Ours}, {got.Alternative, c.want.Alternative}, {got.Ratio, c.want.Ratio}, {got.WallRatio, c.want.WallRatio},
		} {
			if math.Abs(float64(f.got-f.want)) > 1e-12 {
				t.Errorf("%s: %v, want %v: %+v", c.name, f.got, f.want, got)
			}
		}
		if got.OK != c.want.OK {
			t.Errorf("%s: ok %v at ratio %v of %v", c.name, got.OK, got.Ratio, got.Target)
		}
	}
}

// A figure to reach stands where the alternative does, and 1 is its target.
func TestGoals(t *testing.T) {
	if r := aimed("fast", millis("shard"), 40, 50, "x"); !r.OK || !r.Goal || r.Ratio != 1.25 || r.Target != 1 {
		t.Errorf("40 ms where 50 is the goal: %+v", r)
	}
	if r := aimed("slow", unit{"million rows/s", 1e-6, true}, 4, 5, "x"); r.OK || r.Ratio != .8 {
		t.Errorf("4 million rows/s where 5 is the goal: %+v", r)
	}
}

// A peer that cannot be had leaves a row, which is not ok and says why.
func TestLackingPeersLeaveARow(t *testing.T) {
	r := lacking("us against them", micros("shard"), pace{1e-6, 1e-6}, 0, errors.New("no such library"))
	if r.OK || r.Ours != 1 || r.Alternative.known() || r.Ratio.known() || !strings.Contains(r.How, "not measured: no such library") {
		t.Errorf("%+v", r)
	}
	if table := string(markdown([]row{r})); !strings.Contains(table, "| none ") || !strings.Contains(table, "| no ") || !strings.Contains(table, "0 of 1 rows") {
		t.Errorf("the table says\n%s", table)
	}
}

// Each line of JSON has the same fields; what is not known is null.
func TestJSONFields(t *testing.T) {
	var out bytes.Buffer
	rows := []row{
		paced("both", micros("shard"), pace{1e-6, 1e-6}, pace{4e-6, 4e-6}, 2, "in turns"),
		lacking("one", micros("shard"), pace{1e-6, 1e-6}, 2, errors.New("no such library")),
		aimed("goal", micros("shard"), 1, 2, ""),
	}
	if err := writeJSON(&out, rows); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(rows) {
		t.Fatalf("%d lines of %d rows", len(lines), len(rows))
	}
	for i, text := range lines {
		var fields map[string]any
		if err := json.Unmarshal([]byte(text), &fields); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"item", "ours", "alternative", "ratio", "target", "ok", "unit", "how", "wall_ours", "wall_alternative", "wall_ratio"} {
			if _, ok := fields[name]; !ok {
				t.Errorf("%s has no %s", text, name)
			}
		}
		if null := fields["ratio"] == nil; null != (i == 1) {
			t.Errorf("ratio of %s", text)
		}
		var back row
		if err := json.Unmarshal([]byte(text), &back); err != nil || back.Item != rows[i].Item || back.Ratio.known() != rows[i].Ratio.known() {
			t.Errorf("read back as %+v: %v", back, err)
		}
	}
}

// The table replaces what is between the marks of a page, and only that.
func TestPlace(t *testing.T) {
	page := "# Page\n\n" + from + "\nold\n" + to + "\n\nby hand\n"
	for range 2 { // the second finds what the first has left
		got, err := place([]byte(page), []byte("new\n"))
		if err != nil {
			t.Fatal(err)
		}
		if page = string(got); page != "# Page\n\n"+from+"\n\nnew\n\n"+to+"\n\nby hand\n" {
			t.Errorf("the page became\n%s", page)
		}
	}
	for _, bare := range []string{"# Page\n", from + "\n", to + "\n"} {
		if _, err := place([]byte(bare), nil); err == nil {
			t.Errorf("%q has a place for the table", bare)
		}
	}
}
