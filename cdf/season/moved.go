package season

import (
	"math"
	"slices"
)

// A level whose mean jumps is followed by one that hardly returns: behind the jump each row lies in its predictive distribution as
// it should, and phi is nearer to 1 than it is, by what the rows since cannot outweigh. But errors follow each other: those of
// single rows hardly, a thousand together plainly.
//
// The scores are those of some series under the parameters of the posterior: adding each to what those before it predict gives it
// back, but for its scale. Of that series the likelihood is compared under these parameters and under others, with another mean from some
// row on, which is found by what a shift of all later rows would explain (de Jong and Penzer, JASA 93, 1998). If the model is
// right scores are independent, whatever the parameters were, and nothing fits better than chance does.

const (
	// every is after how many scores the mean is judged again, twice as many of a full window, and aside how many there are on either side of
	// a row from which it is another.
	every, aside = 64, 10
	// begins is how many scores a level that rows before the window left may take to fade.
	begins = Window / 8
	// improbable is twice the logarithm of the likelihood ratio that tells of a mean that moved, to which that for all windows is
	// added; usual is what chance often gives, and a mean that moved stays one that did above it.
	improbable, usual = 26., 14.
	// A level that hardly returns, with phi above slow, is now and then like one whose mean moved, by so much more at phi = 1.
	slow, slowly = .95, 7.
	// wild is how many scores may be as far out as scores are remembered: a few, and this part of all. With more, rows far out are what is
	// wrong. hardly is a score whose square is their mean at the least: those that are less tell of how they are stored.
	wild, wilder, hardly = 4, .005, .1
)

// The parameters that are compared: phi, and the variance of the level's steps by that of the noise.
var (
	returns = [...]float64{-.5, 0, .3, .5, .7, .8, .88, .93, .96, .98, .99}
	ratios  = [...]float64{.003, .01, .03, .1, .3, 1, 3, 10}
)

// Level takes phi and the variance of a level's steps by that of its noise, as they are after the rows of the shard.
func (s *Shard) Level(phi, ratio float64) { s.phi, s.ratio = phi, ratio }

// series is room for a series and what a filter makes of it.
type series struct {
	y             []float64 // NaN: none
	w, e, d, gain []float64 // one by the variance of an error, 0 where there is no row; with that weight the error and that of a series of ones; the level's part of it
	observed      float64
}

// rebuild makes the series whose scores these are.
func (x *series) rebuild(scores []int8, phi, ratio float64) {
	n := len(scores)
	for _, v := range []*[]float64{&x.y, &x.e, &x.d, &x.w, &x.gain} {
		*v = slices.Grow((*v)[:0], n)[:n]
	}
	x.observed = 0
	level, p := 0., ratio/(1-phi*phi)
	for t, v := range scores {
		if v == 0 {
			x.y[t] = math.NaN()
			level, p = phi*level, float64(phi*phi*p)+ratio
			continue
		}
		f := p + 1
		e := float64(v) / fine * math.Sqrt(f)
		x.y[t] = level + e
		level = phi * (level + float64(p/f*e))
		p = float64(phi*phi*p/f) + ratio
		x.observed++
	}
}

// fit returns the log likelihoods of the series with one mean and with another from row at on, the best one, up to a constant. The variance
// of the noise is the one that fits best.
func (x *series) fit(phi, ratio float64) (one, two float64, at int) {
	level, ones, p := 0., 0., ratio/(1-phi*phi)
	var squares, logs, cross, weight float64
	product := 1.
	for t, y := range x.y {
		if math.IsNaN(y) {
			level, ones, p = phi*level, phi*ones, float64(phi*phi*p)+ratio
			x.w[t] = 0
			continue
		}
		f := p + 1
		w, e, d := 1/f, y-level, 1-ones
		k, we, wd := p*w, w*e, w*d
		x.e[t], x.d[t], x.w[t], x.gain[t] = we, wd, w, k
		squares += float64(we * e)
		cross += float64(we * d)
		weight += float64(wd * d)
		if product *= f; product > 1e100 {
			logs += math.Log(product)
			product = 1
		}
		level, ones = phi*(level+float64(k*e)), phi*(ones+float64(k*d))
		p = float64(phi*phi*k) + ratio
	}
	logs += math.Log(product)
	mean := cross / weight
	squares -= float64(mean * cross)
	log := func(squares float64) float64 { return -.5 * (float64(x.observed*math.Log(squares)) + logs) }
	gain, at := x.shift(phi, mean, weight)
	return log(squares), log(max(squares-gain, math.SmallestNonzeroFloat64)), at
}

// shift returns by what the sum of squares is less with another mean from the best row on, and that row: of the series of ones from row
// t on, errors are quadratic in what the level was made of those before, so that all rows are tried in one pass from the last one.
func (x *series) shift(phi, mean, weight float64) (float64, int) {
	var r, s, to, through float64 // of the errors and those of ones: sums of what depends on a row, and over rows
	var c0, c1, c2 float64        // squares of ones from a row on, by the level before it
	behind, most, at, per := 0., 0., 0, 1/weight
	for t := len(x.y) - 1; t >= 0; t-- {
		w := x.w[t]
		if w == 0 {
			r, s = phi*r, phi*s
			c1, c2 = phi*c1, phi*phi*c2
			continue
		}
		d, k := x.d[t], phi*x.gain[t]
		e, keep := x.e[t]-float64(mean*d), phi-k
		to += e - float64(k*r)
		through += d - float64(k*s)
		r, s = e+float64(keep*r), d+float64(keep*s)
		c0, c1, c2 = c0+float64(k*(c1+float64(k*c2)))+w, float64(keep*(c1+float64(2*k*c2)))-2*w, float64(keep*keep*c2)+w
		if behind++; behind < aside || x.observed-behind < aside {
			continue
		}
		own := c0 - float64(per*through*through)
		if own > 1e-9*c0 && float64(to*to) > float64(most*own) {
			most, at = to*to/own, t
		}
	}
	return most, at
}

// due reports whether the mean is judged, where there were as many rows before.
func (a *Account) due(before int64) bool {
	each := int64(every)
	if a.Rows > Window {
		each *= 2
	}
	return a.Rows/each > before/each && len(a.Scores) >= least
}

// judgeMean tells whether the mean moved, and when.
func (a *Account) judgeMean(s *Shard) {
	limit := usual
	if a.Moved == 0 {
		limit = improbable + float64(2*math.Log1p(float64(a.Rows)/Window)) + slowly*max(s.phi-slow, 0)/(1-slow)
	}
	ratio, split, at := s.compare(a.Scores, limit)
	switch {
	case ratio < limit:
		a.Moved = 0
	case split > usual && (at >= begins || len(a.Scores) < Window):
		a.Moved = int64(len(a.Scores) - at)
	case a.Moved == 0: // other parameters alone explain the scores, or the level that rows before them left: these had another mean
		a.Moved = int64(len(a.Scores))
	}
}

// compare returns twice the logarithm of the likelihood ratio of other parameters and a mean that moves against the present ones and one
// mean, what of it is the mean's, and from which score on it is another. Where a few of the parameters give less than a third of the limit it is
// theirs: the others seldom add as much, and take most of the time.
func (s *Shard) compare(scores []int8, limit float64) (ratio, split float64, at int) {
	if !(math.Abs(s.phi) < 1 && s.ratio > 0) {
		return 0, 0, 0
	}
	x := &s.series
	if x.rebuild(scores, s.phi, s.ratio); x.observed < least || !told(scores, x.observed) {
		return 0, 0, 0
	}
	now, two, at := x.fit(s.phi, s.ratio)
	one := now
	try := func(phi, ratio float64) {
		l1, l2, row := x.fit(phi, ratio)
		one = max(one, l1)
		if l2 > two {
			two, at = l2, row
		}
	}
	for i := 1; i < len(returns); i += 3 {
		for j := 2; j < len(ratios); j += 3 {
			try(returns[i], ratios[j])
		}
	}
	if 6*(two-now) < limit {
		return 2 * (two - now), 2 * (two - one), at
	}
	for _, ratio := range ratios {
		try(s.phi, ratio)
		for _, phi := range returns {
			try(phi, ratio)
		}
	}
	return 2 * (two - now), 2 * (two - one), at
}

// told reports whether so many scores are more than what is wrong with single rows, or with how scores are stored.
func told(scores []int8, observed float64) bool {
	squares, out := 0., 0.
	for _, v := range scores {
		z := float64(v) / fine
		if squares += float64(z * z); math.Abs(z) >= furthest {
			out++
		}
	}
	return out <= wild+wilder*observed && squares >= hardly*hardly*observed
}
