package projection

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	half := math.Sqrt(.5)
	for name, c := range map[string]struct {
		text    string
		names   []string
		columns [][]float64
	}{
		"heading and names": {"column,r1,r2\nx1,1,-1\nx2,-1,-1\n", []string{"x1", "x2"}, [][]float64{{half, -half}, {-half, -half}}},
		"names":             {"x1 1 -1\r\n\n# a comment\nx2\t.5 2e0", []string{"x1", "x2"}, [][]float64{{1, -1}, {.5, 2}}},
		"numbers":           {"0.5, 1\n3,-1\n", nil, [][]float64{{.5, 1}, {3, -1}}},
		"numbered columns":  {"column,r1\n1100,2\n1102,3", []string{"1100", "1102"}, [][]float64{{2}, {3}}},
	} {
		m, err := Parse("f", strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(m.Names, c.names) || len(m.Columns) != len(c.columns) || m.M != len(c.columns[0]) {
			t.Errorf("%s: %+v", name, m)
			continue
		}
		for j, want := range c.columns {
			for i, v := range want {
				if math.Abs(m.Columns[j][i]-v) > 1e-15 {
					t.Errorf("%s: column %d is %v, want %v", name, j, m.Columns[j], want)
				}
			}
		}
	}
}

func TestErrorsNameFileAndLine(t *testing.T) {
	for text, want := range map[string]string{
		"x1,1,1\nx2,1":        "phi.csv:2: 1 numbers, the first column has 2",
		"x1,1,1\nx2,1,one":    `phi.csv:2: "one" is not a finite number`,
		"x1,1,1\nx2,1,NaN":    `phi.csv:2: "NaN"`,
		"x1,1,1\n\nx1,-1,1":   `phi.csv:3: column "x1" again, first in line 1`,
		"column,r1\n":         "phi.csv: no columns",
		"":                    "phi.csv: no columns",
		"1,2\nx,2":            `phi.csv:2: "x" is not`,
		"column,r1\nx1\nx2,1": "phi.csv:2: 0 numbers",
	} {
		if _, err := Parse("phi.csv", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %q", text, err, want)
		}
	}
}

func TestDigestFollowsTheContent(t *testing.T) {
	digest := func(name, text string) string {
		m, err := Parse(name, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return m.Digest()
	}
	a := digest("a", "x1,1,-1\nx2,1,1\n")
	if a != digest("b", "column r1 r2\nx1 1 -1\nx2 1 1") {
		t.Error("layout matters")
	}
	for what, text := range map[string]string{
		"a number": "x1,1,-1\nx2,1,-1", "a name": "x1,1,-1\nx3,1,1", "no names": "1,-1\n1,1", "the order": "x2,1,1\nx1,1,-1",
	} {
		if a == digest("c", text) {
			t.Errorf("%s does not matter", what)
		}
	}
}
