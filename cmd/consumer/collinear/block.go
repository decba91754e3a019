package collinear

import (
	"cmp"
	"math"
	"regexp"
	"slices"

	"github.com/credence-stream/credence/cdf"
)

// mostColumns bounds the columns of coefficients that are compared: the time grows with
// their square.
const mostColumns = 300

// block is a column of the sample, or a term of a formula, as columns of a design.
type block struct {
	name    string
	factor  bool        // its columns are those of levels
	columns [][]float64 // per column of the design: a value for every row
	first   int         // where it was named
}

// design makes the blocks of what a model names, those that explain most first: of two
// factors that lie in each other the finer one has all that the coarser one has, so it comes
// before it; numbers come behind factors, and as they are named. Rows that the model would
// drop are left out; keys are those of the rows that are left.
func (r *Rows) design(roles *cdf.Roles, missing string) (blocks []block, keys []string) {
	b, features, ok := r.made(roles)
	if !ok {
		return nil, nil // whoever uses it says why
	}
	if roles.Formula == nil && features == nil {
		features = defaults(roles, b)
	}
	used := make([]bool, b.Rows)
	for i := range used {
		used[i] = true
	}
	drop := func(v []float64) {
		for i, x := range v {
			used[i] = used[i] && !math.IsNaN(x) && !math.IsInf(x, 0)
		}
	}
	y := Column(b, cmp.Or(roles.Response.Name, "y"))
	if y != nil && len(y.Number) > 0 {
		drop(y.Number)
	}
	for i := range features {
		f := &features[i]
		c := Column(b, f.Name)
		if c == nil || c.Type == cdf.Text && f.Levels == nil && !f.LevelsFirst {
			continue
		}
		if f.Levels == nil && !f.LevelsFirst {
			drop(c.Number)
			blocks = join(blocks, block{name: termOf(c.Name, roles.Formula != nil), columns: [][]float64{c.Number}, first: i})
			continue
		}
		codes, levels := coded(c, f, b.Rows)
		if missing != "level" {
			for row, code := range codes {
				used[row] = used[row] && code != gap
			}
		}
		blocks = append(blocks, block{name: c.Name, factor: true, columns: dummies(codes, levels), first: i})
	}
	if y != nil && len(y.Number) > 0 { // it comes last, for nothing follows from it
		blocks = append(blocks, block{name: y.Name, columns: [][]float64{y.Number}, first: len(features)})
	}
	return packed(blocks, used, r.keys)
}

// made are the columns that a formula makes of the rows, and which of them are features: without one the rows as they are.
func (r *Rows) made(roles *cdf.Roles) (*cdf.Batch, []cdf.Feature, bool) {
	b := r.Batch()
	if roles.Formula == nil {
		return b, roles.Features, true
	}
	made, err := roles.Formula.Begin(b, mostColumns, false)
	if err != nil {
		return b, nil, false
	}
	var room any
	derived, err := made.Derive(b, &room)
	if err != nil {
		return b, nil, false
	}
	return derived, made.Features(), true
}

// defaults are the features where none are named: the numbers that serve as nothing else.
func defaults(roles *cdf.Roles, b *cdf.Batch) (features []cdf.Feature) {
	only := *roles
	only.Response.Name = cmp.Or(roles.Response.Name, "y")
	named, _ := only.Named()
	for i := range b.Columns {
		c := &b.Columns[i]
		taken := slices.ContainsFunc(named, func(n cdf.Named) bool { return n.Name == c.Name })
		if !taken && c.Type != cdf.Text && c.Type != cdf.Time {
			features = append(features, cdf.Feature{Name: c.Name})
		}
	}
	return features
}

// Column is that of a batch with a name, nil for none.
func Column(b *cdf.Batch, name string) *cdf.Column {
	i := slices.IndexFunc(b.Columns, func(c cdf.Column) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &b.Columns[i]
}

var level = regexp.MustCompile(`\[[^\]]*\]`)

// termOf is the term of a formula that a column belongs to: C(town) of C(town)[T.oslo].
func termOf(name string, formula bool) string {
	if !formula {
		return name
	}
	return level.ReplaceAllString(name, "")
}

// join adds a column to the block of its term.
func join(blocks []block, b block) []block {
	i := slices.IndexFunc(blocks, func(known block) bool { return known.name == b.name })
	if i < 0 {
		return append(blocks, b)
	}
	blocks[i].columns, blocks[i].factor = append(blocks[i].columns, b.columns...), true
	return blocks
}

// gap is the code of a missing level, which may be one.
const gap = 0

// coded numbers the levels of the rows: those that the feature does not list are one.
func coded(c *cdf.Column, f *cdf.Feature, rows int) (codes []int, levels int) {
	const other = "__other__"
	known := map[string]int{}
	levels = gap + 1
	for i := range rows {
		code := gap
		if label, ok := labelOf(c, i); ok {
			if f.Levels != nil && !slices.Contains(f.Levels, label) {
				label = other
			}
			if code = known[label]; code == 0 {
				code = levels
				known[label] = code
				levels++
			}
		}
		codes = append(codes, code)
	}
	return codes, levels
}

func labelOf(c *cdf.Column, row int) (string, bool) {
	if c.Type == cdf.Float {
		return "", false
	}
	return c.Label(row)
}

// dummies are a column of 0 and 1 for each level.
func dummies(codes []int, levels int) [][]float64 {
	if levels > mostColumns {
		levels = 0 // it is no factor
	}
	all := make([][]float64, levels)
	for l := range all {
		all[l] = make([]float64, len(codes))
	}
	for row, code := range codes {
		if code < levels {
			all[code][row] = 1
		}
	}
	return all
}

// packed keeps the rows that are used, and orders the blocks.
func packed(blocks []block, used []bool, keys []string) ([]block, []string) {
	keep := func(v []float64) (kept []float64) {
		for i, x := range v {
			if used[i] {
				kept = append(kept, x)
			}
		}
		return kept
	}
	total := 0
	for i := range blocks {
		b := &blocks[i]
		all := b.columns
		b.columns = nil
		for _, c := range all {
			if c = keep(c); !constant(c) {
				b.columns = append(b.columns, c)
			}
		}
		total += len(b.columns)
	}
	blocks = slices.DeleteFunc(blocks, func(b block) bool { return len(b.columns) == 0 })
	if total > mostColumns {
		return nil, nil
	}
	slices.SortStableFunc(blocks, func(a, b block) int {
		size := func(x block) int {
			if x.factor {
				return len(x.columns)
			}
			return 0
		}
		return cmp.Or(cmp.Compare(size(b), size(a)), cmp.Compare(a.first, b.first))
	})
	var left []string
	for i, key := range keys {
		if used[i] {
			left = append(left, key)
		}
	}
	return blocks, left
}

func constant(v []float64) bool {
	for _, x := range v {
		if x != v[0] {
			return false
		}
	}
	return true
}
