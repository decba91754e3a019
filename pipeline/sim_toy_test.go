package pipeline

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/quota"
)

// The toy: a model whose state and summary can be told without it. A shard is a
// list of small numbers as text. The state is the count of shards and numbers
// and a hash of them that depends on their order; keys that begin with d have it
// by draws, whose chains disagree after a shard with an odd sum.

const (
	toyMagic  = "toy:"
	toyModulo = 1 << 40
	toyDraws  = 8
	toyApart  = 1000 // the distance of chains that disagree
)

// toyRules give every key that begins with k or d the toy, under limits.
func toyRules(limits ...quota.Limit) *Rules {
	list := []Rule{{Match: "k*", Spec: toySpec("count")}, {Match: "d*", Spec: toySpec("draws")}}
	r, err := NewRules(list, Limits{Record: 1 << 20, Rows: 100, Columns: 10, Groups: 10, Summary: 1 << 20, Prefixes: limits})
	if err != nil {
		panic(err)
	}
	return r
}

func toySpec(variant string) *cdf.Spec {
	s := cdf.NewSpec("toy", variant, struct{}{}, func(cdf.Dims) (cdf.Model, error) {
		if variant == "draws" {
			return &drawingToy{}, nil
		}
		return &countingToy{}, nil
	})
	s.Columns.Scaling, s.Columns.Features = "none", []cdf.Feature{}
	s.RawResponse = true // so that of equal numbers nothing is kept, and states have the sizes that hashes say
	s.Draws = toyDraws
	return s
}

type toy struct {
	t, n int64
	hash uint64
	odd  bool
	lost bool // the next restore fails, and with it the state
}

var toyParams = []cdf.Param{{Name: "v", Len: 1}}

func (m *toy) Params() []cdf.Param { return toyParams }

func (m *toy) Check(s *cdf.Shard) error {
	if slices.Contains(s.Y, toyRefuses) {
		return fmt.Errorf("%w: %d", cdf.ErrShard, toyRefuses)
	}
	return nil
}

func (m *toy) Absorb(s *cdf.Step) {
	sum := 0
	for _, y := range s.Shard.Y {
		m.hash = (m.hash*31 + uint64(y)) % toyModulo
		sum += int(y)
	}
	m.t, m.n, m.odd = s.T, m.n+int64(len(s.Shard.Y)), sum%2 == 1
}

func (m *toy) Sample(s *cdf.Step) error {
	switch s.Shard.Y[0] {
	case toyLoses:
		m.lost = true
		return cdf.ErrNumeric
	case toyBreaks:
		m.lost = true
		panic("a model that breaks")
	case toyPanics:
		panic("a model that panics")
	}
	if s.Draws == nil {
		return nil
	}
	for i := range s.Draws.Row(0) {
		v := float64(m.hash%1000) + float64(i%2)
		if m.odd && i >= toyDraws/2 {
			v += toyApart
		}
		s.Draws.Row(0)[i] = v
	}
	return nil
}

func (m *toy) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, toyMagic...)
	for _, v := range []uint64{uint64(m.t), uint64(m.n), m.hash} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	odd := byte(0)
	if m.odd {
		odd = 1
	}
	return append(append(b, odd), make([]byte, toyStep*(m.hash%toySizes))...), nil
}

// The state of a toy has one of toySizes sizes, which follows from the hash. They are toyStep bytes
// apart, which is more than the counts before it vary by.
const toySizes, toyStep = 4, 64

// toyBytes is a limit of a toy's state that lets it have so many of its sizes.
func toyBytes(sizes int64) int64 {
	f := cdf.NewWorkspace().NewFilter(toySpec("count"), "k")
	if _, err := f.Update(&cdf.Batch{Rows: 1, Columns: []cdf.Column{{Name: "y", Number: []float64{toySizes}}}}); err != nil {
		panic(err)
	}
	b, err := f.MarshalBinary()
	if err != nil {
		panic(err)
	}
	return int64(len(b)) + toyStep*sizes - 1
}

func (m *toy) UnmarshalBinary(b []byte) error {
	if m.lost || len(b) < len(toyMagic)+25 {
		return fmt.Errorf("%w: not a toy", cdf.ErrSnapshot)
	}
	b = b[len(toyMagic):]
	*m = toy{t: int64(binary.LittleEndian.Uint64(b)), n: int64(binary.LittleEndian.Uint64(b[8:])), hash: binary.LittleEndian.Uint64(b[16:]), odd: b[24] == 1}
	return nil
}

type countingToy struct{ toy }

func (m *countingToy) Blocks() []cdf.Block { return []cdf.Block{m} }

func (m *countingToy) Summarize(_ []cdf.Functional, rows []cdf.Row) error {
	r, v := &rows[0], float64(m.hash)
	r.Mean, r.SD = v, 0
	r.Median, r.Q025, r.Q05, r.Q25, r.Q75, r.Q95, r.Q975 = v, v, v, v, v, v, v
	return nil
}

func (m *countingToy) PriorSD(_ []cdf.Functional, dst []float64) { dst[0] = math.NaN() }

type drawingToy struct{ toy }

func (m *drawingToy) Blocks() []cdf.Block { return []cdf.Block{m} }
func (m *drawingToy) Chains() int         { return 2 }

// toyLoses is a number that makes a shard's failure cost the state where it is the
// first, and toyRefuses one that no shard may have. Of toyPanics and toyBreaks, where they
// are the first, the model panics, and then has lost its state as well.
const toyLoses, toyRefuses, toyPanics, toyBreaks = 99, 98, 97, 96

// toyDecoder reads shards, and takes its time.
type toyDecoder struct {
	takes func()
	batch cdf.Batch
}

func (d *toyDecoder) Release() bool { return false }

func (d *toyDecoder) Decode(value []byte) (*cdf.Batch, error) {
	d.takes()
	switch string(value) {
	case "!panic":
		panic("a record that the decoder cannot stand")
	case "!numeric":
		return nil, fmt.Errorf("%w: singular", cdf.ErrNumeric)
	}
	var y []float64
	for _, text := range bytes.Fields(value) {
		v, err := strconv.Atoi(string(text))
		if err != nil {
			return nil, fmt.Errorf("%w: %q", ErrDecode, value)
		}
		y = append(y, float64(v))
	}
	d.batch = cdf.Batch{Rows: len(y), Columns: []cdf.Column{{Name: "y", Number: y}}}
	return &d.batch, nil
}

type toyOutputs struct{}

func (toyOutputs) Posterior(dst []Output, in *Pages, p *Posterior, _ *cdf.Filter, r *Record) ([]Output, error) {
	v := fmt.Appendf(in.Take(70), "t=%d n=%d v=%g weak=%d gaps=%d at %d %d", p.Summary.T, p.Summary.N, p.Summary.Rows[0].Mean, len(p.Summary.WeakMixing), p.Gaps, p.Offset, p.Time)
	return append(dst, Output{Topic: "out", Key: []byte(p.Key), Value: v, Time: r.Time, Offset: r.Offset}), nil
}

func (toyOutputs) Predictions(*Predictions, *Record) ([]Output, error) {
	return nil, errors.New("nobody asked")
}

func (toyOutputs) Alert(*Alert, *Record) (Output, error) {
	return Output{}, errors.New("nobody asked")
}

func (toyOutputs) Tombstone(_ Partition, r *Record) Output {
	return Output{Topic: "out", Key: bytes.Clone(r.Key), Time: r.Time, Offset: r.Offset}
}

func (toyOutputs) Dead(_ Partition, r *Record, stage Stage, reason string) Output {
	return Output{Topic: "dead", Key: r.Key, Value: r.Value, Time: r.Time, Offset: r.Offset,
		Headers: []Header{{"stage", []byte(stage)}, {"reason", []byte(reason)}}}
}
