package main

var tails = []string{"./cdf/tails"}

// ofTails are faults of how heavy tails and skewed errors are told.
var ofTails = []mutant{
	{"tails: a misfit is a heavy tail", "cdf/tails/tails.go",
		"heavy = c.likeliest(rows, e-plain, moves[:]) <= e-plain", "heavy = true", "^TestHeavyAndSkewed$", tails},
	{"tails: skewed errors are heavy tails", "cdf/tails/tails.go",
		"split(q-mode, below, above)", "split(q-mode, max(0*below, above), above)", "^TestHeavyAndSkewed$", tails},
	{"tails: sooner than chance allows", "cdf/tails/tails.go",
		"doubtful = 6.9078", "doubtful = 2.9078", "^TestFalseAlarms$", tails},
	{"tails: t of another scale", "cdf/tails/tails.go",
		"student(q / scale)", "student(q * scale)", "^TestHeavyAndSkewed$", tails},
	{"tails: a law that is none", "cdf/tails/tails.go",
		"return 1 - above/all*", "return 1 - below/all*", "^TestLaws$", tails},
	{"tails: predictions that were too wide", "cdf/arrivals.go",
		"fits := !a.wide(total)", "fits := total > 0", "^TestHeavyTails$", account},
	{"tails: a misfit is skewed errors", "cdf/tails/tails.go",
		"skewed = c.likeliest(rows, e-plain, moves[:alike]) <= e-plain", "skewed = true", "^TestHeavyAndSkewed$", tails},
	{"tails: errors of two values are skewed", "cdf/tails/tails.go",
		"lopsided(&both, &below) > uneven", "lopsided(&both, &below) >= 0", "^TestHeavyAndSkewed$", tails},
	{"tails: skewed errors are those of another sd on each side", "cdf/tails/tails.go",
		"moves[:alike]) <= e-plain", "moves[:]) <= e-plain", "^TestHeavyAndSkewed$", tails},
	{"tails: one tail alone is looked at", "cdf/tails/tails.go",
		"either + math.Abs(more)", "either + more", "^TestHeavyAndSkewed$", tails},
	{"tails: skewed laws without a normal part", "cdf/tails/tails.go",
		"either = .02", "either = 1e-300", "^TestHeavyAndSkewed$", tails},
	{"tails: a gamma law of another shape", "cdf/tails/tails.go",
		"for k := 1; k < shape; k++ {", "for k := 1; k <= shape; k++ {", "^TestLaws$", tails},
	{"tails: skewed errors never told", "cdf/account.go",
		"{SkewedFlag, skewed},", "{SkewedFlag, false},", "^TestSkewedErrors$", account},
	{"tails: never told", "cdf/account.go",
		"{heavyTails, heavy},", "{heavyTails, false},", "^TestHeavyTails$", account},
}
