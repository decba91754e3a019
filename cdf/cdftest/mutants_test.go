package cdftest

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// mutant is a line with one fault.
type mutant struct {
	*line
	fault string
	dims  cdf.Dims
	extra float64   // state that the bytes leave out
	heap  []float64 // state that grows
	calls *int      // state that keys share
}

func newMutant(fault string) *cdf.Spec {
	spec, calls := Line(), new(int)
	set := spec.Settings.(LineSettings)
	spec.New = func(d cdf.Dims) (cdf.Model, error) {
		l, err := newLine(set, d)
		return &mutant{line: l, fault: fault, dims: d, calls: calls}, err
	}
	return spec
}

func (m *mutant) Blocks() []cdf.Block { return []cdf.Block{m} }

func (m *mutant) Check(sh *cdf.Shard) error {
	switch m.fault {
	case "check writes":
		m.sums[3] += 1e-9
	case "refuses empty shards":
		if sh.Observed() == 0 {
			return cdf.ErrShard
		}
	case "refuses what it takes apart":
		if sh.Rows > 0 && sh.Y[0] != sh.Y[sh.Rows-1] && sh.Rows > 20 {
			return cdf.ErrShard
		}
	}
	return m.line.Check(sh)
}

func (m *mutant) Absorb(s *cdf.Step) {
	step := *s
	before := m.sums
	switch m.fault {
	case "ignores forget":
		step.Forget = 1
	case "forgets without being asked":
		for i := range m.sums {
			m.sums[i] *= .99
		}
	case "evidence depends on the cuts":
		m.extra++
	case "counts rows without response":
		m.sums[0] += float64(s.Shard.Rows - s.Shard.Observed())
	case "state outside the bytes":
		m.extra += float64(s.Shard.Rows)
		m.sums[3] += 1e-3 * m.extra
	case "state that grows":
		m.heap = append(m.heap, s.Shard.Y...)
	case "keys share state":
		*m.calls++
		m.sums[3] += float64(*m.calls)
	case "random numbers of its own":
		m.sums[3] += 1e-6 * rand.Float64()
	case "keeps a view of the shard":
		if len(m.heap) > 1 {
			m.sums[3] += m.heap[1]
		}
		m.heap = s.Shard.X
	case "draws decide the state":
		if s.Draws != nil || m.dims.Publish {
			m.sums[3] += 1e-6
		}
	}
	m.line.Absorb(&step)
	if m.fault == "absorbs the first row twice" && s.Shard.Observed() > 0 {
		for i := range m.sums {
			m.sums[i] += (m.sums[i] - before[i]) / float64(s.Shard.Observed())
		}
	}
}

func (m *mutant) Sample(s *cdf.Step) error {
	err := m.line.Sample(s)
	if m.fault == "predicts from memory" {
		m.extra = 1
	}
	if m.fault == "draws half as wide" && s.Draws != nil {
		for i := range 2 {
			for k, v := range s.Draws.Row(i) {
				s.Draws.Row(i)[k] = m.mean[i] + (v-m.mean[i])/2
			}
		}
	}
	return err
}

func (m *mutant) Summarize(list []cdf.Functional, rows []cdf.Row) error {
	if m.fault == "summarises the model's units" {
		plain := make([]cdf.Functional, len(list))
		for i, f := range list {
			plain[i] = cdf.Functional{Name: f.Name, Param: f.Param[:1], Weight: []float64{1}}
		}
		list = plain
	}
	if err := m.line.Summarize(list, rows); err != nil {
		return err
	}
	switch m.fault {
	case "quantiles cross":
		rows[0].Q05, rows[0].Q025 = rows[0].Q025, rows[0].Q05
	case "no moments":
		rows[1].SD = math.NaN()
	case "one name twice":
		rows[1].Variable = rows[0].Variable
	case "diagnoses closed forms":
		rows[0].ESSBulk = 100
	}
	return nil
}

func (m *mutant) Score(sh *cdf.Shard, rng *rand.Rand) (cdf.Score, error) {
	s, err := m.line.Score(sh, rng)
	switch m.fault {
	case "score writes":
		m.sums[3] += 1e-9
	case "scores after absorbing":
		s.LogDensity += .01
	case "scores another share":
		s.Coverage95 = 1.5
	case "counts a transform twice":
		s.Transformed(.5, true)
	case "counts transforms outside":
		s.PIT = cdf.Transforms{uint32(s.Rows)}
	}
	return s, err
}

func (m *mutant) SummarizePrior(list []cdf.Functional, rows []cdf.Row, rng *rand.Rand) error {
	empty, err := newLine(m.set, m.dims)
	if err != nil {
		return err
	}
	if err := empty.Summarize(list, rows); err != nil {
		return err
	}
	switch m.fault {
	case "prior writes":
		m.sums[3] += 1e-9
	case "prior by chance":
		rows[0].Mean += rand.Float64()
	case "prior of other variables":
		rows[0].Variable = "beta[other]"
	}
	return nil
}

func (m *mutant) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	if m.fault == "predict writes" {
		m.sums[3] += 1e-9
	}
	err := m.line.Predict(sh, out)
	for i := range out {
		switch m.fault {
		case "predicts the mean only":
			out[i].SD = out[i].EpredSD / 2
		case "predicts from memory":
			out[i].Mean += m.extra
		}
	}
	return err
}

func (m *mutant) LogEvidence() float64 {
	e := m.line.LogEvidence()
	return e + .1*m.extra
}

func (m *mutant) AppendBinary(b []byte) ([]byte, error) {
	b, err := m.line.AppendBinary(b)
	switch m.fault {
	case "leaves a sum out of the bytes":
		clear(b[len(b)-17 : len(b)-9])
	case "state that grows":
		for _, v := range m.heap {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return b, err
}

func (m *mutant) UnmarshalBinary(b []byte) error {
	switch m.fault {
	case "state that grows":
		m.heap = nil
		for at := 49; at+8 <= len(b); at += 8 {
			m.heap = append(m.heap, math.Float64frombits(binary.LittleEndian.Uint64(b[at:])))
		}
		b = b[:min(len(b), 49)]
	case "reads past the end":
		m.sums[5] = math.Float64frombits(binary.LittleEndian.Uint64(b[40:]))
	case "takes any bytes":
		if len(b) != 49 {
			return nil
		}
	case "error of another kind":
		if len(b) != 49 {
			return errors.New("bytes")
		}
	}
	return m.line.UnmarshalBinary(b)
}

// TestMutants shows that the suite finds every planted fault, in the case
// that is about it.
func TestMutants(t *testing.T) {
	cases := map[string]Case{}
	for _, c := range Cases() {
		cases[c.Name] = c
	}
	for _, m := range []struct{ fault, found string }{
		{"check writes", "read only"},
		{"score writes", "read only"},
		{"predict writes", "read only"},
		{"check writes", "checked"},
		{"refuses what it takes apart", "checked"},
		{"predict writes", "predictions"},
		{"refuses empty shards", "empty shard"},
		{"ignores forget", "forgetting"},
		{"forgets without being asked", "evidence"},
		{"counts rows without response", "null responses"},
		{"absorbs the first row twice", "evidence"},
		{"state outside the bytes", "undo"},
		{"state outside the bytes", "round trip"},
		{"state that grows", "bounded"},
		{"keys share state", "rerun"},
		{"random numbers of its own", "rerun"},
		{"keeps a view of the shard", "rerun"},
		{"draws decide the state", "draws"},
		{"draws half as wide", "draws"},
		{"summarises the model's units", "scale"},
		{"quantiles cross", "summaries"},
		{"no moments", "summaries"},
		{"one name twice", "summaries"},
		{"diagnoses closed forms", "summaries"},
		{"scores after absorbing", "predictions"},
		{"scores another share", "score"},
		{"counts a transform twice", "score"},
		{"counts transforms outside", "score"},
		{"prior writes", "prior"},
		{"prior by chance", "prior"},
		{"prior of other variables", "prior"},
		{"predicts the mean only", "predictions"},
		{"predicts from memory", "predictions"},
		{"evidence depends on the cuts", "evidence"},
		{"leaves a sum out of the bytes", "round trip"},
		{"reads past the end", "hostile"},
		{"takes any bytes", "hostile"},
		{"error of another kind", "hostile"},
	} {
		t.Run(m.fault, func(t *testing.T) {
			s := Suite{New: func() *cdf.Spec { return newMutant(m.fault) }, Shards: LineShards}
			err := cases[m.found].Check(s)
			if err == nil {
				t.Fatalf("case %q does not see it", m.found)
			}
			t.Log(err)
		})
	}
	sound := Suite{New: func() *cdf.Spec { return newMutant("") }, Shards: LineShards}
	for _, c := range Cases() {
		if err := c.Check(sound); err != nil {
			t.Errorf("without a fault: %s: %v", c.Name, err)
		}
	}
}
