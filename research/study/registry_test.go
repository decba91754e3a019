package study

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
)

// The command line promises these names.
func TestExperimentsAndMethodsAreThoseOfTheContract(t *testing.T) {
	names := []string{
		"linear", "anova", "dlm", "dlm-vague", "dlm-ratio1", "dlm-ratio20", "probit-1", "probit-2", "probit-2-sd20", "probit-long",
		"compressed-1", "compressed-2", "compressed-3", "compressed-4", "compressed-5", "compressed-6", "adult", "poisson",
	}
	if got := Names(); !slices.Equal(got, names) {
		t.Errorf("experiments are %v, want %v", got, names)
	}
	known := []string{"cdf", "credence", "cdf-paper", "smcmc", "adf", "smc", "pl", "ffbs", "svb", "vb-gdp", "gva"}
	for _, e := range All() {
		seen := map[string]bool{}
		for i := range e.Methods {
			m := &e.Methods[i]
			if !slices.Contains(known, m.base()) || seen[m.Name] {
				t.Errorf("%s: method %s is unknown or there twice", e.Name, m.Name)
			}
			seen[m.Name] = true
		}
		if !seen["cdf"] || !seen["cdf-paper"] || e.Reference != "" && !seen[e.Reference] {
			t.Errorf("%s has methods %v and reference %q", e.Name, seen, e.Reference)
		}
		m := e.Measure(e.Size.Shards)
		if !slices.IsSorted(m.At) || m.At[len(m.At)-1] != e.Size.Shards {
			t.Errorf("%s is compared at %v of %d shards", e.Name, m.At, e.Size.Shards)
		}
		for _, at := range m.Many {
			if !slices.Contains(m.At, at) {
				t.Errorf("%s draws many at %d, where nothing is compared", e.Name, at)
			}
		}
		if e.Quick.Reps > e.Size.Reps || e.Quick.Shards > e.Size.Shards || e.Quick != e.Size && e.Reduced() == "" {
			t.Errorf("%s: quick is %v of %v", e.Name, e.Quick, e.Size)
		}
	}
}

// ours are the methods that are not competitors.
func ours(e *Experiment) (names []string) {
	for i := range e.Methods {
		if _, ok := e.Methods[i].ours(); ok {
			names = append(names, e.Methods[i].Name)
		}
	}
	return names
}

// A few shards of every experiment that simulates its data: settings are
// accepted, truths have the names of what is published, and every metric that
// needs no reference is there.
func TestEveryExperimentRuns(t *testing.T) {
	metrics := map[string][]string{
		"probit":     {"coverage", "length", "mse", "mse10", "seconds", "state_bytes"},
		"compressed": {"coverage", "length", "relative_mse", "mspe", "predictive_coverage", "seconds", "state_bytes"},
	}
	for _, e := range All() {
		if e.Name == "adult" {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			o := Options{Seed: 1, Reps: 1, Shards: 2, Methods: ours(e)}
			if e.Name == "linear" { // its grid is that of every tenth shard
				o.Shards = 10
			}
			got := map[string]map[string]bool{}
			for _, r := range figures(t, e.Name, o) {
				if got[r.Method] == nil {
					got[r.Method] = map[string]bool{"seconds": true}
				}
				got[r.Method][r.Metric] = true
				if r.T != o.Shards || r.Reps != 1 {
					t.Errorf("%+v", r)
				}
			}
			wanted := metrics[e.Kind]
			if wanted == nil {
				wanted = []string{"coverage", "length", "mse", "seconds", "state_bytes"}
			}
			if e.Name == "probit-long" {
				wanted = slices.DeleteFunc(slices.Clone(wanted), func(m string) bool { return m == "mse10" })
			}
			for _, m := range o.Methods {
				for _, metric := range wanted {
					if !got[m][metric] {
						t.Errorf("%s has no %s, only %v", m, metric, got[m])
					}
				}
			}
		})
	}
}

// What the paper prints stands where it can be found: beside a method that the
// experiment has, at a shard that it reaches.
func TestPrintedFiguresAreOfExperiments(t *testing.T) {
	seen := map[Printed]bool{}
	for _, p := range Figures() {
		e, ok := Lookup(p.Experiment)
		if !ok || p.T > e.Size.Shards || p.T < 1 || p.Where == "" {
			t.Errorf("%+v is of no experiment", p)
			continue
		}
		id := Printed{Experiment: p.Experiment, Method: p.Method, T: p.T, Metric: p.Metric}
		if seen[id] {
			t.Errorf("%+v is there twice", p)
		}
		seen[id] = true
		beside := 0
		for i := range e.Methods {
			if got := PrintedFor(e.Name, e.Methods[i].Name, p.T, p.Metric); got != nil && got.is(&p) {
				beside++
			}
		}
		if beside == 0 {
			t.Errorf("%+v stands beside no method", p)
		}
	}
	if p := PrintedFor("linear", "cdf", 500, "length"); p == nil || p.Value != .6 || p.SE != .01 || !strings.Contains(p.Where, "table 1,") {
		t.Errorf("length of linear is %v", p)
	}
	if p := PrintedFor("adult", "smcmc[batch]", 100, "misclassification"); p != nil {
		t.Errorf("%+v stands beside a method of other settings", p)
	}
	if p := PrintedFor("compressed-1", "credence", 100, "relative_mse"); p != nil {
		t.Errorf("%+v stands beside the product's default", p)
	}
}

// Every cell of the paper's tables is there, with its standard error. Tables 7
// (designs) and the formulae of 4 and 6 hold no measured figures; those of the
// series, and of the second binary design, stand beside two experiments.
func TestEveryTableOfThePaperIsWhole(t *testing.T) {
	type size struct{ cells, errors, intervals int }
	want := map[string]size{
		"table 1, section 3.1.1": {12, 10, 0}, "table 2, section 3.2": {24, 24, 0},
		"table 3, section 3.3.1": {16, 16, 0}, "table 4, section 3.3.1": {4, 0, 0},
		"table 5, section 3.3.2": {55, 44, 0}, "table 6, section 3.3.2": {4, 0, 0},
		"table 8, section 4.2": {18, 18, 0}, "table 9, section 4.2": {36, 36, 0},
		"table 10, section 4.2": {18, 0, 18}, "table 11, section 4.2": {24, 0, 0}, // memory beside each of six designs
		"table 12, section 5": {20, 0, 0}, "section 5": {2, 0, 0},
	}
	got := map[string]size{}
	for _, p := range Figures() {
		s := got[p.Where]
		s.cells++
		if !math.IsNaN(p.SE) {
			s.errors++
		}
		if !math.IsNaN(p.Lo) {
			s.intervals++
			if p.Value < p.Lo || p.Value > p.Hi {
				t.Errorf("%+v is outside its interval", p)
			}
		}
		got[p.Where] = s
	}
	if !maps.Equal(got, want) {
		t.Errorf("cells, errors and intervals are %v, want %v", got, want)
	}
	for _, p := range Figures() { // rows of a table of classes add up
		if p.Metric == "share00" {
			sum := p.Value
			for _, m := range []string{"share01", "share10", "share11"} {
				sum += Figures()[slices.IndexFunc(Figures(), func(q Printed) bool {
					return q.Experiment == p.Experiment && q.Method == p.Method && q.Metric == m
				})].Value
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Errorf("%s: the shares add up to %v", p.Method, sum)
			}
		}
	}
}

func TestAgrees(t *testing.T) {
	p := Printed{Value: .5, SE: .03}
	bare := Printed{Value: .5, SE: math.NaN()}
	for _, c := range []struct {
		p        *Printed
		mean, se float64
		want     bool
	}{
		{&p, .59, .04, true}, {&p, .61, .04, false}, {&p, .555, math.NaN(), true}, {&p, .57, math.NaN(), false},
		{&bare, .549, math.NaN(), true}, {&bare, .56, math.NaN(), false}, {&bare, .56, .04, true},
	} {
		if got := c.p.Agrees(c.mean, c.se); got != c.want {
			t.Errorf("%v ± %v agrees with %v ± %v: %v", c.mean, c.se, c.p.Value, c.p.SE, got)
		}
	}
}

// What is printed is measured: by the run of every experiment above, and here
// by those that need a file or a competitor.
func TestPrintedMetricsAreMeasured(t *testing.T) {
	measured := map[string]map[string]bool{}
	for _, name := range Names() {
		o := Options{Seed: 1, Reps: 1, Shards: 2, Methods: []string{"cdf"}}
		switch name {
		case "linear": // its grid is that of every tenth shard
			o.Shards = 10
		case "adult":
			o.Data = censusFile(t)
		}
		measured[name] = map[string]bool{Seconds: true}
		for _, r := range figures(t, name, o) {
			measured[name][r.Metric] = true
		}
	}
	for _, p := range Figures() {
		if p.Metric != "draws_to_mspe5" && !measured[p.Experiment][p.Metric] { // that only once the error is small
			t.Errorf("%s measures no %s", p.Experiment, p.Metric)
		}
	}
}
