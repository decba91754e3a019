package cdf

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/credence-stream/credence/cdf/quantity"
)

// answers are the quantities of a key, and then the figures that alerts watch, in terms
// of the parameters that its model has now.
type answers struct {
	stale  bool
	params []Param
	list   []answer
	// forms and comparisons are the functionals of those that have one.
	forms, comparisons []Functional
	rows               []Row
	p, mcse            []float64
}

// answer is one of them.
type answer struct {
	of    *quantity.Quantity
	at    int    // in forms or comparisons
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
	return slices.Concat(f.view.functionals, a.forms, a.comparisons)
}

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
	*a = answers{params: slices.Clone(params), list: make([]answer, 0, len(p.Quantities)+len(p.Alerts))}
	wanted := map[string]bool{}
	add := func(q *quantity.Quantity) {
		a.list = append(a.list, answer{of: q})
		wanted[q.Name] = true // so that a variable of this name is seen
		for _, t := range q.Form.Terms {
			wanted[t.Variable] = true
		}
	}
	for i := range p.Quantities {
		add(&p.Quantities[i])
	}
	for i := range p.Alerts {
		add(&p.Alerts[i].Of)
	}
	original := *f.spec
	original.Publish.Scale = "original"
	found := map[string]*Functional{}
	variables := new(view).selected(&original, &f.now, params, &selection{only: wanted})
	for i := range variables {
		found[variables[i].Name] = &variables[i]
	}
	for i := range a.list {
		f.expressOne(a, &a.list[i], found)
	}
	return a
}

func (f *Filter) expressOne(a *answers, to *answer, found map[string]*Functional) {
	q := to.of
	if found[q.Name] != nil {
		to.why = "a variable has this name"
		return
	}
	if q.Kind == quantity.KindPrediction {
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
	if q.Kind == quantity.KindProbability {
		list = &a.comparisons
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
	forms, whyForms := f.describeForms(a)
	whyComparisons := f.compare(a)
	for i := range a.list {
		to := &a.list[i]
		r, why := unknown, to.why
		switch {
		case why != "":
		case to.of.Kind == quantity.KindPrediction:
			why = f.foretell(to, &r)
		case to.of.Kind == quantity.KindProbability:
			if why = whyComparisons[to.at]; why == "" {
				r.Mean, r.MCSEMean = a.p[to.at], a.mcse[to.at]
			}
		default:
			if why = whyForms[to.at]; why == "" {
				r = forms[to.at]
			}
		}
		if i >= len(f.spec.Publish.Quantities) {
			if why != "" {
				r.Mean = math.NaN()
			}
			sum.Watched = append(sum.Watched, r.Mean)
			continue
		}
		sum.Quantities = append(sum.Quantities, quantity.Told{Name: to.of.Name, Kind: to.of.Kind, Absent: brief(why)})
		if why == "" {
			r.Variable = to.of.Name
			a.rows = append(a.rows, r)
		}
	}
	sum.Rows = slices.Insert(sum.Rows, 0, a.rows...)
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
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: panic: %v", ErrNumeric, p)
		}
	}()
	return call()
}

// eachOr calls do for all functionals at once and, where one of them is refused,
// for each alone; refused is told of those.
func eachOr(n int, do func(from, to int) error, refused func(i int, err error)) {
	if n == 0 || attempted(func() error { return do(0, n) }) == nil {
		return
	}
	for i := range n {
		if err := attempted(func() error { return do(i, i+1) }); err != nil {
			refused(i, err)
		}
	}
}

// byDraws reports that the posterior is known by draws, which are at hand.
func (f *Filter) byDraws() bool { return f.engine.chains > 0 && f.drawn }

// describeForms returns a row for every form, or why there is none.
func (f *Filter) describeForms(a *answers) (rows []Row, why []string) {
	n := len(a.forms)
	rows, why = unknownRows(nil, a.forms), make([]string, n)
	if f.engine.summarizer == nil {
		for i := range rows {
			rows[i].Open = true
		}
	} else {
		eachOr(n, func(from, to int) error {
			copy(rows[from:to], unknownRows(nil, a.forms[from:to]))
			return f.engine.summarizer.Summarize(a.forms[from:to], rows[from:to])
		}, func(i int, err error) {
			if rows[i] = unknown; f.byDraws() {
				rows[i].Open = true
				return
			}
			why[i] = reason(err)
		})
	}
	for _, to := range a.list {
		if to.why == "" && to.of.Kind == quantity.KindForm && why[to.at] == "" {
			why[to.at] = f.finish(&rows[to.at], &a.forms[to.at], &to.of.Form)
		}
	}
	return rows, why
}

// finish completes a row from the draws and takes it through the form's function.
func (f *Filter) finish(r *Row, fn *Functional, form *quantity.Form) (why string) {
	if r.Open && !f.drawn {
		return "nothing was drawn"
	}
	if f.byDraws() && (r.Open || form.Function != quantity.Identity) {
		if err := attempted(func() error { return f.fromDraws(r, fn, form) }); err != nil {
			return reason(err)
		}
	} else if form.Function != quantity.Identity {
		f.transform(r, fn, form)
	}
	if r.Open = false; r.publishable() != nil {
		return "it is not finite everywhere"
	}
	return ""
}

// fromDraws fills what is not known of a row from the draws of the form.
func (f *Filter) fromDraws(r *Row, fn *Functional, form *quantity.Form) error {
	for _, p := range fn.Param {
		if f.ws.draws.Row(p) == nil {
			return fmt.Errorf("%w: not drawn", ErrNumeric)
		}
	}
	known := f.engine.summarizer != nil && !math.IsNaN(r.Mean) && form.Function == quantity.Identity
	if !known {
		*r = unknown
	}
	everywhere := true
	f.complete(r, fn, func(x []float64) {
		for i, v := range x {
			x[i] = form.At(v)
			everywhere = everywhere && finite(x[i])
		}
	}, !known)
	if !everywhere {
		return fmt.Errorf("%w: %s of it is not finite everywhere", ErrNumeric, form.Function)
	}
	return nil
}

// transform takes a row whose law is known through the form's function: quantiles
// go with it, moments have to be known.
func (f *Filter) transform(r *Row, fn *Functional, form *quantity.Form) {
	r.Mean, r.SD = math.NaN(), math.NaN()
	if e := f.engine.exponential; e != nil && form.Function == quantity.Exp {
		var mean, sd [1]float64
		if attempted(func() error { return e.ExpMoments([]Functional{*fn}, mean[:], sd[:]) }) == nil {
			r.Mean, r.SD = form.Shift+float64(form.Scale*mean[0]), math.Abs(form.Scale)*sd[0]
		}
	}
	q := []*float64{&r.Q025, &r.Q05, &r.Q25, &r.Median, &r.Q75, &r.Q95, &r.Q975}
	for _, v := range q {
		*v = form.At(*v)
	}
	if form.Scale < 0 {
		for i := range 3 {
			*q[i], *q[6-i] = *q[6-i], *q[i]
		}
	}
}

// compare finds the probabilities that the comparisons hold, or why they are not known.
func (f *Filter) compare(a *answers) (why []string) {
	n := len(a.comparisons)
	a.p, a.mcse, why = slices.Grow(a.p[:0], n)[:n], slices.Grow(a.mcse[:0], n)[:n], make([]string, n)
	eachOr(n, func(from, to int) error {
		if f.engine.sided == nil {
			return errors.ErrUnsupported
		}
		return f.engine.sided.Positive(a.comparisons[from:to], a.p[from:to], a.mcse[from:to])
	}, func(i int, err error) {
		if f.byDraws() {
			err = attempted(func() error { return f.countDraws(&a.comparisons[i], &a.p[i], &a.mcse[i]) })
		}
		if errors.Is(err, errors.ErrUnsupported) {
			err = fmt.Errorf("%s does not know probabilities", f.spec.Kind)
		}
		if err != nil {
			why[i] = reason(err)
		}
	})
	for i, p := range a.p {
		if why[i] == "" && !(p >= 0 && p <= 1) {
			why[i] = "it is not defined"
		}
	}
	return why
}

// countDraws finds the share of draws above 0. Where all agree the error is that of
// one draw more.
func (f *Filter) countDraws(fn *Functional, p, mcse *float64) error {
	for _, param := range fn.Param {
		if f.ws.draws.Row(param) == nil {
			return fmt.Errorf("%w: not drawn", ErrNumeric)
		}
	}
	w := f.ws
	w.one = slices.Grow(w.one[:0], w.draws.S)[:w.draws.S]
	fn.draws(w.one, &w.draws)
	above := 0
	for i, v := range w.one {
		if w.one[i] = 0; v > 0 {
			w.one[i] = 1
			above++
		}
	}
	*p, *mcse = float64(above)/float64(w.draws.S), 1/float64(w.draws.S)
	if above > 0 && above < w.draws.S {
		*mcse = max(*mcse, w.diag.MCSEMean(w.one, w.draws.Chains))
	}
	return nil
}

// foretell fills the row of a prediction, or says why there is none.
func (f *Filter) foretell(to *answer, r *Row) (why string) {
	var found []Prediction
	err := attempted(func() (err error) {
		if to.of.Ahead > 0 {
			found, err = f.forecast(to.of.Ahead, true)
		} else {
			found, err = f.predict(to.batch, true)
		}
		return err
	})
	if err != nil {
		return reason(err)
	}
	p := found[len(found)-1]
	r.Mean, r.SD, r.Q025, r.Q975 = p.Mean, p.SD, p.Q025, p.Q975
	for _, v := range []*float64{&r.Mean, &r.SD, &r.Q025, &r.Q975} {
		if math.IsInf(*v, 0) {
			*v = math.NaN()
		}
	}
	if math.IsNaN(r.Mean) && math.IsNaN(r.Q025) {
		return "nothing can be predicted of this row"
	}
	return ""
}

// reason words an error without the class that it was given.
func reason(err error) string {
	text := err.Error()
	for _, class := range []error{ErrSchema, ErrShard, ErrNumeric} {
		text = strings.TrimPrefix(text, class.Error()+": ")
	}
	return text
}
