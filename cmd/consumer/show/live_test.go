package show

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/pipeline"
)

func livePosterior(key string, t int64, mean, sd float64) *pipeline.Posterior {
	nan := math.NaN()
	return &pipeline.Posterior{Key: key, Summary: &cdf.Summary{T: t, N: 10 * t, Rows: []cdf.Row{
		{Variable: "beta[x]", Mean: mean, SD: sd}, {Variable: "sigma2", Mean: nan, SD: nan, Median: mean},
	}}}
}

func TestFrame(t *testing.T) {
	table := newLiveTable()
	table.set(livePosterior("ATL", 1, 2, .5))
	table.set(livePosterior("ORD", 1, -13.257, .031))
	table.set(livePosterior("ATL", 2, 2.25, .25))
	want := []string{
		"  KEY  SHARDS  ROWS        beta[x]  sigma2",
		"* ATL       2    20      2.25±0.25    2.25",
		"* ORD       1    10  -13.257±0.031  -13.26",
		"two keys",
	}
	got := table.frame(80, 24, "two keys", false)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	table.remove("ATL")
	if got := table.frame(80, 24, "", false); len(got) != 3 || !strings.HasPrefix(got[1], "  ORD") {
		t.Errorf("after a tombstone: %q", got)
	}
}

func TestFrameFitsTheTerminal(t *testing.T) {
	table := newLiveTable()
	for i := range 100 {
		table.set(livePosterior(fmt.Sprintf("airport/%d/\x1b[2J%s", i, strings.Repeat("ü", 60)), 1, 2, .5))
	}
	lines := table.frame(40, 10, strings.Repeat("status ", 20), false)
	if len(lines) > 9 {
		t.Errorf("%d lines on a terminal of 10 leave no room for the cursor", len(lines))
	}
	for _, line := range lines {
		if uniseg.StringWidth(line) > 40 || strings.ContainsRune(line, '\x1b') {
			t.Errorf("%q is wider than 40 or moves the cursor", line)
		}
	}
	if !strings.HasPrefix(lines[1], "* airport/99/") || !strings.Contains(lines[len(lines)-1], "and 94 keys and 1 variable more") {
		t.Errorf("the newest is not on top, or the hidden ones are not counted: %q", lines)
	}
}

func TestFrameMarksChanges(t *testing.T) {
	table := newLiveTable()
	for _, color := range []bool{true, false} {
		table.set(livePosterior("ATL", 1, 2, .5))
		table.set(livePosterior("ORD", 1, 2, .5))
		marksChanges(t, table, color)
	}
}

func marksChanges(t *testing.T, table *liveTable, color bool) {
	t.Helper()
	marked := func() (keys string) {
		for _, line := range table.frame(80, 24, "", color)[1:] {
			line, colored := strings.CutPrefix(line, green)
			if rest, ok := strings.CutPrefix(line, changedMark); ok {
				keys += rest[:3]
			}
			if colored != (color && strings.HasPrefix(line, changedMark)) {
				t.Errorf("color %v: %q", color, line)
			}
		}
		return keys
	}
	if got := marked(); got != "ORDATL" {
		t.Errorf("first frame marks %q", got)
	}
	table.set(livePosterior("ATL", 2, 2, .5))
	if got := marked(); got != "ATL" {
		t.Errorf("second frame marks %q, want ATL", got)
	}
	if got := marked(); got != "" {
		t.Errorf("third frame marks %q, want nothing", got)
	}
}

func TestDrawGoesOverTheLastFrame(t *testing.T) {
	table := newLiveTable()
	table.set(livePosterior("ATL", 1, 2, .5))
	var out bytes.Buffer
	for range 2 {
		if err := table.draw(&out, "status", false); err != nil {
			t.Fatal(err)
		}
	}
	if parts := strings.Split(out.String(), "\x1b[3A\r\x1b[J"); len(parts) != 2 || strings.Replace(parts[0], "* ATL", "  ATL", 1) != parts[1] || strings.Count(parts[0], "\n") != 3 {
		t.Errorf("%q", out.String())
	}
}

// wideTable has keys with 40 variables each, some of them with long names.
func wideTable(keys int) *liveTable {
	table := newLiveTable()
	for i := range keys {
		s := &cdf.Summary{T: int64(i + 1), N: 10}
		for v := range 40 {
			name := fmt.Sprintf("beta[x%d]", v)
			if v%3 == 1 {
				name = fmt.Sprintf("beta[carrier=%d of the American Airlines]", v)
			}
			s.Rows = append(s.Rows, cdf.Row{Variable: name, Mean: float64(i) + .25, SD: .5, Q025: -1, Q975: 2})
		}
		table.set(&pipeline.Posterior{Key: fmt.Sprintf("flights/%04d", i), Summary: s})
	}
	return table
}

// As people see it: 80, 120 and 200 columns, one key and a thousand.
func TestFrameOnTerminalsOfAllSizes(t *testing.T) {
	for _, c := range []struct {
		keys, width, lines int
		first, last        string
	}{
		{1000, 80, 21, "  KEY           SHARDS  ROWS     beta[x0]  beta[carrier=1 of t…     beta[x2]", "... and 980 keys and 37 variables more. s"},
		{1000, 120, 21, "  KEY           SHARDS  ROWS     beta[x0]  beta[carrier=1 of t…     beta[x2]     beta[x3]  beta[carrier=4 of t…", "... and 980 keys and 35 variables more. s"},
		{1000, 200, 21, "", "... and 980 keys and 30 variables more. s"},
		{1, 80, 21, "  flights/0000 (1 shard, 10…       MEAN  2.5%  97.5%", "... and 20 variables more. s"},
		{1, 120, 21, "  flights/0000 (1 shard, 10 rows)               MEAN  2.5%  97.5%", "... and 20 variables more. s"},
		{1, 200, 21, "", "... and 20 variables more. s"},
	} {
		lines := wideTable(c.keys).frame(c.width, 24, "s", false)
		if len(lines)-1 != c.lines || lines[len(lines)-1] != c.last || c.first != "" && lines[0] != c.first {
			t.Errorf("%d keys, %d columns: %d lines, the last %q\n%s", c.keys, c.width, len(lines)-1, lines[len(lines)-1], lines[0])
		}
		for _, l := range lines[1 : len(lines)-1] {
			if !strings.HasPrefix(l, changedMark) || uniseg.StringWidth(l) > c.width {
				t.Errorf("%d keys, %d columns: %q", c.keys, c.width, l)
			}
		}
	}
	table := wideTable(1)
	table.set(livePosterior("other", 1, 2, .5))
	if got := table.frame(80, 24, "s", false); !strings.HasPrefix(got[0], "  KEY           SHARDS  ROWS    beta[x]  sigma2   beta[x0]") {
		t.Errorf("what changed last has no variable in sight: %q", got)
	}
	// Only variables that a shown key has take room.
	table = wideTable(100)
	for i := range 30 {
		table.set(livePosterior(fmt.Sprint("other", i), 1, 2, .5))
	}
	if got := table.frame(80, 24, "s", false); got[0] != "  KEY      SHARDS  ROWS    beta[x]  sigma2" {
		t.Errorf("head of keys with other variables: %q", got[0])
	}
}

// Characters that take two columns, or none, leave the columns straight, and
// those that turn the writing around are taken out.
func TestFrameOfOtherScripts(t *testing.T) {
	table := newLiveTable()
	for _, key := range []string{"東京", "e\u0301", "\u202edrow", "ascii"} {
		table.set(livePosterior(key, 1, 2, .5))
	}
	got := table.frame(80, 24, "", false)
	for _, line := range got[:len(got)-1] {
		if w := uniseg.StringWidth(line); w != uniseg.StringWidth(got[0]) || strings.ContainsRune(line, 0x202e) {
			t.Errorf("%d columns: %q", w, line)
		}
	}
	if text := term.Cut("東京都", 4); text != "東…" {
		t.Errorf("cut to %q", text)
	}
}

// A terminal that has become narrower has broken the old lines in two.
func TestDrawAfterAnotherSize(t *testing.T) {
	table := newLiveTable()
	table.set(livePosterior("ATL", 1, 2, .5))
	var out bytes.Buffer
	if err := table.draw(&out, "status", false); err != nil {
		t.Fatal(err)
	}
	table.size[0]++
	out.Reset()
	if err := table.draw(&out, "status", false); err != nil || !strings.HasPrefix(out.String(), "\x1b[H\x1b[2J  KEY") {
		t.Errorf("error %v, %q", err, out.String())
	}
}

func TestPlusMinus(t *testing.T) {
	for _, c := range []struct {
		mean, sd float64
		want     string
	}{
		{1.23456, .012, "1.235±0.012"}, {1234.5, 123, "1234±123"}, {12.34, 56, "12±56"}, {3e7, 2e6, "3e+07±2e+06"},
		{-0.5, 1.5, "-0.5±1.5"}, {1e-9, 2e-10, "1e-09±2e-10"}, {3, 0, "3±0"},
	} {
		if got := plusMinus(&cdf.Row{Mean: c.mean, SD: c.sd}); got != c.want {
			t.Errorf("%g, %g: %s, want %s", c.mean, c.sd, got, c.want)
		}
	}
}
