package cdf_test

import (
	"bytes"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
)

// What is known of predicted probabilities is taken back with the shard that brought it, also with the one that began it, and
// counts as memory.
func TestProbabilitiesAreTakenBack(t *testing.T) {
	f, line := cdf.NewFilter(cdftest.ClassedLine(), "k"), cdf.NewFilter(cdftest.SharedLine(), "k")
	told := 0
	for _, b := range cdftest.LineShards(1, 30) {
		was := state(t, f)
		for range 2 {
			take(t, f, b)
			if err := f.Revert(); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(state(t, f), was) {
				t.Fatalf("after shard %d was taken back the state is another one", f.T()+1)
			}
		}
		take(t, f, b)
		take(t, line, b)
		if state(t, f)[4] == 4 {
			told++
		}
	}
	if told < 10 || f.Size() < line.Size()+64 {
		t.Errorf("%d shards tell of probabilities, %d bytes beside %d", told, f.Size(), line.Size())
	}
}

// A state that a release before has left, which knew nothing of probabilities, goes on and knows
// of them from its next shard on.
func TestProbabilitiesFromNowOn(t *testing.T) {
	f := cdf.NewFilter(cdftest.ClassedLine(), "k")
	shards := cdftest.LineShards(1, 31)
	var before []byte
	for _, b := range shards[:30] {
		if take(t, f, b); state(t, f)[4] < 4 {
			before = state(t, f)
		}
	}
	g := loaded(t, cdf.NewFilter(cdftest.ClassedLine(), "k"), before)
	for _, b := range shards[g.T():] {
		take(t, g, b)
	}
	if state(t, g)[4] != 4 {
		t.Error("probabilities are not known")
	}
}

// What is told of a shard costs no memory once a key has told of one.
func TestProbabilitiesWithoutGarbage(t *testing.T) {
	shards := cdftest.LineShards(1, 130)
	allocations := func(spec *cdf.Spec) float64 {
		f, i := cdf.NewFilter(spec, "k"), 30
		take(t, f, shards[:30]...)
		return testing.AllocsPerRun(90, func() {
			take(t, f, shards[i])
			i++
		})
	}
	if with, without := allocations(cdftest.ClassedLine()), allocations(cdftest.SharedLine()); with > without {
		t.Errorf("%g allocations a shard, %g without probabilities", with, without)
	}
}
