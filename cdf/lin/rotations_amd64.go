//go:build !purego

package lin

// rotations are those of some columns, as the assembly takes them: from the last row
// up. The stride is in bytes.
type rotations struct {
	z      *float64
	stride int
	c, s   *float64
	count  int
}

//go:noescape
func avx512Rotate4(p *rotations)

//go:noescape
func avx512Rotate1(p *rotations)

//go:noescape
func avx2Rotate4(p *rotations)

//go:noescape
func avx2Rotate1(p *rotations)

// rotateColumns rotates the columns that fill vectors and returns how many they are.
func rotateColumns(n, lo, m int, z, c, s []float64) (done int) {
	if with == portable {
		return 0
	}
	// Assembly knows no bounds.
	_, _, _, _ = z[(m+1)*n-1], z[lo*n], c[m-1], s[m-1]
	lanes := 4
	if with == avx512 {
		lanes = 8
	}
	p := rotations{stride: 8 * n, c: &c[m-1], s: &s[m-1], count: m - lo}
	for done+lanes <= n {
		p.z = &z[m*n+done]
		four := done+4*lanes <= n
		switch {
		case with == avx512 && four:
			avx512Rotate4(&p)
		case with == avx512:
			avx512Rotate1(&p)
		case four:
			avx2Rotate4(&p)
		default:
			avx2Rotate1(&p)
		}
		if done += lanes; four {
			done += 3 * lanes
		}
	}
	return done
}
