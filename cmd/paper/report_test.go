package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const resultLines = `{"experiment":"linear","method":"cdf","t":500,"metric":"coverage","mean":0.961,"se":0.011,"reps":10,"paper":1}
{"experiment":"linear","method":"cdf","t":500,"metric":"accuracy","mean":0.979,"se":0.0004,"reps":10,"paper":null}
{"experiment":"linear","method":"cdf-paper","t":500,"metric":"coverage","mean":0.745,"se":null,"reps":1,"paper":1}
{"experiment":"linear","method":"cdf-paper","t":500,"metric":"accuracy","mean":0.73,"se":0.01,"reps":10,"paper":null}
{"experiment":"dlm-vague","method":"cdf","t":3000,"metric":"coverage","mean":0.999,"se":0,"reps":8,"paper":0.78}
{"experiment":"dlm-vague","method":"cdf-paper","t":3000,"metric":"coverage","mean":0.8,"se":0,"reps":8,"paper":0.78}
{"experiment":"anova","method":"cdf","t":500,"metric":"coverage","mean":0.99,"se":0,"reps":8,"paper":0.87}
{"experiment":"anova","method":"cdf-paper","t":500,"metric":"coverage","mean":0.94,"se":0,"reps":8,"paper":0.87}
{"experiment":"compressed-1","method":"cdf","t":200,"metric":"coverage","mean":0.99,"se":0,"reps":3,"paper":null}
{"experiment":"compressed-1","method":"cdf","t":200,"metric":"predictive_coverage","mean":0.953,"se":0,"reps":3,"paper":null}
{"experiment":"compressed-1","method":"cdf","t":200,"metric":"accuracy","mean":0.76,"se":0,"reps":3,"paper":null}
{"experiment":"compressed-1","method":"cdf-paper","t":200,"metric":"coverage","mean":0.97,"se":0,"reps":3,"paper":null}
{"experiment":"compressed-1","method":"cdf-paper","t":200,"metric":"predictive_coverage","mean":0.99,"se":0,"reps":3,"paper":null}
{"experiment":"compressed-1","method":"cdf-paper","t":200,"metric":"accuracy","mean":0.82,"se":0,"reps":3,"paper":null}
{"experiment":"probit-1","method":"cdf","t":100,"metric":"seconds","mean":7,"se":0.8,"reps":10,"paper":null}
{"experiment":"probit-1","method":"smcmc","t":100,"metric":"seconds","mean":14,"se":1,"reps":10,"paper":null}
{"experiment":"probit-2-sd20","method":"svb","t":100,"metric":"mse10","mean":0.0142,"se":0.003,"reps":3,"paper":null}
{"experiment":"probit-2-sd20","method":"svb","t":100,"metric":"length","mean":0.201,"se":0,"reps":3,"paper":null}
{"experiment":"probit-2-sd20","method":"svb","t":100,"metric":"coverage","mean":0.7,"se":0.03,"reps":3,"paper":null}
`

func TestReport(t *testing.T) {
	results, err := readResults(strings.NewReader(resultLines))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := report(&b, results, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| method | t | coverage | accuracy |\n",
		"| `cdf` | 500 | 0.961 ± 0.01 (paper: 1 [1]) | 0.979 ± 0.0004 |\n",
		"| `cdf-paper` | 500 | 0.745 (paper: 1 [1]) | 0.73 ± 0.01 |\n", // one replication has no error
		"\n1. The exact interval is",
		"| `svb` | 100 | 0.0142 ± 0.003 (paper: 0.026 ± 0.01) | 0.201 ± 0 (paper: 0.2) | 0.7 ± 0.03 (paper: 0.55 ± 0.02 [?]) |\n",
		"Printed for S-MCMC, not run here: coverage 0.92 ± 0.02 (t = 100), length 0.33 (t = 100), seconds 2196 ± 170 (t = 100), ",
		"| `cdf` | 100 | 7 ± 0.8 |\n", // seconds are compared as ratios alone
		"| probit-1 | S-MCMC | 152 ± 10.3 | 5.28 | 14 | 2 | |\n",
		"| probit-2 | SMC-CH | 651 ± 9.6 | 1.41 | not run | | |\n",
		"| linear | 500 | 0.961 | 0.745 | | | yes | 0.979 | 0.730 | yes |\n",
		"| anova | 500 | 0.990 | 0.940 | | | no | | |  |\n",
		"| dlm-vague | 3000 | 0.999 | 0.800 | | | reported only | | |  |\n",
		"| compressed-1 | 200 | 0.990 | 0.970 | 0.953 | 0.990 | yes | 0.760 | 0.820 | no |\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in the page:\n%s", want, b.String())
		}
	}
}

func TestResultsOfAnotherBuildAreRefused(t *testing.T) {
	for in, want := range map[string]string{
		"{\"experiment\":\"linear\",\"metric\":\"mse\"}\n{\"experiment\":\"lineal\"}\n": `line 2: unknown experiment "lineal"`,
		"linear\n": "line 1: invalid character",
	} {
		if _, err := readResults(strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
}

// The page of the repository is what its results give.
func TestThePageIsGenerated(t *testing.T) {
	const folder = "../../docs/paper"
	f, err := os.Open(filepath.Join(folder, "results.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	results, err := readResults(f)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := report(&b, results, folder); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/paper.md")
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(page) {
		t.Error("docs/paper.md is not what `paper report docs/paper/results.jsonl` prints: make paper-page")
	}
}
