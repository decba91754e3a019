package main

import (
	"bytes"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/models"
)

// The page that is committed has a section of every regime, with its words and as
// many replicates as it names.
func TestCommittedPageIsCurrent(t *testing.T) {
	text, err := os.ReadFile("../../docs/regimes.md")
	if err != nil {
		t.Fatal(err)
	}
	list := regimes()
	for i := range list {
		g := &list[i]
		var want bytes.Buffer
		g.section(&want, &found{outcomes: make([]outcome, g.replicates)})
		head, _, _ := strings.Cut(want.String(), ". **")
		if !strings.Contains(string(text), head) || !strings.Contains(string(text), notes[g.title()]) {
			t.Errorf("the page lacks %q, or its note; run make regimes", head)
		}
	}
	for i := range list {
		if g := &list[i]; g.want != "" {
			_, rest, _ := strings.Cut(string(text), "\n### "+g.title()+"\n")
			if section, _, _ := strings.Cut(rest, "\n### "); !strings.Contains(section, ". **"+strings.ToUpper(g.want[:1])+g.want[1:]+"**.") {
				t.Errorf("the page has another verdict on %s than %q", g.title(), g.want)
			}
		}
	}
	for title := range notes {
		if !slices.ContainsFunc(list, func(g regime) bool { return g.title() == title }) {
			t.Errorf("there is a note on %s, which is no regime", title)
		}
	}
	if n := strings.Count(string(text), "\n### "); n != len(list) {
		t.Errorf("the page has %d regimes, the program %d", n, len(list))
	}
}

func TestEveryKindHasRegimes(t *testing.T) {
	for _, name := range models.Kinds().Names() {
		if !slices.ContainsFunc(regimes(), func(g regime) bool { return g.kind == name }) {
			t.Errorf("%s has no regime", name)
		}
	}
}

// Two replicates of every regime give figures of every parameter; with -short, of one regime of each kind.
func TestEveryRegimeRuns(t *testing.T) {
	list, seen := regimes(), map[string]bool{}
	for i := range list {
		g := &list[i]
		if testing.Short() && seen[g.kind] {
			continue
		}
		seen[g.kind] = true
		g.replicates = 2
		f, err := g.measure(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		for p, name := range f.params {
			for look := range looks {
				c := f.cell(look, p)
				// Too few rows or levels for an sd.
				none := slices.Contains([]string{"sigma2", "tau2", "mu", "zeta", "sigma2_u"}, name) && math.IsNaN(c.ratio)
				if !(c.coverage >= 0 && c.coverage <= 1) || !(c.ratio > 0 || none) {
					t.Errorf("%s: %s has coverage %v and sd ratio %v", g.title(), name, c.coverage, c.ratio)
				}
			}
		}
	}
}

// A verdict hides nothing: what is off at one look, or for one parameter, decides.
func TestVerdict(t *testing.T) {
	made := func(first, tenth float64, flags ...string) *found {
		f := &found{params: []string{"a", "b"}}
		for i := range 400 {
			var o outcome
			for look, share := range []float64{first, tenth} {
				covered := 0.0
				if float64(i) < 400*share {
					covered = 1
				}
				o.seen[look] = []seen{{covered: covered, z2: 1}, {covered: float64(min(i%20, 1)), z2: 1}}
			}
			o.flags[1] = flags
			f.outcomes = append(f.outcomes, o)
		}
		return f
	}
	for _, c := range []struct {
		first, tenth float64
		flags        []string
		want         string
	}{
		{.95, .95, nil, "covered"},
		{.95, .5, nil, "off"},
		{.95, .5, []string{"x"}, "flagged"},
		{.5, .95, []string{"x"}, "off"}, // the flag comes too late
		{1, .95, nil, "wide"},
		{1, .95, []string{"x"}, "wide"}, // the flag comes too late
		{1, .5, nil, "off"},
		{1, .5, []string{"x"}, "flagged"},
	} {
		if got := made(c.first, c.tenth, c.flags...).verdict(); got != c.want {
			t.Errorf("coverage %v, then %v, flags %q: %s, want %s", c.first, c.tenth, c.flags, got, c.want)
		}
	}
}

// Where intervals are short only in replicates that have a flag, nobody is misled; where they are short in the others
// too, the flag does not tell it.
func TestVerdictWithoutFlag(t *testing.T) {
	for _, c := range []struct {
		missed float64 // of those without a flag
		z2     float64
		want   string
	}{{.05, 1, "flagged"}, {.2, 1, "off"}, {.05, 2, "off"}} {
		f := &found{params: []string{"a"}}
		for i := range 800 {
			o := outcome{flags: [2][]string{{"x"}, {"x"}}}
			covered, z2 := 0., 1.
			if i%2 == 0 {
				z2 = c.z2
				o.flags[1] = nil
				if float64(i) >= 800*c.missed {
					covered = 1
				}
			}
			o.seen = [2][]seen{{{covered: covered, z2: z2}}, {{covered: covered, z2: z2}}}
			f.outcomes = append(f.outcomes, o)
		}
		if got := f.verdict(); got != c.want || !f.untold(1) || f.untold(0) {
			t.Errorf("%+v: %s", c, got)
		}
		var page strings.Builder
		f.silence(&page, 0)
		f.silence(&page, 1)
		if strings.Count(page.String(), "The 400 replicates without a flag after the tenth shard:") != 1 {
			t.Errorf("%+v: %q", c, page.String())
		}
	}
}
