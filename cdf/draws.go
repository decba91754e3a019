package cdf

// Draws holds S draws of every parameter: row i is parameter i, contiguous.
// Chains lie one after the other within a row, S/Chains draws each.
type Draws struct {
	S, Chains int
	Data      []float64 // parameters x S, row-major
}

// Row returns the S draws of parameter i; the slice aliases Data.
func (d *Draws) Row(i int) []float64 { return d.Data[i*d.S : (i+1)*d.S : (i+1)*d.S] }
