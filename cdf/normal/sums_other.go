//go:build !amd64 || purego

package normal

func (c *curve) at(x, y []float64) { c.portable(x, y) }
