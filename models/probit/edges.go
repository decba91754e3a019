package probit

import "math"

// edges are, per column, the least and the greatest entry of the rows whose response is 0, and of those whose
// response is 1; none without an intercept, of which a row has its response.
//
// Where all rows of one response have the same entry, and no row lies on both sides of it, all rows with another
// entry are of the other response: the column is separated, next to the intercept, by that base. The signs, which classes
// counts, tell of base 0 alone, so of a level or a column of 0 and 1, but not of the same column as 1 and 2, or
// standardised.
type edges []float64

const (
	none = math.MaxFloat64 // least of no rows; -none is their greatest
	each = 4               // numbers per column
)

func newEdges(p int, intercept bool) edges {
	if !intercept {
		return nil
	}
	e := make(edges, each*p)
	e.begin()
	return e
}

// begin forgets all rows.
func (e edges) begin() {
	for i := range e {
		e[i] = none * float64(1-2*(i%2))
	}
}

// close says that rows are forgotten, or not known: no column has a base from now on.
func (e edges) close() {
	for j := range len(e) / each {
		e.settle(j)
	}
}

// settle says that column j has none: whatever its entries were, so that they do not depend on the shards in which they came.
func (e edges) settle(j int) {
	for i := range each {
		e[each*j+i] = -none * float64(1-2*(i%2))
	}
}

// add takes rows in, with the sign of their response.
func (e edges) add(x []float64, p int) {
	for j := range len(e) / each {
		if e.settled(j) {
			continue
		}
		for at := 0; at < len(x); at += p {
			sign := x[at] // of the intercept
			of := e[each*j+int(sign)+1:]
			v := sign * x[at+j]
			of[0], of[1] = min(of[0], v), max(of[1], v)
		}
		if e.settled(j) {
			e.settle(j)
		}
	}
}

// of returns the least and the greatest entry of column j where the response is 0 or 1, and where it is the other.
func (e edges) of(j, response int) (lo, hi, least, greatest float64) {
	mine, other := e[each*j+2*response:], e[each*j+2*(1-response):]
	return mine[0], mine[1], other[0], other[1]
}

// settled reports whether no row can give column j a base any more, or none but 0, which the signs tell of.
func (e edges) settled(j int) bool {
	for response := range 2 {
		lo, hi, least, greatest := e.of(j, response)
		if lo > hi || lo == hi && lo != 0 && (least >= greatest || lo <= least || lo >= greatest) {
			return false
		}
	}
	return true
}

// open reports whether some column is not settled.
func (e edges) open() bool {
	for j := 1; j < len(e)/each; j++ {
		if !e.settled(j) {
			return true
		}
	}
	return false
}

// base returns the base of column j, and whether there is one other than 0. seen are the rows of response 0 and of 1: one
// alone has the same entry as all of them in any column.
func (e edges) base(j int, seen [2]float64) (t float64, ok bool) {
	if each*j >= len(e) {
		return 0, false
	}
	for response := range 2 {
		lo, hi, least, greatest := e.of(j, response)
		if lo == hi && lo != 0 && (lo < greatest || lo > least) && seen[response] > 1 { // with rows on both sides it is settled
			return lo, true
		}
	}
	return 0, false
}
