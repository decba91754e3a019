package cdf

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf/quantity"
)

// byDraws reports that the posterior is known by draws, which are at hand.
func (f *Filter) byDraws() bool { return f.engine.chains > 0 && f.drawn }

// describeForms returns a row for every form, or why there is none.
func (f *Filter) describeForms(a *answers) (rows []Row, why []string) {
	n := len(a.forms)
	rows, why = unknownRows(nil, a.forms), make([]string, n)
	mixed := make([]bool, n) // forms that the model does not describe
	if f.engine.summarizer == nil {
		for i := range rows {
			rows[i].Open = true
		}
	} else {
		f.ws.eachOr(n, func(from, to int) error {
			copy(rows[from:to], unknownRows(nil, a.forms[from:to]))
			return f.engine.summarizer.Summarize(a.forms[from:to], rows[from:to])
		}, func(i int, err error) {
			if rows[i] = unknown; f.byDraws() {
				rows[i].Open, mixed[i] = true, true
				return
			}
			why[i] = reason(err)
		})
	}
	for _, to := range a.list {
		if to.why == "" && to.of.Kind == quantity.KindForm && why[to.at] == "" {
			why[to.at] = f.finish(&rows[to.at], &a.forms[to.at], &to.of.Form, mixed[to.at])
		}
	}
	return rows, why
}

// finish completes a row from the draws and takes it through the form's function.
func (f *Filter) finish(r *Row, fn *Functional, form *quantity.Form, mixed bool) (why string) {
	if r.Open && !f.drawn {
		return "nothing was drawn"
	}
	if f.byDraws() && (r.Open || form.Function != quantity.Identity) {
		if err := f.ws.spared(func() error { return f.fromDraws(r, fn, form, mixed) }); err != nil {
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

// fromDraws fills what is not known of a row from the draws of the form. Draws have moments also
// where their law has none.
func (f *Filter) fromDraws(r *Row, fn *Functional, form *quantity.Form, mixed bool) error {
	for _, p := range fn.Param {
		if f.ws.draws.Row(p) == nil {
			return fmt.Errorf("%w: not drawn", ErrNumeric)
		}
	}
	known := f.engine.summarizer != nil && !mixed && form.Function == quantity.Identity
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
	if mixed && f.engine.summarizer != nil && form.Function == quantity.Identity {
		f.withoutMoments(r, fn)
	}
	return nil
}

// withoutMoments takes from the row of a sum the moments that some part of it does not have.
func (f *Filter) withoutMoments(r *Row, fn *Functional) {
	for i, p := range fn.Param {
		part := []Row{unknown}
		if f.engine.summarizer.Summarize([]Functional{{Param: []int{p}, Weight: fn.Weight[i : i+1]}}, part) != nil {
			continue // what the model does not know the draws say
		}
		if math.IsNaN(part[0].Mean) {
			r.Mean, r.MCSEMean = math.NaN(), math.NaN()
		}
		if math.IsNaN(part[0].Mean) || math.IsNaN(part[0].SD) {
			r.SD = math.NaN()
		}
	}
}

// transform takes a row whose law is known through the form's function: quantiles
// go with it, moments have to be known.
func (f *Filter) transform(r *Row, fn *Functional, form *quantity.Form) {
	r.Mean, r.SD = math.NaN(), math.NaN()
	if e := f.engine.exponential; e != nil && form.Function == quantity.Exp {
		var mean, sd [1]float64
		if f.ws.spared(func() error { return e.ExpMoments([]Functional{*fn}, mean[:], sd[:]) }) == nil {
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
	f.ws.eachOr(n, func(from, to int) error {
		if f.engine.sided == nil {
			return errors.ErrUnsupported
		}
		return f.engine.sided.Positive(a.comparisons[from:to], a.p[from:to], a.mcse[from:to])
	}, func(i int, err error) {
		if f.byDraws() {
			err = f.ws.spared(func() error { return f.countDraws(&a.comparisons[i], &a.p[i], &a.mcse[i]) })
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
	err := f.ws.spared(func() (err error) {
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

// Answer is what the present state says of a quantity.
type Answer struct {
	quantity.Told
	Row Row // original units, all NaN where Told.Absent says why there is none
}

// Ask answers quantities that nobody has configured, of the present state, as
// Publish.Quantities answers them after a shard; of one named as a variable is
// there is no answer. A closed form answers with the same bits. A model that draws
// does so with draws of the state (Redrawer): quantiles have the same bits while no
// more groups than a shard describes are there; where its Summarize depends on
// what a snapshot does not hold, moments are those of the draws. Draws of the last Update
// are lost. ErrSchema, wrapped: no shard has fixed the columns yet. ErrNumeric,
// wrapped: the state cannot be drawn from.
func (f *Filter) Ask(list []quantity.Quantity) ([]Answer, error) {
	switch {
	case f.broken != nil:
		return nil, f.broken
	case f.engine == nil:
		return nil, fmt.Errorf("%w: no shard has fixed the columns yet", ErrSchema)
	}
	of := make([]*quantity.Quantity, len(list))
	for i := range list {
		of[i] = &list[i]
	}
	a := f.expressed(f.engine.model.Params(), of)
	if err := f.redraw(&a); err != nil {
		return nil, err
	}
	defer func() { f.drawn = false }() // they are not those of LastDraws
	out := make([]Answer, 0, len(list))
	f.figures(&a, func(i int, r *Row, why string) {
		if why != "" {
			*r = unknown
		}
		out = append(out, Answer{a.list[i].told(why), *r})
	})
	return out, nil
}

// redraw draws from the present state what the quantities need, where the model
// is one that draws and can. The draws come from the stream of the shard that made the
// state, so that those of a model without memory of its own are its again.
func (f *Filter) redraw(a *answers) error {
	e, w, s := f.engine, f.ws, &f.now
	list := a.functionals()
	if f.drawn = false; e.chains == 0 || e.redrawer == nil || len(list) == 0 {
		return nil
	}
	n := count(a.params)
	if n <= manyGroups {
		list = append(list, functionals(f.spec, s, a.params, new(selection))...)
	}
	if e.stateSummarizer != nil {
		w.draws.shapeFor(list, n, e.draws(f.spec), e.chains)
	} else {
		w.draws.shape(n, e.draws(f.spec), e.chains)
	}
	rng := w.stream.at(f.spec.Seed, f.key, s.t, purposeUpdate)
	w.step = Step{T: s.t, Forget: 1, RNG: rng, Source: w.stream.pcg, Draws: &w.draws}
	if err := f.ws.spared(func() error { return e.redrawer.Redraw(&w.step) }); err != nil {
		return as(ErrNumeric, err)
	}
	f.drawn = true
	return nil
}
