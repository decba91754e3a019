package pipeline

import (
	"errors"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
)

// TestStatesThatNoStoreTakes: the state that a shard would make too large for a value of the store, with the summary
// that is stored beside it, is a dead letter of its key, where it would hold the partition for ever.
func TestStatesThatNoStoreTakes(t *testing.T) {
	f := cdf.NewFilter(cdftest.Levels(), "k") // draws, so that it has a summary
	if _, err := f.Update(cdftest.LevelShards(1, 1)[0]); err != nil {
		t.Fatal(err)
	}
	snapshot, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	summary := len(f.AppendSummary(nil))
	if n := len(snapshot); summary == 0 || storable(f, n, n+summary) != nil {
		t.Errorf("a state of %d bytes and a summary of %d do not fit", n, summary)
	}
	err = storable(f, len(snapshot), len(snapshot)+summary-1)
	if !errors.As(err, new(*overError)) || stageOf(err) != StageLimit || !strings.Contains(err.Error(), "the store takes") {
		t.Errorf("one byte too many: %v", err)
	}
	if _, err := f.Update(cdftest.LevelShards(1, 2)[1]); err != nil {
		t.Fatal(err)
	}
	if n := f.ModelBytes(); n <= 0 || n >= len(snapshot) || mayBeLarge(n, 1000) || !mayBeLarge(0, 1000) || !mayBeLarge(n, 2<<20) || !mayBeLarge(2<<20, 1000) {
		t.Errorf("a model of %d bytes, of a snapshot of %d", n, len(snapshot))
	}
}
