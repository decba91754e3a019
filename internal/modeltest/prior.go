package modeltest

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/kind"
)

// Prior returns the prior of a key's variables after one shard of four rows in
// two groups, a and b of column g, by name, nothing being scaled. Seed 1.
func Prior(t *testing.T, k *kind.Kind, decode func(any) error) map[string]cdf.Row {
	t.Helper()
	columns := cdf.Roles{Scaling: "none", Features: []cdf.Feature{}, Intercept: true}
	if k.Groups != kind.NoGroups {
		columns.Groups = []cdf.Group{{Column: "g"}}
	}
	f := cdf.NewFilter(Spec(t, k, "", columns, decode), "key")
	if _, err := f.Update(&cdf.Batch{Rows: 4, Columns: []cdf.Column{
		{Name: "y", Type: cdf.Float, Number: []float64{1, 0, 1, 2}},
		{Name: "g", Type: cdf.Text, Code: []int32{0, 1, 0, 1}, Levels: []string{"a", "b"}},
	}}); err != nil {
		t.Fatal(err)
	}
	p, err := f.Prior()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]cdf.Row{}
	for _, r := range p.Rows {
		rows[r.Variable] = r
	}
	return rows
}

// Within fails unless got is within the tolerance of want.
func Within(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %g, want %g within %g", name, got, want, tolerance)
	}
}
