package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

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
