package cdf_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
)

// wild is a sampled model that draws what cannot be published from its second
// shard on.
type wild struct{ rec recorder }

func (w wild) Params() []cdf.Param                   { return w.rec.Params() }
func (w wild) Check(*cdf.Shard) error                { return nil }
func (w wild) AppendBinary(b []byte) ([]byte, error) { return b, nil }
func (w wild) UnmarshalBinary([]byte) error          { return nil }
func (w wild) Blocks() []cdf.Block                   { return []cdf.Block{w} }
func (w wild) Absorb(*cdf.Step)                      {}
func (w wild) Sample(s *cdf.Step) error {
	for i := range s.Draws.Row(0) {
		s.Draws.Row(0)[i] = float64(i)
		if s.T > 1 {
			s.Draws.Row(0)[i] = math.Inf(1)
		}
	}
	return nil
}

// crossing is a closed form whose quantiles do not ascend.
type crossing struct{ recorder }

func (c crossing) Summarize(list []cdf.Functional, rows []cdf.Row) error {
	err := c.recorder.Summarize(list, rows)
	rows[0].Q975 = -1
	return err
}

func TestUnpublishable(t *testing.T) {
	spec, shards, forget := recording(cdf.Roles{Intercept: true})
	spec.Draws = 10
	spec.New = func(d cdf.Dims) (cdf.Model, error) { return wild{recorder{d, shards, forget}}, nil }
	f := cdf.NewFilter(spec, "k")
	sum := take(t, f, batch(num("y", 1)))
	want := fmt.Sprintf("%+v", *sum)
	if _, err := f.Update(batch(num("y", 1))); !errors.Is(err, cdf.ErrNumeric) || !strings.Contains(err.Error(), "give the response a scale, or a larger unit") {
		t.Errorf("infinite draws: %v", err)
	}
	if sum, err := f.Summary(); err != nil || fmt.Sprintf("%+v", *sum) != want {
		t.Errorf("after a refusal: %+v (%v), want %s", *sum, err, want)
	}
	spec.New = func(d cdf.Dims) (cdf.Model, error) { return crossing{recorder{d, shards, forget}}, nil }
	if _, err := cdf.NewFilter(spec, "k").Update(batch(num("y", 1))); !errors.Is(err, cdf.ErrNumeric) {
		t.Errorf("crossing quantiles: %v", err)
	}
}

// warned is a model with a warning in every other shard.
type warned struct{ recorder }

func (w warned) AppendFlags(dst []string) []string {
	if len(*w.shards)%2 == 0 {
		return dst
	}
	return append(dst, "odd")
}

// A model's warnings ride on the summary and go away again.
func TestFlags(t *testing.T) {
	spec, shards, forget := recording(cdf.Roles{Intercept: true})
	spec.New = func(d cdf.Dims) (cdf.Model, error) { return warned{recorder{d, shards, forget}}, nil }
	f := cdf.NewFilter(spec, "k")
	for _, want := range []string{"[odd]", "[]", "[odd]"} {
		sum, err := f.Update(batch(num("y", 1)))
		if err != nil || fmt.Sprint(sum.Flags) != want {
			t.Fatalf("flags %v (%v), want %s", sum.Flags, err, want)
		}
	}
}

// TestPredict checks units and the place of rows that are dropped.
func TestPredict(t *testing.T) {
	f := cdf.NewFilter(cdftest.Line(), "k")
	if _, err := f.Predict(batch(num("x", 1))); !errors.Is(err, cdf.ErrSchema) {
		t.Errorf("before the first shard: %v", err)
	}
	sum := take(t, f, cdftest.LineShards(1, 40)...)
	preds, err := f.Predict(batch(num("x", 10, math.NaN(), 20), num("y", 1, 2, 41)))
	if err != nil || len(preds) != 3 {
		t.Fatal(preds, err)
	}
	a, b := sum.Rows[0].Mean, sum.Rows[1].Mean
	noise := .5 * sum.Scaling[0].Scale * sum.Scaling[0].Scale
	last := preds[2]
	if math.Abs(last.Mean-(a+20*b)) > 1e-9 || math.Abs(preds[0].Mean-(a+10*b)) > 1e-9 || !math.IsNaN(preds[1].Mean) {
		t.Errorf("means %g %g %g, want %g NaN %g", preds[0].Mean, preds[1].Mean, last.Mean, a+10*b, a+20*b)
	}
	if math.Abs(last.SD*last.SD-last.EpredSD*last.EpredSD-noise) > 1e-9 {
		t.Errorf("sd %g and %g differ by another noise than %g", last.SD, last.EpredSD, noise)
	}
	z := (41 - last.Mean) / last.SD
	if want := -.5*z*z - math.Log(last.SD*math.Sqrt(2*math.Pi)); math.Abs(last.LogDensity-want) > 1e-9 {
		t.Errorf("log density %g, want %g", last.LogDensity, want)
	}
	if preds, err = f.Predict(batch(num("x", 20))); err != nil || preds[0].Mean != last.Mean || !math.IsNaN(preds[0].LogDensity) {
		t.Errorf("without a response: %+v, %v", preds, err)
	}
	if _, err := cdf.NewFilter(cdftest.Levels(), "k").Predict(batch(num("x", 1))); err == nil {
		t.Error("a filter without shards predicts")
	}
}

// TestEvidenceSums checks that the joint scores sum to the log marginal
// likelihood of all rows in original units, although the constants change
// while the stream begins.
func TestEvidenceSums(t *testing.T) {
	total := func(scale string) (float64, *cdf.Summary) {
		spec := cdftest.Line()
		spec.Publish.Scale = scale
		f, sum := cdf.NewFilter(spec, "k"), 0.
		var last *cdf.Summary
		for _, b := range cdftest.LineShards(4, 40) {
			var err error
			if last, err = f.Update(b); err != nil {
				t.Fatal(err)
			}
			sum += last.Score.LogEvidence
		}
		return sum, last
	}
	original, last := total("original")
	model, _ := total("model")
	want := model - float64(last.N)*math.Log(last.Scaling[0].Scale)
	if math.Abs(original-want) > 1e-9*math.Abs(want) {
		t.Errorf("scores sum to %g, want %g", original, want)
	}
}

// TestDroppedSurvives checks that the count of dropped rows is part of the
// snapshot.
func TestDroppedSurvives(t *testing.T) {
	f := cdf.NewFilter(cdftest.Line(), "k")
	sum := take(t, f, batch(num("x", 3, math.NaN(), 5), num("y", 1, 2, 3)))
	want := fmt.Sprintf("%+v", *sum)
	snap := state(t, f)
	g := loaded(t, cdf.NewFilter(cdftest.Line(), "k"), snap)
	if sum, err := g.Summary(); err != nil || fmt.Sprintf("%+v", *sum) != want || sum.Dropped != 1 {
		t.Errorf("restored: %+v (%v), want %s", *sum, err, want)
	}
}

// Models without steps in time have no steps ahead.
func TestForecastNeedsSteps(t *testing.T) {
	f := cdf.NewFilter(cdftest.Line(), "k")
	take(t, f, cdftest.LineShards(1, 1)[0])
	if p, err := f.Forecast(3); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v, %v", p, err)
	}
	l := cdf.NewFilter(cdftest.Levels(), "k")
	take(t, l, cdftest.LevelShards(1, 1)[0])
	if p, err := l.Forecast(3); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v, %v", p, err)
	}
}

// vague is a closed form whose sds are .77 and .83 of the prior's, and which
// keeps the first random number of each stream.
type vague struct {
	recorder
	seen *[]float64
}

func (v vague) PriorSD(_ []cdf.Functional, dst []float64)  { dst[0], dst[1] = 1/.77, 1/.83 }
func (v vague) Blocks() []cdf.Block                        { return []cdf.Block{v} }
func (v vague) Predict(*cdf.Shard, []cdf.Prediction) error { return nil }

func (v vague) Sample(s *cdf.Step) error {
	*v.seen = append(*v.seen, s.RNG.Float64())
	return nil
}

func (v vague) Score(_ *cdf.Shard, r *rand.Rand) (cdf.Score, error) {
	*v.seen = append(*v.seen, r.Float64())
	return cdf.NoScore(), nil
}

// A variable is dominated by its prior from .8 of its sd on; score and update of
// a shard have streams of their own.
func TestPriorDominatedAndStreams(t *testing.T) {
	spec, shards, forget := recording(cdf.Roles{Intercept: true})
	var seen []float64
	spec.New = func(d cdf.Dims) (cdf.Model, error) { return vague{recorder{d, shards, forget}, &seen}, nil }
	f := cdf.NewFilter(spec, "k")
	for range 2 {
		sum, err := f.Update(batch(num("x", 1), num("y", 1)))
		if err != nil || fmt.Sprint(sum.PriorDominated) != "[beta[x]]" {
			t.Fatalf("dominated by the prior: %v, %v", sum.PriorDominated, err)
		}
	}
	stream := func(shard int64, purpose string) float64 {
		return cdf.NewStream(spec.Seed, "k", shard, purpose).Float64()
	}
	if want := []float64{stream(1, "update"), stream(2, "score"), stream(2, "update")}; !slices.Equal(seen, want) {
		t.Errorf("random numbers %v, want %v", seen, want)
	}
}

// swayed is vague with sensitivities of its two variables.
type swayed struct {
	vague
	by [2]float64
}

func (s swayed) PriorSensitivity(_ []cdf.Functional, dst []float64) { copy(dst, s.by[:]) }

// Either criterion lists a variable, and both list it once. The sd of beta[x] is .83
// of the prior's, that of beta[intercept] .77.
func TestPriorDominatedByEitherCriterion(t *testing.T) {
	for _, c := range []struct {
		by   [2]float64
		want string
	}{
		{[2]float64{math.NaN(), math.NaN()}, "[beta[x]]"},
		{[2]float64{.34, .34}, "[beta[x]]"},
		{[2]float64{.36, math.NaN()}, "[beta[intercept] beta[x]]"},
		{[2]float64{.34, .36}, "[beta[x]]"},
	} {
		spec, shards, forget := recording(cdf.Roles{Intercept: true})
		spec.New = func(d cdf.Dims) (cdf.Model, error) {
			return swayed{vague{recorder{d, shards, forget}, new([]float64)}, c.by}, nil
		}
		sum, err := cdf.NewFilter(spec, "k").Update(batch(num("x", 1), num("y", 1)))
		if err != nil || fmt.Sprint(sum.PriorDominated) != c.want {
			t.Errorf("sensitivities %g: dominated %v (%v), want %s", c.by, sum.PriorDominated, err, c.want)
		}
	}
}

// shared is vague with the prior's share of the variances of its two variables.
type shared struct {
	vague
	by [2]float64
}

func (s shared) PriorShare(list []cdf.Functional, dst []float64) {
	for i := range list {
		dst[i] = s.by[list[i].Param[0]]
	}
}

// A variable whose variance comes from the prior is listed, however small beside the prior's it is: of what is not asked, whose sd is
// below a quarter of the prior's, nothing is known.
func TestPriorDominatedByItsShare(t *testing.T) {
	for _, c := range []struct {
		by   [2]float64
		want string
	}{
		{[2]float64{.63, math.NaN()}, "[beta[x]]"},
		{[2]float64{.65, .1}, "[beta[intercept] beta[x]]"},
		{[2]float64{.1, .65}, "[beta[x]]"},
	} {
		spec, shards, forget := recording(cdf.Roles{Intercept: true})
		spec.New = func(d cdf.Dims) (cdf.Model, error) {
			return shared{vague{recorder{d, shards, forget}, new([]float64)}, c.by}, nil
		}
		sum, err := cdf.NewFilter(spec, "k").Update(batch(num("x", 1), num("y", 1)))
		if err != nil || fmt.Sprint(sum.PriorDominated) != c.want {
			t.Errorf("shares %g: dominated %v (%v), want %s", c.by, sum.PriorDominated, err, c.want)
		}
	}
}
