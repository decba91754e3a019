package study

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/research/measure"
)

// A closed form, of which nothing is drawn in passing, and a sampler: many
// draws are not one another's copies and have the moments that the method
// publishes when it draws as many itself, to within 6 standard errors of a
// chain that is worth a tenth of its draws.
func TestManyDrawsAreOfThePublishedPosterior(t *testing.T) {
	for _, name := range []string{"linear", "anova"} {
		e, _ := Lookup(name)
		open, err := e.Open(Options{})
		if err != nil {
			t.Fatal(err)
		}
		stream, err := open(5, 4)
		if err != nil {
			t.Fatal(err)
		}
		m := e.Methods[0]
		few, err := e.spec(&m, 5)
		if err != nil {
			t.Fatal(err)
		}
		m.Draws = manyDraws
		spec, err := e.spec(&m, 5)
		if err != nil {
			t.Fatal(err)
		}
		f, one := cdf.NewFilter(spec, filterKey), cdf.NewFilter(few, filterKey)
		var before []byte
		var sum *cdf.Summary
		for at := int64(1); at <= 4; at++ {
			if before, err = one.AppendBinary(before[:0]); err != nil {
				t.Fatal(err)
			}
			if _, err = one.Update(stream.Shard(at)); err != nil {
				t.Fatal(err)
			}
			if sum, err = f.Update(stream.Shard(at)); err != nil {
				t.Fatal(err)
			}
		}
		if name == "linear" && one.LastDraws() != nil {
			t.Error("a closed form drew in passing")
		}
		draws, err := draw(few, before, stream.Shard(4), len(sum.Rows))
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range sum.Rows {
			x := draws[i]
			if len(x) != manyDraws || r.Variable == "tau2" { // its tail is heavy
				continue
			}
			mean, variance := measure.Moments(x)
			if se := r.SD / math.Sqrt(manyDraws/10); math.Abs(mean-r.Mean) > 6*se || math.Abs(math.Sqrt(variance)/r.SD-1) > .1 {
				t.Errorf("%s, %s: draws have mean %v and sd %v, published are %v and %v", name, r.Variable, mean, math.Sqrt(variance), r.Mean, r.SD)
			}
			if d := slices.Compact(slices.Sorted(slices.Values(x))); len(d) < manyDraws-5 {
				t.Errorf("%s, %s: %d different draws of %d", name, r.Variable, len(d), manyDraws)
			}
		}
	}
}

// A batch method sees the rows of all shards, in order.
func TestJoinIsAllShards(t *testing.T) {
	open, err := scenario("anova", 0)(Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := open(1, 3)
	if err != nil {
		t.Fatal(err)
	}
	all := s.join(3)
	if all.Rows != 300 || all.Time != s.Shard(3).Time {
		t.Fatalf("%d rows, time %d", all.Rows, all.Time)
	}
	for j, c := range all.Columns {
		var v []float64
		var n []int64
		for at := range int64(3) {
			b := s.Shard(at + 1)
			v, n = append(v, b.Columns[j].Number...), append(n, b.Columns[j].Int...)
		}
		if !slices.Equal(c.Number, v) || !slices.Equal(c.Int, n) {
			t.Errorf("column %s is not that of the shards", c.Name)
		}
	}
}

// Replications differ, and so do experiments on the same scenario.
func TestSeedsDiffer(t *testing.T) {
	seen := map[uint64]bool{}
	for _, name := range Names() {
		for rep := range 5 {
			seen[seedOf(1, name, rep)] = true
			seen[seedOf(2, name, rep)] = true
		}
	}
	if want := 10 * len(Names()); len(seen) != want {
		t.Errorf("%d seeds, want %d", len(seen), want)
	}
}

// The regression's closed form depends on the rows and not on how they are
// cut: a method that takes all at once is the same posterior, and the paper's
// rule is another one. The reference has no accuracy of its own, and is run
// first wherever it stands.
func TestAccuracyIsAgainstTheReference(t *testing.T) {
	e := *linear()
	e.Methods = []Method{{Name: "cdf-paper", Draws: 500}, {Name: "cdf", Draws: 500}, {Name: "cdf[batch]", Draws: 500, Batch: true}}
	e.Reference = "cdf[batch]"
	e.Measure = func(shards int64) Measures {
		at := upTo(shards, 10)
		return Measures{At: at, Many: at, All: []Measure{
			accuracies(at, marginal{param: "beta", label: "beta"}, marginal{param: "sigma2", label: "sigma2", log: true}),
			normalAccuracies("sigma2", at),
		}}
	}
	j, err := e.Prepare(Options{Seed: 1, Reps: 1, Shards: 20})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]float64{} // accuracies of beta and sigma2 by method
	err = Run(t.Context(), []*Job{j}, func(int64) {}, func(_ *Job, results []Result) error {
		for _, r := range results {
			if strings.HasPrefix(r.Metric, "accuracy") {
				got[r.Method] = append(got[r.Method], r.Mean)
			}
			if r.Method == "cdf" && r.Metric == "bias_sd" && !(r.Mean < 1e-6) {
				t.Errorf("bias of the same posterior: %+v", r)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got["cdf[batch]"] != nil {
		t.Error("the reference is compared with itself")
	}
	// Two parameters by draws and one by moments, after two shards.
	if same, other := got["cdf"], got["cdf-paper"]; len(same) != 6 || len(other) != 6 || slices.Min(same) < .97 || slices.Max(other) > .95 {
		t.Errorf("accuracies are %v", got)
	}
	if _, draws, reference := j.Floor(); draws != manyDraws || reference != manyDraws {
		t.Errorf("the floor is that of %d draws against %d", draws, reference)
	}
}
