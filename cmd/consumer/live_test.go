package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/credence-stream/credence/cdf"
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
		"KEY  SHARDS  ROWS        beta[x]  sigma2",
		"ATL       2    20      2.25±0.25    2.25",
		"ORD       1    10  -13.257±0.031  -13.26",
		"two keys",
	}
	got := table.frame(80, 24, "two keys", false)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	table.remove("ATL")
	if got := table.frame(80, 24, "", false); len(got) != 3 || !strings.HasPrefix(got[1], "ORD") {
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
		if utf8.RuneCountInString(line) > 40 || strings.ContainsRune(line, '\x1b') {
			t.Errorf("%q is wider than 40 or moves the cursor", line)
		}
	}
	if !strings.HasPrefix(lines[1], "airport/99/") || !strings.Contains(lines[len(lines)-1], "and 94 keys more") {
		t.Errorf("the newest is not on top, or the hidden ones are not counted: %q", lines)
	}
}

func TestFrameMarksChanges(t *testing.T) {
	table := newLiveTable()
	table.set(livePosterior("ATL", 1, 2, .5))
	table.set(livePosterior("ORD", 1, 2, .5))
	marked := func() (keys string) {
		for _, line := range table.frame(80, 24, "", true)[1:] {
			if rest, ok := strings.CutPrefix(line, green); ok {
				keys += rest[:3]
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
	if parts := strings.Split(out.String(), "\x1b[3A\r\x1b[J"); len(parts) != 2 || parts[0] != parts[1] || strings.Count(parts[0], "\n") != 3 {
		t.Errorf("%q", out.String())
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
