package cdf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
)

func (s *state) appendProgress(b []byte) []byte {
	b = binary.AppendVarint(b, s.t)
	b = binary.AppendVarint(b, s.n)
	b = appendFloat(b, s.neff)
	b = binary.AppendVarint(b, s.clock)
	b = binary.AppendVarint(b, s.dropped)
	b = binary.AppendVarint(b, s.score.Rows)
	b = binary.AppendVarint(b, s.score.PredictedRows)
	for _, v := range [...]float64{
		s.score.LogDensity, s.score.LogEvidence, s.score.RMSE, s.score.Coverage95,
		s.scaled.LogDensity, s.scaled.LogEvidence, s.scaled.RMSE, s.evidence,
	} {
		b = appendFloat(b, v)
	}
	return b
}

func readProgress(r *reader) state {
	var s state
	s.t, s.n = r.natural(), r.natural()
	if s.neff = r.float(); !(s.neff >= 0) || math.IsInf(s.neff, 0) {
		r.fail("%g discounted rows", s.neff)
	}
	s.clock, s.dropped = r.int(), r.natural()
	s.score.Rows, s.score.PredictedRows = r.natural(), r.natural()
	s.score.LogDensity, s.score.LogEvidence = r.float(), r.float()
	s.score.RMSE, s.score.Coverage95 = r.float(), r.float()
	s.scaled = s.score
	s.scaled.LogDensity, s.scaled.LogEvidence, s.scaled.RMSE = r.float(), r.float(), r.float()
	s.evidence = r.float()
	return s
}

// read reads what a snapshot of a version holds after the first shard, into s and a model.
func (s *state) read(r *reader, version byte, spec *Spec, w *Workspace) (*engine, int) {
	if s.design = w.patterns.read(r, spec); s.design == nil {
		raw := r.b
		if s.readDesign(r, spec); r.err == nil {
			w.patterns.add(&pattern{spec: spec, design: s.design, bytes: bytes.Clone(raw[:len(raw)-len(r.b)])})
		}
	}
	s.factors = newFactors(len(spec.Columns.Groups))
	for i := range s.factors {
		for _, level := range r.strings() {
			if _, twice := s.factors[i].index[level]; twice {
				r.fail("group %q is listed twice", level)
				break
			}
			s.factors[i].add(level)
		}
	}
	if r.err == nil {
		s.account.read(r, s.t)
		s.readParts(r, version, spec, &w.spare)
		s.scaling.read(r, s, spec, &w.spare)
		s.checkCurved(r, spec, w)
	}
	b := r.take(8)
	if b == nil {
		return nil, 0
	}
	size := binary.LittleEndian.Uint64(b)
	if size > uint64(len(r.b)) {
		r.fail("a model of %d bytes in %d", size, len(r.b))
		return nil, 0
	}
	model := r.take(int(size))
	if s.t == 0 {
		r.fail("columns and no shard")
	}
	if r.err != nil {
		return nil, 0
	}
	e, err := w.spare.model(spec, s.design)
	if err == nil {
		err = e.model.UnmarshalBinary(model)
	}
	if err == nil && s.amends(e) != s.amended {
		err = fmt.Errorf("%w: what releases before do not read is there, and the snapshot says otherwise, or the reverse", ErrSnapshot)
	}
	if err != nil {
		r.err = as(ErrSnapshot, err)
		return nil, 0
	}
	return e, len(model)
}

func (d *design) append(b []byte) []byte {
	b = appendString(b, d.response)
	if d.made != nil {
		b = binary.AppendUvarint(b, uint64(len(d.settled)))
		for i := range d.settled {
			s := &d.settled[i]
			b = appendSource(b, s, s.Levels != nil)
		}
		return b
	}
	b = binary.AppendUvarint(b, uint64(len(d.sources)))
	for i := range d.sources {
		s := &d.sources[i]
		b = appendSource(b, &s.feature, s.categorical)
	}
	return b
}

func appendSource(b []byte, f *Feature, categorical bool) []byte {
	b = appendString(b, f.Name)
	b = appendBool(b, categorical)
	if categorical {
		b = appendStrings(b, f.Levels)
	}
	return b
}

// readDesign binds the columns of the snapshot to the settings of the spec.
func (s *state) readDesign(r *reader, spec *Spec) {
	response := r.string()
	n := r.length(2)
	if spec.Columns.Formula != nil {
		s.readDerived(r, spec, response, n)
		return
	}
	features := spec.Columns.Features
	if features != nil && len(features) != n {
		r.fail("%d features, the configuration has %d", n, len(features))
		return
	}
	sources := make([]source, 0, n)
	for i := range n {
		src := source{feature: Feature{Name: r.string()}, categorical: r.bool()}
		if features != nil {
			name := src.feature.Name
			if src.feature = features[i]; src.feature.Name != name {
				r.fail("feature %q, the configuration has %q", name, src.feature.Name)
			}
		}
		if src.categorical != (src.feature.Levels != nil || src.feature.LevelsFirst) {
			r.fail("feature %q is categorical or not", src.feature.Name)
		}
		if src.categorical {
			src.feature.Levels = r.strings()
		}
		sources = append(sources, src)
	}
	if response != spec.Columns.response() {
		r.fail("response %q, the configuration has %q", response, spec.Columns.response())
	}
	if r.err != nil {
		return
	}
	d, err := assemble(spec, response, sources)
	if err != nil {
		r.fail("%v", err)
		return
	}
	s.design = d
}

// readDerived reads what a formula has settled, in n parts.
func (s *state) readDerived(r *reader, spec *Spec, response string, n int) {
	var settled []Feature
	for range n {
		f := Feature{Name: r.string()}
		if r.bool() {
			f.Levels = r.strings()
		}
		settled = append(settled, f)
	}
	if response != spec.Columns.response() {
		r.fail("response %q, the configuration has %q", response, spec.Columns.response())
	}
	if r.err != nil {
		return
	}
	made, err := spec.Columns.Formula.Restore(settled, spec.Limits.Columns)
	if err == nil {
		s.design, err = derivedDesign(spec, made)
	}
	if err != nil {
		r.fail("%v", err)
	}
}

func (s *scaling) append(b []byte) []byte {
	b = appendFloat(appendFloat(b, s.y.Center), s.y.Scale)
	for _, c := range s.x {
		b = appendFloat(appendFloat(b, c.Center), c.Scale)
	}
	b = appendBool(b, s.frozen)
	b = s.watch.append(b)
	if s.frozen {
		return b
	}
	b = appendFloat(b, s.pending)
	b = binary.AppendUvarint(b, uint64(len(s.kept)))
	for _, k := range s.kept {
		b = binary.AppendVarint(b, k.t)
		b = appendFloat(b, k.forget)
		b = binary.AppendVarint(b, int64(k.rows))
	}
	b = appendFloats(b, s.raw.y)
	b = appendFloats(b, s.raw.x)
	for _, g := range s.raw.group {
		for _, v := range g {
			b = binary.AppendVarint(b, int64(v))
		}
	}
	for _, v := range s.raw.slopes {
		b = appendFloats(b, v)
	}
	b = appendFloats(b, s.raw.offset)
	for _, v := range s.raw.time {
		b = binary.AppendVarint(b, v)
	}
	return b
}

// read reads the constants and the kept rows of a state whose design and
// factors are read.
func (s *scaling) read(r *reader, st *state, spec *Spec, from *spare) {
	*s = newScaling(spec, st.design, from.constants(st.design))
	constant := func(c *Constant) {
		c.Center, c.Scale = r.float(), r.float()
		if !finite(c.Center, c.Scale) || !(c.Scale > 0) {
			r.fail("column %q has centre %g and scale %g", c.Column, c.Center, c.Scale)
		}
	}
	constant(&s.y)
	for j := range s.x {
		constant(&s.x[j])
	}
	open := !s.frozen // by the configuration
	if s.frozen = r.bool(); s.frozen {
		s.watch.spreads = from.watched(st.design)
		s.watch.begin(spec, st.design)
	}
	if s.watch.read(r); s.frozen || r.err != nil {
		return
	}
	if !open {
		r.fail("kept rows without a use")
		return
	}
	if s.pending = r.float(); !(s.pending > 0 && s.pending <= 1) {
		r.fail("discount %g", s.pending)
	}
	n, last := 0, int64(0)
	for range r.length(10) {
		k := keptShard{t: r.natural(), forget: r.float(), rows: int(r.natural())}
		if k.t <= last || k.t > st.t || !(k.forget > 0 && k.forget <= 1) || k.rows < 1 || !spec.Steps && k.rows >= enough {
			r.fail("kept shard %d of %d rows", k.t, k.rows)
			return
		}
		last = k.t
		if n += k.rows; n > len(r.b) {
			r.fail("%d rows kept in %d bytes", n, len(r.b))
			return
		}
		s.kept = append(s.kept, k)
	}
	s.readRows(r, st, spec, n)
	for _, y := range s.raw.y {
		if !math.IsNaN(y) {
			s.observed++
		}
	}
	if s.observed >= enough || int64(s.observed) != st.n || !spec.Steps && n != s.observed {
		r.fail("%d rows kept, %d of them with a response, %d absorbed", n, s.observed, st.n)
	}
}

func (s *scaling) readRows(r *reader, st *state, spec *Spec, n int) {
	raw := &s.raw
	if n == 0 {
		return
	}
	raw.n, raw.cols = n, len(st.design.names)
	for range n {
		y := r.float()
		if math.IsInf(y, 0) || math.IsNaN(y) && !spec.Steps {
			r.fail("response %g", y)
			return
		}
		raw.y = append(raw.y, y)
	}
	raw.x = r.floats(n * raw.cols)
	slopes := 0
	raw.group = make([][]int32, len(st.factors))
	for f := range raw.group {
		for range n {
			v := r.int()
			if v < 0 && (v != -1 || !spec.Steps) || v >= int64(len(st.factors[f].levels)) {
				r.fail("group %d of %d", v, len(st.factors[f].levels))
				return
			}
			raw.group[f] = append(raw.group[f], int32(v))
		}
		slopes += len(spec.Columns.Groups[f].Slopes)
	}
	raw.slopes = make([][]float64, slopes)
	for f := range raw.slopes {
		raw.slopes[f] = r.floats(n)
	}
	if spec.Columns.Exposure != "" {
		raw.offset = r.floats(n)
	}
	if spec.Columns.Time != "" {
		for range n {
			raw.time = append(raw.time, r.int())
		}
	}
}
