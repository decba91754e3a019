package kind

import "slices"

// Registry is the kinds of a program, in the order of the documentation.
type Registry []*Kind

// Lookup returns the kind of the given name.
func (r Registry) Lookup(name string) (*Kind, bool) {
	i := slices.IndexFunc(r, func(k *Kind) bool { return k.Name == name })
	if i < 0 {
		return nil, false
	}
	return r[i], true
}

// Names returns the names of the kinds that any of the conditions holds for,
// of all without one.
func (r Registry) Names(conditions ...func(*Kind) bool) []string {
	var names []string
	for _, k := range r {
		if len(conditions) == 0 || slices.ContainsFunc(conditions, func(holds func(*Kind) bool) bool { return holds(k) }) {
			names = append(names, k.Name)
		}
	}
	return names
}
