package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink"
)

// under is the same world with another configuration of models and a group and
// output of their own.
func (w *world) under(group string, models ...string) *world {
	w.Helper()
	b, err := os.ReadFile(w.file)
	if err != nil {
		w.Fatal(err)
	}
	head, _, _ := strings.Cut(string(b), "models:")
	head = strings.Replace(head, "kafka: {", fmt.Sprintf("kafka: {group: %s, output: %s, ", group, group), 1)
	other := *w
	other.file = filepath.Join(w.TempDir(), group+".yaml")
	if err := os.WriteFile(other.file, []byte(head+"models: ["+strings.Join(models, ", ")+"]\n"), 0o600); err != nil {
		w.Fatal(err)
	}
	return &other
}

// told is the posterior of a key.
func (w *world) told(key string) *cdf.Summary {
	w.Helper()
	out, _ := w.must("get", key)
	p, _, err := sink.ParseJSON([]byte(out))
	if err != nil {
		w.Fatalf("%s: %v", out, err)
	}
	return p.Summary
}

// agree fails unless two groups say the same of a key up to a part of a quarter
// of each 95 % interval.
func agree(t *testing.T, key string, got, want *cdf.Summary, tolerance float64) {
	t.Helper()
	if got.T != want.T || got.N != want.N || len(got.Rows) != len(want.Rows) || !slices.Equal(got.Scaling, want.Scaling) {
		t.Fatalf("%s: %+v, want %+v", key, got, want)
	}
	for i := range want.Rows {
		a, b := got.Rows[i].Numbers(), want.Rows[i].Numbers()
		unit := (want.Rows[i].Q975 - want.Rows[i].Q025) / 4
		for k := range 9 {
			if d := math.Abs(*a[k]-*b[k]) / unit; d > tolerance {
				t.Errorf("%s: %s is %g, want %g", key, want.Rows[i].Variable, *a[k], *b[k])
			}
		}
	}
}

// level returns shards of 4 rows with a feature and a group.
func level(seed uint64, shards int) (all []*cdf.Batch) {
	r := rand.New(rand.NewPCG(seed, 1))
	for range shards {
		x, y, g := make([]float64, 4), make([]float64, 4), make([]int32, 4)
		for i := range x {
			x[i], g[i] = 30+4*r.NormFloat64(), int32(r.IntN(3))
			y[i] = 100 + 2*x[i] + 5*float64(g[i]) + 3*r.NormFloat64()
		}
		all = append(all, &cdf.Batch{Rows: 4, Columns: []cdf.Column{
			{Name: "x", Number: x}, {Name: "y", Number: y}, {Name: "g", Type: cdf.Text, Code: g, Levels: []string{"one", "two", "three"}},
		}})
	}
	return all
}

const (
	lines  = `{match: "a/*", kind: linear}`
	levels = `{match: "b", kind: anova, columns: {group: g}}`
	drifts = `{match: "d", kind: dlm}`
	others = `{match: "**", kind: linear}`
)

// State that was learnt in some units is imported in others: what was changed of
// the models is then as if the topic had been read again, and goes on like it, and
// the rest is as it was.
func TestImportRescales(t *testing.T) {
	w := newWorldOf(t, "format: json", "models: ["+strings.Join([]string{lines, levels, drifts, others}, ", ")+"]")
	keys := []string{"a/1", "a/2", "b", "d", "ä"}
	w.sendShards(keys, level(1, 20))
	w.sendShards([]string{"a/few"}, level(2, 5)) // its first rows are still kept
	keys = append(keys, "a/few")
	w.must("run", "--until-end")
	file := w.exported()

	changed := []string{
		`{match: "a/*", kind: linear, columns: {response: {name: y, center: 100, scale: 50}, features: [{name: x, center: 0, scale: 20}]}}`,
		`{match: "b", kind: anova, columns: {group: g, response: {name: y, center: 0, scale: 100}}}`,
		`{match: "d", kind: dlm, columns: {response: {name: y, scale: 40}}}`, others,
	}
	after, again := w.under("after", changed...), w.under("again", changed...)
	_, messages := after.must("state", "import", "--in", file, "--rescale-from", w.file)
	if !strings.Contains(messages, "6 states of ") || !strings.Contains(messages, "5 of them were rescaled") {
		t.Error(messages)
	}
	again.must("run", "--until-end")
	tolerance := map[string]float64{"a/1": 1e-9, "a/2": 1e-9, "a/few": 1e-9, "b": 1e-9, "d": .02}
	compare := func() {
		t.Helper()
		for key, part := range tolerance {
			agree(t, key, after.told(key), again.told(key), part)
		}
	}
	compare()
	agree(t, "ä", after.told("ä"), w.told("ä"), 0)

	// verify compares bits, and those of a sum depend on its order.
	code, out, messages := after.consumer("verify")
	if code != 3 || strings.Contains(out, `"ä"`) || !strings.Contains(messages, "1 key matches the log, 5 differ") {
		t.Errorf("verify: exit %d %s\n%s", code, messages, out)
	}
	w.sendShards(keys, level(3, 10))
	for _, w := range []*world{w, after, again} {
		w.must("run", "--until-end")
	}
	compare()
	agree(t, "ä", after.told("ä"), w.told("ä"), 0)
}

// Nothing is stored where one key cannot be converted, or the file is of other
// models than it is said to be.
func TestImportRescalesAllOrNothing(t *testing.T) {
	w := newWorldOf(t, "format: json", "models: ["+strings.Join([]string{lines, drifts, others}, ", ")+"]")
	w.sendShards([]string{"a/1", "d", "ä"}, level(1, 20))
	w.must("run", "--until-end")
	file := w.exported()
	scaled := `{match: "a/*", kind: linear, columns: {response: {name: y, scale: 50}}}`
	for name, c := range map[string]struct {
		models []string
		from   string // empty: the true one
		why    string
	}{
		"a centre of dlm": {[]string{scaled, `{match: "d", kind: dlm, columns: {response: {name: y, center: 100}}}`, others}, "",
			fmt.Sprintf(`key "d" of partition %d cannot be rescaled: dlm: the level begins about the center`, home("d"))},
		"other features":  {[]string{`{match: "a/*", kind: linear, columns: {features: [{name: z, scale: 2}]}}`, drifts, others}, "", `the features of this key are ["x"]`},
		"more than units": {[]string{`{match: "a/*", kind: linear, forget: 0.9, columns: {response: {name: y, scale: 50}}}`, drifts, others}, "", "read the topic again with a new group"},
		"another entry":   {[]string{scaled, drifts}, "", `no entry of models matches key "ä"`},
		"smaller limits":  {[]string{scaled, drifts, others + "]\nlimits: {rows: 10}\n#"}, "", "it was made under configuration"},
		"other models":    {[]string{scaled, drifts, others}, w.under("wrong", lines, others).file, "it was not made by the models of"},
		"no such file":    {[]string{scaled, drifts, others}, "nowhere.yaml", "nowhere.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			to := w.under("third", c.models...)
			from := c.from
			if from == "" {
				from = w.file
			}
			code, _, messages := to.consumer("state", "import", "--in", file, "--rescale-from", from)
			if code != 1 || !strings.Contains(messages, c.why) {
				t.Errorf("exit %d %s, want %q", code, messages, c.why)
			}
			if slices.ContainsFunc(w.metas("third"), func(m pipeline.Meta) bool { return m.Exists || m.Owner != "" }) {
				t.Error("refused, and something is stored")
			}
		})
	}
}
