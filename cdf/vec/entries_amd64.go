//go:build !purego

package vec

import "github.com/credence-stream/credence/cdf/isa"

// elementary is a function of whole vectors, as the assembly takes it. Where a sign bit
// of odd is set some number was none for it.
type elementary struct {
	x, y  *float64
	count int // of vectors
	odd   [8]int64
}

//go:noescape
func avx512Logs(p *elementary)

//go:noescape
func avx2Logs(p *elementary)

//go:noescape
func avx512Exps(p *elementary)

//go:noescape
func avx2Exps(p *elementary)

// do applies the logarithm, or else the exponential, and reports whether no number
// was odd.
func (p *elementary) do(logs bool) bool {
	switch {
	case logs && with == isa.AVX512:
		avx512Logs(p)
	case logs:
		avx2Logs(p)
	case with == isa.AVX512:
		avx512Exps(p)
	default:
		avx2Exps(p)
	}
	sign := int64(0)
	for _, odd := range p.odd {
		sign |= odd
	}
	return sign >= 0
}

// functions applies the logarithm, or else the exponential. It reports whether dst has
// them all: not where a number is odd, nor without vectors.
func functions(dst, x []float64, logs bool) bool {
	if with == isa.Portable {
		return false
	}
	lanes := with.Lanes()
	n := len(x) / lanes * lanes
	dst = dst[:len(x)] // assembly knows no bounds
	if n > 0 && !(&elementary{x: &x[0], y: &dst[0], count: n / lanes}).do(logs) {
		return false
	}
	if n == len(x) {
		return true
	}
	last := [8]float64{1, 1, 1, 1, 1, 1, 1, 1}
	copy(last[:], x[n:])
	if !(&elementary{x: &last[0], y: &last[0], count: 1}).do(logs) {
		return false
	}
	copy(dst[n:], last[:])
	return true
}

// filters are Filters, as the assembly takes them.
type filters struct {
	m, v, squares, product, q *float64
	r, er, rr                 *float64
	a, s                      *float64
	y                         float64
	rows, whole, rest         int        // whole: vectors of a row; rest: bytes of the columns left
	bits                      uint64     // of these, for AVX-512
	mask                      [4]int64   // the same for AVX2
	top                       [8]float64 // the greatest products by lane
}

//go:noescape
func avx512Pass(p *filters)

//go:noescape
func avx512PassMean(p *filters)

//go:noescape
func avx512Observe(p *filters)

//go:noescape
func avx512ObserveMean(p *filters)

//go:noescape
func avx2Pass(p *filters)

//go:noescape
func avx2PassMean(p *filters)

//go:noescape
func avx2Observe(p *filters)

//go:noescape
func avx2ObserveMean(p *filters)

// vectors takes the filters one step on, and an observation in where there is one. It
// returns the greatest product, and whether it did: not without vectors.
func (f *Filters) vectors(y float64, observed bool) (greatest float64, done bool) {
	rows, n := len(f.A), len(f.Q)
	if with == isa.Portable || rows == 0 || n == 0 {
		return 0, false
	}
	last := rows*n - 1 // assembly knows no bounds
	p := filters{m: &f.M[:last+1][0], v: &f.V[:last+1][0], q: &f.Q[0], a: &f.A[0], s: &f.S[:rows][0], y: y, rows: rows}
	mean := f.R != nil
	if mean {
		p.r = &f.R[:last+1][0]
	}
	if observed {
		p.squares, p.product = &f.Squares[:last+1][0], &f.Product[:last+1][0]
		if mean {
			p.er, p.rr = &f.ER[:last+1][0], &f.RR[:last+1][0]
		}
	}
	lanes := with.Lanes()
	rest := n % lanes
	p.whole, p.rest, p.bits = n/lanes, 8*rest, 1<<rest-1
	isa.Mask(p.mask[:], rest)
	p.do(observed, mean)
	for _, top := range p.top {
		greatest = max(greatest, top)
	}
	return greatest, true
}

func (p *filters) do(observed, mean bool) {
	wide := with == isa.AVX512
	switch {
	case wide && observed && mean:
		avx512ObserveMean(p)
	case wide && observed:
		avx512Observe(p)
	case wide && mean:
		avx512PassMean(p)
	case wide:
		avx512Pass(p)
	case observed && mean:
		avx2ObserveMean(p)
	case observed:
		avx2Observe(p)
	case mean:
		avx2PassMean(p)
	default:
		avx2Pass(p)
	}
}
