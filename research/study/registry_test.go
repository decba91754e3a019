package study

import (
	"slices"
	"strings"
	"testing"
)

// The command line promises these names.
func TestExperimentsAndMethodsAreThoseOfTheContract(t *testing.T) {
	names := []string{
		"linear", "anova", "dlm", "dlm-vague", "probit-1", "probit-2", "probit-long",
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
		id := p
		id.Value, id.Where = 0, ""
		if seen[id] {
			t.Errorf("%+v is there twice", p)
		}
		seen[id] = true
		beside := 0
		for i := range e.Methods {
			if got := PrintedFor(e.Name, e.Methods[i].Name, p.T, p.Metric); got != nil && *got == p {
				beside++
			}
		}
		if beside == 0 {
			t.Errorf("%+v stands beside no method", p)
		}
	}
	if len(seen) < 90 {
		t.Errorf("%d figures", len(seen))
	}
	if p := PrintedFor("linear", "cdf", 500, "length"); p == nil || p.Value != .6 || !strings.Contains(p.Where, "notes") {
		t.Errorf("length of linear is %v", p)
	}
	if p := PrintedFor("adult", "smcmc[batch]", 100, "misclassification"); p != nil {
		t.Errorf("%+v stands beside a method of other settings", p)
	}
	if p := PrintedFor("compressed-1", "credence", 100, "relative_mse"); p != nil {
		t.Errorf("%+v stands beside the product's default", p)
	}
}
