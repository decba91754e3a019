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
		"unit < a.Unit {", "false {", "^TestGaps$", seasons},
	{"season: scores grow a state", "cdf/season/codec.go",
		"make([]byte, Window-len(a.Scores))", "nil", "^TestRoom$", seasons},
}
