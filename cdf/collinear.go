package cdf

import "slices"

// CollinearFlag is raised where columns determine each other: the rows say what they do
// together, and not what one of them does.
const CollinearFlag = "collinear"

// inseparable are columns of X that determine each other, ascending.
type inseparable []int

func (e *engine) together(dst inseparable) inseparable {
	if e.collinear == nil {
		return dst
	}
	return e.collinear.AppendCollinear(dst)
}

// appendFlags appends what is wrong.
func (t inseparable) appendFlags(dst []string) []string {
	if len(t) > 0 {
		return append(dst, CollinearFlag)
	}
	return dst
}

// has reports whether the functional is that of one of the columns: coefficients are the
// first parameters of models with columns.
func (t inseparable) has(f *Functional) bool {
	if len(t) == 0 || len(f.Param) != 1 {
		return false
	}
	_, found := slices.BinarySearch(t, f.Param[0])
	return found
}

// Collinear returns the names of the columns that determine each other in the rows so
// far, as variables have them, of the state that the last Update left. It is empty where
// the summary of that has no CollinearFlag.
func (f *Filter) Collinear() []string {
	if f.broken != nil || f.engine == nil {
		return nil
	}
	var names []string
	for _, j := range f.engine.together(nil) {
		names = append(names, f.now.design.names[j])
	}
	return names
}
