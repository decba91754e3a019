package probit

// rowWindow holds the newest rows of a stream, oldest first, each of the same
// number of columns. The zero value is empty.
type rowWindow struct{ x []float64 }

// drop removes the oldest k rows of p columns. The others move down: that
// costs nothing beside what is computed from them in every shard, and sums
// over the rows do not depend on where a ring begins.
func (w *rowWindow) drop(k, p int) {
	if k > 0 {
		w.x = w.x[:copy(w.x, w.x[k*p:])]
	}
}

// parts returns into how many parts n rows are cut so that none has more than
// limit rows; no rows are one part.
func parts(n, limit int) int { return max(1, (n+limit-1)/limit) }

// part returns where part i of count begins. The sizes differ by at most one
// row, the larger parts first.
func part(n, count, i int) int { return i*(n/count) + min(i, n%count) }
