package models

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

var workspaceSeeds = flag.Int("workspace-seeds", 24, "how many schedules TestOneWorkspaceForAll draws")

// lodger is a key in a workspace that others use, too.
type lodger struct {
	key     string
	stream  stream
	spec    *cdf.Spec
	columns int
	levels  int
	filter  *cdf.Filter // nil: not in memory
	// What it came to, nil: nothing yet.
	snapshot, summary []byte
}

// load returns a filter of what the lodger came to.
func (l *lodger) load(ws *cdf.Workspace) (*cdf.Filter, error) {
	f := ws.NewFilter(l.spec, l.key)
	if l.snapshot == nil {
		return f, nil
	}
	if err := f.UnmarshalBinary(l.snapshot); err != nil || len(l.summary) == 0 {
		return f, err
	}
	return f, f.RestoreSummary(l.summary)
}

// shard draws one of the lodger's, now and then of many rows, or one that no model takes.
func (l *lodger) shard(r *rand.Rand) *cdf.Batch {
	rows := 1 + r.IntN(12)
	if r.IntN(8) == 0 {
		rows = 100 + r.IntN(400)
	}
	b := l.stream.shard(r, rows)
	for j := range b.Columns {
		c := &b.Columns[j]
		switch {
		case c.Type == cdf.Text:
			c.Levels = make([]string, l.levels)
			for i := range c.Levels {
				c.Levels[i] = strconv.Itoa(i)
			}
			for i := range c.Code {
				c.Code[i] = int32(r.IntN(l.levels))
			}
		case c.Name == "y" && r.IntN(4) == 0:
			c.Number[r.IntN(rows)] = [...]float64{math.NaN(), math.NaN(), 1e300, -1, math.Inf(1)}[r.IntN(5)]
		case c.Name != "y" && r.IntN(12) == 0:
			c.Number[r.IntN(rows)] = [...]float64{math.NaN(), 1e6, 1e300, math.Inf(-1)}[r.IntN(4)]
		}
	}
	if l.stream.Features {
		for j := 5; j <= l.columns; j++ {
			x := make([]float64, rows)
			for i := range x {
				x[i] = r.NormFloat64()
			}
			b.Columns = append(b.Columns, cdf.Column{Name: "x" + strconv.Itoa(j), Type: cdf.Float, Number: x})
		}
	}
	if r.IntN(20) == 0 {
		b.Columns = b.Columns[1:]
	}
	return b
}

// apart returns where two texts begin to differ, and what follows.
func apart(got, want string) string {
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	at = max(at-60, 0)
	return fmt.Sprintf("%.200s\nwant %.200s", got[at:], want[at:])
}

// told is all that an update says.
func told(sum *cdf.Summary, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%+v", *sum)
}

// lodgers draws keys of all kinds, variants and forms, with few and many columns and levels.
func lodgers(t *testing.T, r *rand.Rand) []*lodger {
	all := make([]*lodger, 10)
	for i := range all {
		var s stream
		var variant string
		if i%2 == 0 {
			f := forms[r.IntN(len(forms))]
			k, _ := Lookup(f.kind)
			s, variant = stream{Kind: k, settings: f.settings}, f.variant
		} else {
			k := Kinds()[r.IntN(len(Kinds()))]
			s, variant = streamOf(k), k.Variants[r.IntN(len(k.Variants))]
		}
		l := &lodger{key: fmt.Sprint("k", i), stream: s, spec: s.spec(t, variant), columns: 4 + r.IntN(3)*r.IntN(8), levels: 1 + r.IntN(9)}
		l.spec.Forget = [...]float64{1, 1, .9}[r.IntN(3)]
		all[i] = l
	}
	return all
}

// Keys of all kinds take shards in one workspace, in any order and with whatever goes wrong in between, as if
// each had one of its own: the same answers, errors and states.
func TestOneWorkspaceForAll(t *testing.T) {
	modeltest.EachStream(*workspaceSeeds, func(seed int) {
		r := rand.New(rand.NewPCG(uint64(seed), 89))
		ws, all := cdf.NewWorkspace(), lodgers(t, r)
		for step := range 150 {
			l := all[r.IntN(len(all))]
			fail := func(format string, args ...any) {
				t.Errorf("seed %d, step %d, %s: %s", seed, step, l.spec.Kind, fmt.Sprintf(format, args...))
			}
			if l.filter == nil {
				var err error
				if l.filter, err = l.load(ws); err != nil {
					fail("%v", err)
					return
				}
			}
			alone, err := l.load(cdf.NewWorkspace())
			if err != nil {
				fail("%v", err)
				return
			}
			b := l.shard(r)
			if got, want := told(l.filter.Update(b)), told(alone.Update(b)); got != want {
				fail("%s", apart(got, want))
				return
			}
			if r.IntN(5) == 0 {
				if got, want := l.filter.Revert(), alone.Revert(); (got == nil) != (want == nil) {
					fail("taken back with %v, want %v", got, want)
					return
				}
			}
			snapshot, err := l.filter.AppendBinary(nil)
			should, other := alone.AppendBinary(nil)
			summary := l.filter.AppendSummary(nil)
			if !bytes.Equal(snapshot, should) || (err == nil) != (other == nil) || !bytes.Equal(summary, alone.AppendSummary(nil)) {
				fail("another state, %v, %v", err, other)
				return
			}
			if l.snapshot, l.summary = snapshot, summary; err != nil {
				l.snapshot, l.summary, l.filter = nil, nil, nil
			}
			switch r.IntN(10) {
			case 0, 1:
				if l.filter != nil {
					ws.Reclaim(l.filter)
					l.filter = nil
				}
			case 2:
				ws.Trim()
			}
		}
	})
}
