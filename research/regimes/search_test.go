package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models"
)

// A number draws the same regime of a kind for ever, and each can be measured.
func TestDrawn(t *testing.T) {
	numbers := 12
	if testing.Short() {
		numbers = 2
	}
	words := map[string]bool{}
	for _, kind := range models.Kinds().Names() {
		for number := range numbers {
			g, again := draw(kind, number), draw(kind, number)
			words[g.about] = true
			if g.kind != kind || g.about != again.about || told(g.experiment(1, 0)) != told(again.experiment(1, 0)) {
				t.Errorf("%s is drawn as %s, then %s", g.title(), g.about, again.about)
			}
			g.replicates = 2
			if _, err := g.measure(t.Context(), 1); err != nil {
				t.Errorf("%s: %v", g.about, err)
			}
		}
	}
	if len(words) < 5*numbers {
		t.Errorf("%d numbers of each kind draw %d regimes", numbers, len(words))
	}
}

// told is all that an experiment has.
func told(e experiment) string {
	text := fmt.Sprint(e.truth)
	for _, b := range e.shards {
		text += fmt.Sprint(b.Columns)
	}
	return text
}

// The search finds a regime whose intervals are short without a flag, and writes its section; one that is right it does not.
func TestSearchFinds(t *testing.T) {
	right := draw("linear", 4)
	blind := drawn["linear"]
	t.Cleanup(func() { drawn["linear"] = blind })
	for _, factor := range []float64{1, 3} {
		drawn["linear"] = func(*rand.Rand) regime {
			g := right
			g.simulate = func(r *rand.Rand) experiment {
				e := right.simulate(r)
				for i := range e.truth {
					e.truth[i].Value *= factor
				}
				return e
			}
			return g
		}
		var page bytes.Buffer
		if err := search(t.Context(), []string{"linear"}, 4, 1, 1, &page, io.Discard); err != nil {
			t.Fatal(err)
		}
		if found := strings.Contains(page.String(), "### linear: drawn 4\n"); found != (factor > 1) {
			t.Errorf("truths by %g: %q", factor, page.String())
		}
	}
}

// What is off is intervals that are short behind ten shards, or behind the first of data that the model is for, and a stream that is far from its rows
// at once, in replicates without a flag.
func TestSuspect(t *testing.T) {
	right, wrong := seen{covered: 1, z2: .9}, seen{covered: 0, z2: 9}
	near, far, narrow := beside{.1, 1}, beside{1.2, 1}, beside{.1, .6}
	untold := beside{math.NaN(), math.NaN()}
	for _, c := range []struct {
		first, tenth seen
		beside       beside
		flag         string
		other        bool
		want         string
	}{
		{right, right, near, "", false, ""},
		{right, wrong, near, "", false, "off"},
		{right, wrong, near, "drift", false, ""},
		{wrong, right, near, "", false, "off at first"},
		{wrong, right, near, "", true, ""},
		{right, right, far, "", true, "apart"},
		{right, right, narrow, "", true, "apart"},
		{right, right, far, "drift", true, ""},
		{right, right, untold, "", true, ""},
	} {
		f, g := found{params: []string{"beta"}}, regime{other: c.other}
		for range 40 {
			o := outcome{beside: []beside{c.beside}}
			for look, s := range []seen{c.first, c.tenth} {
				o.seen[look] = []seen{s}
				if c.flag != "" {
					o.flags[look] = []string{c.flag}
				}
			}
			f.outcomes = append(f.outcomes, o)
		}
		if got := g.suspect(&f); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// A stream of linear is its rows at once, in all that constants do not decide; one whose shards are not all of its rows is not.
func TestCompare(t *testing.T) {
	g := draw("linear", 4)
	f, err := g.measure(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for p, share := range f.apart() {
		if share > 0 {
			t.Errorf("%s is far from the same rows at once in %.2f of the streams", f.params[p], share)
		}
	}
	e := g.experiment(1, 0)
	all := whole(e.shards)
	if rows := len(all.Columns[0].Number); all.Rows != rows || rows != shards*e.shards[0].Rows {
		t.Errorf("ten shards of %d rows are %d rows, of which %d are in a column", e.shards[0].Rows, all.Rows, rows)
	}
	k, _ := models.Lookup("linear")
	columns := g.columns
	columns.Scaling = "first"
	spec, err := k.Spec("", columns, strictyaml.Decode(""))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := cdf.NewFilter(spec, "k").Update(e.shards[0])
	if err != nil {
		t.Fatal(err)
	}
	beside, err := compare(spec, &e, sum, f.params)
	if err != nil {
		t.Fatal(err)
	}
	if at := slices.Index(f.params, "beta"); !(beside[at].width > 2) {
		t.Errorf("one shard of ten is %+v beside all rows", beside[at])
	}
}
