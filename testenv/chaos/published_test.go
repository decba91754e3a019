//go:build unix

package chaos

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv/programs"
)

// unfed is in the names of what alone this release publishes otherwise than the one before, as
// CHANGELOG.md says: levels that no row has fed have no row.
const unfed = "[T."

// misfit and tooWide are flags that changed: what is too wide was called a misfit, also of a few
// rows, which is not told any more, and so were rows that share the level of a new group.
const misfit, tooWide = `"miscalibrated"`, `"wide_intervals"`

// fewEvents is a new flag, with which coefficients are listed that no count bounds.
const fewEvents = `"few_events"`

// disagree and moved are flags that probit raises of more keys, fewRows one of compressed.
const disagree, moved, fewRows = `"rows_disagree"`, `"scale_moved"`, `"few_rows_per_column"`

// drifted is a flag that is not raised any more where rows are only harder to predict.
const drifted = `"drift"`

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

// listed returns flags that are JSON.
func listed(flags string) []string {
	return strings.FieldsFunc(flags, func(r rune) bool { return strings.ContainsRune("[],", r) })
}

// warned reports whether flags, as JSON, differ in these alone, which are new.
func warned(was, is string) bool {
	old := listed(was)
	kept := slices.DeleteFunc(listed(is), func(flag string) bool {
		return (flag == disagree || flag == moved || flag == fewRows) && !slices.Contains(old, flag)
	})
	return len(kept) < len(listed(is)) && slices.Equal(kept, old)
}

// fewer reports whether it alone, which may have been the first, is new among flags, as JSON.
func fewer(was, is string) bool {
	all := listed(is)
	others := slices.DeleteFunc(slices.Clone(all), func(flag string) bool { return flag == fewEvents })
	return len(others) < len(all) && strings.Trim(was, "[]") == strings.Join(others, ",")
}

// rejudged reports whether flags, as JSON, differ in that alone, as CHANGELOG.md says.
func rejudged(was, is string) bool {
	others := func(flags, of string) string {
		return strings.Join(slices.DeleteFunc(listed(flags), func(flag string) bool { return flag == of }), ",")
	}
	return strings.Contains(was, misfit) && !strings.Contains(is, misfit) && others(was, misfit) == others(is, tooWide)
}

// calmed reports whether flags, as JSON, differ in that drift is gone alone.
func calmed(was, is string) bool {
	return was != is && slices.Equal(slices.DeleteFunc(listed(was), func(flag string) bool { return flag == drifted }), listed(is))
}

// mostFar is how many keys of poisson may have had a fit that the release before gave up on its way, as
// CHANGELOG.md says: where it did, posteriors differ until later shards bring both to the same place.
const mostFar = 3

// compare reads the posteriors of undisturbed runs of both releases and fails where they
// are further apart than CHANGELOG.md says. It returns the keys of which a fit was given up.
func (d *drill) compare(t *testing.T, before, now group) (far map[string]bool) {
	t.Helper()
	far = map[string]bool{}
	was, is := d.said(t, before), d.said(t, now)
	same, gone, judged, rare, warnings, near, calm := 0, 0, 0, 0, 0, 0, 0
	for id, old := range was {
		if calmed(old[".flags"], is[id][".flags"]) {
			calm++
			old[".flags"] = is[id][".flags"]
		}
		if rejudged(old[".flags"], is[id][".flags"]) {
			judged++
			delete(old, ".flags")
			delete(is[id], ".flags")
		}
		if fewer(old[".flags"], is[id][".flags"]) {
			rare++
			for _, name := range []string{".flags", ".prior_dominated"} {
				delete(old, name)
				delete(is[id], name)
			}
		}
		if warned(old[".flags"], is[id][".flags"]) {
			warnings++
			delete(old, ".flags")
			delete(is[id], ".flags")
		}
		for name, is := range is[id] {
			switch {
			case old[name] == is:
				same++
			case old[name] != "" && !strings.HasPrefix(name, ".") && rounded(t, old[name], is):
				near++
			case old[".kind"] == `"poisson"` && (!strings.HasPrefix(name, ".") || name == ".score"):
				far[strings.Trim(old[".key"], `"`)] = true
			default:
				t.Errorf("%s, %s was\n%s and is\n%s", id, name, old[name], is)
			}
		}
		for name := range old {
			if _, ok := is[id][name]; ok {
				continue
			}
			if gone++; !strings.Contains(name, unfed) {
				t.Errorf("%s has no %s any more", id, name)
			}
		}
	}
	if len(far) > mostFar {
		t.Errorf("posteriors of %d keys of poisson differ, for which a fit that was given up is no explanation: %v", len(far), far)
	}
	if len(was) != len(is) || len(was) == 0 {
		t.Errorf("%d posteriors, of the release before %d", len(is), len(was))
	}
	t.Logf("%d posteriors of undisturbed runs: %d rows and fields are the same to the last digit, %d rows differ by rounding, %d rows of levels that no row has fed are gone, %d are not called misfits any more, %d have few events, %d no drift, %d have rows that disagree or are few, a fit was given up of %d keys", len(was), same, near, gone, judged, rare, calm, warnings, len(far))
	return far
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
		var m struct {
			Dominated []string `json:"prior_dominated"`
		}
		if err := errors.Join(json.Unmarshal([]byte(line), &fields), json.Unmarshal([]byte(line), &m), json.Unmarshal(fields["posterior"], &rows)); err != nil {
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
		m.Dominated = slices.DeleteFunc(m.Dominated, func(name string) bool { return strings.Contains(name, unfed) })
		fields["prior_dominated"] = json.RawMessage(strings.Join(m.Dominated, " "))
		delete(fields, "posterior")
		for name, value := range fields {
			told["."+name] = strings.ReplaceAll(string(value), g.name, "GROUP")
		}
		all[told[".key"]+" "+told[".source"]] = told
	}
	return all
}
