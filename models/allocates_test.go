package models

import (
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
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
	k, _ := Lookup("linear")
	spec, err := k.Spec("", cdf.Roles{Intercept: true}, strictyaml.Decode("{}"))
	if err != nil {
		t.Fatal(err)
	}
	spec.Seal()
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
