package draft

import (
	"fmt"
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models"
)

// Every column by which a formula has groups names groups, however many levels it has, and
// none of them is said to be left out.
func TestGroupsOfAFormula(t *testing.T) {
	by := func(name string, n int) cdf.Column {
		return texts(name, func(i int) string { return fmt.Sprint(name, i*7%n) })
	}
	columns := []cdf.Column{
		by("shop", 25), by("town", 24), by("day", 5), by("till", 23),
		wholes("sold", func(i int) int { return 3 + int(2*math.Sin(float64(i))) }),
	}
	m, err := profileOf(columns...).Suggest(models.Kinds(), Wish{Formula: "sold ~ (1 | shop) + (1 | town) + (1 | day)"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]role{"shop": group, "town": group, "day": group, "till": leftOut}
	for _, g := range m.columns {
		if r, ok := want[g.name]; ok && g.role != r {
			t.Errorf("%s has role %v (%s), want %v", g.name, g.role, g.why, r)
		}
	}
	if left := m.LeftOut(); len(left) != 1 || left[0] != "till: "+notNamed {
		t.Errorf("left out are %q, want till alone", left)
	}
}
