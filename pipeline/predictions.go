package pipeline

import (
	"fmt"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
)

// Predictions is one message about rows of a shard before it is encoded: what
// the key's state before the shard says of them.
type Predictions struct {
	Key           string
	Kind, Variant string
	Config        string // first 16 hex digits of the fingerprint
	T             int64  // shards that the state had absorbed, at least 1
	Source        Partition
	Offset        int64
	Time          int64 // of the input record, milliseconds since 1970
	Rows          []RowPrediction
	// Expected says that the expectation of every row is told, too, as over HTTP. The topic has it not.
	Expected bool
}

// RowPrediction describes a new observation in place of one row of a shard.
type RowPrediction struct {
	Row int64 // index in the shard, from 0
	cdf.Prediction
}

// The rows that publish.predictions asks for; anything else asks for none.
const (
	predictAll  = "all"
	predictNull = "null_rows" // rows without a response
)

// predict returns the message about the rows of the shard that are to be
// predicted, nothing where there are none. It is called before the shard is
// absorbed.
//
// The first shard of a key gets no message: it fixes the columns and, with
// scaling, their constants, and before it no row has a meaning. Rows that are
// not usable are left out. What cannot be predicted is not the shard's fault
// either: whether it is applied must not depend on what is published, so that
// Update alone says what is wrong with it.
func (l *lane) predict(t *task, f *cdf.Filter, b *cdf.Batch) ([]Output, error) {
	s, r := t.entry.state, t.record
	var y []float64 // nil: all rows are asked for
	switch s.spec.Publish.Predictions {
	case predictAll:
	case predictNull:
		if y = responses(s.spec, b); !slices.ContainsFunc(y, null) {
			return nil, nil
		}
	default:
		return nil, nil
	}
	if f.T() == 0 {
		return nil, nil
	}
	found, err := f.Predict(b)
	if err != nil {
		return nil, nil
	}
	l.rows = l.rows[:0]
	for i := range found {
		if p := &found[i]; (y == nil || null(y[i])) && !(null(p.Mean) && null(p.SD) && null(p.Q025) && null(p.Q975)) {
			l.rows = append(l.rows, RowPrediction{int64(i), *p})
		}
	}
	if len(l.rows) == 0 {
		return nil, nil
	}
	outs, err := l.outputs.Predictions(&Predictions{
		Key: t.entry.key, Kind: s.spec.Kind, Variant: s.spec.Variant, Config: l.rules.Config(),
		T: f.T(), Source: l.part, Offset: r.Offset, Time: r.Time, Rows: l.rows,
	}, r)
	if err != nil {
		return nil, fmt.Errorf("%w: encode the predictions: %w", cdf.ErrNumeric, err)
	}
	return outs, nil
}

// responses returns the values of the response column, none where it is
// missing or holds no numbers.
func responses(spec *cdf.Spec, b *cdf.Batch) []float64 {
	if f := spec.Columns.Formula; f != nil {
		return f.Responses(b)
	}
	name := spec.Columns.Response.Name
	if name == "" {
		name = "y"
	}
	for i := range b.Columns {
		if b.Columns[i].Name == name {
			return b.Columns[i].Number
		}
	}
	return nil
}

func null(v float64) bool { return math.IsNaN(v) }
