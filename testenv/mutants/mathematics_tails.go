package main

var tails = []string{"./cdf/tails"}

// ofTails are faults of how heavy tails are told.
var ofTails = []mutant{
	{"tails: a misfit is a heavy tail", "cdf/tails/tails.go",
		"return c.likeliest(rows, evidence-plain) <= evidence-plain", "return true", "^TestHeavy$", tails},
	{"tails: skewed errors are heavy tails", "cdf/tails/tails.go",
		"split(q-mode, below, above)", "split(q-mode, max(0*below, above), above)", "^TestHeavy$", tails},
	{"tails: sooner than chance allows", "cdf/tails/tails.go",
		"doubtful = 6.9078", "doubtful = 2.9078", "^TestFalseAlarms$", tails},
	{"tails: t of another scale", "cdf/tails/tails.go",
		"student(q / scale)", "student(q * scale)", "^TestHeavy$", tails},
	{"tails: a law that is none", "cdf/tails/tails.go",
		"return 1 - above/all*", "return 1 - below/all*", "^TestLaws$", tails},
	{"tails: predictions that were too wide", "cdf/arrivals.go",
		"return !a.wide(total)", "return total > 0", "^TestHeavyTails$", account},
	{"tails: never told", "cdf/account.go",
		"{heavyTails, heavy},", "{heavyTails, false},", "^TestHeavyTails$", account},
}
