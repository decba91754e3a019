package sink

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
)

func predictions(rows ...pipeline.RowPrediction) *pipeline.Predictions {
	return &pipeline.Predictions{
		Key: "flights/\"ORD\"", Kind: "linear", Variant: "corrected", Config: "0123456789abcdef", T: 7,
		Source: pipeline.Partition{Topic: "shards", ID: 3}, Offset: 42, Time: 1_600_000_000_007, Rows: rows,
	}
}

func TestPredictionsInJSONAreWhatTheContractSays(t *testing.T) {
	p := predictions(
		pipeline.RowPrediction{Row: 0, Prediction: cdf.Prediction{Mean: 1, SD: .25, Q025: -1e-7, Q975: 1e21, EpredSD: 9, PIT: 9}},
		pipeline.RowPrediction{Row: 12, Prediction: cdf.Prediction{Mean: math.NaN(), SD: math.Inf(1), Q025: 2, Q975: 3}},
	)
	want := `{"key":"flights/\"ORD\"","kind":"linear","variant":"corrected","t":7,"config":"0123456789abcdef",` +
		`"source":{"topic":"shards","partition":3,"offset":42},"time":"2020-09-13T12:26:40.007Z","predictions":[` +
		`{"row":0,"mean":1,"sd":0.25,"q2.5":-1e-7,"q97.5":1e+21},{"row":12,"mean":null,"sd":null,"q2.5":2,"q97.5":3}]}`
	for _, limit := range []int{0, len(want)} {
		got, err := JSON{}.AppendPredictions([]byte("x"), p, limit)
		if err != nil || string(got) != "x"+want {
			t.Errorf("%v\n got %s\nwant %s", err, got[1:], want)
		}
	}
}

func TestPredictionsInJSONBeyondTheLimit(t *testing.T) {
	p := predictions()
	for i := range 40 {
		p.Rows = append(p.Rows, pipeline.RowPrediction{Row: int64(i), Prediction: cdf.Prediction{Mean: math.Sqrt(float64(i))}})
	}
	whole, err := JSON{}.AppendPredictions(nil, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	before := 40
	for limit := len(whole) - 1; limit > 0; limit -= 23 {
		got, err := JSON{}.AppendPredictions([]byte("xy"), p, limit)
		if err != nil {
			t.Fatal(err)
		}
		got = got[2:]
		var v struct {
			Predictions []struct{ Row, Mean float64 }
			Omitted     int
		}
		if err := json.Unmarshal(got, &v); err != nil {
			t.Fatalf("limit %d: %v\n%s", limit, err, got)
		}
		n := len(v.Predictions)
		if n+v.Omitted != 40 || n > before || v.Omitted == 0 || len(got) > limit && n > 0 {
			t.Fatalf("limit %d: %d bytes, %d rows, %d omitted", limit, len(got), n, v.Omitted)
		}
		if n > 0 && (v.Predictions[n-1].Row != float64(n-1) || v.Predictions[n-1].Mean != math.Sqrt(float64(n-1))) {
			t.Fatalf("limit %d: last row %+v", limit, v.Predictions[n-1])
		}
		before = n
	}
	if before != 0 {
		t.Errorf("%d rows in no room", before)
	}
}

func TestRecordOfPredictions(t *testing.T) {
	p := predictions(pipeline.RowPrediction{Row: 1, Prediction: cdf.Prediction{Mean: 2}}, pipeline.RowPrediction{Row: 2})
	r := &pipeline.Record{Offset: 42, Key: []byte(p.Key), Time: p.Time, Headers: []pipeline.Header{{Key: "traceparent", Value: []byte(aParent)}}}
	for _, form := range []Form{JSON{}, arrow.NewEncoder()} {
		o := NewOutputs(Topic{Group: "g", Output: "out", Encoder: form, Limit: 1 << 20}, DeadLetters{}, nil)
		outs, err := o.Predictions(p, r)
		if err != nil || len(outs) != 1 {
			t.Fatalf("%d outputs, %v", len(outs), err)
		}
		want := "content-type=" + form.ContentType() + `
ce_specversion=1.0
ce_type=dev.credence.posterior.v1
ce_source=/g/shards/3
ce_id=42/predictions
ce_subject=flights/"ORD"
ce_time=2020-09-13T12:26:40.007Z
traceparent=` + aParent + `
`
		value, err := form.AppendPredictions(nil, p, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if got := outs[0]; got.Topic != "out.predictions" || string(got.Key) != p.Key || got.Time != p.Time || got.Offset != 42 || headers(got) != want || !bytes.Equal(got.Value, value) {
			t.Errorf("got %+v\n%s", got, headers(got))
		}
		again, err := o.Predictions(p, r)
		if err != nil || !reflect.DeepEqual(again, outs) {
			t.Errorf("not the same record twice, or %v", err)
		}
	}
	whole, err := JSON{}.AppendPredictions(nil, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	small := NewOutputs(Topic{Encoder: JSON{}, Limit: len(whole) - 1}, DeadLetters{}, nil)
	outs, err := small.Predictions(p, r)
	if err != nil || len(outs[0].Value) >= len(whole) || !strings.HasSuffix(string(outs[0].Value), `"omitted":1}`) {
		t.Errorf("limited: %v\n%s", err, outs[0].Value)
	}
}

// The draws of a model that always draws are sent where they are asked for,
// and nowhere else.
func TestDrawsAreSentWhereAskedFor(t *testing.T) {
	spec := cdftest.Levels()
	filter := cdf.NewFilter(spec, "k")
	summary, err := filter.Update(&cdf.Batch{Rows: 2, Columns: []cdf.Column{
		{Name: "y", Number: []float64{1, 2}}, {Name: "g", Type: cdf.Integer, Number: []float64{7, 8}, Int: []int64{7, 8}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	p := &pipeline.Posterior{Key: "k", Kind: spec.Kind, Variant: spec.Variant, Source: pipeline.Partition{Topic: "in"}, Offset: 3, Time: 5, Summary: summary}
	for asked, n := range map[bool]int{false: 1, true: 2} {
		o := NewOutputs(Topic{Group: "g", Output: "out", Encoder: JSON{}}, DeadLetters{}, func(key string) bool { return asked && key == "k" })
		outs, err := o.Posterior(nil, nil, p, filter, &pipeline.Record{Offset: 3, Key: []byte("k"), Time: 5})
		if err != nil || len(outs) != n {
			t.Fatalf("asked %t: %d outputs, %v", asked, len(outs), err)
		}
		if !asked {
			continue
		}
		if got := headers(outs[1]); outs[1].Topic != "out.draws" || !strings.Contains(got, "ce_id=3/draws\n") || !strings.Contains(got, "content-type="+arrow.ContentType+"\n") {
			t.Errorf("%s\n%s", outs[1].Topic, got)
		}
		b, err := arrow.NewDecoder(arrow.Limits{Record: 1 << 20, Rows: 1000}).Decode(outs[1].Value)
		if err != nil || b.Rows != summary.Draws || len(b.Columns) != 3+len(summary.Rows) {
			t.Fatalf("%d draws of %d columns, %v", b.Rows, len(b.Columns), err)
		}
		mean := 0.
		for _, v := range b.Columns[3].Number {
			mean += v / float64(b.Rows)
		}
		if last := b.Rows - 1; b.Columns[0].Int[last] != 2 || b.Columns[1].Int[last] != int64(b.Rows/2) || b.Columns[2].Int[last] != int64(b.Rows) ||
			b.Columns[3].Name != summary.Rows[0].Variable || math.Abs(mean-summary.Rows[0].Mean) > 1e-12 {
			t.Errorf("%s has mean %g, want %+v", b.Columns[3].Name, mean, summary.Rows[0])
		}
	}
}
