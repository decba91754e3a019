package json

import (
	stdjson "encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/pipeline/events"
)

// Rows of five numbers and a response, one to a record, in turn as JSON and as Arrow,
// and as encoding/json reads the same JSON into a map.
func BenchmarkOneRow(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	wanted := events.Wanted{Only: true, Columns: []events.Named{{Name: "y", Number: true}}}
	for i := range 5 {
		wanted.Columns = append(wanted.Columns, events.Named{Name: fmt.Sprintf("x%d", i+1), Number: true})
	}
	var texts, streams [][]byte
	for range 1000 {
		row := map[string]float64{}
		batch := cdf.Batch{Rows: 1}
		for _, c := range wanted.Columns {
			v := rng.NormFloat64()
			row[c.Name] = v
			batch.Columns = append(batch.Columns, cdf.Column{Name: c.Name, Number: []float64{v}})
		}
		text, _ := stdjson.Marshal(row)
		stream, err := arrow.Encode(&batch)
		if err != nil {
			b.Fatal(err)
		}
		texts, streams = append(texts, text), append(streams, stream)
	}
	run := func(name string, records [][]byte, decode func([]byte) error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(records[0])))
			for i := range b.N {
				if err := decode(records[i%len(records)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	d := NewDecoder(events.Limits{}, wanted, nil)
	run("json", texts, func(v []byte) error { _, err := d.Decode(v); return err })
	a := arrow.NewDecoder(arrow.Limits{})
	run("arrow", streams, func(v []byte) error { _, err := a.Decode(v); return err })
	run("encoding-json", texts, func(v []byte) error { return stdjson.Unmarshal(v, new(map[string]any)) })
}
