package models

import (
	"fmt"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
)

// constants finds centres and scales: none is far off among the rows that are drawn.
func (k *handKey) constants() {
	c := &k.spec.Columns
	first, origin := c.Scaling == "first", k.spec.Origin
	of := func(f cdf.Feature, feature bool, at func(row *handRow) float64) (center, scale float64) {
		scale = 1
		if first {
			var sum, squares, n float64
			same, indicator := true, feature
			for i := range k.rows {
				v := at(&k.rows[i])
				sum, n = sum+v, n+1
				same = same && v == at(&k.rows[0])
				indicator = indicator && (v == 0 || v == 1)
			}
			mean := sum / n
			if same {
				mean = at(&k.rows[0])
			}
			for i := range k.rows {
				squares += (at(&k.rows[i]) - mean) * (at(&k.rows[i]) - mean)
			}
			if !indicator {
				if !origin {
					center = mean
				}
				if !same {
					scale = math.Sqrt(squares / (n - 1))
				}
			}
		}
		if f.Center != nil {
			center = *f.Center
		}
		if f.Scale != nil {
			scale = *f.Scale
		}
		return center, scale
	}
	k.cx, k.sx = make([]float64, len(k.names)), make([]float64, len(k.names))
	for j, column := range k.numbers {
		if k.sx[j] = 1; column >= 0 {
			k.cx[j], k.sx[j] = of(k.columns[column].feature, true, func(r *handRow) float64 { return r.x[j] })
		}
	}
	if k.cy, k.sy = 0, 1; !k.spec.RawResponse {
		k.cy, k.sy = of(c.Response, false, func(r *handRow) float64 { return r.y })
	}
}

// scaled returns the row of the design: the intercept, if there is one, and scaled columns.
func (k *handKey) scaled(x []float64) (row []float64) {
	if k.spec.Columns.Intercept {
		row = append(row, 1)
	}
	for j, v := range x {
		row = append(row, (v-k.cx[j])/k.sx[j])
	}
	return row
}

// original returns what a coefficient of the original columns is of those of the scaled ones: d + w'b. unit is that of the response.
func (k *handKey) original(name string) (d float64, w []float64) {
	at := 0
	if k.spec.Columns.Intercept {
		at = 1
	}
	w = make([]float64, at+len(k.names))
	if name == "beta[intercept]" {
		w[0] = k.sy
		for j := range k.names {
			w[1+j] = -k.sy * k.cx[j] / k.sx[j]
		}
		return k.cy, w
	}
	j := slices.IndexFunc(k.names, func(n string) bool { return "beta["+n+"]" == name })
	if j < 0 {
		return 0, nil
	}
	w[at+j] = k.sy / k.sx[j]
	return 0, w
}

// constantsAre compares the published constants.
func (k *handKey) constantsAre(sum *cdf.Summary) error {
	told := map[string][2]float64{}
	for _, c := range sum.Scaling {
		told[c.Column] = [2]float64{c.Center, c.Scale}
	}
	is := func(name string, center, scale, size float64) error {
		got, ok := told[name]
		if !ok {
			got = [2]float64{0, 1}
		}
		if !(math.Abs(got[0]-center) <= 1e-9*(size+math.Abs(center)) && math.Abs(got[1]-scale) <= 1e-8*scale) {
			return fmt.Errorf("constants of %s are %v, by hand %v and %v", name, got, center, scale)
		}
		return nil
	}
	if err := is("y", k.cy, k.sy, k.sy); err != nil {
		return err
	}
	for j, column := range k.numbers {
		if column >= 0 {
			if err := is(k.names[j], k.cx[j], k.sx[j], k.sx[j]); err != nil {
				return err
			}
		}
	}
	return nil
}
