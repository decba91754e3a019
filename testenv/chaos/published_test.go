//go:build unix

package chaos

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv/programs"
)

// rounding is how far, in sds, moments and quantiles may be from those of the release before: each release
// finds quantiles of mixtures to 1e-11 of probability.
const rounding = 2e-10

// rounded reports whether rows of a variable, as JSON, differ in moments and quantiles alone, and in these by
// rounding. What is itself a quantile has no sd; its value stands for that.
func rounded(t *testing.T, was, is string) bool {
	t.Helper()
	var old, now map[string]any
	if err := errors.Join(json.Unmarshal([]byte(was), &old), json.Unmarshal([]byte(is), &now)); err != nil {
		t.Fatal(err)
	}
	low, _ := old["q2.5"].(float64)
	high, law := old["q97.5"].(float64)
	for name, v := range now {
		from, number := old[name].(float64)
		to, also := v.(float64)
		width := 0.0
		switch moment := name == "mean" || name == "sd"; {
		case law && (moment || name == "median" || strings.HasPrefix(name, "q")):
			width = (high - low) / 4
		case !law && name == "mean" && now["sd"] == nil:
			width = math.Abs(from)
		}
		if v != old[name] && !(number && also && math.Abs(to-from) <= rounding*width) {
			return false
		}
	}
	return len(old) == len(now)
}

// compare reads the posteriors of undisturbed runs of both releases and fails where they
// are further apart than CHANGELOG.md says.
func (d *drill) compare(t *testing.T, before, now group) {
	t.Helper()
	was, is := d.said(t, before), d.said(t, now)
	same, near := 0, 0
	for id, old := range was {
		for name, is := range is[id] {
			switch {
			case old[name] == is:
				same++
			case old[name] != "" && !strings.HasPrefix(name, ".") && rounded(t, old[name], is):
				near++
			default:
				t.Errorf("%s, %s was\n%s and is\n%s", id, name, old[name], is)
			}
		}
		for name := range old {
			if _, ok := is[id][name]; !ok {
				t.Errorf("%s has no %s any more", id, name)
			}
		}
	}
	if len(was) != len(is) || len(was) == 0 {
		t.Errorf("%d posteriors, of the release before %d", len(is), len(was))
	}
	t.Logf("%d posteriors of undisturbed runs: %d rows and fields are the same to the last digit, %d rows differ by rounding", len(was), same, near)
}

// said is what a group has published: of each key and offset the rows by their variables,
// and what else is in the message by its name.
func (d *drill) said(t *testing.T, g group) map[string]map[string]string {
	t.Helper()
	got := programs.Run(t, d.present, "tail", "--config", g.config, "--format", "json", "--until-end")
	if got.Code != 0 {
		t.Fatalf("tail: exit %d\n%s", got.Code, got.Messages)
	}
	all := map[string]map[string]string{}
	for line := range strings.Lines(got.Data) {
		var fields map[string]json.RawMessage
		var rows []json.RawMessage
		if err := errors.Join(json.Unmarshal([]byte(line), &fields), json.Unmarshal(fields["posterior"], &rows)); err != nil {
			t.Fatalf("%v: %.300s", err, line)
		}
		told := map[string]string{}
		for _, row := range rows {
			var of struct{ Variable string }
			if err := json.Unmarshal(row, &of); err != nil {
				t.Fatal(err)
			}
			told[of.Variable] = string(row)
		}
		delete(fields, "posterior")
		for name, value := range fields {
			told["."+name] = strings.ReplaceAll(string(value), g.name, "GROUP")
		}
		all[told[".key"]+" "+told[".source"]] = told
	}
	return all
}
