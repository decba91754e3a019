//go:build unix

package integration

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/testenv"
)

// reference is the part of reference/lm.csv about one data set: the exact
// posterior under independent priors beta ~ N(0, 10) and sigma2 ~ IG(1, 1),
// by quadrature, and the standardisation that it is for.
type reference map[string]map[string]float64 // parameter -> column -> value

func readReference(t *testing.T, set string) reference {
	t.Helper()
	f, err := os.Open(data(t, "reference/lm.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	ref := reference{}
	for _, line := range lines[1:] {
		if line[0] != set {
			continue
		}
		ref[line[1]] = map[string]float64{}
		for i, text := range line[2:] {
			if text == "NA" {
				continue
			}
			if ref[line[1]][lines[0][i+2]], err = strconv.ParseFloat(text, 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	return ref
}

// TestReference streams a real data set in 96 shards through Kafka and Redis
// and compares what comes out with the exact posterior of all its rows.
func TestReference(t *testing.T) {
	file, ref := data(t, "ccpp.csv"), readReference(t, "ccpp")
	features := ""
	for _, name := range []string{"AT", "V", "AP", "RH"} {
		features += fmt.Sprintf("{name: %s, center: %v, scale: %v}, ", name, ref[name]["x_center"], ref[name]["x_scale"])
	}
	model := fmt.Sprintf(`
  - match: ccpp
    kind: linear
    columns:
      response: {name: PE, center: %v, scale: %v}
      features: [%s]
    publish: {scale: model}
    settings: {prior: {beta_variance: 10, intercept_variance: 10}}`,
		ref["AT"]["y_center"], ref["AT"]["y_scale"], features)
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{models: model})
		replay := func(run string) {
			got := command(t, filepath.Join(programs, "producer"), "replay", "--input", file, "--rows", "100",
				"--run-id", run, "--topic", w.input, "--brokers", env.Brokers()[0])
			if got.code != 0 {
				t.Fatalf("producer: exit %d\n%s", got.code, got.messages)
			}
		}
		replay("first")
		w.settle(t)
		all := w.tail(t)
		if len(all) != 96 {
			t.Fatalf("%d posteriors, want 96", len(all))
		}
		compare(t, all[95], ref)

		// A run that is sent once more changes nothing, another one does.
		before := w.get(t, "ccpp")
		replay("first")
		w.settle(t)
		w.same(t, "before the repeated run", map[string]posterior{"ccpp": before})
		replay("second")
		w.settle(t)
		if p := w.get(t, "ccpp"); p.T != 2*96 || p.N != 2*9568 {
			t.Errorf("after a second run: t %d, n %d", p.T, p.N)
		}
	})
}

// compare holds the final posterior against the reference: means within 0.02
// posterior sd, sds within 1 %.
func compare(t *testing.T, p posterior, ref reference) {
	t.Helper()
	if p.T != 96 || p.N != 9568 {
		t.Errorf("t %d, n %d; want 96, 9568", p.T, p.N)
	}
	worstMean, worstSD := 0.0, 0.0
	for name, want := range ref {
		variable := "beta[" + name + "]"
		if name == "sigma2" {
			variable = name
		}
		got, ok := p.variable[variable]
		if !ok {
			t.Errorf("no variable %s", variable)
			continue
		}
		mean := math.Abs(got.mean-want["B_mean"]) / want["B_sd"]
		sd := math.Abs(got.sd/want["B_sd"] - 1)
		if !(mean <= 0.02) || !(sd <= 0.01) {
			t.Errorf("%s is %v (%v), want %v (%v)", variable, got.mean, got.sd, want["B_mean"], want["B_sd"])
		}
		worstMean, worstSD = max(worstMean, mean), max(worstSD, sd)
	}
	t.Logf("worst mean %.2g posterior sd off, worst sd %.2g %% off", worstMean, 100*worstSD)
}
