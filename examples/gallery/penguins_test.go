package main

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// leastSquares returns coefficients and their covariance by normal equations.
func leastSquares(t *testing.T, x [][]float64, y []float64) (b *mat.VecDense, cov *mat.SymDense) {
	t.Helper()
	n, p := len(y), len(x[0])
	design := mat.NewDense(n, p, nil)
	for i, r := range x {
		design.SetRow(i, r)
	}
	var xx mat.SymDense
	xx.SymOuterK(1, design.T())
	var chol mat.Cholesky
	if !chol.Factorize(&xx) {
		t.Fatal("collinear columns")
	}
	var xy mat.VecDense
	xy.MulVec(design.T(), mat.NewVecDense(n, y))
	b, cov = new(mat.VecDense), new(mat.SymDense)
	if err := chol.SolveVecTo(b, &xy); err != nil {
		t.Fatal(err)
	}
	if err := chol.InverseTo(cov); err != nil {
		t.Fatal(err)
	}
	var fit mat.VecDense
	fit.MulVec(design, b)
	rss := 0.
	for i, v := range y {
		rss += (v - fit.AtVec(i)) * (v - fit.AtVec(i))
	}
	cov.ScaleSym(rss/float64(n-p), cov)
	return b, cov
}

// penguinReference is ordinary least squares with its confidence intervals,
// which the posterior of nearly flat priors has as well. The prior of sigma2
// makes the posterior's 2 % wider: 0.01 of the width on either side.
func penguinReference(t *testing.T, data *rows) map[string]reference {
	flipper, mass := data.number("flipper_mm"), data.number("mass_g")
	species, sex := data.text("species"), data.text("sex")
	is := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	var alone, beside [][]float64
	for i, f := range flipper {
		alone = append(alone, []float64{1, f})
		beside = append(beside, []float64{1, f, is(species[i] == "Chinstrap"), is(species[i] == "Gentoo"), is(sex[i] == "male")})
	}
	of := func(x [][]float64, j int) reference {
		b, cov := leastSquares(t, x, mass)
		half := distuv.StudentsT{Sigma: 1, Nu: float64(len(mass) - len(x[0]))}.Quantile(.975) * math.Sqrt(cov.At(j, j))
		return reference{b.AtVec(j), b.AtVec(j) - half, b.AtVec(j) + half, .02}
	}
	return map[string]reference{
		"flipper alone, g per mm":                  of(alone, 1),
		"flipper beside species and sex, g per mm": of(beside, 1),
		"male, g more than female":                 of(beside, 4),
		"Chinstrap, g more than Adelie":            of(beside, 2),
		"Gentoo, g more than Adelie":               of(beside, 3),
	}
}
