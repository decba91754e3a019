package main

import "slices"

// golden finds what no test of a law shows: the numbers move.
const golden = "^TestGoldenSnapshots$"

// The packages whose tests must find a fault of a kind of model: that kind's.
var (
	linear     = []string{"./models/linear"}
	qr         = []string{"./models/internal/qr"}
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
var mathematics = slices.Concat(ofLinear, ofAnova, ofDLM, ofProbit, ofCompressed, ofSketch, ofDraws, ofPoisson, ofLaws, ofEngine, ofAlgebra, ofClock, ofErrors, ofRepeats, ofTwice, ofReliability, ofSeasons, ofCurves, ofBounds, ofTails, ofUnequal, ofFar, ofLoading, ofHeldOut, ofAlike, ofBench)

// ofBench are faults of the table of make bench.
var ofBench = []mutant{
	{"a ratio of times upside down", "testenv/bench/row.go",
		"return alternative / ours", "return ours / alternative", "^TestRatioIsLargerWhereWeAreBetter$", table},
	{"a row without its peer is ok", "testenv/bench/row.go",
		"r.OK = r.Ratio >= r.Target", "r.OK = !(r.Ratio < r.Target)", "^TestLackingPeersLeaveARow$|^TestAgainstNobody$", table},
	{"a batch that failed counts as the least", "testenv/bench/duel.go",
		"\tcase math.IsNaN(q.cpu):\n\t\treturn p\n", "", "^TestDuelTakesTurns$", table},
}
