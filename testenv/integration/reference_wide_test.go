//go:build unix

package integration

import (
	"fmt"
	"math"
	"strconv"
	"testing"
)

// wide is a data set with many columns. The first four fifths of its rows are
// absorbed; the rest is predicted. Columns are centred and scaled by the first
// part; constant ones are left out.
type wide struct {
	name        string
	response    string
	log         bool // of the response
	train, test *table
	y           []float64 // of test
}

// load reads the data, once.
func (d *wide) load(t *testing.T) {
	t.Helper()
	if d.train != nil {
		return
	}
	all := readTable(t, d.name+".csv")
	if d.name == "nirsoil" {
		all = all.only(t, append([]string{d.response}, all.header[all.at(t, "nm1100"):]...)...).without("NA")
	}
	n := len(all.lines) * 4 / 5
	d.train, d.test = &table{lines: make([][]string, n)}, &table{lines: make([][]string, len(all.lines)-n)}
	for j, column := range all.header {
		v := make([]float64, len(all.lines))
		for i, line := range all.lines {
			var err error
			if v[i], err = strconv.ParseFloat(line[j], 64); err != nil {
				t.Fatal(err)
			}
			if column == d.response && d.log {
				v[i] = math.Log(v[i])
			}
		}
		center, scale := standard(v[:n])
		if !(scale > 1e-12*math.Abs(center)) {
			continue
		}
		d.train.header, d.test.header = append(d.train.header, column), append(d.test.header, column)
		for i, x := range v {
			z := (x - center) / scale
			text := strconv.FormatFloat(z, 'g', -1, 64)
			if i < n {
				d.train.lines[i] = append(d.train.lines[i], text)
				continue
			}
			if column == d.response {
				d.y, text = append(d.y, z), ""
			}
			d.test.lines[i-n] = append(d.test.lines[i-n], text)
		}
	}
}

// fixedProjection: with the projection given the posterior is a closed form.
func fixedProjection(d *wide, m int) func(t *testing.T) *experiment {
	return func(t *testing.T) *experiment {
		d.load(t)
		phi := fmt.Sprintf("reference/phi_%s_m%d.csv", d.name, m)
		signs := readTable(t, phi)
		coef := readReference(t, "compressed_coef.csv", "mean", "sd", d.name, strconv.Itoa(m))
		pred := readReference(t, "compressed_pred.csv", "pred_mean", "pred_sd", d.name, strconv.Itoa(m))
		return &experiment{
			rows: d.train, asked: d.test,
			columns:  "scaling: none, response: " + d.response,
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
func learnedProjection(d *wide, mspe, coverage float64) func(t *testing.T) *experiment {
	return func(t *testing.T) *experiment {
		d.load(t)
		ridge := ""
		for _, line := range readTable(t, "reference/compressed_summary.csv").lines {
			if line[0] == d.name && line[1] == "full_ridge" {
				ridge = fmt.Sprintf("ridge: %.5s and %.5s", line[2], line[3])
			}
		}
		return &experiment{
			rows: d.train, asked: d.test,
			columns:  "scaling: none, response: " + d.response,
			settings: "projection: learned",
			publish:  ", predictions: null_rows, variables: [sigma2]",
			check: func(t *testing.T, _ int, got outcome) {
				if len(got.predictions) != len(d.y) {
					t.Fatalf("%d predictions, want %d", len(got.predictions), len(d.y))
				}
				miss, in := 0.0, 0.0
				for i, p := range got.predictions {
					miss += (d.y[i] - p.Mean) * (d.y[i] - p.Mean) / float64(len(d.y))
					if p.Low <= d.y[i] && d.y[i] <= p.High {
						in += 1 / float64(len(d.y))
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
