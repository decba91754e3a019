package cdf

// Draws holds S draws of every parameter: row i is parameter i, contiguous.
// Chains lie one after the other within a row, S/Chains draws each.
type Draws struct {
	S, Chains int
	Data      []float64 // parameters x S, row-major, without those not kept

	at    []int32 // row of Data per parameter, -1: not kept; nil: all are
	index []int32 // room for at
}

// Row returns the S draws of parameter i; the slice aliases Data. Of a
// StateSummarizer it is nil where nobody will read them: see Step.Draws.
func (d *Draws) Row(i int) []float64 {
	if d.at != nil {
		if i = int(d.at[i]); i < 0 {
			return nil
		}
	}
	return d.Data[i*d.S : (i+1)*d.S : (i+1)*d.S]
}

// shape makes room for n parameters of s draws each.
func (d *Draws) shape(n, s, chains int) {
	d.S, d.Chains, d.at = s, chains, nil
	if cap(d.Data) < n*s {
		d.Data = make([]float64, n*s)
	}
	d.Data = d.Data[:n*s]
}

// shapeFor makes room for those of n parameters that the functionals are of.
func (d *Draws) shapeFor(list []Functional, n, s, chains int) {
	at := append(d.index[:0], make([]int32, n)...)
	for i := range list {
		for _, p := range list[i].Param {
			at[p] = 1
		}
	}
	kept := 0
	for p := range at {
		if at[p] == 0 {
			at[p] = -1
			continue
		}
		at[p] = int32(kept)
		kept++
	}
	d.shape(kept, s, chains)
	d.at, d.index = at, at
}
