package mcmc

import (
	"math"
	"slices"
)

// ess is the effective sample size by Geyer's initial monotone sequence, at
// most S log10 S.
func (d *Diagnostics) ess(x []float64, chains int) float64 {
	if len(x)/chains < 3 || constant(x) {
		return math.NaN()
	}
	d.parts.of(x, chains)
	return d.essAbout(x, d.parts.mean)
}

// essAbout is ess of chains whose means are known.
func (d *Diagnostics) essAbout(x, means []float64) float64 {
	d.centred = append(d.centred[:0], x...)
	n := len(x) / len(means)
	for c, mean := range means {
		chain := d.centred[c*n : (c+1)*n]
		for i := range chain {
			chain[i] -= mean
		}
	}
	return d.geyer(means)
}

// geyer is ess of the centred chains, at least three draws each.
func (d *Diagnostics) geyer(means []float64) float64 {
	chains := len(means)
	n := len(d.centred) / chains
	nf := float64(n)
	first := d.firstAutocovariances(chains)
	variance, next := first[0], first[1]
	meanVar := variance * nf / (nf - 1)
	varPlus := variance
	if chains > 1 {
		varPlus += varianceOfMeans(means)
	}
	rho := slices.Grow(d.rho[:0], n)[:n]
	d.rho = rho
	clear(rho)
	even, odd := 1., 1-(meanVar-next)/varPlus

	// Initial positive sequence: pairs of lags while their sum is positive.
	rho[0], rho[1] = even, odd
	last := 0
	for last < n-5 && even+odd > 0 {
		last += 2
		a, b := first[2], first[3]
		if last > 2 {
			a, b = d.autocovariances(last, chains)
		}
		even, odd = 1-(meanVar-a)/varPlus, 1-(meanVar-b)/varPlus
		if even+odd >= 0 {
			rho[last], rho[last+1] = even, odd
		}
	}
	if even > 0 {
		rho[last] = even
	}
	// Initial monotone sequence: the sums of pairs never rise.
	for t := 2; t <= last-2; t += 2 {
		if rho[t]+rho[t+1] > rho[t-2]+rho[t-1] {
			rho[t] = (rho[t-2] + rho[t-1]) / 2
			rho[t+1] = rho[t]
		}
	}
	sum := 0.
	for _, r := range rho[:max(last, 1)] {
		sum += r
	}
	total := nf * float64(chains)
	tau := max(-1+2*sum+rho[last], 1/math.Log10(total))
	return total / tau
}

// firstAutocovariances are autocovariances at lags 0 and 2: of draws that mix nothing
// else is asked for.
func (d *Diagnostics) firstAutocovariances(chains int) (all [4]float64) {
	n := len(d.centred) / chains
	if chains%2 > 0 || n < 4 {
		all[0], all[1] = d.autocovariances(0, chains)
		if n > 3 {
			all[2], all[3] = d.autocovariances(2, chains)
		}
		return all
	}
	for c := 0; c < chains; c += 2 {
		x, y := laggedFirst(d.centred[c*n:(c+1)*n], d.centred[(c+1)*n:(c+2)*n])
		for k := range all {
			all[k] = all[k] + x[k] + y[k]
		}
	}
	scale := 1 / (float64(n) * float64(chains))
	for k := range all {
		all[k] *= scale
	}
	return all
}

// laggedFirst returns the sums of products at lags 0 to 3 of two chains, of four draws
// at least.
func laggedFirst(x, y []float64) (xs, ys [4]float64) {
	m := len(x) - 3
	y = y[:len(x)]
	x1, x2, x3 := x[1:][:m], x[2:][:m], x[3:][:m]
	y0, y1, y2, y3 := y[:m], y[1:][:m], y[2:][:m], y[3:][:m]
	var a0, a1, a2, a3, b0, b1, b2, b3 float64
	for i, v := range x[:m] {
		w := y0[i]
		a0 += v * v
		a1 += x1[i] * v
		a2 += x2[i] * v
		a3 += x3[i] * v
		b0 += w * w
		b1 += y1[i] * w
		b2 += y2[i] * w
		b3 += y3[i] * w
	}
	xs, ys = [4]float64{a0, a1, a2, a3}, [4]float64{b0, b1, b2, b3}
	for lag := range 3 { // what of the shorter lags is left
		for i := m; i < len(x)-lag; i++ {
			xs[lag] += x[i+lag] * x[i]
			ys[lag] += y[i+lag] * y[i]
		}
	}
	return xs, ys
}

// autocovariances returns the biased autocovariances at a lag and the next,
// averaged over the centred chains. Of draws that mix, few lags are ever asked for.
// A sum waits for each of its additions: those of two lags and of two chains go
// on side by side, each in its order.
func (d *Diagnostics) autocovariances(lag, chains int) (at, next float64) {
	n := len(d.centred) / chains
	for c := 0; c < chains; c += 2 {
		x := d.centred[c*n : (c+1)*n]
		if c+1 == chains {
			a, b, _, _ := lagged(x, x, lag)
			at, next = at+a, next+b
			continue
		}
		a, b, e, f := lagged(x, d.centred[(c+1)*n:(c+2)*n], lag)
		at, next = at+a+e, next+b+f
	}
	scale := 1 / (float64(n) * float64(chains))
	return at * scale, next * scale
}

// lagged returns the sums of products at a lag and the next of two chains.
func lagged(x, y []float64, lag int) (xAt, xNext, yAt, yNext float64) {
	n := len(x)
	y = y[:n]
	m := n - lag - 1
	x1, x2, y0, y1, y2 := x[lag:][:m], x[lag+1:][:m], y[:m], y[lag:][:m], y[lag+1:][:m]
	for i, v := range x[:m] {
		w := y0[i]
		xAt += x1[i] * v
		xNext += x2[i] * v
		yAt += y1[i] * w
		yNext += y2[i] * w
	}
	xAt += x[n-1] * x[m]
	yAt += y[n-1] * y[m]
	return xAt, xNext, yAt, yNext
}

func varianceOfMeans(means []float64) float64 {
	chains := len(means)
	var mean, squares float64
	for c, m := range means {
		delta := m - mean
		mean += delta / float64(c+1)
		squares += delta * (m - mean)
	}
	return squares / float64(chains-1)
}

// moments are those of each of several chains, by Moments.
type moments struct{ mean, variance []float64 }

func (m *moments) of(x []float64, chains int) {
	m.mean, m.variance = slices.Grow(m.mean[:0], chains)[:chains], slices.Grow(m.variance[:0], chains)[:chains]
	n := len(x) / chains
	for c := 0; c < chains; c += 2 {
		e := min(c+1, chains-1)
		m.mean[c], m.variance[c], m.mean[e], m.variance[e] = momentsOfTwo(x[c*n:(c+1)*n], x[e*n:(e+1)*n])
	}
}

// momentsOfTwo is Moments of two chains of the same length, in step.
func momentsOfTwo(x, y []float64) (xMean, xVariance, yMean, yVariance float64) {
	y = y[:len(x)]
	n := float64(len(x))
	for i, v := range x {
		xMean += v
		yMean += y[i]
	}
	xMean /= n
	yMean /= n
	var xSquares, xRest, ySquares, yRest float64
	for i, v := range x {
		a, b := v-xMean, y[i]-yMean
		xSquares += a * a
		xRest += a
		ySquares += b * b
		yRest += b
	}
	return xMean + xRest/n, (xSquares - xRest*xRest/n) / (n - 1), yMean + yRest/n, (ySquares - yRest*yRest/n) / (n - 1)
}

// Moments returns mean and variance (divisor n-1; NaN for one value).
func Moments(x []float64) (mean, variance float64) {
	sum := 0.
	for _, v := range x {
		sum += v
	}
	mean = sum / float64(len(x))
	var squares, rest float64
	for _, v := range x {
		delta := v - mean
		squares += delta * delta
		rest += delta
	}
	n := float64(len(x))
	return mean + rest/n, (squares - rest*rest/n) / (n - 1)
}

// Quantile returns the p quantile of ascending values: type 7 of Hyndman and
// Fan (1996, doi:10.2307/2684934), linear between order statistics. NaN
// without values.
func Quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	h := p * float64(len(sorted)-1)
	lo := math.Floor(h)
	i := int(lo)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	a, b := sorted[i], sorted[i+1]
	// As R weighs them: folding at the median makes ties that must stay
	// ties. Rounding must not lead out of [a, b], so that quantiles ascend.
	return min(max(float64((1-(h-lo))*a)+float64((h-lo)*b), a), b)
}
