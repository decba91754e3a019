package draft

import (
	"fmt"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/formula"
)

// TestLevelsThatAreOne: of a file that is sorted by a factor the draft says which levels a first shard does not have, where they are
// two or more.
func TestLevelsThatAreOne(t *testing.T) {
	sorted := texts("feed", func(i int) string { return fmt.Sprint("f", i*5/sampleRows) })
	month := wholes("month", func(i int) int { return 5 + i*3/sampleRows })
	pair := texts("pair", func(i int) string { return fmt.Sprint("p", i*2/sampleRows) })
	mixed := texts("mixed", func(i int) string { return fmt.Sprint("m", i%7) })
	for _, c := range []struct {
		formula string
		shard   int
		want    []string
	}{
		{"y ~ feed + C(month)", sampleRows / 5, []string{
			"feed takes its levels from a key's first shard, of 12 rows here, which has 1 of 5: the others share one coefficient, __other__; list them in C(), as levels=[\"f0\", \"f1\", \"f2\", \"f3\", \"f4\"]",
			"C(month) takes its levels from a key's first shard, of 12 rows here, which has 1 of 3: the others share one coefficient, __other__; list them in C(), as levels=[5, 6, 7]",
		}},
		{"y ~ feed", sampleRows * 3 / 5, []string{
			"feed takes its levels from a key's first shard, of 36 rows here, which has 3 of 5: the others share one coefficient, __other__; list them in C(), as levels=[\"f0\", \"f1\", \"f2\", \"f3\", \"f4\"]",
		}},
		{"y ~ feed", sampleRows * 4 / 5, nil}, // one level has the coefficient for itself
		{"y ~ feed", sampleRows, nil},
		{"y ~ pair + mixed", 10, nil},
		{"y ~ C(feed, levels=[\"f0\", \"f1\", \"f2\", \"f3\", \"f4\"])", 5, nil},
	} {
		f, err := formula.Parse(c.formula)
		if err != nil {
			t.Fatal(err)
		}
		if got := profileOf(sorted, month, pair, mixed, y).pooled(f, c.shard); !slices.Equal(got, c.want) {
			t.Errorf("%s in shards of %d rows: %q, want %q", c.formula, c.shard, got, c.want)
		}
	}
	p := profileOf(mixed, y)
	p.Add("other", &cdf.Batch{Rows: sampleRows, Columns: []cdf.Column{mixed, y}})
	f, _ := formula.Parse("y ~ mixed")
	if got := p.pooled(f, 4); len(got) != 1 || !slices.Contains(got, "mixed takes its levels from a key's first shard, of 4 rows here, which has 4 of 7 in 2 of 2 keys: the others share one coefficient, __other__; "+
		"list them in C(), as levels=[\"m0\", \"m1\", \"m2\", \"m3\", \"m4\", \"m5\", \"m6\"]") {
		t.Errorf("two keys: %q", got)
	}
}
