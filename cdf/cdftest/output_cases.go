package cdftest

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

func outputCases() []Case {
	return []Case{
		{"summaries", "every variable is described: quantiles ascend, moments exist once there are data, names are unique", summaries},
		{"scale", "original units are the model's units under the published constants", scale},
		{"score", "a shard is scored with the state before it, so the first one is not", score},
		{"evidence", "joint evidences are a chain: cutting the shards otherwise does not change their sum", evidence},
		{"forgetting", "discounted statistics count fewer rows and know less", forgetting},
		{"draws", "draws follow the published law, and publishing them changes no state", draws},
		{"predictions", "predictions are ordered, agree with the score, and change nothing", predictions},
		{"prior", "the prior of the variables can be told at any time, and telling it changes nothing", prior},
	}
}

func summaries(s Suite) error {
	spec := s.New()
	f := cdf.NewFilter(spec, key)
	shards := s.Shards(12, 60)
	for i, b := range shards {
		sum, err := f.Update(b)
		if err != nil {
			return err
		}
		seen := map[string]bool{}
		for _, r := range sum.Rows {
			if seen[r.Variable] {
				return fmt.Errorf("shard %d: %s twice", i+1, r.Variable)
			}
			seen[r.Variable] = true
			q := []float64{r.Q025, r.Q05, r.Q25, r.Median, r.Q75, r.Q95, r.Q975}
			for k, v := range q {
				if !lin.Finite(v) || k > 0 && v < q[k-1] {
					return fmt.Errorf("shard %d: quantiles of %s: %g", i+1, r.Variable, q)
				}
			}
			if r.SD < 0 || math.IsInf(r.SD, 0) || math.IsInf(r.Mean, 0) || r.MCSEMean < 0 || r.Open {
				return fmt.Errorf("shard %d: %+v", i+1, r)
			}
			if sum.Draws == 0 && (!math.IsNaN(r.ESSBulk) || !math.IsNaN(r.RHat)) {
				return fmt.Errorf("shard %d: diagnostics without draws: %+v", i+1, r)
			}
			if i == len(shards)-1 && !(r.Mean >= r.Q025 && r.Mean <= r.Q975 && r.SD > 0) {
				return fmt.Errorf("after %d rows: %+v", sum.N, r)
			}
		}
		if sum.T != int64(i+1) || sum.N != f.N() || len(sum.Rows) == 0 {
			return fmt.Errorf("shard %d: t=%d n=%d, %d variables", i+1, sum.T, sum.N, len(sum.Rows))
		}
	}
	return nil
}

func scale(s Suite) error {
	shards := s.Shards(13, 40)
	original, model := s.New(), s.New()
	model.Publish.Scale = "model"
	f, g := cdf.NewFilter(original, key), cdf.NewFilter(model, key)
	for i, b := range shards {
		o, err := f.Update(b)
		if err != nil {
			return err
		}
		m, err := g.Update(b)
		if err != nil {
			return err
		}
		if err := units(original, o, m); err != nil {
			return fmt.Errorf("shard %d: %w", i+1, err)
		}
		x, errX := f.AppendBinary(nil)
		y, errY := g.AppendBinary(nil)
		if err := errors.Join(errX, errY, same("published in other units", x, y)); err != nil {
			return err
		}
	}
	return nil
}

// units compares a summary in original units with one in the model's.
func units(spec *cdf.Spec, o, m *cdf.Summary) error {
	constants := map[string]cdf.Constant{}
	for _, c := range o.Scaling {
		constants[c.Column] = c
	}
	at := func(column string) cdf.Constant {
		if c, ok := constants[column]; ok {
			return c
		}
		return cdf.Constant{Scale: 1}
	}
	name := spec.Columns.Response.Name
	if name == "" {
		name = "y"
	}
	y := at(name)
	shift := 0. // of the intercept, sum_j c_j beta_j
	for _, r := range o.Rows {
		if column, ok := inBrackets(r.Variable, "beta"); ok && column != "intercept" {
			shift += at(column).Center * r.Mean
		}
	}
	if len(o.Rows) != len(m.Rows) {
		return fmt.Errorf("%d and %d variables", len(o.Rows), len(m.Rows))
	}
	for i, r := range o.Rows {
		q, factor, offset := m.Rows[i], 1., 0.
		if r.Variable == "beta[intercept]" {
			// Its spread mixes all coefficients; its mean does not.
			if want := y.Center + y.Scale*q.Mean - shift; !near(r.Mean, want, math.Abs(shift)+r.SD) {
				return fmt.Errorf("%s has mean %g, want %g", r.Variable, r.Mean, want)
			}
			continue
		}
		base, _, _ := strings.Cut(r.Variable, "[")
		switch base {
		case "beta", "gamma":
			column, _ := inBrackets(r.Variable, base)
			factor = y.Scale / at(column).Scale
		case "sigma2", "tau2":
			factor = y.Scale * y.Scale
		case "mu", "zeta", "theta":
			factor, offset = y.Scale, y.Center
		case "u":
			factor = 1 / at(slopeOf(r.Variable)).Scale
		case "sigma2_u":
			column := at(slopeOf(r.Variable))
			factor = 1 / (column.Scale * column.Scale)
		}
		for _, p := range [][3]float64{
			{r.Mean, q.Mean, offset}, {r.SD, q.SD, 0}, {r.Median, q.Median, offset},
			{r.Q025, q.Q025, offset}, {r.Q975, q.Q975, offset},
		} {
			if want := p[2] + factor*p[1]; !near(p[0], want, r.SD) {
				return fmt.Errorf("%s is %g, want %g from %g in the model's units", r.Variable, p[0], want, p[1])
			}
		}
	}
	if !near(o.Score.RMSE, m.Score.RMSE*y.Scale, 1) && o.N > 100 {
		return fmt.Errorf("rmse %g, want %g * %g", o.Score.RMSE, m.Score.RMSE, y.Scale)
	}
	if !near(o.Score.LogDensity, m.Score.LogDensity-math.Log(y.Scale), 1) && o.N > 100 {
		return fmt.Errorf("log density %g, want %g - log %g", o.Score.LogDensity, m.Score.LogDensity, y.Scale)
	}
	return nil
}

// slopeOf returns the column of a slope of groups, u[store=a,price] or sigma2_u[store,price].
func slopeOf(variable string) string {
	_, column, _ := strings.Cut(variable, ",")
	return strings.TrimSuffix(column, "]")
}

func inBrackets(variable, base string) (string, bool) {
	inner, ok := strings.CutPrefix(variable, base+"[")
	return strings.TrimSuffix(inner, "]"), ok
}

// near compares to rounding, in units of the magnitude or the given spread
// where there is one; NaN is near NaN.
func near(got, want, spread float64) bool {
	if math.IsNaN(got) || math.IsNaN(want) {
		return math.IsNaN(got) && math.IsNaN(want)
	}
	if math.IsNaN(spread) {
		spread = 0
	}
	return math.Abs(got-want) <= 1e-9*(math.Abs(want)+math.Abs(spread))
}

func score(s Suite) error {
	f := cdf.NewFilter(s.New(), key)
	predicts := false
	for i, b := range s.Shards(14, 40) {
		sum, err := f.Update(b)
		if err != nil {
			return err
		}
		sc := sum.Score
		if i == 0 {
			if sc.Rows != 0 || !math.IsNaN(sc.LogDensity) || !math.IsNaN(sc.RMSE) || !math.IsNaN(sc.Coverage95) {
				return fmt.Errorf("the first shard is scored: %+v", sc)
			}
			_, err := f.Predict(b)
			predicts = err == nil
			continue
		}
		if !predicts {
			continue
		}
		if sc.Rows > int64(b.Rows) || sc.RMSE < 0 || sc.Coverage95 < 0 || sc.Coverage95 > 1 {
			return fmt.Errorf("shard %d: %+v", i+1, sc)
		}
		if err := binned(&sc, f.Transforms()); err != nil {
			return fmt.Errorf("shard %d: %w", i+1, err)
		}
		if i > 20 && (sc.Rows == 0 || !lin.Finite(sc.LogDensity, sc.RMSE)) {
			return fmt.Errorf("shard %d is not scored: %+v", i+1, sc)
		}
	}
	return nil
}

func evidence(s Suite) error {
	shards := s.Shards(15, 24)
	total := func(shards []*cdf.Batch) (float64, error) {
		spec, sum := s.New(), 0.
		spec.Columns.Scaling = "none"
		f := cdf.NewFilter(spec, key)
		for _, b := range shards {
			one, err := f.Update(b)
			if err != nil {
				return 0, err
			}
			sum += one.Score.LogEvidence
		}
		return sum, nil
	}
	fine, err := total(shards)
	if err != nil || math.IsNaN(fine) {
		return err // no closed form: nothing is promised
	}
	for _, cut := range [][]*cdf.Batch{
		{joined(shards)},
		{joined(shards[:5]), joined(shards[5:7]), joined(shards[7:])},
	} {
		coarse, err := total(cut)
		if err != nil {
			return err
		}
		if math.Abs(coarse-fine) > max(s.Evidence, 1e-6)*(1+math.Abs(fine)) {
			return fmt.Errorf("log evidence is %g in %d shards, %g in %d", fine, len(shards), coarse, len(cut))
		}
	}
	return nil
}

func forgetting(s Suite) error {
	shards := s.Shards(16, 60)
	keeps, forgets := s.New(), s.New()
	forgets.Forget = .8
	a, err := final(keeps, shards)
	if err != nil {
		return err
	}
	b, err := final(forgets, shards)
	if err != nil {
		return err
	}
	neff, n := 0., 0
	for _, shard := range shards {
		neff = .8*neff + float64(shard.Rows)
		n += shard.Rows
	}
	if b.N != int64(n) || !near(b.NEff, neff, 0) || a.NEff != float64(n) {
		return fmt.Errorf("n=%d n_eff=%g, want %d and %g; without forgetting n_eff=%g", b.N, b.NEff, n, neff, a.NEff)
	}
	wider, rows := 0., 0.
	for i := range min(len(a.Rows), len(b.Rows)) {
		if r := math.Log(b.Rows[i].SD / a.Rows[i].SD); !math.IsNaN(r) {
			wider += r
			rows++
		}
	}
	if !(wider/rows > .05) {
		return fmt.Errorf("with n_eff %g of %d rows the sds grow by a factor of %.3f", neff, n, math.Exp(wider/rows))
	}
	return nil
}

func draws(s Suite) error {
	shards := s.Shards(17, 30)
	quiet, spec := s.New(), s.New()
	quiet.Draws, spec.Draws, spec.Publish.Draws = 400, 400, true
	_, want, err := run(quiet, shards)
	if err != nil {
		return err
	}
	f := cdf.NewFilter(spec, key)
	for i, b := range shards {
		sum, err := f.Update(b)
		if err != nil {
			return err
		}
		d := f.LastDraws()
		if d == nil || d.S < 400 || d.Chains < 1 || d.S%d.Chains != 0 || len(d.Data) != len(sum.Rows)*d.S {
			return fmt.Errorf("shard %d: asked for 400 draws of %d variables, got %+v", i+1, len(sum.Rows), d)
		}
		for k, r := range sum.Rows {
			// Six standard errors of a share of 400 independent draws.
			for _, q := range [][2]float64{{r.Q25, .25}, {r.Median, .5}, {r.Q75, .75}} {
				below := 0.
				for _, v := range d.Row(k) {
					if v <= q[0] {
						below++
					}
				}
				if share := below / float64(d.S); math.Abs(share-q[1]) > 6*math.Sqrt(q[1]*(1-q[1])/400) {
					return fmt.Errorf("shard %d: %.3f of the draws of %s are below its %g quantile", i+1, share, r.Variable, q[1])
				}
			}
		}
		snap, err := f.AppendBinary(nil)
		if err == nil {
			err = same(fmt.Sprintf("shard %d with published draws", i+1), snap, want[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func predictions(s Suite) error {
	spec := s.New()
	f := cdf.NewFilter(spec, key)
	shards := s.Shards(18, 30)
	for i, b := range shards {
		if i < 5 {
			if _, err := f.Update(b); err != nil {
				return err
			}
			continue
		}
		before, err := f.AppendBinary(nil)
		if err != nil {
			return err
		}
		preds, err := f.Predict(b)
		if errors.Is(err, errors.ErrUnsupported) {
			return nil
		}
		if err != nil {
			return err
		}
		loaded := cdf.NewFilter(s.New(), key)
		if err := loaded.UnmarshalBinary(before); err != nil {
			return err
		}
		again, err := loaded.Predict(b)
		if err != nil {
			return err
		}
		if fmt.Sprint(again) != fmt.Sprint(preds) {
			return fmt.Errorf("shard %d: a restored filter predicts %v, before it was %v", i+1, again, preds)
		}
		density, rows := 0., 0.
		for k, p := range preds {
			if p.Q025 > p.Q975 || p.EpredQ025 > p.EpredQ975 || p.SD < p.EpredSD*(1-1e-9) || p.PIT < 0 || p.PIT > 1 {
				return fmt.Errorf("shard %d row %d: %+v", i+1, k+1, p)
			}
			if !math.IsNaN(p.LogDensity) {
				density += p.LogDensity
				rows++
			}
		}
		after, err := f.AppendBinary(nil)
		if err == nil {
			err = same("after Predict", after, before)
		}
		if err != nil {
			return err
		}
		sum, err := f.Update(b)
		if err != nil {
			return err
		}
		if !s.Steps && rows == float64(sum.Score.Rows) && math.Abs(density/rows-sum.Score.LogDensity) > 1e-6*(1+math.Abs(density/rows)) {
			return fmt.Errorf("shard %d: predictions have mean log density %g, the score says %g", i+1, density/rows, sum.Score.LogDensity)
		}
	}
	return nil
}
