package events

import (
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
)

// Wanted are the columns that models name.
type Wanted struct {
	Columns []Named
	// Only says that no model takes columns that it does not name: all others may
	// be passed over.
	Only bool
}

// Named is a column that a model names.
type Named struct {
	Name string
	// Number says that it serves as a number wherever it is named, so that whole
	// numbers need not be told from others.
	Number bool
	// Moment says that a formula takes its calendar, or a season of it; Step that it
	// tells the steps of a model.
	Moment, Step bool
}

// WantedBy returns the columns that the models name, in the order in which they do.
func WantedBy(specs []*cdf.Spec) Wanted {
	w := Wanted{Only: true}
	for _, s := range specs {
		named, only := s.Columns.Named()
		for _, n := range named {
			w.add(n.Name, n.Number)
			if n.Role == "time" {
				w.Columns[w.find(n.Name)].Step = true
			}
		}
		if f := s.Columns.Formula; f != nil {
			for _, name := range f.Moments() {
				w.Columns[w.find(name)].Moment = true
			}
		}
		w.Only = w.Only && only
	}
	return w
}

func (w *Wanted) add(name string, number bool) {
	if i := w.find(name); i >= 0 {
		w.Columns[i].Number = w.Columns[i].Number && number
		return
	}
	w.Columns = append(w.Columns, Named{Name: name, Number: number})
}

// find returns the index of a column, -1 where it is not named.
func (w *Wanted) find(name string) int {
	return slices.IndexFunc(w.Columns, func(c Named) bool { return c.Name == name })
}

// Below reports whether any column that may be used has a path that begins with
// this one.
func (w *Wanted) Below(path string) bool {
	return !w.Only || slices.ContainsFunc(w.Columns, func(c Named) bool {
		return strings.HasPrefix(c.Name, path) && (len(c.Name) == len(path) || c.Name[len(path)] == '.')
	})
}
