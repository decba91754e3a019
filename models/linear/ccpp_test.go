package linear

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// Row R1: the power plant data in 96 shards in file order against the exact
// posterior by quadrature (B_*), made with R.
func TestAcceptanceCCPP(t *testing.T) {
	ref, refs := modeltest.ReadCSV(t, "data/reference/lm.csv")
	data, rows := modeltest.ReadCSV(t, "data/ccpp.csv")
	names := []string{"intercept", "AT", "V", "AP", "RH"}
	center, scale := make([]float64, 5), make([]float64, 5)
	var want [][]string
	for _, name := range append(names, "sigma2") {
		for _, r := range refs {
			if r[ref["set"]] == "ccpp" && r[ref["param"]] == name {
				want = append(want, r)
			}
		}
	}
	for j := 1; j < 5; j++ {
		center[j], scale[j] = modeltest.Number(t, want[j][ref["x_center"]]), modeltest.Number(t, want[j][ref["x_scale"]])
	}
	yc, ys := modeltest.Number(t, want[0][ref["y_center"]]), modeltest.Number(t, want[0][ref["y_scale"]])
	settings := Defaults()
	settings.Prior.BetaVariance, settings.Prior.InterceptVariance = 10, 10
	m, err := New(settings, cdf.Dims{Columns: names, Intercept: true})
	if err != nil {
		t.Fatal(err)
	}
	d := modeltest.Stepper{Model: m}
	for from := 0; from < len(rows); from += 100 {
		sh := &cdf.Shard{Cols: 5}
		for _, r := range rows[from:min(from+100, len(rows))] {
			sh.X = append(sh.X, 1)
			for j := 1; j < 5; j++ {
				sh.X = append(sh.X, (modeltest.Number(t, r[data[names[j]]])-center[j])/scale[j])
			}
			sh.Y = append(sh.Y, (modeltest.Number(t, r[data["PE"]])-yc)/ys)
			sh.Rows++
		}
		d.Must(t, sh, 1)
	}
	if d.T != 96 || m.n != 9568 {
		t.Fatalf("%d shards with %v rows", d.T, m.n)
	}
	got := modeltest.Summarize(t, m, modeltest.Coefficients(5))
	for j, w := range want {
		mean, sd := modeltest.Number(t, w[ref["B_mean"]]), modeltest.Number(t, w[ref["B_sd"]])
		miss, ratio := math.Abs(got[j].Mean-mean)/sd, got[j].SD/sd
		t.Logf("| R1 | %s | mean misses by %.1e sd | sd ratio - 1 = %.1e |", w[ref["param"]], miss, ratio-1)
		if !(miss < 0.02) || !(math.Abs(ratio-1) < 0.01) {
			t.Errorf("%s: mean %v sd %v, want %v and %v", w[ref["param"]], got[j].Mean, got[j].SD, mean, sd)
		}
	}
}
