package main

import (
	"math"
	"testing"
)

// radonReference integrates the model over a grid of both variances; given
// these the middle and the counties are normal.
func radonReference(_ *testing.T, data *rows) map[string]reference {
	const rowsOfScaling = 60 // three shards of 20: the first that hold 50 rows
	level := data.number("log_radon")
	centre, scale := moments(level[:rowsOfScaling])
	type sums struct{ n, mean, squares float64 }
	by := map[string]*sums{}
	var order []*sums
	within, rows := 0., float64(len(level))
	for i, name := range data.text("county") {
		s := by[name]
		if s == nil {
			s = new(sums)
			by[name], order = s, append(order, s)
		}
		z := (level[i] - centre) / scale
		s.n++
		d := z - s.mean
		s.mean += d / s.n
		s.squares += d * (z - s.mean)
	}
	for _, s := range order {
		within += s.squares
	}
	k := float64(len(order))
	taus, sigmas := even(-8, 0, 160), even(-.6, .5, 80)
	tau, sigma := newGrid(taus), newGrid(sigmas)
	var mu mixture
	names := []string{"LAC QUI PARLE", "BLUE EARTH", "ST LOUIS"}
	zeta := make([]mixture, len(names))
	best := math.Inf(-1)
	for pass := range 2 { // the first finds the top
		for i, lt := range taus {
			for j, ls := range sigmas {
				t2, s2 := math.Exp(lt), math.Exp(ls)
				var w, wy, wyy, logs float64
				for _, s := range order {
					v := t2 + s2/s.n
					w, wy, wyy, logs = w+1/v, wy+s.mean/v, wyy+s.mean*s.mean/v, logs+math.Log(v)
				}
				l := inverseGamma(lt, .5, .005) + inverseGamma(ls, 1, 1) - (rows-k)/2*ls - within/2/s2 -
					(logs+math.Log(w)+wyy-wy*wy/w)/2
				if pass == 0 {
					best = max(best, l)
					continue
				}
				p := math.Exp(l - best)
				tau.weight[i] += p
				sigma.weight[j] += p
				if p < 1e-8 {
					continue
				}
				m := wy / w
				mu.add(p, m, math.Sqrt(1/w))
				for c, name := range names {
					s := by[name]
					b := t2 / (t2 + s2/s.n)
					zeta[c].add(p, b*s.mean+(1-b)*m, math.Sqrt((1-b)*t2+(1-b)*(1-b)/w))
				}
			}
		}
	}
	back := func(z float64) float64 { return math.Exp(centre + scale*z) }
	sd := func(l float64) float64 { return scale * math.Exp(l/2) }
	out := map[string]reference{
		"middle of all counties, pCi/L":            mu.reference(.03, back),
		"sd between counties, log scale":           tau.reference(.06, sd),
		"sd between houses of a county, log scale": sigma.reference(.03, sd),
	}
	for c, name := range names {
		out[name+", pCi/L"] = zeta[c].reference(.06, back)
		out[name+", mean of its houses alone, pCi/L"] = reference{median: back(by[name].mean), share: 1e-9}
	}
	return out
}

// TestRadonIsTheTextbooks compares with the model M0 of Gelman and Hill, Data
// Analysis Using Regression and Multilevel/Hierarchical Models (2007), section
// 12.4, printed as 1.31 (0.05), 0.31 and 0.80. R 4.2.2 with lme4 1.1-31,
// lmer(log_radon ~ 1 + (1 | county)), says 1.3126 (0.0489), 0.3095 and 0.7979
// for these data.
func TestRadonIsTheTextbooks(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: see each")
	}
	r, err := ran["radon"]()
	if err != nil {
		t.Fatal(err)
	}
	p := r.last("minnesota")
	for _, c := range []struct {
		what             string
		got, want, allow float64
	}{
		{"mu", p.of("mu").Mean, 1.3126, .1 * .0489},
		{"its sd", p.of("mu").SD, .0489, .05 * .0489},
		{"sd between counties", math.Sqrt(p.of("tau2").Median), .3095, .02}, // a mode beside a median
		{"sd between houses", math.Sqrt(p.of("sigma2").Median), .7979, .005},
	} {
		if math.Abs(c.got-c.want) > c.allow {
			t.Errorf("%s is %g, want %g within %g", c.what, c.got, c.want, c.allow)
		}
	}
}
