package cdf

import (
	"slices"
	"strconv"
	"strings"
)

// unit says how a parameter leaves the scaled columns (y = c + s y~).
type unit uint8

const (
	asIs           unit = iota // phi and whatever is not listed
	slope                      // s_y / s_j; the intercept takes up the centres
	variance                   // s_y^2
	location                   // c_y + s_y
	groupEffect                // 1 / s_j of a slope: where groups have effects the response has no unit
	effectVariance             // 1 / s_j^2
)

// units lists the parameters that have units of the response. A new model's
// parameters are entered here.
var units = [...]struct {
	param string
	unit  unit
	rows  rowNames
}{
	{"beta", slope, byColumn},
	{"gamma", slope, byColumn},
	{"sigma2", variance, byIndex},
	{"tau2", variance, byIndex},
	{"mu", location, byIndex},
	{"theta", location, byIndex},
	{"zeta", location, byGroup},
	{"u", groupEffect, byGroup},
	{"sigma2_u", effectVariance, byTerm},
}

// unitOf returns what is listed of a parameter.
func unitOf(name string) (unit, rowNames) {
	for i := range units {
		if u := &units[i]; u.param == name {
			return u.unit, u.rows
		}
	}
	return asIs, byIndex
}

// rowNames says what the rows of a parameter are called.
type rowNames uint8

const (
	byIndex  rowNames = iota // name, or name[1], name[2] ... where it has more
	byColumn                 // name[column of X]
	byGroup                  // name[level]; with several terms name[factor=level] or name[factor=level,slope]
	byTerm                   // name; with several terms name[factor] or name[factor,slope]
)

// functionals returns the selected variables of a model in the order of its
// parameters.
func functionals(spec *Spec, s *state, params []Param, selected *selection) []Functional {
	return new(view).selected(spec, s, params, selected)
}

// selected is functionals, in the memory of those that the view has.
func (v *view) selected(spec *Spec, s *state, params []Param, selected *selection) []Functional {
	all, list, room := count(params), v.functionals[:0], &v.weights
	if list == nil {
		list = make([]Functional, 0, selected.most(all))
	}
	room.reset(min(2*all, 512))
	letters := names{piece: min(16*cap(list), 4096)}
	v.unfed = selected.unfed(v.unfed[:0], s.design)
	row, terms, seen := 0, groupTerms(spec.Columns.Groups), map[string]int{}
	for _, p := range params {
		at := term{}
		if n := seen[p.Name]; n < len(terms) {
			at = terms[n]
		}
		at.several = len(terms) > 1
		seen[p.Name]++
		kind, rows := unitOf(p.Name)
		for i := range p.Len {
			if rows == byGroup && !selected.group(at.factor, i) || rows == byColumn && (v.lacks(i) || s.design.hides(i)) {
				continue
			}
			if letters.was = ""; len(list) < cap(list) {
				letters.was = list[:len(list)+1][len(list)].Name
			}
			name := rowName(&letters, p, i, rows, at, s)
			if selected.variable(name, rows == byGroup) {
				list = append(list, convert(spec, s, room, kind, name, row, i, p.Len, &at))
			}
		}
		row += p.Len
	}
	return list
}

// lacks reports a column of levels that nothing has fed.
func (v *view) lacks(column int) bool {
	_, unfed := slices.BinarySearch(v.unfed, column)
	return unfed
}

func rowName(n *names, p Param, i int, rows rowNames, at term, s *state) string {
	switch {
	case rows == byGroup && at.several && i < len(s.factors[at.factor].levels):
		return n.join(p.Name, "[", at.column, "=", s.factors[at.factor].levels[i], at.slope, "]")
	case rows == byTerm && at.several:
		return n.join(p.Name, "[", at.column, at.slope, "]")
	case rows == byColumn && i < len(s.design.names):
		return n.join(p.Name, "[", s.design.names[i], "]")
	case rows == byGroup && len(s.factors) > 0 && i < len(s.factors[0].levels):
		return n.join(p.Name, "[", s.factors[0].levels[i], "]")
	case p.Len == 1:
		return p.Name
	}
	return n.join(p.Name, "[", strconv.Itoa(i+1), "]")
}

// names is where the names of variables lie, one after the other, so that those of
// 100,000 groups are few pieces of memory.
type names struct {
	all   strings.Builder // the piece at hand: names that were handed out keep theirs
	piece int             // bytes of one, at least
	was   string          // the name that stood there before, which serves again; "": none
}

// join returns the parts as one name.
func (n *names) join(parts ...string) string {
	rest, same, size := n.was, true, 0
	for _, p := range parts {
		size += len(p)
		if same {
			rest, same = strings.CutPrefix(rest, p)
		}
	}
	if same && rest == "" {
		return n.was
	}
	if n.all.Cap()-n.all.Len() < size {
		n.all.Reset()
		n.all.Grow(max(size, n.piece))
	}
	from := n.all.Len()
	for _, p := range parts {
		n.all.WriteString(p)
	}
	return n.all.String()[from:]
}

// convert returns row i of a parameter, which may belong to a term of groups, whose rows in Draws begin at row,
// in original units unless the model's are published (reporting: scale).
func convert(spec *Spec, s *state, room *weights, kind unit, name string, row, i, n int, at *term) Functional {
	f := Functional{Name: name}
	y, baseline := s.scaling.y, 0
	if kind == slope {
		baseline = s.design.baseline(i)
	}
	if spec.Publish.Scale == "model" {
		kind = asIs
	}
	intercept := kind == slope && i == 0 && spec.Columns.Intercept
	most, holders := 2, []holding(nil) // itself and a baseline
	if intercept {
		most = n
	} else if kind == slope {
		holders = s.design.holders(i)
		most += len(holders)
	}
	room.begin(row+i, most)
	weight := &room.weight[room.from]
	switch kind {
	case slope:
		if i >= len(s.scaling.x) {
			break
		}
		*weight = y.Scale / s.scaling.x[i].Scale
		if !intercept {
			s.takeUp(room, row, holders)
			break
		}
		f.Const = y.Center
		for j := 1; j < n && j < len(s.scaling.x); j++ {
			if c := s.scaling.x[j]; c.Center != 0 {
				room.add(row+j, -c.Center*y.Scale/c.Scale)
			}
		}
	case variance:
		*weight = y.Scale * y.Scale
	case location:
		f.Const, *weight = y.Center, y.Scale
	case groupEffect:
		*weight = 1 / s.scaleOf(at)
	case effectVariance:
		scale := s.scaleOf(at)
		*weight = 1 / (scale * scale)
	}
	if baseline > 0 {
		room.add(row+baseline, -*weight) // both are zeros and ones
	}
	f.Param, f.Weight = room.taken()
	return f
}

// scaleOf returns the scale of the column that a term is the slope of; 1 of an intercept.
func (s *state) scaleOf(t *term) float64 {
	if t.slope == "" {
		return 1
	}
	return s.scaling.x[s.design.slopes[t.at]].Scale
}

// weights is where the parameters and weights of functionals lie, those of one
// after those of another, so that a key has few pieces of memory.
type weights struct {
	chunk  int // of one piece, at least
	param  []int
	weight []float64
	from   int // where the functional at hand begins
}

// reset makes room anew where what it holds is not used any more.
func (w *weights) reset(chunk int) {
	w.chunk, w.param, w.weight = chunk, w.param[:0], w.weight[:0]
}

// begin begins a functional with one parameter of weight 1, of which there may be as many as most.
func (w *weights) begin(param, most int) {
	if cap(w.param)-len(w.param) < most {
		w.param, w.weight = make([]int, 0, max(most, w.chunk)), make([]float64, 0, max(most, w.chunk))
	}
	w.from = len(w.param)
	w.add(param, 1)
}

func (w *weights) add(param int, weight float64) {
	w.param, w.weight = append(w.param, param), append(w.weight, weight)
}

// taken returns what the functional at hand has.
func (w *weights) taken() ([]int, []float64) {
	n := len(w.param)
	return w.param[w.from:n:n], w.weight[w.from:n:n]
}

// Variables are those that a model of a spec can have, as far as they are known before
// the first shard.
type Variables struct {
	Names []string
	// columns and groups say that there are others, of columns and groups of the data.
	columns, groups, all bool
	params               []string // of the kind
}

// Variables returns the variables of the spec's models.
func (s *Spec) Variables() Variables {
	known := Variables{groups: len(s.Columns.Groups) > 0}
	sources := make([]source, 0, len(s.Columns.Features))
	known.columns = s.Columns.Features == nil || s.Columns.Formula != nil // which the first shard names
	for _, f := range s.Columns.Features {
		src := source{feature: f, categorical: f.Levels != nil || f.LevelsFirst}
		if f.LevelsFirst {
			known.columns = true
			continue
		}
		sources = append(sources, src)
	}
	d, err := assemble(s, s.Columns.response(), sources)
	if err != nil {
		return Variables{all: true} // the shards will be told
	}
	model, err := s.New(d.dims(s))
	if err != nil {
		return Variables{all: true}
	}
	empty := state{design: d, factors: newFactors(len(s.Columns.Groups)), scaling: newScaling(s, d, nil)}
	params := model.Params()
	for _, p := range params {
		// It joins with the first row, as mu does under a flat prior.
		if _, rows := unitOf(p.Name); rows == byIndex && p.Len == 0 {
			known.Names = append(known.Names, p.Name)
		}
	}
	for _, f := range functionals(s, &empty, params, new(selection)) {
		known.Names = append(known.Names, f.Name)
	}
	for _, p := range params {
		known.params = append(known.params, p.Name)
	}
	return known
}

// MayHave reports whether a model can have a variable of the name.
func (v *Variables) MayHave(name string) bool {
	param, _, indexed := strings.Cut(name, "[")
	if v.all || slices.Contains(v.Names, name) {
		return true
	}
	if !slices.Contains(v.params, param) {
		return false
	}
	switch _, rows := unitOf(param); rows {
	case byColumn:
		return v.columns && indexed
	case byGroup:
		return v.groups && indexed
	case byTerm:
		return v.groups
	default:
		return false
	}
}
