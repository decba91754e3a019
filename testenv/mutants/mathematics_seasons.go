package main

var seasons = []string{"./cdf/season"}

// ofSeasons are faults of how errors that return are told.
var ofSeasons = []mutant{
	{"season: windows are not paid for", "cdf/season/season.go",
		"unlikely + 2*math.Log1p(float64(a.Rows)/Window)", "unlikely / 2", "^TestNoSeason$", seasons},
	{"season: a broad spectrum is a line", "cdf/season/spectrum.go",
		"max(s.around(power, k, points/n), 1)", "1", "^TestNoLine$", seasons},
	{"season: steps without a row take no time", "cdf/season/unit.go",
		"for range int(missing) {", "for range 0 * int(missing) {", "^TestGaps$", seasons},
	{"season: the least gap is the unit for good", "cdf/season/unit.go",
		"size < 1 && a.Rows < beginning", "size < 1", "^TestTimes$", seasons},
	{"season: any pause is a gap of its length", "cdf/season/unit.go",
		"min(size, pause)", "size", "^TestTimes$", seasons},
	{"season: a lesser gap stays for good", "cdf/season/unit.go",
		"case a.Sparse >= grain*enough:", "case false:", "^TestTimes$", seasons},
	{"season: a wide unit stays for good", "cdf/season/unit.go",
		"case a.Crowded >= grain*enough/8:", "case false:", "^TestUnitFollows$", seasons},
	{"season: times slip", "cdf/season/unit.go",
		"a.Rest = int64(at - float64(units*float64(a.Unit)))", "a.Rest = 0", "^TestTimes$", seasons},
	{"season: another unit shifts scores", "cdf/season/unit.go",
		"math.Round(float64(last-i) * by)", "float64(last - i)", "^TestResize$", seasons},
	{"season: what passed before a key is a gap", "cdf/season/unit.go",
		"|| a.Rows == 1 {", "{", "^TestGaps$", seasons},
	{"season: steps behind the last row of a shard slip", "cdf/season/unit.go",
		"a.leave(a.advance(steps))", "a.leave(a.advance(steps) + 1)", "^TestStepsBehindTheLastRow$", seasons},
	{"season: a clock of any numbers", "cdf/season/season.go",
		" && a.possible(a.Unit)", "", "^TestClockCodec$", seasons},
	{"season: a part of the period is told", "cdf/season/spectrum.go",
		"part <= parts;", "part <= 1;", "^TestSpike$", seasons},
	{"season: rows of one time begin an account", "cdf/account.go",
		"if !s.Moves() {", "if false {", "^TestRowsOfOneTime$", account},
	{"season: scores grow a state", "cdf/season/codec.go",
		"make([]byte, Window-len(a.Scores))", "nil", "^TestRoom$", seasons},
}
