package cdf

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf/quantity"
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

// The versions of what AppendSummary appends. The second says in which scale
// the summary is; the first is read as if it were that of the spec. The third has
// quantities, and only what has some is written so.
const (
	summaryFirst   = 1
	summaryScale   = 2
	summaryAnswers = 3
)

// AppendSummary appends the summary of the last shard where a snapshot alone
// cannot tell it (see SelfDescribing), and nothing else. It is stored beside
// the snapshot and not in it: what it describes depends on what is published,
// and the state does not.
func (f *Filter) AppendSummary(b []byte) []byte {
	if f.broken != nil || f.SelfDescribing() || !f.summed {
		return b
	}
	s := f.keptSummary()
	version := byte(summaryScale)
	if len(s.Quantities) > 0 {
		version = summaryAnswers
	}
	b = append(b, version)
	b = appendBool(b, s.modelScale)
	b = binary.AppendVarint(b, s.T)
	b = binary.AppendVarint(b, s.N)
	b = appendFloat(b, s.NEff)
	b = binary.AppendVarint(b, int64(s.Draws))
	b = binary.AppendVarint(b, s.Dropped)
	b = binary.AppendVarint(b, s.Score.Rows)
	b = binary.AppendVarint(b, s.Score.PredictedRows)
	b = appendFloats(b, []float64{s.Score.LogDensity, s.Score.LogEvidence, s.Score.RMSE, s.Score.Coverage95})
	b = binary.AppendUvarint(b, uint64(len(s.Rows)))
	for i := range s.Rows {
		r := &s.Rows[i]
		b = appendString(b, r.Variable)
		for _, v := range r.Numbers() {
			b = appendFloat(b, *v)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(s.Scaling)))
	for _, c := range s.Scaling {
		b = appendString(b, c.Column)
		b = appendFloat(appendFloat(b, c.Center), c.Scale)
	}
	b = appendStrings(b, s.PriorDominated)
	b = appendStrings(b, s.WeakMixing)
	b = appendStrings(b, s.Flags)
	b = binary.AppendUvarint(b, uint64(len(s.Covariance)))
	b = appendFloats(b, s.Covariance)
	if version < summaryAnswers {
		return b
	}
	b = binary.AppendUvarint(b, uint64(len(s.Quantities)))
	for _, q := range s.Quantities {
		b = appendString(appendString(appendString(b, q.Name), string(q.Kind)), q.Absent)
	}
	return b
}

// RestoreSummary gives a filter that UnmarshalBinary restored what
// AppendSummary appended beside that snapshot. ErrSnapshot, wrapped, says that
// the bytes are damaged, belong to another shard or, with ErrLater, are of a later
// version; the filter then is as it was. The bytes are not retained.
func (f *Filter) RestoreSummary(data []byte) error {
	switch {
	case len(data) == 0 || data[0] < summaryFirst:
		return fmt.Errorf("%w: not a summary", ErrSnapshot)
	case data[0] > summaryAnswers:
		return fmt.Errorf("%w %w: summary of version %d, this one reads %d to %d", ErrSnapshot, ErrLater, data[0], summaryFirst, summaryAnswers)
	}
	r := &reader{b: data[1:]}
	modelScale := f.spec.Publish.Scale == "model"
	if data[0] > summaryFirst {
		modelScale = r.bool()
	}
	s := Summary{modelScale: modelScale, T: r.natural(), N: r.natural(), NEff: r.float(), Draws: int(r.natural()), Dropped: r.natural()}
	s.Score.Rows, s.Score.PredictedRows = r.natural(), r.natural()
	s.Score.LogDensity, s.Score.LogEvidence = r.float(), r.float()
	s.Score.RMSE, s.Score.Coverage95 = r.float(), r.float()
	for range r.length(1 + 8*len(RowColumns)) {
		row := Row{Variable: r.string()}
		for _, v := range row.Numbers() {
			*v = r.float()
		}
		s.Rows = append(s.Rows, row)
	}
	for range r.length(1 + 8 + 8) {
		s.Scaling = append(s.Scaling, Constant{Column: r.string(), Center: r.float(), Scale: r.float()})
	}
	s.PriorDominated, s.WeakMixing, s.Flags = r.strings(), r.strings(), r.strings()
	for range r.length(8) {
		s.Covariance = append(s.Covariance, r.float())
	}
	if data[0] >= summaryAnswers {
		for range r.length(3) {
			s.Quantities = append(s.Quantities, quantity.Told{Name: r.string(), Kind: quantity.Kind(r.string()), Absent: r.string()})
		}
	}
	switch {
	case r.err != nil:
		return r.err
	case s.Answers() > len(s.Rows):
		return fmt.Errorf("%w: a summary with %d quantities and %d rows", ErrSnapshot, s.Answers(), len(s.Rows))
	case len(r.b) > 0:
		return fmt.Errorf("%w: a summary with %d bytes too many", ErrSnapshot, len(r.b))
	case f.SelfDescribing() || s.T != f.now.t:
		return fmt.Errorf("%w: a summary of shard %d beside a state of shard %d", ErrSnapshot, s.T, f.now.t)
	}
	s.Outliers, s.Drops = f.now.account.outliers, f.now.drops
	*f.keptSummary(), f.summed = s, true
	return nil
}
