//go:build purego || !amd64

package rnd

func normals(s *[4][8]uint64, c *pieces, t []float64, done []uint8) { portableNormals(s, c, t, done) }

func positives(s *[4][8]uint64, c *singles, t []float64, done []uint8) {
	portablePositive(s, c, t, done)
}
