package main

import "math"

// bandP is the p-value of the simultaneous band of the cumulated rank
// histogram: counts[k] of the n = sum(counts) ranks are k. The number of ranks
// below k is binomial(n, k/K); the band holds, for every k, the counts whose
// nearer binomial tail is above g, and p is the probability that uniform ranks
// leave the narrowest band that the observed ones touch. p < .01: outside the
// 99 % band. n is at most most, beyond which terms underflow.
//
// Source: Saeilynoja, Buerkner and Vehtari, Statistics and Computing 32 (2022),
// whose simultaneous coverage is computed here without simulation.
func bandP(counts []int) float64 {
	cells, n := len(counts), 0
	for _, c := range counts {
		n += c
	}
	tails := make([]tail, cells)
	g, sum := 1., 0
	for k := 1; k < cells; k++ {
		sum += counts[k-1]
		tails[k] = newTail(n, float64(k)/float64(cells))
		g = min(g, tails[k].nearer(sum))
	}
	g *= 1 + 1e-9 // tails that are equal by symmetry count as equal
	// inside[j] = P(j ranks below k, band kept so far), and its support.
	inside, lo, hi := []float64{1}, 0, 0
	for k := 1; k < cells; k++ {
		l, h := tails[k].above(g)
		next := make([]float64, max(h-l+1, 0))
		p := 1 / float64(cells-k+1) // of cell k-1, for a rank that is not below it
		for j := lo; j <= hi; j++ {
			// Binomial(n-j, p) at i-j, for i = l..h by its recursion.
			i := max(l, j)
			w := inside[j-lo] * math.Exp(logBinomial(n-j, i-j, p))
			for ; i <= h && i <= n; i++ {
				next[i-l] += w
				w *= float64(n-i) / float64(i-j+1) * p / (1 - p)
			}
		}
		inside, lo, hi = next, l, h
	}
	total := 0.
	for _, w := range inside {
		total += w
	}
	return min(max(1-total, 0), 1)
}

// most is the number of replicates that bandP can judge: (1-1/K)^n is a term.
const most = 50_000

// tail holds P(B <= c) of a binomial variable B, for c = 0..n.
type tail struct{ cdf []float64 }

func newTail(n int, p float64) tail {
	t := tail{make([]float64, n+1)}
	sum := 0.
	for c := range t.cdf {
		sum += math.Exp(logBinomial(n, c, p))
		t.cdf[c] = min(sum, 1)
	}
	return t
}

// nearer returns min(P(B <= c), P(B >= c)).
func (t tail) nearer(c int) float64 {
	return min(t.cdf[c], t.from(c))
}

func (t tail) from(c int) float64 {
	if c == 0 {
		return 1
	}
	return 1 - t.cdf[c-1]
}

// above returns the first and last c whose nearer tail exceeds g.
func (t tail) above(g float64) (lo, hi int) {
	for hi = len(t.cdf) - 1; hi > 0 && t.from(hi) <= g; {
		hi--
	}
	for lo < len(t.cdf)-1 && t.cdf[lo] <= g {
		lo++
	}
	return lo, hi
}

func logBinomial(n, c int, p float64) float64 {
	return lgamma(n+1) - lgamma(c+1) - lgamma(n-c+1) + float64(c)*math.Log(p) + float64(n-c)*math.Log1p(-p)
}

func lgamma(n int) float64 {
	v, _ := math.Lgamma(float64(n))
	return v
}
