package formula_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/formula"
)

// TestMissingIsALevelAsOfColumns: a factor with a level of missing values is the column with
// one, to the bit, in what it learns, drops and predicts.
func TestMissingIsALevelAsOfColumns(t *testing.T) {
	plain := of(t, "linear", cdf.Roles{Response: cdf.Feature{Name: "y"}, Intercept: true, Features: []cdf.Feature{{Name: "sex", Levels: []string{"m", "f"}, Baseline: "m"}, {Name: "x"}}})
	plain.Missing = "level"
	written := spec(t, "linear", "y ~ C(sex, [m, f], missing=level) + x")
	a, b := cdf.NewFilter(plain, "k"), cdf.NewFilter(written, "k")
	said, names := map[*cdf.Filter]string{}, ""
	for i, shard := range shards(4, 20) {
		if i > 0 {
			shard.Columns[6].Code[3], shard.Columns[6].Code[9], shard.Columns[1].Number[4] = -1, -1, math.NaN()
		}
		for _, f := range []*cdf.Filter{a, b} {
			sum, err := f.Update(shard)
			if err != nil {
				t.Fatal(err)
			}
			names = ""
			for _, r := range sum.Rows {
				said[f] += fmt.Sprintln(r.Mean, r.SD)
				names += r.Variable + "\n"
			}
			predicted, err := f.Predict(shard)
			if err != nil {
				t.Fatal(err)
			}
			said[f] += fmt.Sprintln(predicted)
		}
	}
	if a.N() != 77 || b.N() != 77 {
		t.Fatalf("%d and %d rows, want 77: those without x are dropped", a.N(), b.N())
	}
	if got, want := said[b], said[a]; got != want {
		t.Errorf("the formula:\n%s\nthe column:\n%s", got, want)
	}
	for _, in := range b.Inputs() {
		if in.Name == "sex" && (!in.Gaps || fmt.Sprint(in.Levels) != "[m f]") {
			t.Errorf("%+v", in)
		}
	}
	if want := "beta[C(sex, ['m', 'f'], missing='level')[T.__missing__]]\n"; !strings.Contains(names, want) {
		t.Errorf("%s lacks %s", names, want)
	}
}

func TestKeepsMissing(t *testing.T) {
	for text, want := range map[string]bool{
		"y ~ C(sex, missing=level)": true, "y ~ x + x:C(sex, [m, f], missing=level, other=drop)": true,
		"y ~ C(sex, missing=drop)": false, "y ~ sex": false, "y ~ C(x, missing=level)": false,
	} {
		f, err := formula.Parse(text)
		if err != nil || f.KeepsMissing("sex") != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		"y ~ C(sex, missing=reject)":        "missing is level or drop",
		"y ~ C(month(at), missing=level)":   "no level of missing times",
		"y ~ C(sex, [m, '__missing__'])":    "names of the levels",
		"y ~ C(sex, gaps=level)":            "takes no other arguments",
		"y ~ C(sex, [m, f], missing=a + b)": "missing is a text",
	} {
		if _, err := formula.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// A row may name the level of missing values.
func TestMissingLevelByName(t *testing.T) {
	f := cdf.NewFilter(spec(t, "linear", "y ~ C(sex, [m, f], missing=level)"), "k")
	shard := shards(1, 60)[0]
	for i := 0; i < shard.Rows; i += 3 {
		shard.Columns[6].Code[i] = -1
	}
	if _, err := f.Update(shard); err != nil {
		t.Fatal(err)
	}
	said := map[string]float64{}
	for _, label := range []string{"", "__missing__", "m", "other"} {
		c := cdf.Column{Name: "sex", Type: cdf.Text, Levels: []string{label}, Code: []int32{0}}
		if label == "" {
			c.Code[0] = -1
		}
		p, err := f.Predict(&cdf.Batch{Rows: 1, Columns: []cdf.Column{c}})
		if err != nil {
			t.Fatal(err)
		}
		said[label] = p[0].SD
	}
	if said["__missing__"] != said[""] || said[""] == said["other"] || said[""] == said["m"] {
		t.Errorf("sds of predictions by label: %v", said)
	}
}
