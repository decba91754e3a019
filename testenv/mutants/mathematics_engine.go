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
		"+17)*z2 - 15)", "+17)*z2 + 15)", all, laws},
	{"gamma quantile near 0", "models/internal/dist/gamma.go",
		"LogGamma(shape+1)) / shape", "LogGamma(shape)) / shape", all, laws},
	{"inverse gamma moments: variance for sd", "models/internal/dist/gamma.go",
		"sd = mean / math.Sqrt(shape-2)", "sd = mean / (shape - 2)", all, laws},
	{"inverse gamma quantiles: other tail", "models/internal/dist/standard.go",
		"if factor < 0 {", "if factor > 0 {", all, laws},
	{"mixture: sd within components only", "models/internal/dist/normals.go",
		"(x.SD[k]*x.SD[k] + d*d)", "(x.SD[k]*x.SD[k] + 0*d)", all, laws},
	{"law table: sign of the end correction", "models/internal/dist/table.go",
		"(slope-d)", "(d-slope)", all, laws},
	{"law table: tails of t lost", "models/internal/dist/table.go",
		"tail + t.p[i]*(1-2*tail)/last", "0*tail + t.p[i]/last", all, laws},
	{"pursuit: far is near", "models/internal/dist/tracker.go",
		"1e-5*width", "1e-2*width", all, laws},
	{"pit bins: edges off by one", "models/internal/dist/bins.go",
		"math.Erfinv(float64(k+1)/half)", "math.Erfinv(float64(k)/half)", all, laws},
}

// ofEngine are faults of the engine, its linear algebra and its random laws.
var ofEngine = []mutant{
	{"scaling: n for n - 1", "cdf/scaling.go",
		"squares / (n - 1)", "squares / n", all, engine},
	{"scaling: discount of shards not kept", "cdf/scaling.go",
		"forget * s.pending", "forget", all, engine},
	{"scaling: frozen a row late", "cdf/scaling.go",
		"s.observed >= enough", "s.observed > enough", all, engine},
	{"scaling: one discount for kept shards", "cdf/absorb.go",
		"f.step(fresh, k.t, k.forget)", "f.step(fresh, k.t, forget)", all, engine},
	{"scaling: only the last pending discount", "cdf/absorb.go",
		"f.now.scaling.pending *= forget", "f.now.scaling.pending = forget", all, engine},
	{"score: earlier rows not valued anew", "cdf/score.go",
		"float64(s.n)*(now-old)", "0*(now-old)", all, engine},
	{"score: random numbers of the update", "cdf/score.go",
		"s.t+1, purposeScore", "s.t+1, purposeUpdate", all, engine},
	{"ess: variance over n", "cdf/mcmc/ess.go",
		"variance * nf / (nf - 1)", "variance", all, engine},
	{"ess: last lag dropped", "cdf/mcmc/ess.go",
		"-1+2*sum+rho[last]", "-1+2*sum", all, engine},
	{"ess: variance of the means over chains", "cdf/mcmc/ess.go",
		"squares / float64(chains-1)", "squares / float64(chains)", all, engine},
	{"quantile: n for n - 1", "cdf/mcmc/ess.go",
		"h := p * float64(len(sorted)-1)", "h := p * float64(len(sorted))", all, engine},
	{"r-hat: n for n - 1", "cdf/mcmc/diagnostics.go",
		"(between/within + float64(n) - 1)", "(between/within + float64(n))", all, engine},
	{"tail ess: lower tail twice", "cdf/mcmc/diagnostics.go",
		"Quantile(d.sorted, .95)", "Quantile(d.sorted, .05)", all, engine},
	{"units: sd for variance", "cdf/units.go",
		"y.Scale * y.Scale", "y.Scale", all, engine},
	{"clock: time that runs backwards", "cdf/clock.go",
		"float64(max(elapsed, 0))", "float64(elapsed)", all, engine},
	{"clock: a late shard sets it back", "cdf/absorb.go",
		"s.clock = max(s.clock, b.Time)", "s.clock = b.Time", all, engine},
	{"prior dominated: variances compared", "cdf/summarize.go",
		"sum.Rows[i].SD > dominated*w.priorSD[i]", "sum.Rows[i].SD > dominated*dominated*w.priorSD[i]", all, engine},
	{"published: row of the covariance", "cdf/state_summary.go",
		"len(betas)*(len(betas)+1)/2", "len(betas)*(len(betas)-1)/2", all, engine},
	{"tail draws: rate for its excess over a", "cdf/rnd/truncnormal.go",
		"excess := 1 / rate", "excess := 0 / rate", all, random},
	{"normal draws: factor transposed", "cdf/rnd/normal.go",
		"-l[j*p+i]", "-l[i*p+j]", all, random},
	{"gram: diagonal of the odd rows", "cdf/lin/product.go",
		"width = j + 2", "width = j + 1", all, algebra},
	{"svd: vectors of LAPACK transposed", "cdf/lin/svd.go",
		"left[i*n+j]", "left[j*n+i]", all, algebra},
	{"sum of squares: an odd last row", "cdf/lin/vec.go",
		"if len(w) >= n && n > 0 {", "if len(w) > n && n > 0 {", all, algebra},
}
