package cdf

import "unsafe"

// Size returns the bytes that the filter holds in memory at rest,
// approximately, without a shared workspace and what keys of one schema share.
func (f *Filter) Size() int64 {
	size := int64(unsafe.Sizeof(*f)) + int64(len(f.key))
	if f.engine == nil {
		return size
	}
	size += int64(unsafe.Sizeof(*f.engine)) + held(f.engine.blocks)
	if m, ok := f.engine.model.(Sizer); ok {
		size += m.Size()
	} else {
		size += int64(2 * f.bytes)
	}
	if f.told != nil {
		size += int64(unsafe.Sizeof(*f.told)) + f.told.sum[0].size() + f.told.sum[1].size() + f.told.sent.size()
	}
	if f.now.design.own() {
		size += f.update.size()
	}
	if f.answers != nil {
		size += f.answers.size()
	}
	return size + f.now.size() + f.view.size() + f.asked.size()
}

// ModelBytes returns what the model took of the snapshot that was made last, before the last shard as a rule,
// 0 where none was made. It costs nothing.
func (f *Filter) ModelBytes() int { return f.bytes }

// held is what the elements of a slice take.
func held[T any](s []T) int64 { return int64(cap(s)) * int64(unsafe.Sizeof(*new(T))) }

// smallMap and mapEntry are what a map from labels to numbers takes.
const (
	smallMap = 256
	mapEntry = 40
)

// labelled is what labels and the map that finds them take.
func labelled(labels []string) int64 {
	size := held(labels) + smallMap
	for _, s := range labels {
		size += int64(len(s))
	}
	if len(labels) > 8 {
		size += int64(len(labels)) * mapEntry
	}
	return size
}

func (s *state) size() int64 {
	size := int64(0)
	if s.design.own() {
		size = s.design.size()
	}
	size += held(s.factors) + held(s.drops)
	if r := s.account.reliability; r != nil {
		size += int64(unsafe.Sizeof(*r)) + held(r.Curves)
	}
	if c := s.account.curved; c != nil {
		size += int64(unsafe.Sizeof(*c)) + held(c.Columns) + held(c.Uneven.Columns)
	}
	if a := s.account.season; a != nil {
		size += int64(unsafe.Sizeof(*a)) + held(a.Scores)
	}
	if a := s.account.unequal; a != nil {
		size += int64(unsafe.Sizeof(*a)) + held(a.Groups)
	}
	if b := s.account.bound; b != nil {
		size += int64(unsafe.Sizeof(*b))
	}
	if a := s.account.twice; a != nil {
		size += int64(unsafe.Sizeof(*a))
	}
	for i := range s.drops {
		size += int64(len(s.drops[i].Column))
	}
	for i := range s.factors {
		size += labelled(s.factors[i].levels)
	}
	return size + held(s.scaling.x) + held(s.scaling.kept) + held(s.scaling.watch.spreads) + s.scaling.raw.size()
}

func (d *design) size() int64 {
	size := int64(unsafe.Sizeof(*d)) + held(d.names) + held(d.scalable) + held(d.slopes) + held(d.alone) + held(d.products) + held(d.siblings) + held(d.held) + held(d.sources)
	for _, name := range d.names {
		size += int64(len(name))
	}
	if d.made != nil {
		// What is made has about as many names and levels again.
		size *= 2
	}
	for i := range d.sources {
		if src := &d.sources[i]; src.categorical {
			size += labelled(src.feature.Levels)
		}
	}
	return size
}

func (r *rows) size() int64 {
	size := held(r.y) + held(r.x) + held(r.group) + held(r.slopes) + held(r.offset) + held(r.time)
	for i := range r.group {
		size += held(r.group[i])
	}
	for i := range r.slopes {
		size += held(r.slopes[i])
	}
	return size
}

// size of a view: functionals of the coefficients share what is behind them.
func (v *view) size() int64 {
	size := held(v.params) + held(v.functionals) + held(v.unfed) + held(v.asked)
	for i := range v.functionals {
		f := &v.functionals[i]
		size += int64(len(f.Name)) + held(f.Param) + held(f.Weight)
	}
	return size
}

func (a *answers) size() int64 {
	size := int64(unsafe.Sizeof(*a)) + held(a.params) + held(a.list) + held(a.forms) + held(a.comparisons) + held(a.levels) + held(a.foreseen) + held(a.rows) + held(a.p) + held(a.mcse)
	for _, list := range [...][]Functional{a.forms, a.comparisons, a.levels} {
		for i := range list {
			size += held(list[i].Param) + held(list[i].Weight)
		}
	}
	for i := range a.foreseen {
		size += held(a.foreseen[i].levels) + held(a.foreseen[i].found)
	}
	return size
}

// size of a summary: its names are the view's.
func (s *Summary) size() int64 {
	return held(s.Rows) + held(s.Scaling) + held(s.PriorDominated) + held(s.WeakMixing) + held(s.Flags) + held(s.Covariance) + held(s.Quantities) + held(s.Watched)
}

func (l *layout) size() int64 {
	return held(l.schema) + held(l.sources) + held(l.groups) + held(l.slopes)
}
