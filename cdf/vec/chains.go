package vec

// Eight are numbers of eight chains.
type Eight [8]float64

// Eight chains lie beside each other: x has a row of eight numbers for each draw. Of a chain every sum
// is added up in the order of its draws and has to wait for each addition; here one addition serves all
// eight. Time relative to loops over two chains at a time, which they replace, of chains of 250 draws on one
// core of a Xeon with other work; BenchmarkChains measures them:
//
//	              AVX-512  AVX2
//	ChainMoments  .7       .8
//	ChainLags     .3       .7
//
// With the sort by a network, all diagnostics of 500 draws take .4 of the time.

// ChainMoments returns means and variances (divisor n-1; NaN of one draw). What rounding left of a sum
// is added to its mean.
func ChainMoments(x []float64, mean, variance *Eight) {
	if chainMoments(x, mean, variance) {
		return
	}
	for c := 0; c < 8; c += 4 {
		fourMoments(x[c:], (*[4]float64)(mean[c:]), (*[4]float64)(variance[c:]))
	}
}

// fourMoments are those of the first four chains, whose sums do not wait for each other.
func fourMoments(x []float64, mean, variance *[4]float64) {
	n := float64((len(x) + 7) / 8)
	var a, b, e, f float64
	for i := 0; i < len(x); i += 8 {
		v := x[i : i+4 : i+4]
		a += v[0]
		b += v[1]
		e += v[2]
		f += v[3]
	}
	a, b, e, f = a/n, b/n, e/n, f/n
	var as, bs, es, fs, ar, br, er, fr float64
	for i := 0; i < len(x); i += 8 {
		v := x[i : i+4 : i+4]
		p, q, r, s := v[0]-a, v[1]-b, v[2]-e, v[3]-f
		as, ar = as+float64(p*p), ar+p
		bs, br = bs+float64(q*q), br+q
		es, er = es+float64(r*r), er+r
		fs, fr = fs+float64(s*s), fr+s
	}
	squares, rest := [4]float64{as, bs, es, fs}, [4]float64{ar, br, er, fr}
	for c, m := range [4]float64{a, b, e, f} {
		mean[c] = m + rest[c]/n
		variance[c] = (squares[c] - float64(rest[c]*rest[c])/n) / (n - 1)
	}
}

// ChainLags takes the means off the chains, and returns the sums of products of draws so
// many apart: 0 to 3.
func ChainLags(x []float64, mean *Eight) (sums [4]Eight) {
	if chainLags(x, mean, &sums) {
		return sums
	}
	for i := range x {
		x[i] -= mean[i%8]
	}
	for lag := range min(len(sums), len(x)/8) {
		addProducts(x, lag, &sums[lag])
	}
	return sums
}

// ChainLagsOn returns the sums of products of draws that are lag and lag + 1 apart, less than
// there are.
func ChainLagsOn(x []float64, lag int) (sums [2]Eight) {
	if chainLagsOn(x, lag, &sums) {
		return sums
	}
	for k := range sums {
		addProducts(x, lag+k, &sums[k])
	}
	return sums
}

// addProducts takes four chains at a time, whose sums do not wait for each other.
func addProducts(x []float64, lag int, sum *Eight) {
	for c := 0; c < 8; c += 4 {
		a, b, e, f := sum[c], sum[c+1], sum[c+2], sum[c+3]
		for i, j := c, c+8*lag; j < len(x); i, j = i+8, j+8 {
			v, w := x[i:i+4:i+4], x[j:j+4:j+4]
			a += float64(w[0] * v[0])
			b += float64(w[1] * v[1])
			e += float64(w[2] * v[2])
			f += float64(w[3] * v[3])
		}
		sum[c], sum[c+1], sum[c+2], sum[c+3] = a, b, e, f
	}
}
