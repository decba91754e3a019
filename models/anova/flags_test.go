package anova

import (
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/internal/modeltest"
)

// Groups of two rows raise the flag in nearly every stream, while their levels are
// hardly told from noise; groups of many rows in none, however few they are, and
// neither do many groups of two rows, which tell tau2 together.
func TestFewRowsPerGroup(t *testing.T) {
	const streams = 200
	for _, c := range []struct {
		groups, rows int
		tau          float64
		least, most  int
	}{
		{50, 2, .7, .97 * streams, streams},
		{20, 3, .4, .97 * streams, streams},
		{50, 20, .07, .97 * streams, streams},
		{50, 30, .7, 0, 0},
		{20, 100, .7, 0, 0},
		{5, 300, .7, 0, 0},
		{600, 2, .7, 0, 0},
	} {
		up := 0
		for seed := range uint64(streams) {
			r := rand.New(rand.NewPCG(seed, 97))
			m := newTest(t, Defaults().Prior)
			d := modeltest.Stepper{Model: m, Draws: drawsFor(4, c.groups)}
			sh := rowsOf(nil)
			for g := range c.groups {
				level := c.tau * r.NormFloat64()
				for range c.rows {
					sh.Group[0], sh.Y = append(sh.Group[0], int32(g)), append(sh.Y, level+.7*r.NormFloat64())
				}
			}
			sh.Rows = len(sh.Y)
			d.Must(t, sh, 1)
			up += len(m.AppendFlags(nil))
		}
		if up < c.least || up > c.most {
			t.Errorf("%d groups of %d rows, tau %g: up in %d of %d streams, want %d to %d", c.groups, c.rows, c.tau, up, streams, c.least, c.most)
		}
	}
}

// What the flag advises ends it: a prior that says how much levels differ. It is of
// the last Sample, without which there is none.
func TestFewRowsPerGroupIsAdvice(t *testing.T) {
	sh := groupedRows(rand.New(rand.NewPCG(98, 1)), 12, 6)
	up := func(p Prior) (m *Model, flags int) {
		m = newTest(t, p)
		d := modeltest.Stepper{Model: m, Draws: drawsFor(4, 6)}
		if len(m.AppendFlags(nil)) > 0 {
			t.Error("up before the first row")
		}
		d.Must(t, sh, 1)
		return m, len(m.AppendFlags(nil))
	}
	m, flags := up(Defaults().Prior)
	if flags != 1 {
		t.Fatalf("six groups of two rows raise %d flags", flags)
	}
	state, _ := m.AppendBinary(nil)
	again := newTest(t, Defaults().Prior)
	if err := again.UnmarshalBinary(state); err != nil {
		t.Fatal(err)
	}
	if got := again.AppendFlags(nil); len(got) > 0 {
		t.Errorf("a restored model knows its grid: %q", got)
	}
	p := Defaults().Prior
	p.Tau2Shape, p.Tau2Rate = 40, 40*27
	if _, flags := up(p); flags != 0 {
		t.Error("a prior that knows tau2 leaves the flag up")
	}
	if (Settings{}).Advise(fewRowsPerGroup) == "" || (Settings{}).Advise("another") != "" {
		t.Error("the flag has no advice, or another flag has")
	}
}
