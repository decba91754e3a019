package cdf

import (
	"math"
	"slices"
	"strings"
)

// completed returns the summary that was kept and, of the groups that it does
// not describe, what the state says. A summary kept in another scale than is
// published now stays alone: the next shard is described in one.
func (f *Filter) completed() (*Summary, error) {
	kept := f.keptSummary()
	if f.engine.stateSummarizer == nil || kept.modelScale != (f.spec.Publish.Scale == "model") {
		return kept, nil
	}
	list := functionals(f.spec, &f.now, f.engine.model.Params(), f.all())
	answers := kept.Answers()
	known := make(map[string]*Row, len(kept.Rows))
	for i := answers; i < len(kept.Rows); i++ {
		known[kept.Rows[i].Variable] = &kept.Rows[i]
	}
	var left []Functional
	for _, fn := range list {
		if known[fn.Name] == nil {
			left = append(left, fn)
		}
	}
	if len(left) == 0 {
		return kept, nil
	}
	told := unknownRows(nil, left)
	if err := f.engine.stateSummarizer.SummarizeState(left, told); err != nil {
		return nil, as(ErrNumeric, err)
	}
	// Of those that were described the state alone may not tell it any more.
	dominated := f.appendPriorDominated(slices.Clone(kept.PriorDominated), told, left, nil)
	sum := *kept
	sum.Rows, sum.PriorDominated = append(make([]Row, 0, answers+len(list)), kept.Rows[:answers]...), nil
	for _, fn := range list {
		r := known[fn.Name]
		if r == nil {
			r, told = &told[0], told[1:]
			if math.IsNaN(r.Median) {
				continue // the state does not tell it either
			}
			if err := r.publishable(); err != nil {
				return nil, err
			}
		}
		sum.Rows = append(sum.Rows, *r)
		if slices.Contains(dominated, fn.Name) {
			sum.PriorDominated = append(sum.PriorDominated, fn.Name)
		}
	}
	return &sum, nil
}

// unknownRows appends a row for each functional, all its numbers NaN.
func unknownRows(rows []Row, list []Functional) []Row {
	rows = slices.Grow(rows, len(list))
	for i := range list {
		rows = append(rows, unknown)
		rows[len(rows)-1].Variable = list[i].Name
	}
	return rows
}

// unknown is a row that says nothing.
var unknown = func() (r Row) {
	for _, v := range r.Numbers() {
		*v = math.NaN()
	}
	return r
}()

// published returns of the summary of a shard what Publish.Variables asks
// for, the summary itself where that is all of it.
func (f *Filter) published(all *Summary) *Summary {
	asked, answers := f.spec.Publish.asksFor, all.Answers()
	if !slices.ContainsFunc(all.Rows[answers:], func(r Row) bool { return !asked(r.Variable) }) {
		return all
	}
	s := &f.ownTold().sent
	old := *s
	*s = *all
	s.Rows = append(old.Rows[:0], all.Rows[:answers]...)
	s.Covariance = old.Covariance[:0]
	s.PriorDominated = slices.DeleteFunc(slices.Clone(all.PriorDominated), func(name string) bool { return !asked(name) })
	s.WeakMixing = slices.DeleteFunc(slices.Clone(all.WeakMixing), func(name string) bool { return !asked(name) })
	var betas []bool // of those of the covariance: asked for
	for i := answers; i < len(all.Rows); i++ {
		r := &all.Rows[i]
		ask := asked(r.Variable)
		if ask {
			s.Rows = append(s.Rows, *r)
		}
		if !strings.HasPrefix(r.Variable, "beta[") || len(all.Covariance) == 0 {
			continue
		}
		row := all.Covariance[len(betas)*(len(betas)+1)/2:]
		betas = append(betas, ask)
		for j, other := range betas {
			if ask && other {
				s.Covariance = append(s.Covariance, row[j])
			}
		}
	}
	return s
}
