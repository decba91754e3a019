package cdf_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
)

// retiring returns group means that forget a group two shards after its last
// row: 1e-3 squared is at the threshold of 1e-6, cubed below.
func retiring(scaling string) *cdf.Spec {
	s := cdftest.Levels()
	s.Forget, s.Columns.Scaling = 1e-3, scaling
	s.Limits.Groups = 4
	return s
}

// groups returns the labels in the summary's names.
func groups(sum *cdf.Summary) string {
	var names []string
	for _, r := range sum.Rows {
		if g, ok := strings.CutPrefix(r.Variable, "zeta["); ok {
			names = append(names, strings.TrimSuffix(g, "]"))
		}
	}
	return strings.Join(names, "")
}

func labelled(labels ...string) *cdf.Batch {
	y := make([]float64, len(labels))
	for i, l := range labels {
		y[i] = 10 * float64(l[0]-'a')
	}
	return batch(text("g", labels...), num("y", y...))
}

// A group that forgetting has emptied takes its name along, makes room under
// the limit, and is a new group when it returns, also after a restore.
func TestGroupsRetire(t *testing.T) {
	spec := retiring("none")
	f, restored := cdf.NewFilter(spec, "k"), cdf.NewFilter(spec, "k")
	for i, c := range []struct {
		rows []string
		want string
	}{
		{[]string{"a", "b", "c"}, "abc"},
		{[]string{"b"}, "abc"},
		{[]string{"b"}, "abc"}, // n of a and c is 1e-6
		{[]string{"d", "b"}, "bd"},
		{[]string{"a", "d"}, "bda"},
		{[]string{"d", "d"}, "bda"},
		{[]string{"c", "d"}, "dac"}, // one leaves, one joins
		{[]string{"e", "f"}, ""},    // no room: d, a and c are there when the rows come
		{[]string{"d"}, "dc"},
		{[]string{"b", "d"}, "dcb"},
	} {
		before := state(t, f)
		if err := restored.UnmarshalBinary(before); err != nil {
			t.Fatal(err)
		}
		sum, err := f.Update(labelled(c.rows...))
		_, again := restored.Update(labelled(c.rows...))
		if c.want == "" {
			if !errors.Is(err, cdf.ErrShard) || !errors.Is(again, cdf.ErrShard) {
				t.Fatalf("shard %d: %v, %v", i+1, err, again)
			}
			continue
		}
		if err != nil || again != nil {
			t.Fatalf("shard %d: %v, %v", i+1, err, again)
		}
		if got := groups(sum); got != c.want {
			t.Errorf("shard %d: groups %s, want %s", i+1, got, c.want)
		}
		for _, r := range sum.Rows {
			// All rows of a group are equal, so its mean lies near them,
			// shrunk; the sd of the mean of 101 draws is below .1.
			if last := c.rows[len(c.rows)-1]; r.Variable == "zeta["+last+"]" {
				y := 10 * float64(last[0]-'a')
				if r.Mean > y+.6 || r.Mean < y/4-.6 {
					t.Errorf("shard %d: %s is %g, its rows are %g", i+1, r.Variable, r.Mean, y)
				}
			}
		}
		a, errA := f.AppendBinary(nil)
		b, errB := restored.AppendBinary(nil)
		if err := errors.Join(errA, errB); err != nil || !bytes.Equal(a, b) {
			t.Fatalf("shard %d: a restored filter goes on otherwise (%v)", i+1, err)
		}
	}
}

// A shard that fails after groups have left brings them back.
func TestRetirementIsUndone(t *testing.T) {
	spec, armed := retiring("none"), false
	inner := spec.New
	spec.New = func(d cdf.Dims) (cdf.Model, error) {
		m, err := inner(d)
		return &failing{m, &armed}, err
	}
	f := cdf.NewFilter(spec, "k")
	for i, rows := range [][]string{{"a", "b", "c"}, {"b"}, {"b"}, {"d", "b"}, {"a", "d"}} {
		before := state(t, f)
		armed = true
		if _, err := f.Update(labelled(rows...)); !errors.Is(err, cdf.ErrNumeric) {
			t.Fatalf("shard %d: %v", i+1, err)
		}
		after, err := f.AppendBinary(nil)
		if err != nil || i > 0 && !bytes.Equal(before, after) {
			t.Errorf("shard %d: the state changed (%v)", i+1, err)
		}
		armed = false
		sum := take(t, f, labelled(rows...))
		if want := []string{"abc", "abc", "abc", "bd", "bda"}[i]; groups(sum) != want {
			t.Errorf("shard %d: groups %s, want %s", i+1, groups(sum), want)
		}
	}
}

// failing is a model whose summary cannot be published while *armed: the last
// thing that can go wrong in an update.
type failing struct {
	cdf.Model
	armed *bool
}

func (f *failing) Unwrap() cdf.Model { return &badSummary{f.Model.(retirer), f.armed} }

type retirer interface {
	cdf.Model
	cdf.Retirer
	cdf.Sampler
}

type badSummary struct {
	retirer
	armed *bool
}

func (b *badSummary) PriorSD([]cdf.Functional, []float64) {}

func (b *badSummary) Summarize(_ []cdf.Functional, rows []cdf.Row) error {
	if *b.armed {
		return cdf.ErrNumeric
	}
	for i := range rows {
		rows[i].Mean, rows[i].SD, rows[i].Open = 0, 1, true
	}
	return nil
}

// While the first rows are kept, to be processed again under new constants,
// they name their groups by index: nobody leaves before the constants are
// fixed.
func TestNobodyRetiresWhileRowsAreKept(t *testing.T) {
	spec := retiring("first")
	spec.Limits.Groups = 5
	f := cdf.NewFilter(spec, "k")
	var got []string
	for i := range 12 {
		rows := []string{"b", "b", "c", "c", "c"}
		if i == 0 {
			rows = []string{"a", "a", "b", "c", "c"}
		}
		sum := take(t, f, labelled(rows...))
		got = append(got, groups(sum))
	}
	want := append(slices.Repeat([]string{"abc"}, 10), "bc", "bc")
	if !slices.Equal(got, want) {
		t.Errorf("groups %q, want %q", got, want)
	}
}
