package main

var (
	curves     = []string{"./cdf/curved"}
	predictive = []string{"./models/internal/predictive"}
)

// ofCurves are faults of how curves that a model lacks are told.
var ofCurves = []mutant{
	{"curved: what rows of a shard share is a curve", "cdf/curved/curved.go",
		"if d *= d; d > variance {", "if d *= d; false {", "^TestNoCurve$", curves},
	{"curved: a curve is noise of shards", "cdf/curved/curved.go",
		"d := off - float64(float64(c.Off)*per)", "d := off - 0*float64(float64(c.Off)*per)", "^TestCurve$", curves},
	{"curved: a slope is a curve", "cdf/curved/curved.go",
		"c.Slope += float32(gain * products[k])", "c.Slope += 0 * float32(gain*products[k])", "^TestNoCurve$", curves},
	{"curved: scores that are too high are a curve", "cdf/curved/curved.go",
		"c.Level += float32(gain * weights[k])", "c.Level += 0 * float32(gain*weights[k])", "^TestNoCurve$", curves},
	{"curved: one value decides", "cdf/curved/curved.go",
		"max(c.Variance, leastVariance*a.Rows)", "c.Variance", "^TestCurved$", curves},
	{"curved: what hardly matters is told", "cdf/curved/curved.go",
		"departure*float64(a.Rows))", "0*departure*float64(a.Rows))", "^TestNoCurve$|^TestCurved$", curves},
	{"curved: many columns are as good as one", "cdf/curved/curved.go",
		"float64(2*math.Log(float64(2*len(a.Columns))))", "float64(2*math.Log(float64(2*min(1, len(a.Columns)))))", "^TestCurved$", curves},
	{"curved: variances do not fade", "cdf/curved/curved.go",
		"a.Columns[k].Variance *= by", "a.Columns[k].Variance *= 1", "^TestFades$", curves},
	{"curved: neighbours of a large shard", "cdf/curved/curved.go",
		"s.thin(rows, apart), stride*apart", "s.thin(rows, apart), stride", "^TestThin$", curves},
	{"curved: scores of another shard", "cdf/curved/curved.go",
		"\tclear(s.scores)\n", "", "^TestTold$", curves},
	{"curved: sums that cannot be are read", "cdf/curved/curved.go",
		"return b, a.valid()", "return b, true", "^TestCodec$", curves},
	{"curved: levels and indicators have curves", "cdf/score.go",
		"c.Center == 0 && c.Scale == 1 {", "false && c.Scale == 1 {", "^TestCurvable$", engine},
	{"curved: an account of other columns is a state", "cdf/score.go",
		"has != wants || !s.scaling.frozen", "false || !s.scaling.frozen", "^TestCurvable$", engine},
	{"curved: a shard that is taken back counts", "cdf/filter.go",
		"f.ws.curvedBefore.CopyTo(c)", "f.ws.curvedBefore.CopyTo(&f.ws.curvedBefore)", "^TestCurvesAreTakenBack$", registry},
	{"curved: no part of a state", "cdf/codec.go",
		"bits |= partCurved", "bits |= 0", "^TestParts$", engine},
	{"curved: scores of other rows", "models/internal/predictive/student.go",
		"scores = t.Scores[first:][:len(y)]", "scores = t.Scores[:len(y)]", "^TestRowsTogether$", predictive},
}
