package pipeline_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/cdf/mcmc"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
	"github.com/credence-stream/credence/sink"
)

// hazy is the drawing model of cdftest with means of its own, as if by
// Rao-Blackwell: those of mu do not exist, and the groups have learnt little.
type hazy struct{ cdf.Model }

func (h hazy) Chains() int { return h.Model.(cdf.Sampler).Chains() }

func (h hazy) Summarize(list []cdf.Functional, rows []cdf.Row) error {
	for i := range list {
		rows[i].Open = true
		if list[i].Name != "mu" {
			rows[i].Mean, rows[i].SD = 50, 3
		}
	}
	return nil
}

func (h hazy) PriorSD(list []cdf.Functional, dst []float64) {
	for i := range list {
		dst[i] = 3.5 // times .8 is 2.8
	}
}

func (h hazy) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	for i := range out {
		out[i] = cdf.Prediction{Mean: 1, SD: 2, Q025: -3, Q975: 5, LogDensity: math.NaN(), PIT: math.NaN()}
	}
	return nil
}

func (h hazy) Score(*cdf.Shard, *rand.Rand) (cdf.Score, error) { return cdf.NoScore(), nil }

// TestWhatADrawingModelPublishes follows shards of a model that draws through
// a worker to the bytes of every topic, and its state back from the store.
func TestWhatADrawingModelPublishes(t *testing.T) {
	for name, form := range map[string]sink.Form{"json": sink.JSON{}, "arrow": arrow.NewEncoder()} {
		t.Run(name, func(t *testing.T) {
			spec := cdftest.Levels() // 101 draws in two chains
			spec.Publish = cdf.Publish{Every: 1, Draws: true, Scale: "original", Groups: "all", Predictions: "null_rows"}
			build := spec.New
			spec.New = func(d cdf.Dims) (cdf.Model, error) {
				m, err := build(d)
				return hazy{m}, err
			}
			nan := math.NaN()
			values := [][]byte{
				simRows(50, 1, 53, -1, nan, 1, 51, 1), simRows(52, 1, nan, -1, 49, -1, nan, 1), simRows(50, -1, 50, 1),
			}
			var log []pipeline.Record
			for i, v := range values {
				log = append(log, pipeline.Record{Offset: int64(i), Time: 1e12 + int64(i), Key: []byte("k"), Value: v})
			}
			store := storetest.NewMemory()
			s := newSim(t, 0, store, log)
			s.Rules = pipelinetest.RulesOf(t, pipeline.Rule{Match: "k", Spec: spec})
			s.Outputs = func() pipeline.Outputs {
				return sink.NewOutputs(sink.Topic{Group: "g", Output: "out", Encoder: form, Limit: 1 << 20}, sink.DeadLetters{Topic: "dead"},
					func(string) bool { return true })
			}
			settle(t, s)
			topics := map[string][]pipeline.Output{}
			for _, o := range s.Sent {
				topics[o.Topic] = append(topics[o.Topic], o)
			}
			if a, b, c := len(topics["out"]), len(topics["out.draws"]), len(topics["out.predictions"]); a != 3 || b != 3 || c != 1 {
				t.Fatalf("%d posteriors, %d messages of draws, %d of predictions; want 3, 3 and 1", a, b, c)
			}
			read := sink.ParseJSON
			if name == "arrow" {
				read = arrow.DecodePosterior
			}
			for i, o := range topics["out"] {
				p, _, err := read(o.Value)
				if err != nil {
					t.Fatal(err)
				}
				checkHazy(t, p.Summary)
				checkDraws(t, topics["out.draws"][i].Value, p.Summary)
			}
			if name == "json" {
				text := string(topics["out"][2].Value)
				for _, want := range []string{`"draws":102`, `{"variable":"mu","mean":null,"sd":null,"median":5`, `"prior_dominated":["zeta[p]","zeta[n]"]`} {
					if !strings.Contains(text, want) {
						t.Errorf("no %s in\n%s", want, text)
					}
				}
				if rows := string(topics["out.predictions"][0].Value); !strings.Contains(rows, `[{"row":1,"mean":`) || !strings.Contains(rows, `{"row":3,"mean":`) {
					t.Errorf("predictions %s, want rows 1 and 3 of the second shard", rows)
				}
			}
			p := pipeline.Partition{Topic: "in"}
			value, err := store.Get(context.Background(), p, "k")
			if err != nil {
				t.Fatal(err)
			}
			found, _, err := s.Rules.Restore(p, "k", value)
			if err != nil {
				t.Fatal(err)
			}
			again, err := form.Append(nil, found, 1<<20)
			if err != nil || !bytes.Equal(again, topics["out"][2].Value) {
				t.Errorf("the store says\n%s (%v), published was\n%s", again, err, topics["out"][2].Value)
			}
		})
	}
}

// checkHazy checks a published summary of hazy.
func checkHazy(t *testing.T, s *cdf.Summary) {
	t.Helper()
	if s.Draws != 102 || len(s.Rows) != 3 || !slices.Equal(s.PriorDominated, []string{"zeta[p]", "zeta[n]"}) {
		t.Errorf("%d draws of %d variables, prior dominated %q", s.Draws, len(s.Rows), s.PriorDominated)
	}
	for _, r := range s.Rows {
		if mu := r.Variable == "mu"; mu != (math.IsNaN(r.Mean)) || mu != (math.IsNaN(r.SD)) || mu != (math.IsNaN(r.MCSEMean)) {
			t.Errorf("%+v: mu has no moments, the others have", r)
		}
		if !(r.Q025 < r.Median && r.Median < r.Q975 && r.ESSBulk > 0 && r.ESSTail > 0 && r.RHat > .9) {
			t.Errorf("%+v: quantiles and diagnostics come from the draws", r)
		}
	}
}

// checkDraws checks a message of draws against the summary made of them.
func checkDraws(t *testing.T, value []byte, s *cdf.Summary) {
	t.Helper()
	b, err := arrow.NewDecoder(arrow.Limits{Record: len(value), Rows: 1000}).Decode(value)
	if err != nil {
		t.Fatal(err)
	}
	if b.Rows != 102 || len(b.Columns) != 3+len(s.Rows) {
		t.Fatalf("%d draws in %d columns", b.Rows, len(b.Columns))
	}
	for i, want := range map[int][3]int64{0: {1, 1, 1}, 50: {1, 51, 51}, 51: {2, 1, 52}, 101: {2, 51, 102}} {
		if got := [3]int64{b.Columns[0].Int[i], b.Columns[1].Int[i], b.Columns[2].Int[i]}; got != want {
			t.Errorf("draw %d has chain, iteration and number %v, want %v", i, got, want)
		}
	}
	for i := range s.Rows {
		c := &b.Columns[3+i]
		if m := mcmc.Quantile(slices.Sorted(slices.Values(c.Number)), .5); c.Name != s.Rows[i].Variable || m != s.Rows[i].Median {
			t.Errorf("the draws of %s have median %g, published is %s %g", c.Name, m, s.Rows[i].Variable, s.Rows[i].Median)
		}
	}
}
