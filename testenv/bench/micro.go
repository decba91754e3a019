//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
)

// shape is the shard of all measurements: p = 5 columns, n = 100 rows.
const columns, rows = 5, 100

func shard(rng *rand.Rand) *cdf.Batch {
	b := &cdf.Batch{Rows: rows}
	y := make([]float64, rows)
	for j := range columns {
		x := make([]float64, rows)
		for i := range x {
			x[i] = rng.NormFloat64()
			y[i] += float64(j) * x[i]
		}
		b.Columns = append(b.Columns, cdf.Column{Name: "x" + strconv.Itoa(j+1), Number: x})
	}
	for i := range y {
		y[i] += rng.NormFloat64()
	}
	b.Columns = append(b.Columns, cdf.Column{Name: "y", Number: y})
	return b
}

func linear() (*cdf.Spec, error) {
	k, ok := models.Lookup("linear")
	if !ok {
		return nil, fmt.Errorf("no linear model")
	}
	return k.Spec("", cdf.Roles{Intercept: true}, nil)
}

// microscopic measures the steps of one shard in a steady stream of one key.
func microscopic() ([]item, error) {
	spec, err := linear()
	if err != nil {
		return nil, err
	}
	b := shard(rand.New(rand.NewPCG(1, 1)))
	value, err := arrow.Encode(b)
	if err != nil {
		return nil, err
	}
	f := cdf.NewFilter(spec, "key")
	for range 10 { // past the scaling phase and the early rows
		if _, err := f.Update(b); err != nil {
			return nil, err
		}
	}
	summary, err := f.Summary()
	if err != nil {
		return nil, err
	}
	p := &pipeline.Posterior{Key: "key", Kind: "linear", Variant: "corrected", Config: "0123456789abcdef",
		Source: pipeline.Partition{Topic: "in"}, Time: 1e12, Summary: summary}
	decoder := arrow.NewDecoder(arrow.Limits{Record: 32 << 20, Rows: 1_000_000, Columns: 5000})
	encoder := arrow.NewEncoder()
	var dst []byte
	var items []item
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"decode", func() error { _, err := decoder.Decode(value); return err }},
		{"update with score and summary", func() error { _, err := f.Update(b); return err }},
		{"summary", func() error { _, err := f.Summary(); return err }},
		{"encode", func() (err error) { dst, err = encoder.Append(dst[:0], p, 16<<20); return err }},
		{"snapshot", func() (err error) { dst, err = f.AppendBinary(dst[:0]); return err }},
		{"load a snapshot", func() error { return f.UnmarshalBinary(dst) }},
	} {
		var failed error
		r := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if failed = step.do(); failed != nil {
					b.FailNow()
				}
			}
		})
		if failed != nil {
			return nil, fmt.Errorf("%s: %w", step.name, failed)
		}
		items = append(items, item{Item: step.name, Ours: float64(r.NsPerOp()) / 1000, Unit: "us/shard",
			How: fmt.Sprintf("linear, p = %d, n = %d, one core; %d allocations", columns, rows, r.AllocsPerOp())})
	}
	return items, nil
}
