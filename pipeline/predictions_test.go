package pipeline_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// simRows is a shard of given pairs (y, x).
func simRows(pairs ...float64) []byte {
	var b []byte
	for _, v := range pairs {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// published is what a single worker makes of shards of one key, one output
// per line: topic, offset and value.
func published(t *testing.T, spec *cdf.Spec, values ...[]byte) []string {
	t.Helper()
	var log []pipeline.Record
	for i, v := range values {
		log = append(log, pipeline.Record{Offset: int64(i), Time: 1e12 + int64(i), Key: []byte("k"), Value: v})
	}
	s := newSim(t, 0, storetest.NewMemory(), log)
	s.Rules = pipelinetest.RulesOf(t, pipeline.Rule{Match: "k", Spec: spec})
	settle(t, s)
	var out []string
	for _, o := range s.Sent {
		out = append(out, fmt.Sprintf("%s %d %s", o.Topic, o.Offset, o.Value))
	}
	return out
}

func TestPredictionsComeFromTheStateBefore(t *testing.T) {
	nan := math.NaN()
	rng := rand.New(rand.NewPCG(4, 4))
	shards := [][]byte{
		pipelinetest.Shard(rng), pipelinetest.Shard(rng),
		simRows(1, 1, nan, .5, 3, nan, 2, -1, nan, nan, nan, 2), // row 2 is not usable, row 4 neither
		[]byte("!not pairs"),
		simRows(math.Inf(1), 1, nan, 2), // refused: its rows get no prediction
		nil,
		simRows(nan, 1, 1, 0), // the key is new again
		simRows(nan, 1, 1, 0),
		simRows(1, nan),
		simRows(1, 1, nan, nan),
		nil,
		simRows(nan, 1), // leaves centre and scale unknown
		simRows(nan, 1, 1, 0),
	}
	asked := map[string]map[int][]int{ // per shard
		"none":      {},
		"null_rows": {2: {1, 5}, 7: {0}},
		"all":       {1: nil, 2: {0, 1, 3, 5}, 7: {0, 1}, 9: {0}},
	}
	for mode, rows := range asked {
		for _, every := range []int64{1, 3} {
			t.Run(fmt.Sprint(mode, every), func(t *testing.T) {
				spec := pipelinetest.Spec(t, cdf.Publish{Every: every, Scale: "original", Groups: "all", Predictions: mode, Variables: []string{"**"}})
				var want []string
				filter := cdf.NewFilter(spec, "k")
				for i, v := range shards {
					if v == nil {
						filter = cdf.NewFilter(spec, "k")
						want = append(want, fmt.Sprintf("out %d ", i))
						continue
					}
					b, err := new(pipelinetest.Decoder).Decode(v)
					if err != nil {
						want = append(want, "dead")
						continue
					}
					predicted := ""
					if which, ok := rows[i]; ok {
						predicted = fmt.Sprintf("rows %d t=%d", i, filter.T())
						found, err := filter.Predict(b)
						if err != nil {
							t.Fatal(err)
						}
						for row, p := range found {
							if which == nil || slices.Contains(which, row) {
								predicted += fmt.Sprintf(" %d=%x±%x", row, p.Mean, p.SD)
							}
						}
					}
					if _, err := filter.Update(b); err != nil {
						want = append(want, "dead")
						continue
					}
					if filter.T()%every == 0 {
						want = append(want, fmt.Sprintf("out %d t=%d", i, filter.T()))
					}
					if predicted != "" {
						want = append(want, predicted)
					}
				}
				got := published(t, spec, shards...)
				if len(got) != len(want) {
					t.Fatalf("%d outputs, want %d:\n%s\n%s", len(got), len(want), strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
				for i := range want {
					if !strings.HasPrefix(got[i], want[i]) || strings.HasPrefix(want[i], "rows") && got[i] != want[i] {
						t.Errorf("output %d:\n got %s\nwant %s", i, got[i], want[i])
					}
				}
			})
		}
	}
}

// What is published must not decide what is absorbed: a model that cannot
// predict is updated all the same.
func TestUnpredictableShardsAreAbsorbed(t *testing.T) {
	publish := cdf.Publish{Every: 1, Scale: "original", Groups: "all", Predictions: "all", Variables: []string{"**"}}
	spec := pipelinetest.Spec(t, publish)
	build := spec.New
	spec.New = func(d cdf.Dims) (cdf.Model, error) {
		m, err := build(d)
		return unpredictable{m}, err
	}
	rng := rand.New(rand.NewPCG(4, 5))
	got := published(t, spec, pipelinetest.Shard(rng), pipelinetest.Shard(rng))
	if len(got) != 2 || !strings.HasPrefix(got[1], "out 1 t=2") {
		t.Errorf("published %q", got)
	}
}

// unpredictable fails to predict.
type unpredictable struct{ cdf.Model }

func (u unpredictable) Predict(*cdf.Shard, []cdf.Prediction) error {
	return fmt.Errorf("%w: singular", cdf.ErrNumeric)
}

func (u unpredictable) Score(*cdf.Shard, *rand.Rand) (cdf.Score, error) { return cdf.NoScore(), nil }

func (u unpredictable) Summarize(list []cdf.Functional, rows []cdf.Row) error {
	return u.Model.(cdf.Summarizer).Summarize(list, rows)
}

func (u unpredictable) PriorSD(list []cdf.Functional, dst []float64) {
	u.Model.(cdf.Summarizer).PriorSD(list, dst)
}

// A shard that is refused only after its rows were predicted publishes none.
func TestRefusedShardsPublishNoPredictions(t *testing.T) {
	publish := cdf.Publish{Every: 1, Scale: "original", Groups: "all", Predictions: "all", Variables: []string{"**"}}
	spec := pipelinetest.Spec(t, publish)
	build := spec.New
	spec.New = func(d cdf.Dims) (cdf.Model, error) {
		m, err := build(d)
		return unyielding{m}, err
	}
	rng := rand.New(rand.NewPCG(4, 6))
	got := published(t, spec, pipelinetest.Shard(rng), pipelinetest.Shard(rng), pipelinetest.Shard(rng))
	for i, want := range []string{"out 0 t=1", "dead 1", "dead 2"} {
		if len(got) != 3 || !strings.HasPrefix(got[i], want) {
			t.Fatalf("published %q", got)
		}
	}
}

// unyielding predicts and fails at its second shard.
type unyielding struct{ cdf.Model }

func (u unyielding) Unwrap() cdf.Model { return u.Model }

func (u unyielding) Blocks() []cdf.Block {
	var blocks []cdf.Block
	for _, b := range u.Model.Blocks() {
		blocks = append(blocks, unyieldingBlock{b})
	}
	return blocks
}

type unyieldingBlock struct{ cdf.Block }

func (b unyieldingBlock) Sample(s *cdf.Step) error {
	if s.T == 2 {
		return fmt.Errorf("%w: singular", cdf.ErrNumeric)
	}
	return b.Block.Sample(s)
}
