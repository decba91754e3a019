package arrow

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/jsontext"
	"github.com/credence-stream/credence/pipeline"
)

// AppendAlert appends an alert as one Arrow IPC stream of one row: columns alert, event
// and when (utf8), value, bound and clear_below (float64, null where undefined), for
// (int64) and withdrawn (utf8, empty where it is not), and what belongs to the whole in
// the schema's metadata.
func (e *Encoder) AppendAlert(dst []byte, a *pipeline.Alert) ([]byte, error) {
	text := func(name, v string) cdf.Column {
		return cdf.Column{Name: name, Type: cdf.Text, Code: []int32{0}, Levels: []string{v}}
	}
	number := func(name string, v float64) cdf.Column {
		if !jsontext.Defined(v) {
			v = math.NaN()
		}
		return cdf.Column{Name: name, Number: []float64{v}}
	}
	b := cdf.Batch{Rows: 1, Columns: []cdf.Column{
		text("alert", a.Name), text("event", a.Word()), text("when", a.When),
		number("value", a.Value), number("bound", a.Bound), number("clear_below", a.Clear),
		{Name: "for", Type: cdf.Integer, Int: []int64{a.For}}, text("withdrawn", a.Withdrawn),
	}}
	return appendStream(dst, &b, func(w *builder, from int) {
		m := w.pairs(from, 8)
		m.model(a.Key, a.Kind, a.Variant, a.T)
		m.source(a.Source, a.Offset, a.Config)
		w.b = m.done()
	})
}
