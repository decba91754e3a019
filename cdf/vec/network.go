package vec

// The numbers that a network sorts are a power of two within these.
const (
	LeastNetwork = 128
	MostNetwork  = 4096
)

// NetworkSort sorts x, none of which is NaN or -0, and returns where they are: in room, as
// long as x, which holds something else then. Nil without vectors, or if they are not a power of
// two of LeastNetwork to MostNetwork: then nothing has changed.
//
// Rows of eight numbers are compared with each other, the less of each two in the place of one and
// the greater in that of the other, whatever they are: no branch has to be foretold. It replaces
// slices.Sort, 512 new numbers in a twentieth of the time (BenchmarkNetwork).
func NetworkSort(x, room []float64) []float64 {
	if !network(x, false) {
		return nil
	}
	room = room[:len(x)]
	Transpose(len(x)/8, 8, x, 8, room, len(x)/8)
	return room
}

// NetworkMerge is NetworkSort of numbers that first fall and then rise, and returns x: a fifth of the
// steps. Equal ones may lie in any order.
func NetworkMerge(x, room []float64) []float64 {
	rows := len(x) / 8
	room = room[:len(x)]
	Transpose(8, rows, x, rows, room, 8)
	if !network(room, true) {
		return nil
	}
	Transpose(rows, 8, room, 8, x, rows)
	return x
}
