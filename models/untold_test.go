package models_test

import "testing"

// Before the rows are some times as many as the columns predictions are as wide as the prior says, which says nothing of the
// model. Where it is right no flag of predictions is up at any shard, up to 12 rows per column.
func TestManyColumnsAreNoMisfit(t *testing.T) {
	for _, c := range []wide{
		{kind: "linear", columns: 70, sd: .2, rows: 10}, {kind: "linear", columns: 100, sd: .1, rows: 30},
		{kind: "linear", columns: 200, sd: .1, rows: 20}, {kind: "linear", columns: 200, sd: .1, rows: 100},
		{kind: "linear", columns: 300, sd: .05, rows: 100},
	} {
		streams := 4000 / (c.columns * c.columns / 50)
		if ever, _ := c.after(t, streams, 12*c.columns/c.rows, "miscalibrated", "wide_intervals", "heavy_tails"); ever > 0 {
			t.Errorf("%d columns of %g, %d rows: flags in %d of %d streams", c.columns, c.sd, c.rows, ever, streams)
		}
	}
}

// What is wrong is told once rows tell of all columns: a product of two that the model lacks, by nine rows per column.
func TestMisfitOfManyColumnsIsFound(t *testing.T) {
	c := wide{kind: "linear", columns: 100, sd: .1, rows: 50, edit: func(_ int, x []float64, y *float64) { *y += 5 * x[0] * x[1] }}
	if _, end := c.after(t, 10, 18, "miscalibrated", "heavy_tails"); end < 9 {
		t.Errorf("a flag of misfit in %d of 10 streams at the end", end)
	}
}
