package cdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/cdf/quantity"
	"github.com/credence-stream/credence/internal/isatest"
)

// goldenSummary is the stored summary of the frozen Levels golden, firstSummary
// the same in the version before, which must load for ever.
const (
	goldenSummary = "testdata/summary_v2_levels.bin"
	firstSummary  = "testdata/summary_v1_levels.bin"
)

// levelsAt returns a filter of Levels after n shards.
func levelsAt(t testing.TB, n int) *cdf.Filter {
	t.Helper()
	f := cdf.NewFilter(cdftest.Levels(), "golden")
	take(t, f, cdftest.LevelShards(1, n)...)
	return f
}

func restored(t testing.TB, f *cdf.Filter) *cdf.Filter {
	t.Helper()
	return loaded(t, cdf.NewFilter(cdftest.Levels(), "golden"), state(t, f))
}

// goldenSummaries are stored summaries of every version that is written.
var goldenSummaries = []struct {
	file string
	spec func() *cdf.Spec
}{
	{goldenSummary, cdftest.Levels},
	{"testdata/summary_v3_levels.bin", asking},
}

// asking is Levels with quantities: one that it has, one that it cannot have.
func asking() *cdf.Spec {
	s := cdftest.Levels()
	for _, of := range []string{"2*mu + 1", "beta[x]"} {
		f, err := quantity.ParseForm(of, nil)
		if err != nil {
			panic(err)
		}
		s.Publish.Quantities = append(s.Publish.Quantities, quantity.Quantity{Name: of, Kind: quantity.KindForm, Form: f})
	}
	return s
}

func TestSummaryGolden(t *testing.T) {
	for _, g := range goldenSummaries {
		t.Run(g.file, func(t *testing.T) { checkSummary(t, g.file, g.spec()) })
	}
}

func checkSummary(t *testing.T, file string, spec *cdf.Spec) {
	f := cdf.NewFilter(spec, "golden")
	take(t, f, cdftest.LevelShards(1, 30)...)
	stored := f.AppendSummary([]byte("before"))[len("before"):]
	if _, err := os.Stat(file); *update && os.IsNotExist(err) {
		if err := os.WriteFile(file, stored, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	alike := isatest.SameBits(t)
	if alike && !bytes.Equal(stored, golden) {
		t.Error("the same shards now have another summary: raise Arithmetic or the summary's version")
	}
	g := loaded(t, cdf.NewFilter(spec, "golden"), state(t, f))
	if err := g.RestoreSummary(golden); err != nil {
		t.Fatal(err)
	}
	want, err := f.Summary()
	if err != nil {
		t.Fatal(err)
	}
	got, err := g.Summary()
	if err != nil || alike && fmt.Sprintf("%+v", *got) != fmt.Sprintf("%+v", *want) {
		t.Errorf("restored %+v (%v), want %+v", got, err, want)
	}
	if again := g.AppendSummary(nil); !bytes.Equal(again, golden) {
		t.Error("the restored summary is stored with other bytes")
	}
}

func TestFirstSummaryLoads(t *testing.T) {
	first, err := os.ReadFile(firstSummary)
	if err != nil {
		t.Fatal(err)
	}
	f := levelsAt(t, 30)
	g := restored(t, f)
	if err := g.RestoreSummary(first); err != nil {
		t.Fatal(err)
	}
	if !isatest.SameBits(t) {
		return
	}
	want, err := f.Summary()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := g.Summary(); err != nil || fmt.Sprintf("%+v", *got) != fmt.Sprintf("%+v", *want) {
		t.Errorf("of version 1: %+v (%v), want %+v", got, err, want)
	}
	if !bytes.Equal(g.AppendSummary(nil), f.AppendSummary(nil)) {
		t.Error("what was read of version 1 is not stored as the present version")
	}
}

func TestSummaryRefusals(t *testing.T) {
	golden, err := os.ReadFile(goldenSummary)
	if err != nil {
		t.Fatal(err)
	}
	g := restored(t, levelsAt(t, 30))
	for i := range golden {
		if err := g.RestoreSummary(golden[:i]); !errors.Is(err, cdf.ErrSnapshot) {
			t.Errorf("%d of %d bytes: %v", i, len(golden), err)
		}
	}
	newer := bytes.Clone(golden)
	newer[0]++
	for what, bad := range map[string][]byte{"another version": newer, "more bytes": append(bytes.Clone(golden), 0)} {
		if err := g.RestoreSummary(bad); !errors.Is(err, cdf.ErrSnapshot) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := g.Summary(); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("after refusals the filter describes itself: %v", err)
	}
	if b := g.AppendSummary(nil); len(b) > 0 {
		t.Errorf("a summary that is not known has %d bytes", len(b))
	}
	if err := restored(t, levelsAt(t, 29)).RestoreSummary(golden); !errors.Is(err, cdf.ErrSnapshot) {
		t.Errorf("beside the state of another shard: %v", err)
	}
	line := cdf.NewFilter(cdftest.Line(), "k")
	take(t, line, cdftest.LineShards(1, 1)[0])
	if b := line.AppendSummary(nil); len(b) > 0 {
		t.Errorf("a closed form stores %d bytes of what its state tells", len(b))
	}
}

func FuzzSummary(f *testing.F) {
	golden, err := os.ReadFile(goldenSummary)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(golden)
	of := levelsAt(f, 30)
	f.Fuzz(func(t *testing.T, b []byte) {
		g := restored(t, of)
		if err := g.RestoreSummary(b); err != nil {
			if !errors.Is(err, cdf.ErrSnapshot) {
				t.Fatalf("refused with %v", err)
			}
			return
		}
		first := g.AppendSummary(nil)
		if err := g.RestoreSummary(first); err != nil || !bytes.Equal(g.AppendSummary(nil), first) {
			t.Fatalf("its own bytes: %v", err)
		}
	})
}

// TestWeakMixingOutlivesARestart: what mixes weakly is told by the first shard, or
// by two, and a restart may come between them.
func TestWeakMixingOutlivesARestart(t *testing.T) {
	spec := stuckSpec("mm.mb")
	f := cdf.NewFilter(spec, "k")
	for i, want := range [][]string{{"mu"}, {"mu"}, nil, nil, {"mu"}} {
		sum := take(t, f, batch(num("y", 1)))
		if !slices.Equal(sum.WeakMixing, want) {
			t.Errorf("shard %d: %q mix weakly, want %q", i+1, sum.WeakMixing, want)
		}
		snap := state(t, f)
		stored := f.AppendSummary(nil)
		f = loaded(t, cdf.NewFilter(spec, "k"), snap)
		if err := f.RestoreSummary(stored); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStoredSummaryOfManyGroups checks that a state of 100,000 groups is not
// stored with a summary of all of them at every shard.
func TestStoredSummaryOfManyGroups(t *testing.T) {
	const groups = 100_000
	g := cdf.Column{Name: "g", Type: cdf.Integer}
	for i := range groups {
		g.Int, g.Number = append(g.Int, int64(i)), append(g.Number, float64(i))
	}
	spec := cdftest.Levels()
	spec.Draws, spec.Limits.Groups = 4, groups
	f := cdf.NewFilter(spec, "k")
	take(t, f, batch(g, num("y", make([]float64, groups)...)))
	all := len(f.AppendSummary(nil))
	take(t, f, batch(whole("g", 99_999, 7), num("y", 1, 2)))
	few := len(f.AppendSummary(nil))
	snap := state(t, f)
	if per := float64(all) / groups; per > 120 || few > 1000 {
		t.Errorf("%.0f bytes a group, %d bytes for two of them beside %d of state", per, few, len(snap))
	}
	t.Logf("a shard of all groups stores %d bytes, of two groups %d, the state has %d", all, few, len(snap))
}
