package pipeline

import (
	"math"
	"strings"

	"github.com/credence-stream/credence/cdf"
)

// mostGiven bounds the inputs that observed rows are kept with: those of a wider model
// would take more than the rows.
const mostGiven = 12

// Given is what rows had beside their response, in the units of the record.
type Given struct {
	Names []string // of the inputs
	// Numbers are rows x inputs, row by row, NaN where the input is a label or missing.
	Numbers []float64
	// Labels are the same, "" where the input is a number or missing.
	Labels []string
}

// givenOf returns the inputs of observed rows of a batch, which it copies; none of a model
// with more than mostGiven of them.
func givenOf(inputs []cdf.Input, b *cdf.Batch, rows []cdf.Observed) (g Given) {
	var from []*cdf.Column
	var label []bool
	for i := range inputs {
		in := &inputs[i]
		if in.Role == "response" || in.Role == "time" {
			continue
		}
		for c := range b.Columns {
			if b.Columns[c].Name == in.Name {
				from, label = append(from, &b.Columns[c]), append(label, in.Category)
				g.Names = append(g.Names, in.Name)
			}
		}
	}
	if len(rows) == 0 || len(from) == 0 || len(from) > mostGiven {
		return Given{}
	}
	for _, o := range rows {
		for i, c := range from {
			v, text := math.NaN(), ""
			switch {
			case label[i] && c.Type != cdf.Float:
				text, _ = c.Label(int(o.Row))
			case !label[i] && c.Type != cdf.Text:
				v = c.Number[o.Row]
			}
			g.Numbers, g.Labels = append(g.Numbers, v), append(g.Labels, strings.Clone(text))
		}
	}
	return g
}

// size is the bytes held.
func (g *Given) size() int64 {
	n := int64(24 * len(g.Numbers))
	for _, names := range [][]string{g.Names, g.Labels} {
		for _, s := range names {
			n += int64(len(s))
		}
	}
	return n + int64(16*len(g.Names))
}

// Row returns the numbers and labels of a row, one of each for every name; nothing of no
// rows.
func (g *Given) Row(i int) ([]float64, []string) {
	n := len(g.Names)
	if n == 0 {
		return nil, nil
	}
	return g.Numbers[i*n : (i+1)*n], g.Labels[i*n : (i+1)*n]
}
