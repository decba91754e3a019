package pipelinetest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/quota"
)

// Decoder reads what Shard writes, and fails as Records asks.
type Decoder struct {
	Takes time.Duration // per record
	batch cdf.Batch
}

// Decode implements pipeline.Decoder.
func (d *Decoder) Decode(value []byte) (*cdf.Batch, error) {
	if d.Takes > 0 {
		<-time.After(d.Takes)
	}
	switch {
	case bytes.HasPrefix(value, []byte("!panic")):
		panic("a record that the decoder cannot stand")
	case bytes.HasPrefix(value, []byte("!numeric")):
		return nil, fmt.Errorf("%w: singular", cdf.ErrNumeric)
	case len(value) == 0 || len(value)%16 != 0:
		return nil, fmt.Errorf("%w: %d bytes", pipeline.ErrDecode, len(value))
	}
	n := len(value) / 16
	y, x := make([]float64, n), make([]float64, n)
	for i := range y {
		y[i] = math.Float64frombits(binary.LittleEndian.Uint64(value[16*i:]))
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(value[16*i+8:]))
	}
	group := make([]int32, n)
	for i := range x {
		if x[i] > 0 {
			group[i] = 1
		}
	}
	d.batch = cdf.Batch{Rows: n, Columns: []cdf.Column{
		{Name: "y", Number: y}, {Name: "x", Number: x}, {Name: "g", Type: cdf.Text, Code: group, Levels: []string{"n", "p"}},
	}}
	return &d.batch, nil
}

// Release implements pipeline.Decoder.
func (*Decoder) Release() bool { return false }

// Outputs writes every number with all its bits, as text.
type Outputs struct{}

// Rules are of one model, and the rows of one key are predicted; one more
// key has a model that draws.
func Rules(t testing.TB) *pipeline.Rules {
	t.Helper()
	drawing := cdftest.Levels()
	drawing.Draws = 16 // few enough that R-hat is now and then too high
	list := []pipeline.Rule{{Match: "k2", Spec: drawing}}
	for i, predictions := range []string{"all", "none"} {
		publish := cdf.Publish{Every: 1, Scale: "original", Groups: "all", Predictions: predictions, Variables: []string{"**"}}
		list = append(list, pipeline.Rule{Match: []string{"k1", "k*"}[i], Spec: Spec(t, publish)})
	}
	return RulesOf(t, list...)
}

// RulesOf are rules under small limits.
func RulesOf(t testing.TB, list ...pipeline.Rule) *pipeline.Rules {
	t.Helper()
	rules, err := pipeline.NewRules(list,
		pipeline.Limits{Record: 1 << 20, Rows: 1000, Columns: 10, Groups: 10, Summary: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// Limited are rules of one model of the keys that begin with k, under limits of prefixes.
func Limited(t testing.TB, prefixes ...quota.Limit) *pipeline.Rules {
	t.Helper()
	s := Spec(t, cdf.Publish{Every: 1, Scale: "original", Groups: "all", Predictions: "none", Variables: []string{"**"}})
	limits := pipeline.Limits{Record: 1 << 20, Rows: s.Limits.Rows, Columns: s.Limits.Columns, Groups: s.Limits.Groups, Summary: 1 << 20, Prefixes: prefixes}
	rules, err := pipeline.NewRules([]pipeline.Rule{{Match: "k*", Spec: s}}, limits)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// Spec is the linear model of what Shard writes.
func Spec(t testing.TB, publish cdf.Publish) *cdf.Spec {
	t.Helper()
	k, ok := models.Lookup("linear")
	if !ok {
		t.Fatal("no linear model")
	}
	spec, err := k.Spec("", cdf.Roles{Intercept: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec.Draws, spec.Publish, spec.Limits = 0, publish, cdf.Limits{Rows: 1000, Columns: 10, Groups: 10}
	return spec
}

// Records is the stream that a correct worker must survive: keys that are
// deleted and come back, shards sent twice, and records of every bad kind.
func Records(seed uint64, n int) []pipeline.Record {
	rng := rand.New(rand.NewPCG(seed, 2))
	sent := map[string]int{}
	log := make([]pipeline.Record, 0, n)
	for i := range n {
		key := "k" + strconv.Itoa(rng.IntN(9))
		r := pipeline.Record{Offset: int64(i), Time: 1e12 + int64(i), Key: []byte(key)}
		switch rng.IntN(30) {
		case 0, 1:
		case 2:
			r.Value = []byte("not pairs")
		case 3:
			r.Value = []byte("!panic")
		case 4:
			r.Value = []byte("!numeric")
		case 5:
			r.Key, r.Value = nil, []byte("x")
		case 6:
			r.Key, r.Value = []byte("unmatched"), []byte("x")
		case 7, 8, 9:
			if sent[key] > 0 { // the newest shard of the key again
				for j := i - 1; j >= 0; j-- {
					if string(log[j].Key) == key && len(log[j].Headers) > 0 {
						r.Value, r.Headers = log[j].Value, log[j].Headers
						break
					}
				}
				break
			}
			fallthrough
		default:
			sent[key]++
			r.Value = Shard(rng)
			r.Headers = ShardHeader("run"+strconv.Itoa(rng.IntN(2)), sent[key])
		}
		log = append(log, r)
	}
	return log
}

// Shard is a record's value: up to 30 rows y = 1 + 2x + noise.
func Shard(rng *rand.Rand) []byte {
	var b []byte
	for range 1 + rng.IntN(30) {
		x := rng.NormFloat64()
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(1+2*x+rng.NormFloat64()))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

// ShardHeader numbers a producer's shard, so that one sent twice is seen.
func ShardHeader(run string, n int) []pipeline.Header {
	return []pipeline.Header{{Key: pipeline.ShardHeader, Value: fmt.Appendf(nil, "%s/%d", run, n)}}
}

// Unencodable is the header of a record whose posterior has no bytes.
const Unencodable = "unencodable"

// Posterior implements pipeline.Outputs.
func (Outputs) Posterior(dst []pipeline.Output, in *pipeline.Pages, p *pipeline.Posterior, _ *cdf.Filter, r *pipeline.Record) ([]pipeline.Output, error) {
	if _, ok := r.Header(Unencodable); ok {
		return nil, errors.New("no bytes for this posterior")
	}
	v := fmt.Appendf(in.Take(300), "t=%d n=%d gaps=%d score=%x draws=%d weak=%q", p.Summary.T, p.Summary.N, p.Gaps,
		p.Summary.Score.LogDensity, p.Summary.Draws, p.Summary.WeakMixing)
	if o := p.Summary.Outliers; o.Rows > 0 {
		v = fmt.Appendf(v, " outliers=%d t=%d offset=%d", o.Rows, o.T, p.Outlier)
	}
	for _, row := range p.Summary.Rows {
		v = fmt.Appendf(v, " %s=%x±%x", row.Variable, row.Mean, row.SD)
		if !math.IsNaN(row.RHat) {
			v = fmt.Appendf(v, " r_hat=%x", row.RHat)
		}
	}
	return append(dst, pipeline.Output{Topic: "out", Key: []byte(p.Key), Value: v, Time: r.Time, Offset: r.Offset}), nil
}

// Predictions implements pipeline.Outputs.
func (Outputs) Predictions(p *pipeline.Predictions, r *pipeline.Record) ([]pipeline.Output, error) {
	v := fmt.Appendf(nil, "t=%d", p.T)
	for _, row := range p.Rows {
		v = fmt.Appendf(v, " %d=%x±%x", row.Row, row.Mean, row.SD)
	}
	return []pipeline.Output{{Topic: "rows", Key: []byte(p.Key), Value: v, Time: r.Time, Offset: r.Offset}}, nil
}

// Alert implements pipeline.Outputs.
func (Outputs) Alert(a *pipeline.Alert, r *pipeline.Record) (pipeline.Output, error) {
	v := fmt.Appendf(nil, "t=%d %s %s value=%x %s", a.T, a.Name, a.Word(), a.Value, a.Withdrawn)
	return pipeline.Output{Topic: "alerts", Key: []byte(a.Key), Value: v, Time: r.Time, Offset: r.Offset}, nil
}

// Tombstone implements pipeline.Outputs.
func (Outputs) Tombstone(_ pipeline.Partition, r *pipeline.Record) pipeline.Output {
	return pipeline.Output{Topic: "out", Key: bytes.Clone(r.Key), Time: r.Time, Offset: r.Offset}
}

// Dead implements pipeline.Outputs.
func (Outputs) Dead(_ pipeline.Partition, r *pipeline.Record, stage pipeline.Stage, reason string) pipeline.Output {
	return pipeline.Output{Topic: "dead", Key: r.Key, Value: r.Value, Time: r.Time, Offset: r.Offset,
		Headers: []pipeline.Header{{Key: "stage", Value: []byte(stage)}, {Key: "reason", Value: []byte(reason)}}}
}
