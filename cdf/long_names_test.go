package cdf_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
)

// TestLongNames: names of columns, levels and groups are part of the state and of every posterior, so that one
// that is no name refuses the shard; states that have such names go on.
func TestLongNames(t *testing.T) {
	long, short := strings.Repeat("x", cdf.MaxName+1), strings.Repeat("x", cdf.MaxName)
	first := cdf.Roles{Features: []cdf.Feature{{Name: "c", LevelsFirst: true}}}
	groups := cdf.Roles{Features: []cdf.Feature{}, Groups: []cdf.Group{{Column: "c"}}}
	for _, c := range []struct {
		name  string
		roles cdf.Roles
		b     *cdf.Batch
		want  error // nil: taken
		says  string
	}{
		{"a column", cdf.Roles{}, batch(num("y", 1), num(long, 1)), cdf.ErrSchema, `the name of a coefficient of 1025 bytes, "xxx`},
		{"a column of the most", cdf.Roles{}, batch(num("y", 1), num(short, 1)), nil, ""},
		{"a column that is not used", cdf.Roles{Features: []cdf.Feature{}}, batch(num("y", 1), num(long, 1)), nil, ""},
		{"a level", first, batch(num("y", 1, 2), text("c", "a", long)), cdf.ErrSchema, "of 1027 bytes"},
		{"the first level, which has no coefficient", first, batch(num("y", 1, 2), text("c", long, "z")), cdf.ErrSchema, `column "c" has a level of 1025 bytes`},
		{"a group", groups, batch(num("y", 1, 2), text("c", "a", long)), cdf.ErrShard, `column "c" has in row 2 a group of 1025 bytes, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"…; a name has at most 1024: give it a shorter one, or do without the column`},
		{"a group of the most", groups, batch(num("y", 1, 2), text("c", "a", short)), nil, ""},
	} {
		spec, _, _ := recording(c.roles)
		f := cdf.NewFilter(spec, "k")
		empty := state(t, f)
		_, err := f.Update(c.b)
		if !errors.Is(err, c.want) || c.want != nil && (!strings.Contains(err.Error(), c.says) || len(err.Error()) > 300) {
			t.Errorf("%s: got %v, want %v saying %q", c.name, err, c.want, c.says)
		}
		if after, _ := f.AppendBinary(nil); (c.want == nil) == bytes.Equal(after, empty) {
			t.Errorf("%s: whether the shard left a trace is wrong", c.name)
		}
	}
	// A later shard is refused, and the key goes on.
	spec := cdftest.Levels()
	f := cdf.NewFilter(spec, "k")
	take(t, f, cdftest.LevelShards(1, 3)...)
	bad := cdftest.LevelShards(1, 4)[3]
	for i := range bad.Columns {
		if c := &bad.Columns[i]; c.Type == cdf.Text {
			c.Levels = append([]string{long}, c.Levels[1:]...)
		}
	}
	before := state(t, f)
	if _, err := f.Update(bad); !errors.Is(err, cdf.ErrShard) || !bytes.Equal(state(t, f), before) {
		t.Errorf("a group that comes later: %v", err)
	}
	take(t, f, cdftest.LevelShards(1, 4)[3])
}
