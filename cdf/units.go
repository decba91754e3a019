package cdf

import "strconv"

// unit says how a parameter leaves the scaled columns (y = c + s y~).
type unit uint8

const (
	asIs     unit = iota // phi, u, sigma2_u and whatever is not listed
	slope                // s_y / s_j; the intercept takes up the centres
	variance             // s_y^2
	location             // c_y + s_y
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
	{"u", asIs, byGroup},
	{"sigma2_u", asIs, byTerm},
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
	var list []Functional
	row, terms, seen := 0, groupTerms(spec.Columns.Groups), map[string]int{}
	for _, p := range params {
		at := term{}
		if n := seen[p.Name]; n < len(terms) {
			at = terms[n]
		}
		at.several = len(terms) > 1
		seen[p.Name]++
		kind, rows := asIs, byIndex
		for _, u := range units {
			if u.param == p.Name {
				kind, rows = u.unit, u.rows
			}
		}
		for i := range p.Len {
			if rows == byGroup && !selected.group(at.factor, i) {
				continue
			}
			name := rowName(p, i, rows, at, s)
			if selected.variable(name, rows == byGroup) {
				list = append(list, convert(spec, s, kind, name, row, i, p.Len))
			}
		}
		row += p.Len
	}
	return list
}

func rowName(p Param, i int, rows rowNames, at term, s *state) string {
	switch {
	case rows == byGroup && at.several && i < len(s.factors[at.factor].levels):
		return p.Name + "[" + at.column + "=" + s.factors[at.factor].levels[i] + at.slope + "]"
	case rows == byTerm && at.several:
		return p.Name + "[" + at.column + at.slope + "]"
	case rows == byColumn && i < len(s.design.names):
		return p.Name + "[" + s.design.names[i] + "]"
	case rows == byGroup && len(s.factors) > 0 && i < len(s.factors[0].levels):
		return p.Name + "[" + s.factors[0].levels[i] + "]"
	case p.Len == 1:
		return p.Name
	}
	return p.Name + "[" + strconv.Itoa(i+1) + "]"
}

// convert returns row i of a parameter whose rows in Draws begin at row,
// in original units unless the model's are published (reporting: scale).
func convert(spec *Spec, s *state, kind unit, name string, row, i, n int) Functional {
	f := Functional{Name: name, Param: []int{row + i}, Weight: []float64{1}}
	if spec.Publish.Scale == "model" {
		return f
	}
	y := s.scaling.y
	switch kind {
	case slope:
		if i >= len(s.scaling.x) {
			break
		}
		f.Weight[0] = y.Scale / s.scaling.x[i].Scale
		if i > 0 || !spec.Columns.Intercept {
			break
		}
		f.Const = y.Center
		for j := 1; j < n && j < len(s.scaling.x); j++ {
			if c := s.scaling.x[j]; c.Center != 0 {
				f.Param = append(f.Param, row+j)
				f.Weight = append(f.Weight, -c.Center*y.Scale/c.Scale)
			}
		}
	case variance:
		f.Weight[0] = y.Scale * y.Scale
	case location:
		f.Const, f.Weight[0] = y.Center, y.Scale
	}
	return f
}
