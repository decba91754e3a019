package main

var errorsInCommon = []string{"./cdf/correlated"}

// ofErrors are faults of how errors in common are told.
var ofErrors = []mutant{
	{"account: rows share no more than a mean and a scale", "cdf/account.go",
		"max(shared/(neff+shared), part)", "max(shared/(neff+shared), 0*part)", "^TestCorrelatedErrors$", account},
	{"account: no errors in common", "cdf/account.go",
		"a.errors.Add(shardOf(&rows, predicted.Shared), a.past())", "_ = shardOf(&rows, predicted.Shared)", "^TestCorrelatedErrors$", account},
	{"account: errors in common of the scores of before", "cdf/account.go",
		"s.Scores += float64(float64(n) * classScores[k])", "s.Scores += float64(n) * float64(k)", "^TestCorrelatedErrors$", account},
	{"account: a sum of errors that cannot be", "cdf/codec.go",
		"|| !e.Valid() {", "{", "^TestErrorsInSnapshots$", engine},
	{"errors: what the state shares is no excuse", "cdf/correlated/errors.go",
		"1 + float64(e.Shared)*(n-1)/n + n/past.Rows", "1 + 0*float64(e.Shared) + n/past.Rows", "^TestErrors$", errorsInCommon},
	{"errors: beside 0, not the mean", "cdf/correlated/errors.go",
		"- float64(n*past.Mean)", "- 0*float64(n*past.Mean)", "^TestMeanOfScores$", errorsInCommon},
	{"errors: a block is an alarm", "cdf/correlated/errors.go",
		"min(statistic, furthest)", "min(statistic, 1e9*furthest)", "^TestBlocks$", errorsInCommon},
	{"errors: without slack", "cdf/correlated/errors.go",
		"slack    = 1.5", "slack    = .9", "^TestErrors$", errorsInCommon},
	{"errors: before scores are known", "cdf/correlated/errors.go",
		"past.Rows >= leastRows &&", "past.Rows >= 0*leastRows &&", "^TestNotJudged$", errorsInCommon},
	{"probit: rows share nothing", "models/probit/score.go",
		"part = variance / v * told", "part = 1e-12 * variance / v * told", "^TestShareIsTheCorrelationOfScores$", []string{"./models/probit"}},
	{"poisson: rows share nothing", "models/poisson/mass.go",
		"max(sd*sd-s2e, 0)", "1e-12*max(sd*sd-s2e, 0)", "^TestCorrelatedErrors$", account},
	{"account: rows of groups share as much as all", "cdf/score.go",
		"if len(s.factors) > 0 {", "if len(s.factors) > 0 && false {", "^TestMisfitOfGroupsIsFound$", account},
	{"linear: lines share nothing", "models/internal/predictive/tally.go",
		"t.Out.Shared = t.line / t.variance", "t.Out.Shared = 1e-12 * t.line / t.variance", "^TestCorrelatedErrors$", account},
	{"rounding: what is behind flags is compared", "cdf/snapshot.go",
		"	to.pit, to.fallen = account.pit, account.fallen", "	float(&to.fallen, account.fallen)", "^TestMayBeJudgedOtherwise$", engine},
}
