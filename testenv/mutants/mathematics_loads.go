package main

// ofLoading are states that encode and cannot be loaded, which only a restart would tell.
var ofLoading = []mutant{
	{"loads: discounts whose product is 0", "cdf/spec.go",
		"return max(a*b, least)", "return a * b", "^TestPausesBeforeTheFirstRows$", engine},
	{"loads: a weight of infinite variances", "cdf/score.go",
		"math.IsNaN(weight)", "false", "^TestEveryStateLoads$", registry},
	{"loads: dlm, the reserve is not looked at", "models/dlm/regrid.go",
		"!m.reserve.finite()", "false", "^TestEveryStateLoads$", registry},
	{"loads: compressed, sums beside the estimate are not looked at", "models/compressed/sketch_summary.go",
		"return finite(numbers[:], m.c", "return true || finite(numbers[:], m.c", "^TestEveryStateLoads$", registry},
	{"loads: anova, a node beyond its lattice", "models/anova/quadrature.go",
		"math.IsNaN(log)", "false", "^TestEveryStateLoads$", registry},
	{"loads: linear, squares whose sum is infinite", "models/linear/bidiagonal.go",
		"return lin.Finite(q.mass())", "return lin.Finite(q.a2...) && lin.Finite(q.c2...) && lin.Finite(q.b2, q.rho2)", "^TestEveryStateLoads$", registry},
}
