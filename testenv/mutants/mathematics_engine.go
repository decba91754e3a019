package main

var (
	laws    = []string{"./models/internal/dist", "./models/dlm"}
	engine  = []string{"./cdf", "./cdf/cdftest", "./cdf/mcmc"}
	algebra = []string{"./cdf/lin"}
	random  = []string{"./cdf/rnd"}
)

// ofLaws are faults of what the models share.
var ofLaws = []mutant{
	{"student expansion: sign of a term", "models/internal/dist/student.go",
		"+17)*z2 - 15)", "+17)*z2 + 15)", "^TestStudentQuantile$", laws},
	{"gamma quantile near 0", "models/internal/dist/gamma.go",
		"LogGamma(shape+1)) / shape", "LogGamma(shape)) / shape", "^TestGammaQuantile$", laws},
	{"inverse gamma moments: variance for sd", "models/internal/dist/gamma.go",
		"sd = mean / math.Sqrt(shape-2)", "sd = mean / (shape - 2)", "^TestInverseGamma$", laws},
	{"inverse gamma quantiles: other tail", "models/internal/dist/standard.go",
		"if factor < 0 {", "if factor > 0 {", "^TestInverseGamma$", laws},
	{"mixture: sd within components only", "models/internal/dist/normals.go",
		"(x.SD[k]*x.SD[k] + d*d)", "(x.SD[k]*x.SD[k] + 0*d)", "^TestMixture$", laws},
	{"law table: sign of the end correction", "models/internal/dist/table.go",
		"(slope-d)", "(d-slope)", "^TestLawTables$", laws},
	{"law table: tails of t lost", "models/internal/dist/table.go",
		"tail + t.p[i]*(1-2*tail)/last", "0*tail + t.p[i]/last", "^TestLawTables$", laws},
	{"pursuit: far is near", "models/internal/dist/tracker.go",
		"1e-5*width", "1e-2*width", "^TestForecastOfTheGrid$", laws},
	{"pit bins: edges off by one", "models/internal/dist/bins.go",
		"math.Erfinv(float64(k+1)/half)", "math.Erfinv(float64(k)/half)", "^TestStudentBins$", laws},
}

// ofEngine are faults of the engine, its linear algebra and its random laws.
var ofEngine = []mutant{
	{"scaling: n for n - 1", "cdf/scaling.go",
		"squares / (n - 1)", "squares / n", "^TestScalingFirst$", engine},
	{"scaling: discount of shards not kept", "cdf/scaling.go",
		"forget * s.pending", "forget", "^TestScalingFirst$", engine},
	{"scaling: frozen a row late", "cdf/scaling.go",
		"s.observed >= enough", "s.observed > enough", "^TestNobodyRetiresWhileRowsAreKept$", engine},
	{"scaling: one discount for kept shards", "cdf/absorb.go",
		"f.step(fresh, k.t, k.forget)", "f.step(fresh, k.t, forget)", "^TestScalingFirst$", engine},
	{"scaling: only the last pending discount", "cdf/absorb.go",
		"f.now.scaling.pending *= forget", "f.now.scaling.pending = forget", "^TestScalingFirst$", engine},
	{"score: earlier rows not valued anew", "cdf/score.go",
		"float64(s.n)*(now-old)", "0*(now-old)", "^TestEvidenceSums$", engine},
	{"score: random numbers of the update", "cdf/score.go",
		"s.t+1, purposeScore", "s.t+1, purposeUpdate", "^TestPriorDominatedAndStreams$", engine},
	{"ess: variance over n", "cdf/mcmc/ess.go",
		"variance * nf / (nf - 1)", "variance", "^TestSummaryGolden$", engine},
	{"ess: last lag dropped", "cdf/mcmc/ess.go",
		"-1+2*sum+rho[last]", "-1+2*sum", "^TestSummaryGolden$", engine},
	{"ess: variance of the means over chains", "cdf/mcmc/ess.go",
		"squares / float64(chains-1)", "squares / float64(chains)", "^TestSummaryGolden$", engine},
	{"quantile: n for n - 1", "cdf/mcmc/ess.go",
		"h := p * float64(len(sorted)-1)", "h := p * float64(len(sorted))", "^TestSummaryGolden$", engine},
	{"r-hat: n for n - 1", "cdf/mcmc/diagnostics.go",
		"(between/within + float64(n) - 1)", "(between/within + float64(n))", "^TestSummaryGolden$", engine},
	{"tail ess: lower tail twice", "cdf/mcmc/diagnostics.go",
		"Quantile(d.sorted, .95)", "Quantile(d.sorted, .05)", "^TestSummaryGolden$", engine},
	{"units: sd for variance", "cdf/units.go",
		"y.Scale * y.Scale", "y.Scale", "^TestUnits$", engine},
	{"clock: time that runs backwards", "cdf/clock.go",
		"float64(max(elapsed, 0))", "float64(elapsed)", "^TestClocks$", engine},
	{"clock: a late shard sets it back", "cdf/absorb.go",
		"s.clock = max(s.clock, b.Time)", "s.clock = b.Time", "^TestClocks$", engine},
	{"prior dominated: variances compared", "cdf/summarize.go",
		"sum.Rows[i].SD > dominated*w.priorSD[i]", "sum.Rows[i].SD > dominated*dominated*w.priorSD[i]", "^TestPriorDominatedAndStreams$", engine},
	{"published: row of the covariance", "cdf/state_summary.go",
		"len(betas)*(len(betas)+1)/2", "len(betas)*(len(betas)-1)/2", "^TestPublishedPart$", engine},
	{"tail draws: rate for its excess over a", "cdf/rnd/truncnormal.go",
		"excess := 1 / rate", "excess := 0 / rate", "^TestTruncNormal$", random},
	{"normal draws: factor transposed", "cdf/rnd/normal.go",
		"-l[j*p+i]", "-l[i*p+j]", "^TestMVN$", random},
	{"gram: diagonal of the odd rows", "cdf/lin/product.go",
		"width = j + 2", "width = j + 1", "^TestProducts$", algebra},
	{"svd: vectors of LAPACK transposed", "cdf/lin/svd.go",
		"left[i*n+j]", "left[j*n+i]", "^TestSVD$", algebra},
	{"sum of squares: an odd last row", "cdf/lin/vec.go",
		"if len(w) >= n && n > 0 {", "if len(w) > n && n > 0 {", "^TestVectors$", algebra},
}
