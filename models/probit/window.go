package probit

// rowWindow holds the newest rows of a stream, oldest first, each of the same
// number of columns. The zero value is empty.
type rowWindow struct{ x []float64 }

// drop removes rows of p columns, in ascending order. The others move down: that
// costs nothing beside what is computed from them in every shard, and sums
// over the rows do not depend on where a ring begins.
func (w *rowWindow) drop(rows []int, p int) {
	if len(rows) == 0 {
		return
	}
	to := rows[0] * p
	for k, row := range rows {
		next := len(w.x)
		if k+1 < len(rows) {
			next = rows[k+1] * p
		}
		to += copy(w.x[to:], w.x[(row+1)*p:next])
	}
	w.x = w.x[:to]
}

// parts returns into how many parts n rows are cut so that none has more than
// limit rows; no rows are one part.
func parts(n, limit int) int { return max(1, (n+limit-1)/limit) }

// part returns where part i of count begins. The sizes differ by at most one
// row, the larger parts first.
func part(n, count, i int) int { return i*(n/count) + min(i, n%count) }
