//go:build !amd64 || purego

package normal

func (c *curve) at(x, y []float64) { c.portable(x, y) }

func withinVectors(x []float64, limit uint64) (done int, all bool) { return 0, true }
