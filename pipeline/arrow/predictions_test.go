package arrow

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// predictions returns a message of n rows, some numbers of which are
// undefined.
func predictions(n int) *pipeline.Predictions {
	rng := rand.New(rand.NewPCG(uint64(n), 4))
	p := &pipeline.Predictions{
		Key: "flights/ORD é", Kind: "linear", Variant: "corrected", Config: "0123456789abcdef", T: 12,
		Source: pipeline.Partition{Topic: "shards", ID: 3}, Offset: 4711, Time: 1_790_000_000_120,
	}
	for i := range n {
		r := pipeline.RowPrediction{Row: int64(2*i + 1)}
		for _, v := range []*float64{&r.Mean, &r.SD, &r.Q025, &r.Q975, &r.EpredSD, &r.PIT} {
			*v = rng.NormFloat64()
		}
		switch i % 7 {
		case 3:
			r.SD = math.NaN()
		case 5:
			r.SD, r.Mean = math.Inf(1), math.NaN()
		}
		p.Rows = append(p.Rows, r)
	}
	return p
}

// predicted is the batch that the first n rows of p are read back as.
func predicted(p *pipeline.Predictions, n int) *cdf.Batch {
	b := &cdf.Batch{Rows: n, Columns: []cdf.Column{{Name: "row", Type: cdf.Integer}, {Name: "mean"}, {Name: "sd"}, {Name: "q2.5"}, {Name: "q97.5"}}}
	for _, r := range p.Rows[:n] {
		b.Columns[0].Int = append(b.Columns[0].Int, r.Row)
		b.Columns[0].Number = append(b.Columns[0].Number, float64(r.Row))
		for c, v := range []float64{r.Mean, r.SD, r.Q025, r.Q975} {
			if math.IsInf(v, 0) {
				v = math.NaN()
			}
			b.Columns[c+1].Number = append(b.Columns[c+1].Number, v)
		}
	}
	return b
}

func TestPredictionsAreWhatTheContractSays(t *testing.T) {
	for _, n := range []int{1, 7, 8, 9, 300} {
		p := predictions(n)
		value, err := NewEncoder().AppendPredictions([]byte("before"), p, 0)
		if err != nil {
			t.Fatal(err)
		}
		value = value[len("before"):]
		same(t, fmt.Sprint(n, " rows"), library(t, value), predicted(p, n))
		got, err := NewDecoder(Limits{}).Decode(value)
		if err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprint(n, " rows, own reader"), got, predicted(p, n))

		r, err := ipc.NewReader(bytes.NewReader(value))
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range r.Schema().Fields() {
			want := arrow.PrimitiveTypes.Float64
			if i == 0 {
				want = arrow.PrimitiveTypes.Int64
			}
			if f.Type != want {
				t.Errorf("%s is %v", f.Name, f.Type)
			}
		}
		md := r.Schema().Metadata()
		keys := []string{"credence.key", "credence.kind", "credence.variant", "credence.t", "credence.topic", "credence.partition", "credence.offset", "credence.config"}
		values := []string{"flights/ORD é", "linear", "corrected", "12", "shards", "3", "4711", "0123456789abcdef"}
		if !slices.Equal(md.Keys(), keys) || !slices.Equal(md.Values(), values) {
			t.Errorf("metadata %v", md)
		}
		r.Release()

		dirty := bytes.Repeat([]byte{0xee}, 3*len(value))
		if again, err := NewEncoder().AppendPredictions(dirty[:0], p, len(value)); err != nil || !bytes.Equal(again, value) {
			t.Errorf("%d rows: other bytes in a used buffer, or where they just fit (%v)", n, err)
		}
	}
}

func TestPredictionsBeyondTheLimit(t *testing.T) {
	p := predictions(200)
	e := NewEncoder()
	sizes := make([]int, len(p.Rows)) // of the message that keeps n rows
	for n := range sizes {
		part := *p
		part.Rows = p.Rows[:n]
		b := cdf.Batch{Rows: n, Columns: predictionColumns(&part)}
		whole, err := appendStream(nil, &b, func(w *builder, from int) { w.predictions(from, &part, len(p.Rows)-n) })
		if err != nil {
			t.Fatal(err)
		}
		sizes[n] = len(whole)
	}
	whole, err := e.AppendPredictions(nil, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	for limit := len(whole) - 1; limit > 0; limit -= 37 {
		value, err := e.AppendPredictions([]byte("xy"), p, limit)
		if err != nil {
			t.Fatal(err)
		}
		value = value[2:]
		n := 0
		for n+1 < len(sizes) && sizes[n+1] <= limit {
			n++
		}
		if len(value) != sizes[n] {
			t.Fatalf("limit %d: %d bytes, want %d rows in %d", limit, len(value), n, sizes[n])
		}
		if meta, _ := metadata(value); meta["credence.omitted"] != fmt.Sprint(len(p.Rows)-n) {
			t.Fatalf("limit %d: omitted %q", limit, meta["credence.omitted"])
		}
		if n > 0 {
			same(t, fmt.Sprint("limit ", limit), library(t, value), predicted(p, n))
		}
	}
}

func TestDecimalsAreNamedByTheirWidth(t *testing.T) {
	for want, typ := range map[string]arrow.DataType{
		"decimal128": &arrow.Decimal128Type{Precision: 10, Scale: 2},
		"decimal256": &arrow.Decimal256Type{Precision: 40, Scale: 2},
	} {
		value := write(t, rand.New(rand.NewPCG(2, 9)), stream{columns: 1, rows: 2, batches: 1, types: []arrow.DataType{typ}})
		b, err := NewDecoder(Limits{}).Decode(value)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(b.Skipped, []cdf.Skipped{{Name: "c0", Type: want}}) {
			t.Errorf("%s: %+v", want, b.Skipped)
		}
	}
}
