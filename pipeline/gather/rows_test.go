package gather

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

var nan = math.NaN()

// The columns of the tests: a number, a label, a number that is a label too, and a step.
var uses = []cdf.Input{
	{Name: "x", Role: "feature"}, {Name: "g", Role: "group", Category: true},
	{Name: "b", Role: "feature"}, {Name: "b", Role: "group", Category: true}, {Name: "s", Role: "time"},
}

func floats(name string, v ...float64) cdf.Column { return cdf.Column{Name: name, Number: v} }

func integers(name string, v ...int64) cdf.Column {
	c := cdf.Column{Name: name, Type: cdf.Integer, Int: v}
	for _, n := range v {
		c.Number = append(c.Number, float64(n))
	}
	return c
}

func texts(name string, v ...string) cdf.Column {
	c := cdf.Column{Name: name, Type: cdf.Text}
	for _, s := range v {
		at := slices.Index(c.Levels, s)
		if at < 0 && s != "" {
			at = len(c.Levels)
			c.Levels = append(c.Levels, s)
		}
		c.Code = append(c.Code, int32(at))
	}
	return c
}

func bools(name string, v ...float64) cdf.Column {
	return cdf.Column{Name: name, Type: cdf.Bool, Number: v}
}

func missing(name string) cdf.Column {
	return cdf.Column{Name: name, Type: cdf.Integer, Int: []int64{0}, Number: []float64{nan}}
}

func row(columns ...cdf.Column) *cdf.Batch { return &cdf.Batch{Rows: 1, Columns: columns} }

// told is a column as text: its type and every value, as number or as label.
func told(c *cdf.Column) string {
	var b strings.Builder
	b.WriteString(c.Type.Words())
	for i := range len(c.Number) + len(c.Code) {
		b.WriteByte(' ')
		switch c.Type {
		case cdf.Float:
			b.WriteString(strconv.FormatFloat(c.Number[i], 'g', -1, 64))
		default:
			label, ok := c.Label(i)
			if !ok {
				label = "-"
			}
			b.WriteString(label)
		}
	}
	return b.String()
}

// A column has the type that its values have in all records together.
func TestTypesAreJoined(t *testing.T) {
	day := cdf.Column{Name: "x", Type: cdf.Time, Number: []float64{86400}}
	for i, c := range []struct {
		columns []cdf.Column
		want    string
	}{
		{[]cdf.Column{integers("x", 1), floats("x", 2.5)}, "numbers with fractions 1 2.5"},
		{[]cdf.Column{floats("x", .5), integers("x", 1<<53+1), bools("x", 1), day}, "numbers with fractions 0.5 9.007199254740992e+15 1 86400"},
		{[]cdf.Column{integers("x", 1), integers("x", math.MaxInt64)}, "integers 1 9223372036854775807"},
		{[]cdf.Column{missing("x"), bools("x", 1)}, "truth values - true"},
		{[]cdf.Column{bools("x", 0), missing("x"), floats("x", 2)}, "numbers with fractions 0 NaN 2"},
		{[]cdf.Column{texts("g", "a"), texts("g", "b"), texts("g", "a"), texts("g", "")}, "text a b a -"},
		{[]cdf.Column{integers("g", 7), texts("g", "7"), missing("g"), bools("g", 1), texts("g", "north")}, "text 7 7 - true north"},
		{[]cdf.Column{missing("g"), texts("g", "a"), missing("g")}, "text - a -"},
		{[]cdf.Column{texts("g", ""), integers("g", 4)}, "integers - 4"},
		{[]cdf.Column{integers("b", 1), bools("b", 1)}, ""},
		{[]cdf.Column{missing("b"), bools("b", 1)}, "truth values - true"},
		{[]cdf.Column{integers("s", 1), {Name: "s", Type: cdf.Time, Number: []float64{0}}}, ""},
		{[]cdf.Column{integers("x", 1), texts("x", "a")}, ""},
	} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			name := c.columns[0].Name
			used := slices.DeleteFunc(slices.Clone(uses), func(in cdf.Input) bool { return in.Name != name })
			r := New(Mark{Offset: 5}, used)
			for i := range c.columns {
				b := row(c.columns[i])
				if err := r.Fits(b); err != nil {
					if c.want != "" || !errors.Is(err, cdf.ErrSchema) || !strings.Contains(err.Error(), "offset 5") {
						t.Fatal(err)
					}
					return
				}
				r.Add(b)
			}
			if got := told(&r.Batch().Columns[0]); got != c.want {
				t.Errorf("%s, want %q", got, c.want)
			}
		})
	}
}

// The columns are those of the first record that the model uses; a record that lacks one
// does not fit.
func TestColumnsAreTheFirstRecords(t *testing.T) {
	r := New(Mark{Offset: 9}, uses[:2])
	first := row(texts("g", "a"), floats("more", 1), floats("x", 2))
	if err := r.Fits(first); err != nil {
		t.Fatal(err)
	}
	r.Add(first)
	if err := r.Fits(row(texts("g", "a"))); !errors.Is(err, cdf.ErrSchema) || !strings.Contains(err.Error(), `"x" is missing, which the rows that wait since offset 9 have`) {
		t.Error(err)
	}
	skips := row(texts("g", "a"))
	skips.Skipped = []cdf.Skipped{{Name: "x", Type: "array"}}
	if err := r.Fits(skips); !errors.Is(err, cdf.ErrSchema) || !strings.Contains(err.Error(), `"x" has type array, which is not read`) {
		t.Error(err)
	}
	first.Columns[0].Levels[0], first.Columns[2].Number[0] = "overwritten", 7
	if b := r.Batch(); len(b.Columns) != 2 || b.Columns[0].Number[0] != 2 || b.Columns[1].Levels[0] != "a" {
		t.Errorf("%+v", b)
	}
	copied := r.With([]int{0, 0}, row(integers("g", 7), floats("x", 3)))
	copied.Columns[0].Number[0], copied.Columns[1].Levels[0] = 9, "overwritten"
	if b := r.Batch(); b.Rows != 1 || b.Columns[0].Number[0] != 2 || b.Columns[1].Levels[0] != "a" || r.Tell().Records != 1 {
		t.Errorf("a copy shares what it has: %+v", b)
	}
}

// A shard ends with the record that brings the rows, the time or the bytes.
func TestWhenRowsAreAShard(t *testing.T) {
	for name, c := range map[string]struct {
		rule   Rule
		times  []int64 // of records of one row each
		labels int     // bytes of each label
		ends   int     // record that the shard ends with, from 1; 0: none
	}{
		"rows":             {Rule{Rows: 3}, []int64{0, 9e15, -5, 0}, 1, 3},
		"time":             {Rule{Millis: 10}, []int64{100, 109, 110}, 1, 3},
		"late":             {Rule{Millis: 10}, []int64{100, 50, 61, 109, 200}, 1, 5},
		"far ahead":        {Rule{Millis: 10}, []int64{100 + cdf.FurthestTime, 100, 99}, 1, 3},
		"without a time":   {Rule{Millis: 10}, []int64{cdf.FurthestTime + 100, -1, 0, 1, 98}, 1, 5},
		"a millisecond":    {Rule{Millis: 1}, []int64{100, 101}, 1, 2},
		"what comes first": {Rule{Rows: 3, Millis: 10}, []int64{0, 10, 11}, 1, 2},
		"bytes":            {Rule{Rows: 100}, []int64{0, 0, 0, 0, 0}, mostBytes / 4, 4},
		"none":             {Rule{Rows: 4, Millis: 10}, []int64{0, 1, 2}, 1, 0},
	} {
		r := New(Mark{Time: c.times[0]}, uses[1:2])
		got := 0
		for i, now := range c.times {
			r.Add(row(texts("g", strings.Repeat(string(rune('a'+i)), c.labels))))
			if r.Whole(c.rule, now) {
				got = i + 1
				break
			}
		}
		if got != c.ends {
			t.Errorf("%s: a shard with record %d, want %d", name, got, c.ends)
		}
	}
	large := &cdf.Batch{Rows: MostRows}
	if !alone(Rule{Rows: 3}, &cdf.Batch{Rows: 3}) || alone(Rule{Rows: 3}, &cdf.Batch{Rows: 2}) || alone(Rule{Millis: 1}, &cdf.Batch{Rows: 5}) || !alone(Rule{Millis: 1}, large) {
		t.Error("a record alone")
	}
	if (Rule{}).On() || (Rule{}).Form() != "" || !(Rule{Millis: 1}).On() {
		t.Error("the rule that gathers nothing")
	}
}

// drawn returns rows of several records of random columns.
func drawn(rng *rand.Rand, records int) *Rows {
	r := New(Mark{Offset: rng.Int64N(1 << 40), Time: rng.Int64N(1 << 41)}, uses)
	for range records {
		b := row(floats("x", rng.NormFloat64()), texts("g", []string{"", "a", "a longer label", "\xff"}[rng.IntN(4)]), integers("b", rng.Int64()-1<<62), integers("s", rng.Int64N(9)))
		if rng.IntN(5) == 0 {
			b.Columns[0] = missing("x")
		}
		if rng.IntN(5) == 0 {
			b.Columns[1] = integers("g", rng.Int64N(9))
		}
		if r.Fits(b) == nil {
			r.Add(b)
		}
	}
	return r
}

func same(t *testing.T, a, b *Rows) {
	t.Helper()
	if a.Tell() != b.Tell() || len(a.columns) != len(b.columns) {
		t.Fatalf("%+v, want %+v", a.Tell(), b.Tell())
	}
	for i := range a.columns {
		x, y := &a.columns[i], &b.columns[i]
		if x.Name != y.Name || x.use != y.use || x.text != y.text || x.some != y.some || fmt.Sprint(x.Column) != fmt.Sprint(y.Column) {
			t.Fatalf("%+v, want %+v", x, y)
		}
	}
}

// What is read is what was written, and goes on as it would have.
func TestRowsAreStored(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 44))
	for range 200 {
		r := drawn(rng, 1+rng.IntN(30))
		read, ok := Read(r.Append(nil))
		if !ok {
			t.Fatal("unreadable")
		}
		same(t, read, r)
		for range 5 {
			more := row(floats("x", 1), texts("g", "new"), integers("b", 1), integers("s", 1))
			r.Add(more)
			read.Add(more)
		}
		same(t, read, r)
		if n, bytes := r.Size(), int64(r.Tell().Bytes); n < bytes || n > 20*bytes+4096 {
			t.Errorf("%d bytes of %d", n, bytes)
		}
	}
	if b := (*Rows)(nil).Append(nil); len(b) != 0 || (*Rows)(nil).Tell() != (Told{}) || (*Rows)(nil).Size() != 0 {
		t.Error("no rows are something")
	}
	if r, ok := Read(nil); r != nil || !ok {
		t.Error("nothing is rows")
	}
}

// Every prefix of stored rows is refused.
func TestTruncatedRowsAreRefused(t *testing.T) {
	b := drawn(rand.New(rand.NewPCG(2, 44)), 9).Append(nil)
	for n := 1; n < len(b); n++ {
		if _, ok := Read(b[:n]); ok {
			t.Fatalf("%d bytes of %d are taken", n, len(b))
		}
	}
	if _, ok := Read(append(b, 0)); ok {
		t.Error("a byte too many is taken")
	}
}

// FuzzRead: what is read is sound, and is read again from what it is written as.
func FuzzRead(f *testing.F) {
	rng := rand.New(rand.NewPCG(3, 44))
	for n := range 6 {
		f.Add(drawn(rng, 1+n).Append(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, ok := Read(b)
		if !ok || r == nil {
			return
		}
		for i, c := range r.Batch().Columns {
			n := len(c.Number) + len(c.Code)
			if n != r.n || c.Type == cdf.Integer && len(c.Int) != n || c.Type > cdf.Text {
				t.Fatalf("column %d: %d values of %d rows", i, n, r.n)
			}
			for row := range n {
				if c.Type != cdf.Float {
					c.Label(row)
				}
			}
		}
		if r.Size() > 200*int64(len(b))+4096 {
			t.Fatalf("%d bytes of %d", r.Size(), len(b))
		}
		again, ok := Read(r.Append(nil))
		if !ok {
			t.Fatal("what was read is unreadable")
		}
		same(t, again, r)
		r.With([]int{0, r.n - 1}, r.Batch())
		r.Add(r.Batch())
	})
}
