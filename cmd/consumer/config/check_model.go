package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/kind"
)

// check reports what is wrong with one entry of models, apart from its
// settings; k is its kind, nil for an unknown one.
func (m *Model) check(kinds kind.Registry, k *kind.Kind, path string) []error {
	var all []error
	wrong := func(format string, args ...any) {
		all = append(all, fmt.Errorf("%s.%s", path, fmt.Sprintf(format, args...)))
	}
	choose := func(key, word string, choices ...string) {
		if err := oneOf(path+"."+key, word, choices...); err != nil {
			all = append(all, err)
		}
	}
	if m.Draws < 2 || m.Draws > 1_000_000 {
		wrong("draws: %d is not between 2 and 1000000", m.Draws)
	}
	if !(m.Forget > 0 && m.Forget <= 1) {
		wrong("forget: %g is not above 0 and at most 1 (1 never forgets)", m.Forget)
	}
	if slices.Contains(m.given, "forget_per") && !slices.Contains(m.given, "forget") {
		m.doubts = append(m.doubts, fmt.Errorf("%s.forget_per: it says per what the factor forget is, which is left out, so that nothing is forgotten: add forget, such as 0.95, or leave forget_per out", path))
	}
	if k != nil && m.Publish.Covariance && !k.Covariance {
		m.doubts = append(m.doubts, fmt.Errorf("%s.publish.covariance: kind %s publishes none: draws have it, with publish.draws: true; or leave it out", path, k.Name))
	}
	choose("missing", m.Missing, "level", "drop", "reject")
	p := m.Publish
	if p.Every < 1 {
		wrong("publish.every: %d is below 1", p.Every)
	}
	choose("publish.scale", p.Scale, "original", "model")
	choose("publish.predictions", p.Predictions, "none", "null_rows", "all")
	choose("publish.groups", p.Groups, "all", "touched", "none")
	if len(p.Variables) == 0 {
		wrong("publish.variables: an empty list publishes nothing; [\"**\"] publishes all")
	}
	if slices.Contains(p.Variables, "") {
		wrong("publish.variables: an empty pattern matches nothing")
	}
	m.checkColumns(kinds, k, wrong, choose)
	m.checkUnits(wrong)
	return all
}

func (m *Model) checkColumns(kinds kind.Registry, k *kind.Kind, wrong report, choose func(key, word string, choices ...string)) {
	c := &m.Columns
	choose("columns.scaling", c.Scaling, "first", "none")
	if c.Response.Name == "" {
		wrong("columns.response: the name is empty")
	}
	checkScale(wrong, "columns.response", c.Response.Scale)
	if k != nil && k.Response != kind.Real && (c.Response.Center != nil || c.Response.Scale != nil) {
		wrong("columns.response: center and scale mean nothing to the classes or counts of kind %s", k.Name)
	}
	if c.Features != nil && len(c.Features) == 0 && k != nil && k.Features && (!k.Intercept || !c.Intercept) {
		wrong("columns.features: an empty list, and no intercept: there is no coefficient left; leave the key out to use every other numeric column")
	}
	if c.Group != "" && len(c.Groups) > 0 {
		wrong("columns.group is %q, but columns.groups is given too: the one is short for the other", c.Group)
	}
	for _, role := range []struct {
		key   string
		given bool
	}{
		{"features", c.Features != nil},
		{"group", c.Group != ""}, {"groups", len(c.Groups) > 0},
		{"exposure", c.Exposure != ""}, {"time", c.Time != ""},
	} {
		if role.given && k != nil && !k.Takes(role.key) {
			able := kinds.Names(func(k *kind.Kind) bool { return k.Takes(role.key) })
			wrong("columns.%s means nothing to kind %s, only to: %s", role.key, k.Name, strings.Join(able, ", "))
		}
	}
	if k != nil && k.Groups == kind.OneGroup && m.Formula == "" {
		c.checkOneGroup(k.Name, wrong)
	}
	taken := map[string]string{c.Response.Name: "the response"}
	take := func(name, role string) {
		if before, twice := taken[name]; twice {
			wrong("columns: %q is %s and %s", name, before, role)
		}
		taken[name] = role
	}
	for i := range c.Features {
		f, at := &c.Features[i], fmt.Sprintf("columns.features[%d]", i)
		if f.Name == "" {
			wrong("%s: the name is empty", at)
			continue
		}
		take(f.Name, "a feature")
		if f.Name == cdf.InterceptName && !f.Levels.given && c.Intercept && k != nil && k.Intercept {
			wrong("%s: %s is the name of the intercept; rename the column, make it I(%s) in a formula, or set columns.intercept: false", at, f.Name, f.Name)
		}
		f.check(wrong, choose, at)
	}
	for i, g := range append([]Group{{Column: c.Group}}, c.Groups...) {
		if g.Column != "" {
			take(g.Column, "a group")
		} else if i > 0 {
			wrong("columns.groups[%d]: the column is empty", i-1)
		}
	}
	c.checkNames(wrong)
	if c.Exposure != "" {
		take(c.Exposure, "the exposure")
	}
	if c.Time != "" {
		take(c.Time, "the time")
	}
}

// checkOneGroup refuses anything but a single grouping column.
func (c *Columns) checkOneGroup(kind string, wrong report) {
	switch {
	case c.Group == "" && len(c.Groups) == 0:
		wrong("columns.group: missing; %s needs the column that names the group of each row", kind)
	case len(c.Groups) > 1:
		wrong("columns.groups: %d columns, but %s takes one", len(c.Groups), kind)
	case len(c.Groups) == 1 && len(c.Groups[0].Slopes) > 0:
		wrong("columns.groups[0].slopes: %s has no slopes", kind)
	}
}

// check fills in the default of `other` as well.
func (f *Feature) check(wrong report, choose func(key, word string, choices ...string), at string) {
	checkScale(wrong, at, f.Scale)
	l := f.Levels
	if !l.given {
		if f.Baseline != "" || f.Other != "" {
			wrong("%s (%s): baseline is %q and other is %q, but there are no levels", at, f.Name, f.Baseline, f.Other)
		}
		return
	}
	if f.Center != nil || f.Scale != nil {
		wrong("%s (%s): a column with levels is neither centred nor scaled", at, f.Name)
	}
	if f.Other == "" {
		f.Other = "level"
	}
	choose(at+".other", f.Other, "level", "drop", "reject")
	if l.first {
		return
	}
	sorted := slices.Sorted(slices.Values(l.list))
	if len(slices.Compact(slices.Clone(sorted))) != len(l.list) {
		wrong("%s (%s): a level is listed twice: %s", at, f.Name, strings.Join(sorted, ", "))
	}
	switch {
	case len(l.list) < 2:
		wrong("%s (%s): %d levels; at least 2 are needed", at, f.Name, len(l.list))
	case f.Baseline == "":
		wrong("%s (%s): baseline is missing; it is one of the levels %s", at, f.Name, strings.Join(l.list, ", "))
	case !slices.Contains(l.list, f.Baseline):
		wrong("%s (%s): baseline %q is none of the levels %s", at, f.Name, f.Baseline, strings.Join(l.list, ", "))
	}
}

func checkScale(wrong report, at string, scale *float64) {
	if scale != nil && !(*scale > 0) {
		wrong("%s: scale %g is not above 0", at, *scale)
	}
}
