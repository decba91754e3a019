package arrow_test

import (
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/arrow"
)

// What a producer sends as the value of a record, and a worker reads from it.
func ExampleDecoder_Decode() {
	value, err := arrow.Encode(&cdf.Batch{Rows: 2, Columns: []cdf.Column{
		{Name: "shop", Type: cdf.Text, Code: []int32{0, 1}, Levels: []string{"north", "south"}},
		{Name: "sold", Type: cdf.Float, Number: []float64{3, 4.5}},
	}})
	if err != nil {
		panic(err)
	}
	d := arrow.NewDecoder(arrow.Limits{Rows: 1000, Columns: 100})
	b, err := d.Decode(value) // valid until the next call
	if err != nil {
		panic(err)
	}
	for i := range b.Rows {
		shop, _ := b.Columns[0].Label(i)
		fmt.Println(shop, b.Columns[1].Number[i])
	}
	// Output:
	// north 3
	// south 4.5
}
