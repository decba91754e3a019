//go:build !amd64 || purego

package lin

func best() isa { return portable }

func strip(rows, cols, deep int, a factor, b []float64, bs int, c []float64, cs int) {
	portableStrip(rows, cols, deep, a, b, bs, c, cs)
}
