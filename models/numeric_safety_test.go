package models

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/kind"
)

// hardship is data that is legal and hard to compute with.
type hardship struct {
	name string
	rows int // of a shard, 0: 12
	n    int // shards, 0: 20
	last int // rows of the last shard, 0: as many
	// edit changes shard t, from 0.
	edit func(t int, d *dataset)
	// fair says of which responses the kinds must take the data; the others
	// may refuse it.
	fair []kind.Response
	// unfair are the kinds that must refuse a shard of it.
	unfair []string
}

var everyResponse = []kind.Response{kind.Real, kind.Binary, kind.Count}

var hardships = []hardship{
	{name: "ordinary", fair: everyResponse},
	{name: "constant column", fair: everyResponse, edit: func(_ int, d *dataset) {
		if len(d.x) > 0 {
			fill(d.x[1], 7)
		}
	}},
	{name: "all-zero rows", fair: everyResponse, edit: func(_ int, d *dataset) {
		clear(d.y)
		for _, x := range d.x {
			clear(x)
		}
	}},
	{name: "collinear columns", fair: everyResponse, edit: func(_ int, d *dataset) {
		if len(d.x) > 0 {
			for i, v := range d.x[0] {
				d.x[1][i], d.x[2][i] = 2*v, v-1
			}
		}
	}},
	{name: "y of 1e12", fair: []kind.Response{kind.Real}, edit: func(_ int, d *dataset) {
		for i := range d.y {
			d.y[i] *= 1e12
		}
	}},
	{name: "y of 1e12 after ordinary ones", fair: []kind.Response{kind.Real}, edit: func(t int, d *dataset) {
		for i := range d.y {
			if t > 9 {
				d.y[i] *= 1e12
			}
		}
	}},
	{name: "x of 1e12", fair: []kind.Response{kind.Real, kind.Binary}, edit: func(_ int, d *dataset) {
		if len(d.x) > 0 {
			for i := range d.y {
				d.x[0][i] *= 1e12
			}
		}
	}},
	{name: "one row per shard", rows: 1, n: 80, fair: everyResponse},
	{name: "one group", fair: everyResponse, edit: func(_ int, d *dataset) {
		if d.g != nil {
			clear(d.g.Code)
		}
	}},
	{name: "a group per row", fair: everyResponse, edit: func(t int, d *dataset) {
		if d.g == nil {
			return
		}
		d.g.Levels = nil
		for i := range d.g.Code {
			d.g.Code[i] = int32(i)
			d.g.Levels = append(d.g.Levels, fmt.Sprint(t, "/", i))
		}
	}},
	{name: "zeros", fair: everyResponse, edit: func(_ int, d *dataset) { clear(d.y) }},
	{name: "counts of 1e6", fair: []kind.Response{kind.Real, kind.Count}, edit: func(_ int, d *dataset) {
		for i := range d.y {
			d.y[i] = 1e6 + math.Floor(d.y[i])
		}
	}},
	{name: "all one class", fair: everyResponse, edit: func(_ int, d *dataset) { fill(d.y, 1) }},
	{name: "one class after the other", fair: everyResponse, edit: func(t int, d *dataset) { fill(d.y, float64(t/10)) }},
	{name: "without a usable row", fair: everyResponse, edit: func(t int, d *dataset) {
		if t%3 != 1 {
			fill(d.y, math.NaN())
			if len(d.x) > 0 && t%3 == 2 {
				fill(d.x[0], math.NaN())
			}
		}
	}},
	{name: "never a usable row", fair: everyResponse, edit: func(_ int, d *dataset) { fill(d.y, math.NaN()) }},
	{name: "100,000 rows", n: 2, last: 100_000, fair: everyResponse},
}

// great are hardships of numbers of 1e20 to 1e300, from the first on or behind ten shards of ordinary ones, of the response or of a column too.
func great() (all []hardship) {
	for _, size := range []float64{1e20, 1e50, 1e75, 1e100, 1e125, 1e150, 1e151, 1e200, 1e300} {
		for _, ordinary := range []int{0, 10} {
			for _, wide := range []bool{false, true} {
				all = append(all, hardship{name: fmt.Sprint("numbers of ", size, " behind ", ordinary, ", of columns too: ", wide), edit: func(t int, d *dataset) {
					if t < ordinary {
						return
					}
					lin.Scale(size, d.y)
					if wide && len(d.x) > 0 {
						lin.Scale(size, d.x[0])
					}
				}})
			}
		}
	}
	return all
}

// TestNumericalSafety takes every kind through hard data: what comes is a
// posterior of numbers, or a refusal that changes nothing.
func TestNumericalSafety(t *testing.T) {
	everyVariant(t, func(t *testing.T, s stream, spec *cdf.Spec) {
		for _, h := range append(great(), hardships...) {
			if testing.Short() && (h.n > 20 || h.last > 0) {
				continue
			}
			if err := endure(s, spec, h); err != nil {
				t.Errorf("%s: %v", h.name, err)
			}
		}
	})
}

// endure returns what went wrong, a panic too.
func endure(s stream, spec *cdf.Spec, h hardship) (err error) {
	f := cdf.NewFilter(spec, "k")
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("shard %d: panic: %v", f.T()+1, p)
		}
	}()
	fair := slices.Contains(h.fair, s.Response)
	r, rows, n := rand.New(rand.NewPCG(5, 6)), h.rows, h.n
	if rows == 0 {
		rows = 12
	}
	if n == 0 {
		n = 20
	}
	before, err := f.AppendBinary(nil)
	if err != nil {
		return err
	}
	for t := range n + 2 { // the last two are ordinary
		size := rows
		if t == n-1 && h.last > 0 {
			size = h.last
		}
		b := s.shard(r, size)
		if t < n && h.edit != nil {
			h.edit(t, datasetOf(b))
		}
		if err := predictable(f, b, s.Response, fair, f.N() == 0 || s.Name == "anova"); err != nil && (fair || !errors.Is(err, cdf.ErrNumeric)) {
			return fmt.Errorf("shard %d: %w", t+1, err)
		}
		sum, refused := f.Update(b)
		after, err := f.AppendBinary(nil)
		switch {
		case err != nil:
			return fmt.Errorf("shard %d: %w", t+1, err)
		case refused == nil && t < n && slices.Contains(h.unfair, s.Name):
			err = errors.New("accepted")
		case refused == nil && fair && s.evidence && spec.Forget == 1 && !lin.Finite(sum.Score.LogEvidence):
			err = fmt.Errorf("evidence %v", sum.Score.LogEvidence)
		case refused == nil:
			if err = sound(sum); err == nil && f.LastDraws() != nil && !lin.Finite(f.LastDraws().Data...) {
				err = fmt.Errorf("draws %v", f.LastDraws().Data)
			}
		case !errors.Is(refused, cdf.ErrShard) && !errors.Is(refused, cdf.ErrNumeric), fair:
			err = refused
		case !bytes.Equal(before, after):
			err = fmt.Errorf("refused (%w) and changed", refused)
		}
		if err == nil {
			err = survives(spec, f, after)
		}
		if err != nil {
			return fmt.Errorf("shard %d: %w", t+1, err)
		}
		before = after
	}
	return nil
}

// predictable checks that predictions are numbers, those of classes
// probabilities, but of rows that lack some.
// They may be undefined where they are open: before the first row, and those
// of anova with few groups.
func predictable(f *cdf.Filter, b *cdf.Batch, response kind.Response, fair, open bool) error {
	if f.T() == 0 || b.Rows > 1000 { // scored, and that is the same arithmetic
		return nil
	}
	preds, err := f.Predict(b)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, cdf.ErrShard) {
		return nil
	}
	d := datasetOf(b)
	for i, p := range preds {
		numbers := lin.Finite(p.Q025, p.Q975) && (math.IsNaN(d.y[i]) || lin.Finite(p.LogDensity) && p.PIT >= 0 && p.PIT <= 1)
		undefined := math.IsNaN(p.Q025) && (open || len(d.x) > 0 && math.IsNaN(d.x[0][i]))
		if p.SD < 0 || p.Q025 > p.Q975 || p.EpredSD < 0 || p.EpredQ025 > p.EpredQ975 || fair && !numbers && !undefined {
			return fmt.Errorf("row %d is predicted as %+v", i+1, p)
		}
		if response == kind.Binary && (p.Mean < 0 || p.Mean > 1) {
			return fmt.Errorf("row %d has the probability %v", i+1, p.Mean)
		}
	}
	return err
}

// sound checks that a summary is one of numbers. Variances may have no
// moments, nothing may have before the first row, and neither may anova's mu
// under a flat prior with up to two groups, nor slopes of groups while their column is one value: their law is the prior's.
func sound(sum *cdf.Summary) error {
	groups := 0
	for i := range sum.Rows {
		if strings.HasPrefix(sum.Rows[i].Variable, "zeta[") {
			groups++
		}
	}
	for i := range sum.Rows {
		r := &sum.Rows[i]
		variance := strings.HasPrefix(r.Variable, "sigma2") || strings.HasPrefix(r.Variable, "tau2")
		few := r.Variable == "mu" && groups <= 2
		untold := strings.HasPrefix(r.Variable, "u[") && strings.Contains(r.Variable, ",") && slices.Contains(sum.PriorDominated, r.Variable)
		if math.IsNaN(r.Mean) && !variance && !few && !untold && sum.N > 0 {
			return fmt.Errorf("%s has no mean after %d rows: %+v", r.Variable, sum.N, *r)
		}
		for _, v := range []float64{r.Mean, r.SD, r.MCSEMean, r.ESSBulk, r.ESSTail, r.RHat} {
			if math.IsInf(v, 0) {
				return fmt.Errorf("%s: %+v", r.Variable, *r)
			}
		}
		q := []float64{r.Q025, r.Q05, r.Q25, r.Median, r.Q75, r.Q95, r.Q975}
		if !lin.Finite(q...) || !slices.IsSorted(q) || r.SD < 0 || r.MCSEMean < 0 || r.Open {
			return fmt.Errorf("%s: %+v", r.Variable, *r)
		}
	}
	for _, v := range []float64{sum.NEff, sum.Score.LogDensity, sum.Score.LogEvidence, sum.Score.RMSE, sum.Score.Coverage95} {
		if math.IsInf(v, 0) {
			return fmt.Errorf("n_eff %g, score %+v", sum.NEff, sum.Score)
		}
	}
	return nil
}

// survives checks that the state can be loaded and says the same.
func survives(spec *cdf.Spec, f *cdf.Filter, snap []byte) error {
	g := cdf.NewFilter(spec, "k")
	if err := g.UnmarshalBinary(snap); err != nil {
		return err
	}
	if stored := f.AppendSummary(nil); len(stored) > 0 {
		if err := g.RestoreSummary(stored); err != nil {
			return err
		}
	}
	want, err := f.Summary()
	if err != nil {
		return err
	}
	got, err := g.Summary()
	if err != nil {
		return fmt.Errorf("after a restart: %w", err)
	}
	if a, b := fmt.Sprintf("%+v", *got), fmt.Sprintf("%+v", *want); a != b {
		return fmt.Errorf("after a restart\n%s, before\n%s", a, b)
	}
	return nil
}
