package models

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/credence-stream/credence/cdf"
)

// handRidge is conjugate regression by hand: y = level + z'g + e, g ~ N(0, sigma2 v), sigma2 ~ IG(a, b), z the given columns about their
// means where there is a level.
type handRidge struct {
	a, b, signal float64
	given        float64    // v, 0: of the greatest evidence
	length       float64    // columns of the design and their mean squared length, of a signal of size v
	to           *mat.Dense // of rows to z, nil: sds
	mean, unit   []float64  // of the columns of a row
	untold       []bool     // columns that were the same in all rows
	level, n, v  float64    // n: weight of the rows
	shape, rate  float64    // of sigma2
	g            *mat.VecDense
	chol         mat.Cholesky // of Z'Z + I/v
	gram         *mat.SymDense
}

// z is a row as the regression has it.
func (h *handRidge) z(x []float64, ask bool) *mat.VecDense {
	z := mat.NewVecDense(len(x), nil)
	for j, v := range x {
		v = (v - h.mean[j]) / h.unit[j]
		if ask && h.untold != nil && h.untold[j] && v != 0 { // it has the sd that it would have of the rows and x
			v = math.Sqrt(h.n + 1)
		}
		z.SetVec(j, v)
	}
	return h.projected(z)
}

func (h *handRidge) projected(z *mat.VecDense) *mat.VecDense {
	if h.to == nil {
		return z
	}
	var u mat.VecDense
	u.MulVec(h.to, z)
	return &u
}

// solve finds the posterior of rows: with a level columns have mean 0 and sd 1.
func (h *handRidge) solve(x [][]float64, y, w []float64, leveled bool) {
	p := len(x[0])
	h.mean, h.unit, h.untold, h.level, h.n = make([]float64, p), make([]float64, p), make([]bool, p), 0, 0
	for i := range x {
		h.n += w[i]
		h.level += w[i] * y[i]
	}
	for j := range p {
		h.unit[j], h.untold[j] = 1, true
		for i := range x {
			h.mean[j] += w[i] * x[i][j] / h.n
			h.untold[j] = h.untold[j] && x[i][j] == x[0][j]
		}
		if !leveled {
			h.mean[j] = 0
			continue
		}
		if h.untold[j] {
			h.mean[j] = x[0][j]
			continue
		}
		squares := 0.
		for i := range x {
			squares += w[i] * (x[i][j] - h.mean[j]) * (x[i][j] - h.mean[j])
		}
		h.unit[j] = math.Sqrt(squares / max(h.n-1, 1))
	}
	if h.level /= h.n; !leveled {
		h.level, h.untold = 0, nil
	}
	q := p
	if h.to != nil {
		q, _ = h.to.Dims()
	}
	h.gram = mat.NewSymDense(q, nil)
	xy, yy := mat.NewVecDense(q, nil), 0.
	for i := range x {
		z := h.z(x[i], false)
		h.gram.SymRankOne(h.gram, w[i], z)
		xy.AddScaledVec(xy, w[i]*(y[i]-h.level), z)
		yy += w[i] * (y[i] - h.level) * (y[i] - h.level)
	}
	h.shape = h.a + h.n/2
	if h.v = h.given; h.v == 0 {
		h.v = h.greatest(xy, yy, float64(p))
	}
	a := mat.NewSymDense(q, nil)
	a.CopySym(h.gram)
	for j := range q {
		a.SetSym(j, j, a.At(j, j)+1/h.v)
	}
	h.chol.Factorize(a)
	h.g = mat.NewVecDense(q, nil)
	_ = h.chol.SolveVecTo(h.g, xy)
	h.rate = h.b + (yy-mat.Dot(h.g, xy))/2
}

// greatest is the v of the greatest evidence, with the prior of the part that columns explain.
func (h *handRidge) greatest(xy *mat.VecDense, yy, p float64) float64 {
	var e mat.EigenSym
	e.Factorize(h.gram, true)
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	var along mat.VecDense
	along.MulVec(vectors.T(), xy)
	top := 0.
	for _, l := range e.Values(nil) {
		top = max(top, l)
	}
	of := func(log float64) float64 {
		v := math.Exp(log) / h.length
		f, fit := 0., 0.
		for k, l := range e.Values(nil) {
			l = max(l, 0)
			f -= math.Log1p(v*l) / 2
			if l > 1e-13*top {
				fit += along.AtVec(k) * along.AtVec(k) * v / (1 + v*l)
			}
		}
		f -= h.shape * math.Log(h.b+max(yy-fit, 0)/2)
		r := p * math.Exp(log)
		return f + h.signal*(math.Log(r)-2*math.Log1p(r))
	}
	at, best := 0., math.Inf(-1)
	lo, hi, step := -16., 16., .02
	for range 3 {
		for l := max(lo, -16); l <= min(hi, 16); l += step {
			if f := of(l); f > best {
				at, best = l, f
			}
		}
		lo, hi, step = at-step, at+step, step/100
	}
	return math.Exp(at) / h.length
}

// law is that of d + w'g, and of a new row there.
func (h *handRidge) law(d float64, w *mat.VecDense, noise float64) *students {
	var u mat.VecDense
	_ = h.chol.SolveVecTo(&u, w)
	return &students{w: []float64{1}, at: []float64{d + mat.Dot(w, h.g)}, scale: []float64{math.Sqrt(h.rate / h.shape * (mat.Dot(w, &u) + noise))}, df: 2 * h.shape}
}

// handSketch is the part of a scale that a location may be off, and of a probability: the greatest evidence is found to 1e-4.
const handSketch = 1e-3

// followCompressed takes a compressed key that keeps X'X, or a given projection, through shards.
func followCompressed(seed uint64) (string, error) {
	k := newHandKey(seed, 79, 6)
	if len(k.columns) == 0 {
		return "", nil
	}
	roles := k.roles(false)
	fixed := k.of(.4)
	h := &handRidge{a: 1, b: 1, signal: .5, length: 1}
	settings := "statistics: exact"
	if fixed {
		for i := range k.columns { // a projection is of as many columns as it has
			if c := &k.columns[i]; c.sort == "level" {
				c.sort, c.labels, c.feature = "number", nil, cdf.Feature{Name: c.feature.Name}
				roles.Features[i] = c.feature
			}
		}
		m := 1 + k.IntN(4)
		h.to = mat.NewDense(m, len(k.columns), nil)
		h.length = 0
		var text strings.Builder
		for j := range k.columns {
			for i := range m {
				v := k.NormFloat64()
				h.to.Set(i, j, v)
				h.length += v * v / float64(len(k.columns))
				fmt.Fprint(&text, v, " ")
			}
			fmt.Fprintln(&text)
		}
		dir, err := os.MkdirTemp("", "credence")
		if err != nil {
			return "", err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		path := filepath.Join(dir, "projection")
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			return "", err
		}
		settings = fmt.Sprintf("projection: fixed, dimension: %d, projection_file: %q", m, path)
		if k.of(.6) {
			h.given = math.Exp(2 * k.NormFloat64())
		}
	}
	if k.of(.6) {
		h.a, h.b, h.signal = .2+3*k.Float64(), math.Pow(10, 4*k.Float64()-2), choose(k.chance, []float64{.5, 1, 3})
	}
	settings = fmt.Sprintf("{%s, prior: {sigma2_shape: %v, sigma2_rate: %v", settings, h.a, h.b)
	if h.given == 0 {
		settings += fmt.Sprintf(", signal_shape: %v}}", h.signal)
	} else {
		settings += fmt.Sprintf(", beta_variance: %v}}", h.given)
	}
	if err := k.specify("compressed", "", roles, settings); err != nil {
		return settings, err
	}
	f := cdf.NewFilter(k.spec, "key")
	evidence := 0.
	var was *handKey
	for range 1 + k.IntN(6) {
		b := k.batch(choose(k.chance, []int{1, 2, 3, 5, 12, 30, 80}), func(effect float64) float64 { return k.unit * (k.at + effect + k.NormFloat64()) })
		var preds []cdf.Prediction
		if was != nil && !k.refuses(b) {
			p, err := f.Predict(b)
			if err != nil {
				return k.about, err
			}
			preds = append(preds, p...)
		}
		sum, err := k.update(f, b)
		if err != nil {
			return k.about, err
		}
		if sum == nil {
			continue
		}
		k.take(b)
		where := k.where(sum)
		if was != nil {
			if err := was.ridgePredicted(h, b, preds, &sum.Score); err != nil {
				return k.about, where(err)
			}
		}
		if len(k.rows) == 0 {
			continue
		}
		if err := k.constantsAre(sum); err != nil {
			return k.about, where(err)
		}
		var x [][]float64
		var y, w []float64
		all := 0.
		for i := range k.rows {
			x, y, w = append(x, k.whole(h, k.rows[i].x)), append(y, (k.rows[i].y-k.cy)/k.sy), append(w, k.rows[i].weight)
			all += k.rows[i].weight
		}
		if all < .01 || len(x[0]) == 0 { // forgotten
			return k.about, nil
		}
		h.solve(x, y, w, !fixed)
		if evidence += sum.Score.LogEvidence; fixed && h.given > 0 && k.spec.Forget == 1 {
			if want := h.evidence() - all*math.Log(k.sy); !(math.Abs(evidence-want) <= 1e-7*(1+math.Abs(want))) {
				return k.about, where(fmt.Errorf("log evidence %v, by hand %v", evidence, want))
			}
		} else if !math.IsNaN(sum.Score.LogEvidence) {
			return k.about, where(fmt.Errorf("log evidence %v", sum.Score.LogEvidence))
		}
		if err := k.ridgeIs(h, sum); err != nil {
			return k.about, where(err)
		}
		now := *k
		was = &now
	}
	return k.about, nil
}

// whole is a row as the regression takes it: with a column of each baseline, but for a given projection, which has what it is given.
func (k *handKey) whole(h *handRidge, x []float64) []float64 {
	row := k.scaled(x)
	if h.to == nil {
		for _, levels := range k.siblings(0) {
			base := 1.
			for _, j := range levels {
				base -= x[j]
			}
			row = append(row, base)
		}
	}
	return row
}

// evidence is the log density of the rows in scaled units.
func (h *handRidge) evidence() float64 {
	la, _ := math.Lgamma(h.a)
	ln, _ := math.Lgamma(h.shape)
	q, _ := h.gram.Dims()
	return -h.n/2*math.Log(2*math.Pi) - h.chol.LogDet()/2 - float64(q)/2*math.Log(h.v) + h.a*math.Log(h.b) - h.shape*math.Log(h.rate) + ln - la
}

// ridgeIs compares the published variables.
func (k *handKey) ridgeIs(h *handRidge, sum *cdf.Summary) error {
	published := 0
	for i := range sum.Rows {
		r := &sum.Rows[i]
		if r.Variable == "sigma2" {
			for j, q := range quantilesOf(r) {
				if p := 1 - gammaBelow(h.shape, h.rate*k.sy*k.sy/q); !(math.Abs(p-rowLevels[j]) <= handSketch) {
					return fmt.Errorf("sigma2 has quantile %v at %v, which by hand is %v", rowLevels[j], q, p)
				}
			}
			if mean := k.sy * k.sy * h.rate / (h.shape - 1); math.IsNaN(r.Mean) != (h.shape <= 1) || math.IsNaN(r.SD) != (h.shape <= 2) || h.shape > 1 && !(math.Abs(r.Mean/mean-1) <= handSketch) {
				return fmt.Errorf("sigma2 has mean %v and sd %v, by hand %v of shape %v", r.Mean, r.SD, mean, h.shape)
			}
			continue
		}
		at := slices.IndexFunc(k.names, func(name string) bool { return r.Variable == "gamma["+name+"]" })
		if at < 0 {
			return fmt.Errorf("a row of %s", r.Variable)
		}
		published++
		one := mat.NewVecDense(len(h.unit), nil)
		one.SetVec(at, k.sy/k.sx[at]/h.unit[at])
		if h.to == nil {
			for n, levels := range k.siblings(0) { // it is what a level is above the baseline
				if slices.Contains(levels, at) {
					one.SetVec(len(k.names)+n, -k.sy/h.unit[len(k.names)+n])
				}
			}
		}
		l := h.law(0, h.projected(one), 0)
		below, spread := l.table(), r.Q75-r.Q25
		for j, q := range quantilesOf(r) {
			if p := l.cdf(q, below); spread > 0 && !(math.Abs(p-rowLevels[j]) <= handSketch) {
				return fmt.Errorf("%s has quantile %v at %v, which by hand is %v (v %v)", r.Variable, rowLevels[j], q, p, h.v)
			}
		}
		if mean, sd := l.moments(); math.IsNaN(r.SD) != (h.shape <= 1) || h.shape > 1 && !(math.Abs(r.Mean-mean) <= handSketch*sd && math.Abs(r.SD/sd-1) <= handSketch) {
			return fmt.Errorf("%s has mean %v and sd %v, by hand %v and %v", r.Variable, r.Mean, r.SD, mean, sd)
		}
	}
	for at := range k.names { // a level that no row has is not published
		if k.numbers[at] >= 0 || slices.ContainsFunc(k.rows, func(r handRow) bool { return r.x[at] != 0 }) {
			published--
		}
	}
	if published != 0 {
		return fmt.Errorf("%d variables too many", published)
	}
	return nil
}

// ridgePredicted compares predictions and scores of a shard: the key and the regression are as they were before.
func (k *handKey) ridgePredicted(h *handRidge, b *cdf.Batch, preds []cdf.Prediction, score *cdf.Score) error {
	n, density, squares := 0., 0., 0.
	for i := range b.Rows {
		x, ok := k.row(b, i)
		if !ok {
			continue
		}
		line := 1 / h.n
		if h.to != nil {
			line = 0
		}
		z, p := h.z(k.whole(h, x), true), &preds[i]
		expected, all := h.law(h.level, z, line), h.law(h.level, z, 1+line)
		below := all.table()
		mean, sd := all.moments()
		_, epredSD := expected.moments()
		if got := (p.Mean - k.cy) / k.sy; math.IsNaN(p.SD) != (h.shape <= 1) || !(math.Abs(got-mean) <= handSketch*all.scale[0]) || h.shape > 1 && !(math.Abs(p.SD/k.sy/sd-1) <= handSketch && math.Abs(p.EpredSD/k.sy-epredSD) <= handSketch*epredSD+1e-12*sd) {
			return fmt.Errorf("row %d is predicted with mean %v, sd %v and %v, by hand %v, %v and %v", i, p.Mean, p.SD, p.EpredSD, k.cy+k.sy*mean, k.sy*sd, k.sy*epredSD)
		}
		for j, q := range []float64{p.Q025, p.Q975} {
			if at := all.cdf((q-k.cy)/k.sy, below); !(math.Abs(at-[]float64{.025, .975}[j]) <= handSketch) {
				return fmt.Errorf("row %d is predicted with quantile %d at %v, which by hand is %v", i, j, q, at)
			}
		}
		y := b.Columns[len(b.Columns)-1].Number[i]
		if math.IsNaN(y) {
			continue
		}
		s := (y - k.cy) / k.sy
		log := all.logDensity(s) - math.Log(k.sy)
		if at := all.cdf(s, below); !(math.Abs(p.PIT-at) <= 2*handSketch && math.Abs(p.LogDensity-log) <= handSketch*max(5, math.Abs(log))) {
			return fmt.Errorf("row %d has transform %v and log density %v, by hand %v and %v", i, p.PIT, p.LogDensity, at, log)
		}
		n, density, squares = n+1, density+log, squares+k.sy*k.sy*(s-mean)*(s-mean)
	}
	if n > 0 && !(score.Rows == int64(n) && math.Abs(score.LogDensity-density/n) <= handSketch*max(5, math.Abs(density/n)) && math.Abs(score.RMSE/math.Sqrt(squares/n)-1) <= 10*handSketch) {
		return fmt.Errorf("score %+v, by hand %v rows, %v, %v", *score, n, density/n, math.Sqrt(squares/n))
	}
	return nil
}

// TestCompressedByHand: a compressed key that keeps X'X, or whose projection is given, publishes conjugate regression of its rows.
func TestCompressedByHand(t *testing.T) { handSeeds(t, 40, followCompressed) }
