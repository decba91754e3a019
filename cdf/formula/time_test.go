package formula_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// A formula does not name the time of the rows, which columns.time does: a dlm with both learns
// what one with columns learns, over steps that are missing.
func TestTimeBesideAFormula(t *testing.T) {
	timed := spec(t, "dlm", "y ~ 1")
	timed.Columns.Time = "day"
	timed.Seal()
	plain := of(t, "dlm", cdf.Roles{Response: cdf.Feature{Name: "y"}, Time: "day", Scaling: timed.Columns.Scaling})
	made, listed := cdf.NewFilter(timed, "k"), cdf.NewFilter(plain, "k")
	day := int64(1900)
	for n := range 6 {
		b := &cdf.Batch{Rows: 10, Columns: []cdf.Column{{Name: "y", Number: make([]float64, 10)}, {Name: "day", Type: cdf.Integer, Number: make([]float64, 10), Int: make([]int64, 10)}}}
		for i := range b.Rows {
			day += int64(1 + i%3/2) // some steps are missing
			b.Columns[0].Number[i] = 100 + 5*math.Sin(float64(7*n+i))
			b.Columns[1].Number[i], b.Columns[1].Int[i] = float64(day), day
		}
		got, err := made.Update(b)
		if err != nil {
			t.Fatal(err)
		}
		want, err := listed.Update(b)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprint(got.Rows, got.Score), fmt.Sprint(want.Rows, want.Score); got != want {
			t.Fatalf("shard %d: %s, want %s", n, got, want)
		}
	}
	if _, err := made.Update(&cdf.Batch{Rows: 1, Columns: []cdf.Column{{Name: "y", Number: []float64{1}}}}); err == nil {
		t.Error("a shard without the time is taken")
	}
}
