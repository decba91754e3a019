package pipeline_test

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/quantity"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// watchful are rules with an alert that rises and falls by chance: the slope of the
// data is the bound.
func watchful(t testing.TB, every int64) *pipeline.Rules {
	t.Helper()
	form, err := quantity.ParseComparison("beta[x] > 2", nil)
	if err != nil {
		t.Fatal(err)
	}
	of := quantity.Quantity{Kind: quantity.KindProbability, Form: form}
	spec := pipelinetest.Spec(t, cdf.Publish{Every: every, Scale: "original", Groups: "all", Predictions: "none", Variables: []string{"**"},
		Alerts: []quantity.Alert{{Name: "steep", When: "P(beta[x] > 2) > .55", Of: of, Bound: .55, Clear: .45, For: 2}}})
	return pipelinetest.RulesOf(t, pipeline.Rule{Match: "k*", Spec: spec})
}

// Alerts are those of an undisturbed run, to the byte, whatever becomes of the workers,
// and so are the counters in the states.
func TestAlertsThroughTrouble(t *testing.T) {
	runs := uint64(60)
	if testing.Short() {
		runs = 15
	}
	rose, fell, withdrawn, counting := 0, 0, 0, 0
	for seed := range runs {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			log := pipelinetest.Records(seed, 200)
			rules := watchful(t, 1+int64(seed%3))
			states, sent := throughTrouble(t, seed, rules, log)
			for _, o := range sent {
				switch {
				case o.Topic != "alerts":
				case bytes.Contains(o.Value, []byte("raised")):
					rose++
				case bytes.Contains(o.Value, []byte("deleted")):
					withdrawn++
				default:
					fell++
				}
			}
			for key, value := range states {
				h, err := pipeline.ParseStored(key, pipeline.Stored(value))
				if err != nil {
					t.Fatal(err)
				}
				if len(h.Alerts) > 0 && !h.Alerts[0].Raised {
					counting++
				}
			}
		})
	}
	if rose < 10 || fell < 2 || withdrawn < 2 || counting < 2 {
		t.Errorf("alerts rose %d times, fell %d times, were withdrawn %d times and counted %d times: too seldom to test them", rose, fell, withdrawn, counting)
	}
}

// A shard whose outputs have no bytes is not applied, and does not count.
func TestARefusedShardDoesNotCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	steep := func() []byte { // y = 5 x
		var v []float64
		for range 20 {
			x := rng.NormFloat64()
			v = append(v, 5*x+.1*rng.NormFloat64(), x)
		}
		return simRows(v...)
	}
	var log []pipeline.Record
	for i := range 4 {
		log = append(log, pipeline.Record{Offset: int64(i), Time: 1e12, Key: []byte("k"), Value: steep()})
	}
	log[1].Headers = []pipeline.Header{{Key: pipelinetest.Unencodable}}
	s := newSim(t, 0, storetest.NewMemory(), log)
	s.Rules = watchful(t, 1)
	settle(t, s)
	var told []string
	for _, o := range s.Sent {
		if o.Topic == "alerts" {
			told = append(told, strconv.FormatInt(o.Offset, 10)+" "+string(o.Value))
		}
	}
	if len(told) != 1 || !strings.HasPrefix(told[0], "2 t=2 steep raised") {
		t.Errorf("%q, want one that rises at offset 2", told)
	}
}
