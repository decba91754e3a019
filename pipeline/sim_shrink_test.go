package pipeline

import "slices"

// Shrink leaves out of a plan what its violation does not need, as far as one
// part after the other can tell. run says what a plan leads to.
func Shrink(p Plan, run func(Plan) *Violation) (Plan, *Violation) {
	found := run(p)
	if found == nil {
		return p, nil
	}
	try := func(q Plan) bool {
		v := run(q)
		if v == nil || v.Kind != found.Kind {
			return false
		}
		p, found = q, v
		return true
	}
	for again := true; again; {
		again = false
		for i := len(p.Faults) - 1; i >= 0; i-- {
			q := p
			q.Faults = slices.Delete(slices.Clone(p.Faults), i, i+1)
			again = try(q) || again
		}
		for n := len(p.Log) / 2; n > 0; n /= 2 {
			for i := len(p.Log) - n; i >= 0; i -= n {
				q := p
				q.Log = without(p.Log, i, min(i+n, len(p.Log)))
				again = len(q.Log) < len(p.Log) && try(q) || again
				i = min(i, len(p.Log))
			}
		}
	}
	return p, found
}

// without leaves out some arrivals, of transactions all.
func without(log []Arrival, from, to int) (left []Arrival) {
	gone := map[int]bool{}
	for _, a := range log[from:to] {
		gone[a.Txn] = a.Txn > 0
	}
	for i, a := range log {
		if (i < from || i >= to) && !gone[a.Txn] {
			left = append(left, a)
		}
	}
	return left
}
