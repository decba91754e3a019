package main

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// strikeReference is the mode of the posterior of all rows at once, by Newton's
// method, with the normal law of the curvature there: with 7,150 rows and four
// coefficients the posterior is as good as normal. All but 500 rows have left the
// window of the model and count by a quadratic: that costs up to 0.1 of a width.
func strikeReference(t *testing.T, data *rows) map[string]reference {
	speed, damaged := data.number("speed"), data.number("damaged")
	centre, scale := moments(speed[:100]) // the first shard
	design := make([]*mat.VecDense, len(speed))
	for i, s := range data.text("size") {
		x := []float64{1, (speed[i] - centre) / scale, 0, 0}
		switch s {
		case "medium":
			x[2] = 1
		case "large":
			x[3] = 1
		}
		design[i] = mat.NewVecDense(4, x)
	}
	b, cov := probitMode(t, design, damaged, []float64{10, 1, 1, 1})
	of := func(through func(float64) float64, weights ...float64) reference {
		w := mat.NewVecDense(4, weights)
		m, sd := mat.Dot(w, b), math.Sqrt(mat.Inner(w, cov, w))
		return reference{through(m), through(m - z95*sd), through(m + z95*sd), .1}
	}
	percent := func(eta float64) float64 { return 100 * phi(eta) }
	share := func(knots, medium, large float64) reference {
		return of(percent, 1, (knots-centre)/scale, medium, large)
	}
	return map[string]reference{
		"small bird at 150 knots, % damaged":  share(150, 0, 0),
		"medium bird at 150 knots, % damaged": share(150, 1, 0),
		"large bird at 150 knots, % damaged":  share(150, 0, 1),
		"large bird at 100 knots, % damaged":  share(100, 0, 1),
		"large bird at 250 knots, % damaged":  share(250, 0, 1),
		"speed, probit per 100 knots":         of(times(100/scale), 0, 1, 0, 0),
		"medium rather than small, probit":    of(same, 0, 0, 1, 0),
		"large rather than small, probit":     of(same, 0, 0, 0, 1),
	}
}

// probitMode returns the mode of a probit regression's posterior and the inverse
// of the curvature there, for rows of design with responses 0 or 1 and independent
// normal priors of the given variances.
func probitMode(t *testing.T, design []*mat.VecDense, y, prior []float64) (b *mat.VecDense, cov *mat.SymDense) {
	t.Helper()
	p := len(prior)
	b, cov = mat.NewVecDense(p, nil), new(mat.SymDense)
	var chol mat.Cholesky
	for range 50 {
		gradient, curvature := mat.NewVecDense(p, nil), mat.NewSymDense(p, nil)
		for j, v := range prior {
			gradient.SetVec(j, -b.AtVec(j)/v)
			curvature.SetSym(j, j, 1/v)
		}
		for i, x := range design {
			eta, sign := mat.Dot(x, b), 2*y[i]-1
			ratio := sign * math.Exp(-eta*eta/2) / math.Sqrt(2*math.Pi) / phi(sign*eta)
			gradient.AddScaledVec(gradient, ratio, x)
			curvature.SymRankOne(curvature, ratio*(ratio+eta), x)
		}
		if !chol.Factorize(curvature) {
			t.Fatal("the curvature is not positive")
		}
		var step mat.VecDense
		if err := chol.SolveVecTo(&step, gradient); err != nil {
			t.Fatal(err)
		}
		b.AddVec(b, &step)
	}
	if err := chol.InverseTo(cov); err != nil {
		t.Fatal(err)
	}
	return b, cov
}
