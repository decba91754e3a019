//go:build unix

package integration

import (
	"fmt"
	"math"
	"strconv"
	"testing"
)

// wideRows returns the first four fifths of a data set with many columns, and
// the rest, the response apart. Columns are centred and scaled by the first
// part; constant ones are left out.
func wideRows(t *testing.T, name string) (train, test *table, y []float64) {
	t.Helper()
	all := readTable(t, name+".csv")
	response := "y"
	if name == "nirsoil" {
		response = "Ciso"
		all = all.only(t, append([]string{response}, all.header[all.at(t, "nm1100"):]...)...).without("NA")
	}
	n := len(all.lines) * 4 / 5
	train, test = &table{lines: make([][]string, n)}, &table{lines: make([][]string, len(all.lines)-n)}
	add := func(column string, v []float64, center, scale float64) {
		train.header, test.header = append(train.header, column), append(test.header, column)
		for i, x := range v {
			text := strconv.FormatFloat((x-center)/scale, 'g', -1, 64)
			if i < n {
				train.lines[i] = append(train.lines[i], text)
				continue
			}
			if column == "y" {
				y, text = append(y, (x-center)/scale), ""
			}
			test.lines[i-n] = append(test.lines[i-n], text)
		}
	}
	for _, column := range all.header {
		v, as := all.numbers(t, column), column
		if column == response {
			as = "y"
			if name == "nirsoil" {
				for i := range v {
					v[i] = math.Log(v[i])
				}
			}
		}
		center, scale := standard(v[:n])
		if !(scale > 1e-12*math.Abs(center)) {
			continue
		}
		add(as, v, center, scale)
	}
	return train, test, y
}

// fixedProjection: with the projection given the posterior is a closed form.
func fixedProjection(name string, m int) func(t *testing.T) *experiment {
	return func(t *testing.T) *experiment {
		train, test, _ := wideRows(t, name)
		phi := fmt.Sprintf("reference/phi_%s_m%d.csv", name, m)
		signs := readTable(t, phi)
		coef := readReference(t, "compressed_coef.csv", "mean", "sd", name, strconv.Itoa(m))
		pred := readReference(t, "compressed_pred.csv", "pred_mean", "pred_sd", name, strconv.Itoa(m))
		return &experiment{
			rows: train, asked: test,
			columns:  "scaling: none, response: y",
			settings: fmt.Sprintf("projection: fixed, dimension: %d, projection_file: %q, prior: {sigma2_shape: 1, sigma2_rate: 1, beta_variance: 1}", m, data(t, phi)),
			publish:  ", predictions: null_rows",
			check: func(t *testing.T, _ int, got outcome) {
				if len(got.predictions) != len(pred) {
					t.Fatalf("%d predictions, want %d", len(got.predictions), len(pred))
				}
				worst, wide := 0.0, 0.0
				for i, want := range pred {
					worst = max(worst, math.Abs(got.predictions[i].Mean-want.mean))
					wide = max(wide, math.Abs(got.predictions[i].SD/want.sd-1))
				}
				if !(worst <= .01) || !(wide <= .01) {
					t.Errorf("predictive means within %.3g, sds within %.3g %%; limits .01, 1 %%", worst, 100*wide)
				}
				t.Logf("predictive means within %.2g (limit .01), sds within %.2g %% (limit 1), of %d", worst, 100*wide, len(pred))
				got.close(t, "sigma2", coef, within(.01, .01), named("sigma2", "sigma2"))
				worst = 0
				for _, line := range signs.lines {
					want := 0.0 // gamma_j = Phi_j' beta
					for k, sign := range line[1:] {
						s, err := strconv.ParseFloat(sign, 64)
						if err != nil {
							t.Fatal(err)
						}
						want += s / math.Sqrt(float64(m)) * coef[k].mean
					}
					p, ok := got.variable["gamma["+line[0]+"]"]
					if !ok {
						t.Fatalf("no variable gamma[%s]", line[0])
					}
					worst = max(worst, math.Abs(p.mean-want)/p.sd)
				}
				if !(worst <= .01) {
					t.Errorf("coefficients are %.3g of their sd off, limit .01", worst)
				}
				t.Logf("coefficients within %.2g of their sd (limit .01), of %d", worst, len(signs.lines))
			},
		}
	}
}

// learnedProjection is judged by its predictions of rows that it has not seen,
// beside those of ridge regression on all columns with the best penalty.
func learnedProjection(name string, mspe, coverage float64) func(t *testing.T) *experiment {
	return func(t *testing.T) *experiment {
		train, test, y := wideRows(t, name)
		ridge := ""
		for _, line := range readTable(t, "reference/compressed_summary.csv").lines {
			if line[0] == name && line[1] == "full_ridge" {
				ridge = fmt.Sprintf("ridge: %.5s and %.5s", line[2], line[3])
			}
		}
		return &experiment{
			rows: train, asked: test,
			columns:  "scaling: none, response: y",
			settings: "projection: learned",
			publish:  ", predictions: null_rows, variables: [sigma2]",
			check: func(t *testing.T, _ int, got outcome) {
				if len(got.predictions) != len(y) {
					t.Fatalf("%d predictions, want %d", len(got.predictions), len(y))
				}
				miss, in := 0.0, 0.0
				for i, p := range got.predictions {
					miss += (y[i] - p.Mean) * (y[i] - p.Mean) / float64(len(y))
					if p.Low <= y[i] && y[i] <= p.High {
						in += 1 / float64(len(y))
					}
				}
				if !(miss <= mspe) || !(in >= coverage) {
					t.Errorf("mean squared error %.4f, coverage %.3f; limits %g, %g", miss, in, mspe, coverage)
				}
				t.Logf("mean squared error %.4f (limit %g), coverage %.3f (limit %g); %s", miss, mspe, in, coverage, ridge)
			},
		}
	}
}
