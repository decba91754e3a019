package main

// ofHeldOut are faults of how a first shard judges itself.
var ofHeldOut = []mutant{
	{"held out: every other row", "cdf/rows.go",
		"uint64(i)*golden>>63 == half", "uint64(i)%2 == half", "^TestHoldOut$", engine},
	{"held out: groups of the whole shard", "cdf/rows.go",
		"inOrder(gather(r.group[k], g, order, 1))", "gather(r.group[k], g, order, 1)", "^TestHoldOut$", engine},
	{"held out: by a model that has seen it", "cdf/score.go",
		"e, err := w.spare.begin(f.spec, s.design)", "e, err := f.engine, error(nil)", "^TestHoldOut$", engine},
	{"held out: every shard", "cdf/absorb.go",
		"!judged && s.scaling.frozen", "(!judged || s.t > 0) && s.scaling.frozen", "^TestHoldOut$", engine},
	{"held out: the first shard alone", "cdf/absorb.go",
		"s.n > 0 && s.scaling.frozen\n", "s.n > 0\n", "^TestHoldOutBehindFewRows$", engine},
	{"held out: few rows", "cdf/score.go",
		"w.shard.Observed() < leastHeld", "w.shard.Observed() < leastHeld/2", "^TestNothingIsHeldOut$", engine},
	{"held out: steps in any order", "cdf/score.go",
		"w.halves.divide(&w.shard, f.spec.Steps)", "w.halves.divide(&w.shard, false)", "^TestHoldOutOfSteps$", engine},
	{"held out: curves of one shard", "cdf/curved/curved.go",
		"size := min(most, (len(all)+fewest-1)/fewest)", "size := len(all)", "^TestOneShardIsJudged$", account},
}
