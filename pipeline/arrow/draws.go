package arrow

import (
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// AppendDraws appends the draws of a posterior as one Arrow IPC stream:
// columns .chain, .iteration and .draw (int64, from 1) and one float64 column
// per variable, one row per draw; metadata as in the posterior's own message,
// but credence.draws is the number of rows also where the posterior is a closed
// form that needed none, and credence.scaling is always there.
// names are the variables of the rows of d, in the scale that d is in. What
// exceeds limit bytes loses variables from the end, counted in
// credence.omitted; a limit of 0 is none.
func AppendDraws(dst []byte, p *pipeline.Posterior, names []string, d *cdf.Draws, limit int) ([]byte, error) {
	if d.S < 0 || d.Chains < 1 || d.S%d.Chains != 0 || len(d.Data) != len(names)*d.S {
		return dst, fmt.Errorf("%d draws in %d chains of %d variables do not fill %d numbers", d.S, d.Chains, len(names), len(d.Data))
	}
	b := cdf.Batch{Rows: d.S, Columns: make([]cdf.Column, 3, 3+len(names))}
	index := make([]int64, 3*d.S)
	per := d.S / d.Chains
	for c, name := range [...]string{".chain", ".iteration", ".draw"} {
		b.Columns[c] = cdf.Column{Name: name, Type: cdf.Integer, Int: index[c*d.S : (c+1)*d.S]}
	}
	for i := range d.S {
		index[i] = int64(i/per + 1)
		index[d.S+i] = int64(i%per + 1)
		index[2*d.S+i] = int64(i + 1)
	}
	for i, name := range names {
		b.Columns = append(b.Columns, cdf.Column{Name: name, Type: cdf.Float, Number: d.Row(i)})
	}
	counted, about := *p.Summary, *p
	counted.Draws, about.Summary, about.Settled = d.S, &counted, false
	start, kept := len(dst), len(names)
	for {
		out, err := appendStream(dst, &b, func(w *builder, from int) {
			w.posterior(from, &about, extras{omitted: len(names) - kept, gaps: p.Gaps})
		})
		if err != nil {
			return dst, err
		}
		over := len(out) - start - limit
		if limit <= 0 || over <= 0 || kept == 0 {
			return out, nil
		}
		// A variable is at least its numbers; the next round tells whether
		// that was enough.
		kept -= min(kept, max(1, over/(9*d.S+1024)))
		b.Columns = b.Columns[:3+kept]
		dst = out[:start]
	}
}
