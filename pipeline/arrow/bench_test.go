package arrow

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/credence-stream/credence/pipeline"
)

func BenchmarkDecode(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, size := range []struct{ rows, columns int }{{10, 6}, {300, 48}} {
		value := write(b, rng, stream{columns: size.columns, rows: size.rows, batches: 1, types: types[:1]})
		nulls := write(b, rng, stream{columns: size.columns, rows: size.rows, batches: 1, types: types[:1], nulls: .1})
		name := fmt.Sprintf("%dx%d", size.rows, size.columns)
		for _, c := range []struct {
			name  string
			value []byte
		}{{"aligned", aligned(value, 0)}, {"unaligned", aligned(value, 1)}, {"nulls", nulls}} {
			b.Run(name+"/"+c.name, func(b *testing.B) {
				d := NewDecoder(Limits{})
				b.ReportAllocs()
				for b.Loop() {
					if _, err := d.Decode(c.value); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(name+"/library", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := ipc.NewReader(bytes.NewReader(value))
				if err != nil || !r.Next() {
					b.Fatal(err)
				}
				r.Release()
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	p := typical()
	groups := typical()
	groups.Summary.Rows = posterior(100_000).Summary.Rows
	for _, c := range []struct {
		name string
		p    *pipeline.Posterior
	}{{"own", p}, {"groups", groups}} {
		b.Run(c.name, func(b *testing.B) {
			e := NewEncoder()
			var dst []byte
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if dst, err = e.Append(dst[:0], c.p, 16<<20); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(dst)), "bytes")
		})
	}
	b.Run("library", func(b *testing.B) {
		value, err := NewEncoder().Append(nil, p, 0)
		if err != nil {
			b.Fatal(err)
		}
		meta, _ := metadata(value)
		b.ReportAllocs()
		for b.Loop() {
			var keys, values []string
			for k, v := range meta {
				keys, values = append(keys, k), append(values, v)
			}
			md := arrow.NewMetadata(keys, values)
			fields := []arrow.Field{{Name: "variable", Type: arrow.BinaryTypes.String}}
			for _, n := range numberNames {
				fields = append(fields, arrow.Field{Name: n, Type: arrow.PrimitiveTypes.Float64, Nullable: true})
			}
			schema := arrow.NewSchema(fields, &md)
			rb := array.NewRecordBuilder(memory.DefaultAllocator, schema)
			for i := range p.Summary.Rows {
				rb.Field(0).(*array.StringBuilder).Append(p.Summary.Rows[i].Variable)
				for c, v := range numbers(&p.Summary.Rows[i]) {
					rb.Field(c + 1).(*array.Float64Builder).Append(v)
				}
			}
			rec := rb.NewRecord()
			var buf bytes.Buffer
			w := ipc.NewWriter(&buf, ipc.WithSchema(schema))
			if err := w.Write(rec); err != nil {
				b.Fatal(err)
			}
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
			rec.Release()
			rb.Release()
		}
	})
}
