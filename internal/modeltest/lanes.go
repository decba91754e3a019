package modeltest

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// inLane folds shards of a key and does, after each, all that a lane and those who ask
// may do with a filter; it returns what came of that, to the bit.
func inLane(spec *cdf.Spec, key string, shards []*cdf.Batch) string {
	var all strings.Builder
	tell := func(what string, v any, err error) { fmt.Fprintf(&all, "%s: %+v %v\n", what, v, err) }
	f := cdf.NewFilter(spec, key)
	f.Share(cdf.NewWorkspace())
	f.Observe(3)
	for _, b := range shards {
		c, err := f.Check(b)
		tell("check", c != nil, err)
		sum, err := f.Update(b)
		if err != nil {
			tell("update", nil, err)
			return all.String()
		}
		tell("summary", *sum, nil)
		if d := f.LastDraws(); d != nil {
			tell("draws", d.Data, nil)
		}
		tell("observed", f.Observed(), nil)
		tell("stored summary", f.AppendSummary(nil), nil)
		predictions, err := f.Predict(b)
		tell("predictions", predictions, err)
		forecast, err := f.Forecast(2)
		tell("forecast", forecast, err)
		prior, err := f.Prior()
		tell("prior", prior, err)
		tell("collinear", f.Collinear(), nil)
		state, err := f.AppendBinary(nil)
		tell("state", state, err)
		f = cdf.NewFilter(spec, key)
		f.Observe(3)
		tell("restored", f.Size(), f.UnmarshalBinary(state))
	}
	return all.String()
}

// SideBySide folds keys of one configuration in lanes side by side, as a worker does: they
// share what its models share, and give what each gives alone. Under the race detector it
// finds memory that a kind has for all its models.
func SideBySide(t *testing.T, spec *cdf.Spec, shards []*cdf.Batch) {
	t.Helper()
	const lanes = 3
	key := func(lane int) string { return fmt.Sprint("lane/", lane) }
	got := make([]string, lanes)
	var group sync.WaitGroup
	for lane := range lanes {
		group.Go(func() { got[lane] = inLane(spec, key(lane), shards) })
	}
	group.Wait()
	for lane := range lanes {
		if want := inLane(spec, key(lane), shards); got[lane] != want {
			t.Errorf("key %s beside others gives\n%.2000s\nalone\n%.2000s", key(lane), got[lane], want)
		}
		if strings.Count(got[lane], "restored:") != len(shards) {
			t.Errorf("key %s ends early:\n%.2000s", key(lane), got[lane])
		}
	}
}
