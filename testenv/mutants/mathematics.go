package main

import "slices"

// golden finds what no test of a law shows: the numbers move.
const golden = "^TestGoldenSnapshots$"

// The packages whose tests must find a fault of a kind of model: that kind's.
var (
	linear     = []string{"./models/linear"}
	anova      = []string{"./models/anova"}
	dlm        = []string{"./models/dlm"}
	probit     = []string{"./models/probit"}
	compressed = []string{"./models/compressed"}
	poisson    = []string{"./models/poisson"}
	registry   = []string{"./models"}
)

// mathematics are faults of the arithmetic, spread over all kinds, variants
// and modes. Each names a test that finds it, the first of its package at the
// time; others may.
var mathematics = slices.Concat(ofLinear, ofAnova, ofDLM, ofProbit, ofCompressed, ofPoisson, ofLaws, ofEngine)
