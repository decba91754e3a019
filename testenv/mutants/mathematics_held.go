package main

// ofHeldOut are faults of how a first shard judges itself.
var ofHeldOut = []mutant{
	{"held out: every other row", "cdf/rows.go",
		"uint64(i)*golden>>63 == half", "uint64(i)%2 == half", "^TestHoldOut$", engine},
	{"held out: rows in their order", "cdf/rows.go",
		"mixed.Shuffle(len(half),", "mixed.Shuffle(0*len(half),", "^TestOneSortedShardIsJudged$", account},
	{"held out: groups of the whole shard", "cdf/rows.go",
		"inOrder(gather(r.group[k], g, order, 1))", "gather(r.group[k], g, order, 1)", "^TestHoldOut$", engine},
	{"held out: by a model that has seen it", "cdf/score.go",
		"e, err := w.spare.begin(f.spec, s.design)", "e, err := f.engine, error(nil)", "^TestHoldOut$", engine},
	{"held out: every shard", "cdf/score.go",
		"s.neff < leastHeld/2)", "s.neff < 1e9)", "^TestHoldOut$", engine},
	{"held out: behind no row alone", "cdf/score.go",
		"s.neff < leastHeld/2)", "s.neff == 0)", "^TestHoldOutBehindFewRows$", engine},
	{"held out: judged by few rows as well", "cdf/score.go",
		"s.scaling.frozen && !s.holdsOut(observed)", "s.scaling.frozen", "^TestHoldOutBehindFewRows$", engine},
	{"held out: few rows", "cdf/score.go",
		"observed >= leastHeld &&", "observed >= leastHeld/2 &&", "^TestNothingIsHeldOut$", engine},
	{"held out: steps in any order", "cdf/score.go",
		"w.halves.divide(&w.shard, f.spec.Steps)", "w.halves.divide(&w.shard, false)", "^TestHoldOutOfSteps$", engine},
	{"held out: a season goes on behind steps that nobody told", "cdf/score.go",
		"s.account.season = nil // steps", "_ = s.account.season // steps", "^TestHoldOutBeginsSeasonAnew$", engine},
	{"held out: curves of one shard", "cdf/curved/curved.go",
		"size := min(most, (len(all)+fewest-1)/fewest)", "size := len(all)", "^TestOneShardIsJudged$", account},
}
