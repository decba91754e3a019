package cdftest_test

import (
	"fmt"

	"github.com/credence-stream/credence/cdf/cdftest"
)

// A test of a model of your own calls
//
//	cdftest.TestModel(t, newSpec, shards)
//
// which runs every case of the contract. Cases lets a program run them, here on
// the suite's own straight line.
func ExampleCases() {
	suite := cdftest.Suite{New: cdftest.Line, Shards: cdftest.LineShards}
	broken := 0
	for _, c := range cdftest.Cases() {
		if err := c.Check(suite); err != nil {
			fmt.Println(c.Name, err)
			broken++
		}
	}
	fmt.Println("broken:", broken)
	// Output: broken: 0
}
