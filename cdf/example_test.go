package cdf_test

import (
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models"
)

// A filter absorbs shards; its snapshot takes the posterior to another process.
func ExampleFilter() {
	kind, _ := models.Lookup("linear")
	spec, err := kind.Spec("", cdf.Roles{Intercept: true}, nil)
	if err != nil {
		panic(err)
	}
	f := cdf.NewFilter(spec, "shop-1")
	for first := 0; first < 200; first += 50 {
		x, y := make([]float64, 50), make([]float64, 50)
		for i := range x {
			x[i] = float64(first+i) / 10
			y[i] = 1 + 2*x[i] + .5*float64(i%2*2-1)
		}
		b := &cdf.Batch{Rows: 50, Columns: []cdf.Column{{Name: "x", Number: x}, {Name: "y", Number: y}}}
		if _, err := f.Update(b); err != nil {
			panic(err)
		}
	}
	snapshot, err := f.AppendBinary(nil)
	if err != nil {
		panic(err)
	}
	g := cdf.NewFilter(spec, "shop-1")
	if err := g.UnmarshalBinary(snapshot); err != nil {
		panic(err)
	}
	sum, err := g.Summary()
	if err != nil {
		panic(err)
	}
	fmt.Printf("after %d shards, %d rows\n", sum.T, sum.N)
	for _, r := range sum.Rows {
		fmt.Printf("%-9s %6.3f (%.3f)\n", r.Variable, r.Mean, r.SD)
	}
	// Output:
	// after 4 shards, 200 rows
	// beta[intercept]  0.993 (0.082)
	// beta[x]    2.001 (0.007)
	// sigma2     0.342 (0.035)
}
