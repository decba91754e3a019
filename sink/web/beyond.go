package web

import (
	"errors"
	"math"
	"net/http"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// checkFound refuses predictions that lack a number because of what was asked, and not
// because the model has none (the sd of a t law with 2 degrees of freedom, all numbers
// before the first constants). Of rows, that is a number that their twins at the centre
// of all numeric columns have; of steps, one that the first step has.
func checkFound(r *reckoner, m *Model, a asked, found []pipeline.RowPrediction) error {
	lacks := func(p pipeline.RowPrediction) bool { return lacking(&p.Prediction) != 0 }
	if !slices.ContainsFunc(found, lacks) {
		return nil
	}
	if a.horizon > 0 {
		for i := range found {
			if lacking(&found[i].Prediction)&^lacking(&found[0].Prediction) != 0 {
				return refuse(http.StatusUnprocessableEntity, "bad_horizon",
					"the prediction %d steps ahead is beyond the range of float64: ask for a horizon of at most %d", found[i].Row, found[i].Row-1)
			}
		}
		return nil
	}
	inputs := m.Filter.Inputs()
	twins, err := r.predict(centred(inputs, a.batch))
	var refused *problem
	switch {
	case errors.As(err, &refused) && refused.code == "unfit":
		twins = nil // a formula that has no value there: only infinity is sure to come from the row
	case err != nil:
		return err
	}
	for i := range found {
		p := &found[i].Prediction
		switch {
		case twins == nil && !infinite(p), twins != nil && lacking(p)&^lacking(&twins[i]) == 0:
			continue
		}
		in, v, far := farthest(inputs, a.batch, i)
		if in == nil {
			continue // it is its own twin
		}
		return refuse(http.StatusUnprocessableEntity, "not_finite",
			"row %d (from 0): %s %q is %g, %.3g times the scale of that column from its centre, and the prediction is beyond the range of float64: "+
				"check the unit of the value, or leave the row out", i, in.Role, in.Name, v, far)
	}
	return nil
}

// moments returns what is answered of a prediction.
func moments(p *cdf.Prediction) [7]float64 {
	return [...]float64{p.Mean, p.SD, p.Q025, p.Q975, p.EpredSD, p.EpredQ025, p.EpredQ975}
}

// lacking has a bit for each number that is not finite.
func lacking(p *cdf.Prediction) (bits uint8) {
	for i, v := range moments(p) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			bits |= 1 << i
		}
	}
	return bits
}

func infinite(p *cdf.Prediction) bool {
	numbers := moments(p)
	return slices.ContainsFunc(numbers[:], func(v float64) bool { return math.IsInf(v, 0) })
}

// numeric reports whether rows bring a measured number for the input.
func numeric(in *cdf.Input) bool {
	return !in.Category && !in.Moment && in.Role != "response" && in.Role != "time"
}

// centred returns rows with the same labels and times whose numbers are at the centre of
// their columns, 1 where none is known: the logarithm of 1 is a number.
func centred(inputs []cdf.Input, b *cdf.Batch) *cdf.Batch {
	out := *b
	out.Columns = slices.Clone(b.Columns)
	for i := range inputs {
		at := columnOf(&inputs[i], b)
		if at < 0 {
			continue
		}
		c := &out.Columns[at]
		v := inputs[i].Center
		if !(math.Abs(v) > 0) || math.IsInf(v, 0) {
			v = 1
		}
		if c.Type != cdf.Float {
			v = math.Round(v)
		}
		c.Number = slices.Repeat([]float64{v}, b.Rows)
		if len(c.Int) > 0 {
			c.Int = slices.Repeat([]int64{int64(v)}, b.Rows)
		}
	}
	return &out
}

// columnOf returns the place of a numeric input's column, -1 without one.
func columnOf(in *cdf.Input, b *cdf.Batch) int {
	if !numeric(in) {
		return -1
	}
	return slices.IndexFunc(b.Columns, func(c cdf.Column) bool { return c.Name == in.Name && c.Type != cdf.Text })
}

// farthest returns the input whose value in a row lies farthest from the centre, in
// units of its scale, and both numbers; nil without a numeric input.
func farthest(inputs []cdf.Input, b *cdf.Batch, row int) (in *cdf.Input, v, far float64) {
	for i := range inputs {
		at := columnOf(&inputs[i], b)
		if at < 0 {
			continue
		}
		x, center, scale := b.Columns[at].Number[row], inputs[i].Center, inputs[i].Scale
		if !(scale > 0) || math.IsNaN(center) {
			center, scale = 0, 1
		}
		if d := math.Abs(x-center) / scale; in == nil || d > far {
			in, v, far = &inputs[i], x, d
		}
	}
	return in, v, far
}
