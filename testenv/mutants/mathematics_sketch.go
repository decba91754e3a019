package main

// ofSketch are faults of compressed regression that were thought of rule by rule.
var ofSketch = []mutant{
	{"compressed: arriving columns have the unit 1", "models/compressed/ridge.go",
		"r.z[j] = math.Sqrt(square)", "_ = square", "^TestArrivingColumnsHaveTheirSD$", compressed},
	{"compressed: arriving columns forget their own row", "models/compressed/ridge.go",
		"square := r.weight + 1", "square := r.weight", "^TestArrivingColumnsHaveTheirSD$", compressed},
	{"compressed: what rows share is far off in all of them", "models/compressed/ridge.go",
		"r.z[j] *= math.Sqrt(r.weight+1) * r.scale[j] / most", "r.z[j] = math.Sqrt(r.weight + 1 + 0*most)", "^TestWhatArrivingColumnsShare$", compressed},
	{"compressed: what the prior alone says is what rows told", "models/compressed/ridge.go",
		"t.Untold(s2*r.rows.prior[i], s2+line[i])", "t.Untold(0*s2*r.rows.prior[i], s2+line[i])", "^TestWhatArrivingColumnsShare$", compressed},
	{"compressed: sketch: columns that never varied are told", "models/compressed/sketch_summary.go",
		"func(column int) bool { return m.ss[column] == 0 }", "func(int) bool { return false }", "^TestUntoldColumns$", compressed},
	{"compressed: untold columns by the mode of sigma2", "models/compressed/prior.go",
		"rate / (shape - 1) * math.Exp(logKappa)", "rate / (shape + 1) * math.Exp(logKappa)", "^TestUntoldColumns$", compressed},
}
