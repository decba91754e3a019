//go:build !amd64 || purego

package rnd

func lanes(s *[4][8]uint64, c *pieces, t []float64, done []uint8, positive bool) {
	portableLanes(s, c, t, done, positive)
}
