package main

var repeats = []string{"./cdf/repeated"}

// ofRepeats are faults of how shards that come more than once are told.
var ofRepeats = []mutant{
	{"repeats: what all rows have is evidence", "cdf/repeated/shard.go",
		"float64(equal+1))", "float64(0*equal+1))", "^TestBits$", repeats},
	{"repeats: what the model knows is evidence", "cdf/repeated/shard.go",
		"unit > 0 && told >= Least", "unit > 1e9 && told >= Least", "^TestNoRepeats$", account},
	{"repeats: any shard is remembered", "cdf/repeated/sketch.go",
		"!(sh.Bits >= Least)", "!(sh.Bits >= 0*Least)", "^TestBitsOfRepeats$", repeats},
	{"repeats: chance is told of", "cdf/repeated/sketch.go",
		"s.Again.Bits >= certain &&", "", "^TestBitsOfRepeats$", repeats},
	{"repeats: one of many is told of", "cdf/repeated/sketch.go",
		"matters = .05", "matters = .005", "^TestOneOfMany$", repeats},
	{"repeats: only the last are remembered", "cdf/repeated/sketch.go",
		"s.Least[place] = print", "s.Least[place] = 1", "^TestFileSentAgain$", repeats},
	{"repeats: a file stands for itself", "cdf/repeated/sketch.go",
		"return float64(a.Rows) + float64(a.Beyond)", "return float64(a.Rows)", "^TestFileSentAgain$", repeats},
	{"repeats: an old shard is a stretch", "cdf/repeated/sketch.go",
		"if a.Far < 2 {", "if a.Far < 1 {", "^TestOneOldShard$", repeats},
	{"repeats: nothing is forgotten", "cdf/repeated/sketch.go",
		"a.Shards > 0 && forget < 1", "false && forget < 1", "^TestForgotten$", repeats},
	{"repeats: columns are no part of a shard", "cdf/intake.go",
		"{at.sources, at.groups, at.slopes}", "{at.groups, at.slopes}", "^TestWhatARepeatIs$", engine},
	{"repeats: an unknown part is damage", "cdf/codec.go",
		"} else if bits&^allParts != 0 {", "} else if false {", "^TestParts$", engine},
}
