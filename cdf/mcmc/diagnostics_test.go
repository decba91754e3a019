package mcmc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// shared returns a file of the shared data, or skips.
func shared(t *testing.T, name string) []byte {
	t.Helper()
	dir := os.Getenv("CREDENCE_SHARED")
	if dir == "" {
		at, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
				break
			}
			up := filepath.Dir(at)
			if up == at {
				t.Fatal("no go.mod above the package")
			}
			at = up
		}
		dir = filepath.Join(filepath.Dir(at), "shared")
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	if os.IsNotExist(err) {
		t.Skipf("shared data not here (%s): set CREDENCE_SHARED", filepath.Join(dir, name))
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// diagnosed returns r_hat, ess_bulk, ess_tail, ess_mean, mcse_mean.
func diagnosed(x []float64, chains int) [5]float64 {
	var d Diagnostics
	return [...]float64{
		d.RHat(x, chains), d.ESSBulk(x, chains), d.ESSTail(x, chains), d.ESSMean(x, chains), d.MCSEMean(x, chains),
	}
}

var diagnosticNames = [...]string{"r_hat", "ess_bulk", "ess_tail", "ess_mean", "mcse_mean"}

// agree compares to 1e-6 relative; NaN stands for R's NA.
func agree(t *testing.T, name string, got, want [5]float64) {
	t.Helper()
	for i, what := range diagnosticNames {
		if math.IsNaN(want[i]) != math.IsNaN(got[i]) || math.Abs(got[i]-want[i]) > 1e-6*math.Abs(want[i]) {
			t.Errorf("%s: %s is %.12g, want %.12g", name, what, got[i], want[i])
		}
	}
}

func TestDiagnosticsVectors(t *testing.T) {
	var file struct {
		Cases []struct {
			Name     string              `json:"name"`
			Chains   [][]float64         `json:"chains"`
			Expected map[string]*float64 `json:"expected"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(shared(t, "vectors/diagnostics.json"), &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) < 10 {
		t.Fatalf("%d cases", len(file.Cases))
	}
	for _, c := range file.Cases {
		var x []float64
		for _, chain := range c.Chains {
			x = append(x, chain...)
		}
		var want [5]float64
		for i, name := range diagnosticNames {
			want[i] = math.NaN()
			if v := c.Expected[name]; v != nil {
				want[i] = *v
			}
		}
		agree(t, c.Name, diagnosed(x, len(c.Chains)), want)
	}
}

// TestDiagnosticsPosterior compares with the R package posterior itself on
// fresh chains of many shapes.
func TestDiagnosticsPosterior(t *testing.T) {
	r, err := exec.LookPath("Rscript")
	if err == nil {
		err = exec.CommandContext(t.Context(), r, "-e", "library(posterior)").Run()
	}
	if err != nil {
		t.Skip("NOT COMPARED WITH THE R PACKAGE posterior: install r-base-core and r-cran-posterior to run this test")
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var input bytes.Buffer
	var got [][5]float64
	for _, shape := range [][2]int{{1, 20}, {1, 501}, {2, 6}, {2, 7}, {2, 9}, {3, 50}, {4, 101}, {16, 32}, {4, 300}} {
		chains, n := shape[0], shape[1]
		for kind := range 6 {
			x := randomChains(rng, kind, chains, n)
			got = append(got, diagnosed(x, chains))
			fmt.Fprintf(&input, "%d", chains)
			for _, v := range x {
				fmt.Fprintf(&input, " %s", strconv.FormatFloat(v, 'g', 17, 64))
			}
			input.WriteByte('\n')
		}
	}
	script := `suppressMessages(library(posterior)); options(digits = 17)
con <- file("stdin", "r")
for (line in readLines(con)) {
  v <- as.numeric(strsplit(line, " ")[[1]])
  x <- matrix(v[-1], ncol = v[1])
  r <- suppressWarnings(c(rhat(x), ess_bulk(x), ess_tail(x), ess_mean(x), mcse_mean(x)))
  cat(sprintf("%.17g", r), "\n")
}
close(con)`
	cmd := exec.CommandContext(t.Context(), r, "-e", script)
	cmd.Stdin = &input
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(got) {
		t.Fatalf("%d answers for %d chains", len(lines), len(got))
	}
	for i, line := range lines {
		var want [5]float64
		for k, f := range strings.Fields(line) {
			if want[k] = math.NaN(); f != "NA" && f != "NaN" {
				if want[k], err = strconv.ParseFloat(f, 64); err != nil {
					t.Fatal(err)
				}
			}
		}
		agree(t, fmt.Sprintf("chains %d", i), got[i], want)
	}
}

// randomChains returns independent, autocorrelated, antithetic, discrete,
// heavy-tailed and shifted chains.
func randomChains(rng *rand.Rand, kind, chains, n int) []float64 {
	x := make([]float64, 0, chains*n)
	for c := range chains {
		state := rng.NormFloat64()
		for range n {
			rho := [...]float64{0, .9, -.6, 0, 0, .3}[kind]
			state = rho*state + math.Sqrt(1-rho*rho)*rng.NormFloat64()
			v := state
			switch kind {
			case 3:
				v = math.Round(2 * v)
			case 4:
				v = math.Tan(math.Pi * (rng.Float64() - .5))
			case 5:
				v += float64(c)
			}
			x = append(x, v)
		}
	}
	return x
}

func TestQuantileType7(t *testing.T) {
	for _, c := range []struct{ p, want float64 }{{0, 1}, {.1, 1.3}, {.5, 2.5}, {.975, 3.925}, {1, 4}} {
		if got := Quantile([]float64{1, 2, 3, 4}, c.p); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("quantile %g is %g, want %g", c.p, got, c.want)
		}
	}
	if q := Quantile(nil, .5); !math.IsNaN(q) {
		t.Errorf("a quantile of nothing is %g", q)
	}
}
