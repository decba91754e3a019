package cdf

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/credence-stream/credence/cdf/fault"
	"github.com/credence-stream/credence/cdf/quantity"
)

// answers are the quantities of a key, and then the figures that alerts watch, in terms
// of the parameters that its model has now.
type answers struct {
	stale  bool
	params []Param
	list   []answer
	// forms, comparisons and levels, of quantiles, are the functionals of those that have one.
	forms, comparisons, levels []Functional
	foreseen                   []foreseen // of quantiles of new observations
	rows                       []Row
	p, mcse                    []float64
}

// answer is one of them.
type answer struct {
	of    *quantity.Quantity
	at    int    // in forms, comparisons, levels or foreseen
	nth   int    // of the levels there, of a quantile of a new observation
	batch *Batch // of a prediction
	why   string // there is none now; empty: there is
}

// outdated says that constants, parameters or columns may have changed.
func (f *Filter) outdated() {
	f.view.stale = true
	if f.answers != nil {
		f.answers.stale = true
	}
}

// drawnOf returns what draws are needed of: what is described and what quantities are of.
func (f *Filter) drawnOf(params []Param) []Functional {
	a := f.express(params)
	if a == nil {
		return f.view.functionals
	}
	return slices.Concat(f.view.functionals, a.functionals())
}

// functionals are those of all quantities that have one.
func (a *answers) functionals() []Functional { return slices.Concat(a.forms, a.comparisons, a.levels) }

// express writes the quantities in terms of the parameters; nil: none are asked for.
func (f *Filter) express(params []Param) *answers {
	p := &f.spec.Publish
	if len(p.Quantities)+len(p.Alerts) == 0 {
		return nil
	}
	if f.answers == nil {
		f.answers = &answers{stale: true}
	}
	a := f.answers
	if !a.stale && slices.Equal(a.params, params) {
		return a
	}
	list := make([]*quantity.Quantity, 0, len(p.Quantities)+len(p.Alerts))
	for i := range p.Quantities {
		list = append(list, &p.Quantities[i])
	}
	for i := range p.Alerts {
		list = append(list, &p.Alerts[i].Of)
	}
	*a = f.expressed(params, list)
	return a
}

// expressed writes quantities in terms of the parameters.
func (f *Filter) expressed(params []Param, list []*quantity.Quantity) answers {
	a := answers{params: slices.Clone(params), list: make([]answer, 0, len(list))}
	wanted := map[string]bool{}
	for _, q := range list {
		a.list = append(a.list, answer{of: q})
		wanted[q.Name] = true // so that a variable of this name is seen
		for _, t := range q.Form.Terms {
			wanted[t.Variable] = true
		}
	}
	original := *f.spec
	original.Publish.Scale = "original"
	found := map[string]*Functional{}
	variables := new(view).selected(&original, &f.now, params, &selection{only: wanted})
	for i := range variables {
		found[variables[i].Name] = &variables[i]
	}
	for i := range a.list {
		f.expressOne(&a, &a.list[i], found)
	}
	return a
}

func (f *Filter) expressOne(a *answers, to *answer, found map[string]*Functional) {
	q := to.of
	if found[q.Name] != nil {
		to.why = "a variable has this name"
		return
	}
	if q.Kind == quantity.KindQuantile && q.Predicts() {
		f.expressLevel(a, to)
		return
	}
	if q.Predicts() {
		if q.Ahead == 0 {
			to.batch, to.why = f.rowOf(q.Cells)
		}
		return
	}
	fn := Functional{Name: q.Name, Const: q.Form.Const}
	for _, t := range q.Form.Terms {
		v := found[t.Variable]
		if v == nil {
			to.why = fmt.Sprintf("there is no variable %.100s so far", t.Variable)
			return
		}
		fn.add(v, t.Weight)
	}
	fn.tidy()
	if len(fn.Param) == 0 {
		to.why = "its variables cancel"
		return
	}
	list := &a.forms
	switch q.Kind {
	case quantity.KindProbability:
		list = &a.comparisons
	case quantity.KindQuantile:
		list = &a.levels
	}
	to.at, *list = len(*list), append(*list, fn)
}

// add adds weight times another functional, the parameters in ascending order.
func (f *Functional) add(o *Functional, weight float64) {
	f.Const += float64(weight * o.Const)
	for k, p := range o.Param {
		w := weight * o.Weight[k]
		i, there := slices.BinarySearch(f.Param, p)
		if there {
			f.Weight[i] += w
			continue
		}
		f.Param, f.Weight = slices.Insert(f.Param, i, p), slices.Insert(f.Weight, i, w)
	}
}

// tidy drops parameters that cancel.
func (f *Functional) tidy() {
	n := 0
	for k, w := range f.Weight {
		if w != 0 {
			f.Param[n], f.Weight[n] = f.Param[k], w
			n++
		}
	}
	f.Param, f.Weight = f.Param[:n], f.Weight[:n]
}

// rowOf makes a batch of one row for a prediction, or says why it cannot.
func (f *Filter) rowOf(cells []quantity.Cell) (b *Batch, why string) {
	b = &Batch{Rows: 1}
	for _, in := range f.Inputs() {
		if in.Role == "response" || slices.ContainsFunc(b.Columns, func(c Column) bool { return c.Name == in.Name }) {
			continue
		}
		i := slices.IndexFunc(cells, func(c quantity.Cell) bool { return c.Column == in.Name })
		if i < 0 {
			if in.Role != "exposure" {
				return nil, fmt.Sprintf("column %.100s is missing", in.Name)
			}
			b.Columns = append(b.Columns, Column{Name: in.Name, Number: []float64{1}})
			continue
		}
		text := cells[i].Text
		if in.Category {
			b.Columns = append(b.Columns, Column{Name: in.Name, Type: Text, Code: []int32{0}, Levels: []string{text}})
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if flag, bad := strconv.ParseBool(text); err != nil && bad == nil {
			v, err = 0, nil
			if flag {
				v = 1
			}
		}
		if err != nil || !finite(v) {
			return nil, fmt.Sprintf("column %.100s is a number, and %.100q is none", in.Name, text)
		}
		c := Column{Name: in.Name, Number: []float64{v}}
		if in.Role == "time" {
			c.Type, c.Int = Integer, []int64{int64(v)}
		}
		b.Columns = append(b.Columns, c)
	}
	return b, ""
}

// answer puts the rows of the quantities before those of the variables, and the figures
// of alerts beside them. What fails costs a quantity and not the shard: the state
// does not depend on what is asked of it.
func (f *Filter) answer(sum *Summary) {
	a := f.express(f.engine.model.Params())
	if a == nil {
		return
	}
	a.rows = a.rows[:0]
	f.figures(a, func(i int, r *Row, why string) {
		if i >= len(f.spec.Publish.Quantities) {
			if why != "" {
				r.Mean = math.NaN()
			}
			sum.Watched = append(sum.Watched, r.Mean)
			return
		}
		sum.Quantities = append(sum.Quantities, a.list[i].told(why))
		if why == "" {
			a.rows = append(a.rows, *r)
		}
	})
	sum.Rows = slices.Insert(sum.Rows, 0, a.rows...)
}

// told is what a summary says of a quantity.
func (a *answer) told(why string) quantity.Told {
	return quantity.Told{Name: a.of.Name, Kind: a.of.Kind, Absent: brief(why)}
}

// figures finds the row of every quantity, or why there is none.
func (f *Filter) figures(a *answers, tell func(i int, r *Row, why string)) {
	forms, whyForms := f.describeForms(a)
	whyComparisons := f.compare(a)
	for i := range a.foreseen {
		f.foresees(&a.foreseen[i])
	}
	for i := range a.list {
		to := &a.list[i]
		r, why := unknown, to.why
		switch {
		case why != "":
		case to.of.Kind == quantity.KindPrediction:
			why = f.foretell(to, &r)
		case to.of.Kind == quantity.KindQuantile:
			why = f.findQuantile(a, to, &r)
		case to.of.Kind == quantity.KindProbability:
			if why = whyComparisons[to.at]; why == "" {
				r.Mean, r.MCSEMean = a.p[to.at], a.mcse[to.at]
			}
		default:
			if why = whyForms[to.at]; why == "" {
				r = forms[to.at]
			}
		}
		r.Variable = to.of.Name
		tell(i, &r, why)
	}
}

// brief bounds a reason.
func brief(why string) string {
	const most = 300
	if len(why) > most {
		why = why[:most]
	}
	return strings.ToValidUTF8(why, "")
}

// attempted calls what may panic in a model.
func attempted(call func() error) (err error) {
	defer fault.Catch(&err)
	return call()
}

// spared is attempted of what costs no shard: see Filter.Faulted.
func (w *Workspace) spared(call func() error) error {
	err := attempted(call)
	if e := fault.In(err); e != nil && w.faulted == nil {
		w.faulted = e
	}
	return err
}

// eachOr calls do for all functionals at once and, where one of them is refused,
// for each alone; refused is told of those.
func (w *Workspace) eachOr(n int, do func(from, to int) error, refused func(i int, err error)) {
	if n == 0 || w.spared(func() error { return do(0, n) }) == nil {
		return
	}
	for i := range n {
		if err := w.spared(func() error { return do(i, i+1) }); err != nil {
			refused(i, err)
		}
	}
}
