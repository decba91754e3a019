package models

import (
	"bytes"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// A shard of a key that is under way leaves no garbage, of any kind: neither the
// filter's own work nor the model's allocates.
func TestAllocates(t *testing.T) {
	for _, k := range Kinds() {
		s := streamOf(k)
		for _, variant := range k.Variants {
			t.Run(k.Name+"/"+variant, func(t *testing.T) {
				f, shards := cdf.NewFilter(s.spec(t, variant), "k"), flatShards(s)
				fold(t, f, shards, 300)
				modeltest.NoAllocations(t, 64, func() { fold(t, f, shards, 1) })
			})
		}
	}
}

// A key that begins takes the memory of one that went, with the rows that constants come from and the model that judges them.
func TestBeginningAllocatesLittle(t *testing.T) {
	spec := fiveSpec(t)
	shards, ws, at := ordinary(100, 8), cdf.NewWorkspace(), 0
	begin := func() {
		f := ws.NewFilter(spec, "key")
		if _, err := f.Update(shards[at%len(shards)]); err != nil {
			t.Fatal(err)
		}
		at++
		ws.Reclaim(f)
	}
	for range 8 {
		begin()
	}
	got := testing.AllocsPerRun(50, begin)
	if t.Logf("%v allocations", got); got > 10 {
		t.Errorf("a key that begins allocates %v times", got)
	}
}

// First rows to which a key went back are its own, whatever keys that begin take.
func TestRevertedRowsAreItsOwn(t *testing.T) {
	spec := fiveSpec(t)
	few, many := ordinary(1, 50), ordinary(60, 1) // so that kept rows lie where there is room for more
	state := func(f *cdf.Filter) []byte {
		t.Helper()
		b, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	ws := cdf.NewWorkspace()
	f, want := ws.NewFilter(spec, "key"), cdf.NewFilter(spec, "key")
	fold(t, f, few, len(few))
	fold(t, want, few, len(few))
	if err := f.Revert(); err != nil {
		t.Fatal(err)
	}
	fold(t, ws.NewFilter(spec, "other"), many, 1)
	fold(t, f, few, 1) // the last of them again
	if !bytes.Equal(state(f), state(want)) {
		t.Error("what a key goes back to was changed by one that began")
	}
}
