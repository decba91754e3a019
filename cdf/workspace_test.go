package cdf_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
)

// Keys of one workspace may have columns of other names, as long and as many.
func TestLoadingKeepsKeysApart(t *testing.T) {
	spec, _, _ := recording(cdf.Roles{Intercept: true})
	ws := cdf.NewWorkspace()
	names := []string{"a", "b", "c"}
	var filters []*cdf.Filter
	for _, name := range names {
		f := ws.NewFilter(spec, name)
		take(t, f, batch(num(name, 1), num("y", 1)))
		filters = append(filters, f)
	}
	for range 3 {
		for i, f := range filters {
			loaded(t, f, state(t, f))
			if in := f.Inputs(); len(in) != 2 || in[0].Name != names[i] {
				t.Fatalf("the inputs of key %s are %+v", names[i], in)
			}
			take(t, f, batch(num(names[i], 2), num("y", 1)))
		}
	}
	// One that has seen no shard knows columns by the snapshots alone.
	ws = cdf.NewWorkspace()
	for range 3 {
		for i, f := range filters {
			if in := loaded(t, ws.NewFilter(spec, names[i]), state(t, f)).Inputs(); len(in) != 2 || in[0].Name != names[i] {
				t.Fatalf("the inputs of key %s are %+v where nothing was absorbed", names[i], in)
			}
		}
	}
}

// Where a snapshot is refused the filter keeps its state, and what the workspace
// had for it is not damaged.
func TestRefusedAfterLoads(t *testing.T) {
	f := cdf.NewFilter(cdftest.Line(), "k")
	take(t, f, cdftest.LineShards(1, 30)...)
	snap := state(t, f)
	for range 3 {
		loaded(t, f, snap)
		for _, at := range []int{60, len(snap) / 2, len(snap) - 8} {
			if err := f.UnmarshalBinary(snap[:at]); !errors.Is(err, cdf.ErrSnapshot) {
				t.Fatalf("%d of %d bytes: %v", at, len(snap), err)
			}
			if !bytes.Equal(state(t, f), snap) {
				t.Fatal("a refused snapshot has changed the filter")
			}
		}
	}
}

// frail fails at the shard after which nothing goes any more.
type frail struct {
	recorder
	lost bool
}

func (m *frail) Blocks() []cdf.Block { return []cdf.Block{m} }

func (m *frail) Sample(s *cdf.Step) error {
	if m.lost = s.T == 2; m.lost {
		return cdf.ErrNumeric
	}
	return nil
}

func (m *frail) UnmarshalBinary([]byte) error {
	if m.lost {
		return cdf.ErrSnapshot
	}
	return nil
}

// A model that was lost is not loaded again.
func TestLostModelStaysLost(t *testing.T) {
	spec, shards, forget := recording(cdf.Roles{Intercept: true})
	spec.New = func(d cdf.Dims) (cdf.Model, error) { return &frail{recorder: recorder{d, shards, forget}}, nil }
	spec.Columns.Scaling = "none"
	f := cdf.NewFilter(spec, "k")
	take(t, f, batch(num("y", 1)))
	snap := state(t, f)
	loaded(t, f, snap)
	if _, err := f.Update(batch(num("y", 1))); err == nil {
		t.Fatal("the second shard was absorbed")
	}
	if _, err := f.Summary(); err == nil {
		t.Fatal("the state is not lost")
	}
	for range 3 {
		loaded(t, f, snap)
	}
}

// A filter that comes back to a workspace has nothing there to revert: what was
// before it left is not what was before its last update.
func TestRevertAfterLeaving(t *testing.T) {
	shards := cdftest.LineShards(1, 3)
	here, there := cdf.NewWorkspace(), cdf.NewWorkspace()
	f := here.NewFilter(cdftest.Line(), "k")
	take(t, f, shards[0], shards[1])
	f.Share(there)
	take(t, f, shards[2])
	want := state(t, f)
	f.Share(here)
	if err := f.Revert(); err == nil || !bytes.Equal(state(t, f), want) {
		t.Errorf("reverted to what was before another update: %v", err)
	}
}

func TestLoadingAllocatesNothing(t *testing.T) {
	f := cdf.NewFilter(cdftest.Line(), "k")
	take(t, f, cdftest.LineShards(1, 60)...)
	snap := state(t, f)
	for range 2 {
		loaded(t, f, snap)
	}
	if n := testing.AllocsPerRun(50, func() { loaded(t, f, snap) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkLoad(b *testing.B) {
	f := cdf.NewFilter(cdftest.Line(), "k")
	take(b, f, cdftest.LineShards(1, 60)...)
	snap := state(b, f)
	b.ReportAllocs()
	for b.Loop() {
		loaded(b, f, snap)
	}
}
