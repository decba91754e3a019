package main

var seasons = []string{"./cdf/season"}

// ofSeasons are faults of how errors that return are told.
var ofSeasons = []mutant{
	{"season: windows are not paid for", "cdf/season/season.go",
		"unlikely + 2*math.Log1p(float64(a.Rows)/Window)", "unlikely / 2", "^TestNoSeason$", seasons},
	{"season: a broad spectrum is a line", "cdf/season/spectrum.go",
		"max(s.around(power, k, points/n), 1)", "1", "^TestNoLine$", seasons},
	{"season: steps without a row take no time", "cdf/season/season.go",
		"for range int(missing) {", "for range 0 * int(missing) {", "^TestGaps$", seasons},
	{"season: a lesser gap is none", "cdf/season/season.go",
		"unit >= a.Unit {", "true {", "^TestGaps$", seasons},
	{"season: a gap beyond the window leaves the unit", "cdf/season/season.go",
		"|| len(a.Scores) != 1 {", "|| true {", "^TestOddReading$", seasons},
	{"season: a lesser gap stays for good", "cdf/season/season.go",
		"if gap < 2 || gap == Window ||", "if true ||", "^TestOddReading$", seasons},
	{"season: a wider unit shifts scores", "cdf/season/season.go",
		"(i - first + gap/2) / gap", "i / gap", "^TestWiden$", seasons},
	{"season: a unit without a bound", "cdf/season/season.go",
		"|| a.Unit > longest/int64(gap) {", "{", "^TestWiden$", seasons},
	{"season: steps behind the last row of a shard slip", "cdf/season/season.go",
		"a.pass(a.units(s.steps))", "a.pass(a.units(s.steps+1) - 1)", "^TestStepsBehindTheLastRow$", seasons},
	{"season: rows of one time begin an account", "cdf/account.go",
		"if !s.Moves() {", "if false {", "^TestRowsOfOneTime$", account},
	{"season: scores grow a state", "cdf/season/codec.go",
		"make([]byte, Window-len(a.Scores))", "nil", "^TestRoom$", seasons},
}
