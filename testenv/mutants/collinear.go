package main

var (
	collinear = []string{"./cmd/consumer/collinear"}
	drafts    = []string{"./cmd/consumer/draft", "./cmd/consumer/check"}
)

// ofColumns are faults of what is said of columns that follow from others.
var ofColumns = []mutant{
	{"what may be chance is said to follow", "cmd/consumer/collinear/find.go",
		"float64(spare)*math.Log(commonest(values)) < math.Log(chance)", "true", "TestWhatFollows|TestUnrelatedColumns", collinear},
	{"with as few rows as there are coefficients", "cmd/consumer/collinear/find.go",
		"if spare < fewest {", "if spare < 1 {", "TestWhatFollows", collinear},
	{"the fine factor is left out", "cmd/consumer/collinear/block.go",
		"cmp.Compare(size(b), size(a))", "cmp.Compare(size(a), size(b))", "TestWhatFollows", collinear},
	{"what nearly follows does", "cmd/consumer/collinear/basis.go",
		"rounded = 1e-3", "rounded = .5", "TestWhatFollows", collinear},
	{"rows that the model drops count", "cmd/consumer/collinear/block.go",
		"used[i] = used[i] && !math.IsNaN(x) && !math.IsInf(x, 0)", "used[i] = used[i] && true || math.IsNaN(x)", "TestRowsThatAreDropped", collinear},
	{"what follows in some keys does in all", "cmd/consumer/collinear/find.go",
		"return f.Keys == f.Of", "return true", "TestWhatFollowsWithinKeys", collinear},
	{"a draft asks for a higher limit of columns", "cmd/consumer/draft/command.go",
		"!errors.As(err, &wide)", "true", "TestTooWideToDraft", []string{"./cmd/consumer"}},
	{"a draft keeps what follows", "cmd/consumer/draft/follow.go",
		"m.formula == nil && f.Everywhere() && i >= 0", "false && i >= 0", "TestSuggest", drafts},
	{"check does not say what follows", "cmd/consumer/check/sample.go",
		"\ti.follow(k)\n", "", "TestFeaturesThatFollow", drafts},
}
