package gather_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/formula"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/pipeline/gather"
)

// tried is a model whose events are checked.
type tried struct {
	kind, variant, formula string
	roles                  cdf.Roles
	missing                string
}

var baselined = cdf.Feature{Name: "c", LevelsFirst: true, Baseline: "b"}

var trials = map[string]tried{
	"levels of the first shard": {kind: "linear", roles: cdf.Roles{Intercept: true, Features: []cdf.Feature{{Name: "x"}, {Name: "c", LevelsFirst: true}}}, missing: "level"},
	"a baseline of them":        {kind: "linear", roles: cdf.Roles{Intercept: true, Features: []cdf.Feature{baselined, {Name: "x"}}}, missing: "drop"},
	"all numbers":               {kind: "linear", roles: cdf.Roles{Intercept: true}, missing: "reject"},
	"listed levels":             {kind: "probit", roles: cdf.Roles{Intercept: true, Features: []cdf.Feature{{Name: "c", Levels: []string{"a", "b"}, Other: "reject"}}}, missing: "drop"},
	"groups":                    {kind: "poisson", roles: cdf.Roles{Intercept: true, Features: []cdf.Feature{{Name: "x"}}, Groups: []cdf.Group{{Column: "g"}, {Column: "n"}}}, missing: "level"},
	"one factor":                {kind: "anova", roles: cdf.Roles{Groups: []cdf.Group{{Column: "g"}}}, missing: "drop"},
	"steps":                     {kind: "dlm", roles: cdf.Roles{Time: "t"}, missing: "drop"},
	"steps by rows":             {kind: "dlm", missing: "drop"},
	"a formula":                 {kind: "linear", formula: "y ~ x * c + log(n) + C(n, contr.treatment('2'))", missing: "drop"},
	"all columns of a formula":  {kind: "linear", formula: "y ~ .", missing: "drop"},
}

func (m *tried) spec(t *testing.T) *cdf.Spec {
	t.Helper()
	k, ok := models.Lookup(m.kind)
	if !ok {
		t.Fatal(m.kind)
	}
	roles := m.roles
	roles.Response.Name = "y"
	if m.formula != "" {
		f, err := formula.Parse(m.formula)
		if err != nil {
			t.Fatal(err)
		}
		roles = f.Roles()
	}
	spec, err := k.Spec(m.variant, roles, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec.Missing, spec.Limits = m.missing, cdf.Limits{Rows: 30, Columns: 9, Groups: 4}
	return spec
}

func drawnColumn(rng *rand.Rand, name string, rows int, types ...cdf.ColumnType) cdf.Column {
	c := cdf.Column{Name: name, Type: types[rng.IntN(len(types))]}
	blank := rng.IntN(7) == 0
	for range rows {
		v := float64(rng.IntN(4))
		switch {
		case blank || rng.IntN(12) == 0:
			v = math.NaN()
		case rng.IntN(60) == 0:
			v = math.Inf(1)
		case c.Type == cdf.Float && rng.IntN(4) > 0:
			v += .5
		}
		switch c.Type {
		case cdf.Text:
			c.Levels = []string{"a", "b", "2", "d"}
			c.Code = append(c.Code, map[bool]int32{true: -1, false: int32(v)}[!(v < 9)])
		case cdf.Integer:
			if v > 9 {
				v = 9
			}
			c.Number, c.Int = append(c.Number, v), append(c.Int, int64(max(0, v)))
			if v != v {
				c.Int[len(c.Int)-1] = 0
			}
		case cdf.Bool:
			c.Number = append(c.Number, min(v, 1))
		default:
			c.Number = append(c.Number, v)
		}
	}
	return c
}

// drawnEvent is a record's rows, now and then of another type than those before.
func drawnEvent(rng *rand.Rand, now int64) *cdf.Batch {
	rows := 1 + rng.IntN(2)
	label := []cdf.ColumnType{cdf.Text, cdf.Text, cdf.Text, cdf.Text, cdf.Text, cdf.Text, cdf.Integer, cdf.Bool, cdf.Float}
	number := []cdf.ColumnType{cdf.Integer, cdf.Float, cdf.Float, cdf.Float, cdf.Bool}
	b := &cdf.Batch{Rows: rows, Columns: []cdf.Column{
		drawnColumn(rng, "x", rows, number...), drawnColumn(rng, "c", rows, label...), drawnColumn(rng, "y", rows, cdf.Integer, cdf.Bool, cdf.Integer, cdf.Float),
		drawnColumn(rng, "g", rows, label...), drawnColumn(rng, "n", rows, cdf.Integer), {Name: "t", Type: cdf.Integer},
	}}
	t := &b.Columns[5]
	for range rows {
		now += rng.Int64N(3)
		at := now
		if rng.IntN(15) == 0 {
			at -= 5
		}
		t.Int, t.Number = append(t.Int, at), append(t.Number, float64(at))
	}
	return b
}

// Events that are checked one behind the other are taken and refused as those that are
// checked with all rows that wait, also after the state was loaded in between; and what
// was taken is absorbed in one shard, but for what a first shard lacks in the end.
func TestCheckedBehindAsTogether(t *testing.T) {
	for name, m := range trials {
		t.Run(name, func(t *testing.T) {
			spec := m.spec(t)
			verdicts := map[string]int{}
			for seed := range uint64(60) {
				rng := rand.New(rand.NewPCG(seed, 47))
				f := cdf.NewFilter(spec, "k")
				var now int64
				for shard := range 3 {
					waiting, checked := (*gather.Rows)(nil), (*cdf.Checked)(nil)
					for range 24 {
						now += 2
						b := drawnEvent(rng, now)
						if waiting == nil {
							uses, err := f.Uses(b)
							if err != nil {
								continue
							}
							waiting = gather.New(gather.Mark{}, uses)
						}
						if waiting.Fits(b) != nil {
							if waiting.Tell().Rows == 0 {
								waiting = nil
							}
							continue
						}
						_, want := f.Check(b)
						if n := waiting.Tell().Rows; n > 0 {
							every := make([]int, n)
							for i := range every {
								every[i] = i
							}
							if _, together := f.Check(waiting.With(every, b)); f.T() == 0 || want == nil {
								want = together
							}
						}
						if rng.IntN(6) == 0 { // the state comes from the store
							checked = nil
						}
						got := behind(f, &checked, waiting, b)
						if (want == nil) != (got == nil) {
							t.Fatalf("seed %d, shard %d: behind %d rows %v, together %v", seed, shard, waiting.Tell().Rows, got, want)
						}
						if got != nil {
							verdicts[reason(got)]++
							if waiting.Tell().Rows == 0 {
								waiting = nil
							}
							continue
						}
						verdicts["taken"]++
						waiting.Add(b)
					}
					if waiting == nil {
						continue
					}
					if _, err := f.Update(waiting.Batch()); err != nil {
						verdicts["whole: "+reason(err)]++
						if s := err.Error(); f.T() > 0 || !strings.Contains(s, "baseline") && !strings.Contains(s, "no levels") && !strings.Contains(s, "numeric") {
							t.Fatalf("seed %d: %v", seed, err)
						}
					}
				}
			}
			t.Log(verdicts)
			if verdicts["taken"] < 500 || len(verdicts) < 2 {
				t.Errorf("%v: too few to say anything", verdicts)
			}
		})
	}
}

// What models bound over a whole shard, steps with their gaps and levels of a factor
// beside the first, is bounded over events.
func TestBoundsOfAShardAreOfAllEvents(t *testing.T) {
	integer := func(name string, v int64) cdf.Column {
		return cdf.Column{Name: name, Type: cdf.Integer, Int: []int64{v}, Number: []float64{float64(v)}}
	}
	for name, c := range map[string]struct {
		tried
		event func(i int64) *cdf.Batch
		taken int // events, from the bounds of the models' pages
		says  string
	}{
		"steps": {tried{kind: "dlm", variant: "paper", roles: cdf.Roles{Time: "t"}}, func(i int64) *cdf.Batch {
			return &cdf.Batch{Rows: 1, Columns: []cdf.Column{integer("y", 1), integer("t", 5000*i)}}
		}, 200, "more than 200000 steps"}, // 1 and 1,000 for each gap
		"levels": {tried{kind: "poisson", roles: cdf.Roles{Intercept: true, Features: []cdf.Feature{}, Groups: []cdf.Group{{Column: "g"}, {Column: "n"}, {Column: "m"}}}}, func(i int64) *cdf.Batch {
			return &cdf.Batch{Rows: 1, Columns: []cdf.Column{integer("y", 1), integer("g", i%3), integer("n", (i+1)%2*(i/2)), integer("m", i%2*(i+1)/2)}}
		}, 498, "at most 500"}, // i+2 levels after event i, with the intercept
	} {
		spec := c.spec(t)
		spec.Limits = cdf.Limits{}
		f := cdf.NewFilter(spec, "k")
		var waiting *gather.Rows
		var checked *cdf.Checked
		for i := range int64(c.taken) + 2 {
			b := c.event(i)
			if waiting == nil {
				uses, err := f.Uses(b)
				if err != nil {
					t.Fatal(err)
				}
				waiting = gather.New(gather.Mark{}, uses)
			}
			err := behind(f, &checked, waiting, b)
			if want := i >= int64(c.taken); want != (err != nil) || want && !strings.Contains(err.Error(), c.says) {
				t.Fatalf("%s: event %d: %v", name, i, err)
			}
			if err == nil {
				waiting.Add(b)
			}
		}
	}
}

// behind checks an event as a worker does.
func behind(f *cdf.Filter, checked **cdf.Checked, waiting *gather.Rows, b *cdf.Batch) (err error) {
	if waiting.Tell().Rows == 0 {
		*checked, err = f.Check(b)
		return err
	}
	if *checked == nil {
		if *checked, err = f.Check(waiting.Batch()); err != nil {
			return fmt.Errorf("what waits: %w", err)
		}
	}
	return f.CheckBehind(*checked, b, func(rows []int) *cdf.Batch { return waiting.With(rows, b) })
}

// reason is an error without numbers and names.
func reason(err error) string {
	words := strings.Fields(err.Error())
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return strings.ContainsAny(w, "0123456789\"") }), " ")
}
