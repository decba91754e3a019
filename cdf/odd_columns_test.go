package cdf_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// What a column may hold in each role: a column without any value lacks every row, whatever its type;
// numbers are no labels, and times that have no date are neither labels nor steps.
func TestOddColumns(t *testing.T) {
	level := cdf.Roles{Features: []cdf.Feature{{Name: "v", Levels: []string{"1", "2"}}}}
	first := cdf.Roles{Features: []cdf.Feature{{Name: "v", LevelsFirst: true}}}
	group := cdf.Roles{Groups: []cdf.Group{{Column: "v"}}}
	step := cdf.Roles{Time: "v"}
	none := num("v", nan, nan)
	for _, c := range []struct {
		name    string
		roles   cdf.Roles
		v       cdf.Column
		dropped int64  // rows
		refused string // part of the reason, "": the shard is taken
	}{
		{"a level, nothing there", level, none, 2, ""},
		{"levels of the first shard, nothing there", first, none, 0, `"v" has no levels`},
		{"a group, nothing there", group, none, 2, ""},
		{"a step, nothing there", step, none, 2, ""},
		{"a level of one number", level, num("v", nan, 1.5), 0, "labels are text"},
		{"levels of the first shard, a number", first, num("v", 2, nan), 0, "labels are text"},
		{"a group of numbers", group, num("v", 1, 0x1p63), 0, "integers below 2^63"},
		{"a step of numbers", step, num("v", 1, 2), 0, "steps are integers"},
		{"a level far away", level, when("v", 0, 9e12), 0, `time without a date in row 2`},
		{"a level of the first shard far away", first, when("v", 9e18, 8e18), 0, `time without a date in row 1`},
		{"groups far away, which would be one", group, when("v", -9e18, 9e12), 0, `time without a date in row 1`},
		{"a step far away", step, when("v", 0, 1.7e18), 0, `time without a date in row 2`},
		{"the last time with a date", group, when("v", nan, math.Nextafter(9e12, 0)), 1, ""},
		{"a response and a feature far away are numbers", cdf.Roles{Response: cdf.Feature{Name: "v"}, Features: []cdf.Feature{{Name: "y"}}}, when("v", 0, 9e18), 0, ""},
	} {
		spec, _, _ := recording(c.roles)
		sum, err := cdf.NewFilter(spec, "k").Update(batch(num("y", 1, 2), c.v))
		switch {
		case c.refused == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.refused == "" && sum.Dropped != c.dropped:
			t.Errorf("%s: %d rows dropped", c.name, sum.Dropped)
		case c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused) || !errors.Is(err, cdf.ErrSchema) && !errors.Is(err, cdf.ErrShard)):
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A column that was taken because it held nothing is looked at again in the next shard of the
// same types, also where another key of the process has the layout at hand.
func TestColumnsThatHeldNothing(t *testing.T) {
	spec, _, _ := recording(cdf.Roles{Groups: []cdf.Group{{Column: "v"}}})
	work := new(cdf.Workspace)
	for _, key := range []string{"a", "b"} {
		f := work.NewFilter(spec, key)
		take(t, f, batch(num("y", 1, 2), num("v", nan, nan)))
		if _, err := f.Update(batch(num("y", 1, 2), num("v", nan, 3))); !errors.Is(err, cdf.ErrSchema) {
			t.Errorf("%s: a number in place of a group: %v", key, err)
		}
		if sum := take(t, f, batch(num("y", 1, 2), whole("v", 7, 7))); sum.T != 2 || sum.N != 2 || sum.Dropped != 0 {
			t.Errorf("%s: t %d, %d rows dropped", key, sum.T, sum.Dropped)
		}
	}
}
