package collinear

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/term"
)

const (
	// fewest is how many rows more than coefficients there have to be.
	fewest = 10
	// chance bounds the probability that a column without any relation to the others would
	// follow from them.
	chance = 1e-6
	// mostKeys is how many keys are looked at one by one.
	mostKeys = 20
	// work bounds rows times the square of columns, of all rows and of those of keys.
	work = 1e8
)

// Found is a column that follows from others.
type Found struct {
	Column string
	From   []string // that others are enough for
	Rows   int      // in which it does
	Keys   int      // in each of which it does; 0: in all rows together
	Of     int      // keys that were looked at

	value  bool   // each value of the only other column goes with one of this
	number bool   // it is a number
	sum    string // the combination of the others, "" of levels or many
	almost bool   // but for rounding
}

// Everywhere reports whether it follows wherever it was looked at.
func (f *Found) Everywhere() bool { return f.Keys == f.Of }

// Find returns the columns that follow from others in the design of roles, with missing
// levels as in Spec.Missing: over all rows, and what does so only within keys, each of which
// has a model of its own. None where there are more than 300 columns.
func (r *Rows) Find(roles *cdf.Roles, missing string) []Found {
	blocks, keys := r.design(roles, missing)
	if len(blocks) == 0 || len(keys) == 0 {
		return nil
	}
	all := make([]int, len(keys))
	for i := range keys {
		all[i] = i
	}
	of := byKey(keys)
	found, _ := search(blocks, all)
	if len(of) == 1 {
		return found
	}
	left := slices.DeleteFunc(slices.Clone(blocks), func(b block) bool {
		return slices.ContainsFunc(found, func(f Found) bool { return f.Column == b.name })
	})
	return append(found, within(left, of, largest(of, mostKeys))...)
}

// within looks at keys one by one.
func within(blocks []block, of map[string][]int, keys []string) (all []Found) {
	looked, spent, columns := map[string]int{}, 0, float64(width(blocks))
	for _, key := range keys {
		if spent += len(of[key]); float64(spent)*columns*columns > work {
			break
		}
		found, tested := search(blocks, of[key])
		for _, name := range tested {
			looked[name]++
		}
		for _, f := range found {
			i := slices.IndexFunc(all, func(known Found) bool { return known.Column == f.Column })
			if i < 0 {
				f.Keys, f.sum = 1, "" // another in another key
				all = append(all, f)
				continue
			}
			all[i].Keys++
			all[i].Rows += f.Rows
		}
	}
	for i := range all {
		all[i].Of = looked[all[i].Column]
	}
	return slices.DeleteFunc(all, func(f Found) bool { return f.Of < 2 }) // one key says nothing of keys
}

// search returns the blocks that follow from those before them, and the names of all that
// could have.
func search(blocks []block, rows []int) (found []Found, tested []string) {
	rows = thinned(rows, width(blocks))
	b := new(basis)
	for i := range blocks {
		values := make([][]float64, 0, len(blocks[i].columns))
		for _, c := range blocks[i].columns {
			if v := at(c, rows); !constant(v) {
				values = append(values, v)
			}
		}
		if len(values) == 0 {
			continue
		}
		spare := len(rows) - len(b.q) - 1
		if spare < fewest {
			break // anything would follow
		}
		tested = append(tested, blocks[i].name)
		f, follows := b.follows(blocks, i, values)
		if follows && float64(spare)*math.Log(commonest(values)) < math.Log(chance) {
			f.Rows = len(rows)
			found = append(found, f)
			continue
		}
		for _, v := range values {
			if s := b.split(v); !b.spans(&s) {
				b.add(s, member{block: i, unit: unitOf(v)})
			}
		}
	}
	return found, tested
}

// width is how many columns blocks have.
func width(blocks []block) (columns int) {
	for i := range blocks {
		columns += len(blocks[i].columns)
	}
	return columns
}

// thinned are as many of the rows, evenly spread, as there is time for.
func thinned(rows []int, columns int) []int {
	most := max(int(work/float64(columns*columns+1)), 5*columns)
	if len(rows) <= most {
		return rows
	}
	var some []int
	for i := range most {
		some = append(some, rows[i*len(rows)/most])
	}
	return some
}

func at[T any](v []T, rows []int) []T {
	some := make([]T, len(rows))
	for i, row := range rows {
		some[i] = v[row]
	}
	return some
}

// follows reports whether all columns of a block are combinations of those before it.
func (b *basis) follows(blocks []block, i int, values [][]float64) (f Found, ok bool) {
	var sources []int
	var s split
	var a []float64
	for _, v := range values {
		s = b.split(v)
		if !b.spans(&s) {
			if blocks[i].factor || !b.nearly(&s, unitOf(v)) {
				return f, false
			}
			f.almost = true
		}
		a = b.coefficients(&s)
		least := max(1e-6*s.norm, 2*s.left) // of what counts: the rest of rounding is a little of everything
		for k := range a {
			if from := b.of[k].block; math.Abs(a[k])*b.of[k].norm > least && !slices.Contains(sources, from) {
				sources = append(sources, from)
			}
		}
	}
	if len(sources) == 0 {
		return f, false
	}
	slices.SortFunc(sources, func(x, y int) int { return cmp.Compare(blocks[x].first, blocks[y].first) })
	f.Column, f.number = blocks[i].name, !blocks[i].factor
	numbers := f.number
	for _, from := range sources {
		f.From = append(f.From, blocks[from].name)
		numbers = numbers && !blocks[from].factor
	}
	f.value = len(sources) == 1 && blocks[sources[0]].factor
	if numbers && len(sources) <= 3 {
		f.sum = b.sum(blocks, &s, a, sources, f.almost)
	}
	return f, true
}

// sum writes a combination of numbers.
func (b *basis) sum(blocks []block, s *split, a []float64, sources []int, almost bool) string {
	var w strings.Builder
	rest, size := s.mean, math.Abs(s.mean)
	part := func(c float64, name string) {
		sign := " + "
		switch {
		case w.Len() == 0 && c < 0:
			sign = "-"
		case w.Len() == 0:
			sign = ""
		case c < 0:
			sign = " - "
		}
		text := cli.Number(math.Abs(c))
		if almost {
			text = strconv.FormatFloat(math.Abs(c), 'g', 3, 64)
		}
		switch {
		case name == "":
		case text == "1":
			text = name
		default:
			text += " " + name
		}
		w.WriteString(sign + text)
	}
	for _, from := range sources {
		for k := range a {
			if b.of[k].block == from {
				part(a[k], show(blocks[from].name))
				rest -= a[k] * b.means[k]
				size = max(size, math.Abs(a[k]*b.means[k]), s.norm/math.Sqrt(float64(len(s.rest))))
			}
		}
	}
	if math.Abs(rest) > 1e-4*size {
		part(rest, "")
	}
	return w.String()
}

// commonest is the share of the rows that have the most common values of some columns.
func commonest(columns [][]float64) float64 {
	counts, most := map[string]int{}, 0
	var text []byte
	for i := range columns[0] {
		text = text[:0]
		for _, c := range columns {
			text = fmt.Appendf(text, "%x,", math.Float64bits(c[i]))
		}
		counts[string(text)]++
		most = max(most, counts[string(text)])
	}
	return float64(most) / float64(len(columns[0]))
}

// show makes a name from outside fit for a line.
func show(name string) string { return term.Cut(name, 40) }

// Words say what follows from what, and in which rows: `"region" follows from "city": ...`
// without the name of the column itself.
func (f *Found) Words() string {
	var from []string
	for _, name := range f.From {
		from = append(from, show(name))
	}
	if len(from) > 5 {
		from = append(from[:5], fmt.Sprintf("%d more", len(from)-5))
	}
	text := "follows from " + from[0]
	if last := len(from) - 1; last > 0 {
		text = "follows from " + strings.Join(from[:last], ", ") + " and " + from[last]
	}
	switch {
	case f.sum != "" && f.almost:
		text += " (" + f.sum + ", rounded)"
	case f.sum != "":
		text += " (" + f.sum + ")"
	case f.value:
		text += ", each value of which has one " + show(f.Column)
	}
	switch {
	case f.Of == 0:
		return fmt.Sprintf("%s, in all %s rows looked at", text, cli.Count(f.Rows))
	case f.Everywhere():
		return fmt.Sprintf("%s, within each of the %d keys looked at", text, f.Of)
	}
	return fmt.Sprintf("%s, within %d of the %d keys looked at", text, f.Keys, f.Of)
}
