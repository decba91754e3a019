package draft

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/models/kind"
)

// appendYAML appends the draft as the section models of a configuration, with
// what was seen and why in comments.
func (m *Model) appendYAML(b []byte) []byte {
	var w strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&w, format+"\n", args...) }
	line("models:")
	line(`  - match: "**"  # every key gets a model of its own; one * stops at /, two do not`)
	line("    # %s, because %s.", m.Kind.Name, m.why)
	if len(m.others) > 0 {
		line("    # It could also be: %s.", strings.Join(m.others, "; "))
	}
	line("    kind: %s", m.Kind.Name)
	if m.levelsAreMissing() {
		line("    missing: level  # of a column with levels or groups; a row that lacks a number is dropped")
	}
	for _, text := range m.Notes() {
		line("    # %s.", term.Cut(text, mostOfNote))
	}
	if m.own != nil {
		line("    settings: %s", inline(m.own.settings))
	}
	if m.formula != nil {
		m.writeFormula(line)
		return append(b, w.String()...)
	}
	line("    columns:")
	if !m.constant() && (m.Kind.Response == kind.Real || count(m.columns, numericFeature) > 0) {
		line("      # Centre and scale of columns that are neither counts nor categories are learnt from")
		line("      # the first rows of each key. Explicit ones, as in the comments, take precedence.")
		line("      scaling: first")
	}
	what := m.response.describe(m.profile)
	if m.guessed != "" {
		what += "; " + m.guessed
	}
	line("      response: %s  # %s", m.written(m.response), what)
	if refused := m.profile.refused(m.response); refused != "" {
		line("      # %s.", refused)
	} else if missing := m.profile.Rows - m.response.values; missing > 0 {
		line("      # %s of the rows have no response: they are predicted, not learnt from.", percent(missing, m.profile.Rows))
	}
	m.writeFeatures(line)
	for i := range m.columns {
		switch g := &m.columns[i]; g.role {
		case group:
			line("      group: %s  # %s", inline(g.name), g.describeLevels(m.profile))
		case clock:
			line("      time: %s  # %s; equal values are one step, gaps are missing ones", inline(g.name), g.describe(m.profile))
		}
	}
	m.writeExposure(line)
	m.writeLeftOut(line)
	return append(b, w.String()...)
}

// mostOfNote is how much of a note there is: what it says to do is its end.
const mostOfNote = 2000

// manyFeatures is how many features are listed one to a line.
const manyFeatures = 60

// levelsAreMissing reports whether groups or a categorical feature have gaps: where none has,
// a level for them would be a coefficient that nothing is learnt of. A formula says itself
// which of its factors have one.
func (m *Model) levelsAreMissing() bool {
	return slices.ContainsFunc(m.columns, func(g given) bool {
		return g.values < m.profile.Rows && (g.role == group || g.role == categoricalFeature && m.formula == nil)
	})
}

// warnMissing says what becomes of rows that lack a feature.
func (m *Model) warnMissing(line func(string, ...any)) {
	var worst *given
	for i := range m.columns {
		g := &m.columns[i]
		if g.role == numericFeature && g.values < m.profile.Rows && (worst == nil || g.values < worst.values) {
			worst = g
		}
	}
	if worst != nil && 20*worst.values < 19*m.profile.Rows {
		line("      # A row that lacks a feature is dropped: consider leaving out %s, which lacks %s.",
			plain(worst.name), percent(m.profile.Rows-worst.values, m.profile.Rows))
	}
}

func (m *Model) writeFeatures(line func(string, ...any)) {
	if count(m.columns, numericFeature, categoricalFeature) == 0 {
		switch {
		case m.Kind.Features && m.Kind.Intercept:
			line("      features: []  # no usable column is left; without this line every other numeric column would be one")
		case m.Kind.Features:
			line("      # No usable column is left as a feature.")
		}
		return
	}
	m.warnMissing(line)
	if count(m.columns, numericFeature, categoricalFeature) > manyFeatures {
		m.writeMany(line)
		return
	}
	line("      features:")
	for i := range m.columns {
		g := &m.columns[i]
		switch g.role {
		case numericFeature:
			line("        - %s  # %s%s", m.written(g.column), g.describe(m.profile), m.hint(g.column))
		case categoricalFeature:
			levels := g.levels()
			line("        - %s  # %s; other levels share one coefficient", inline(feature{Name: g.name, Levels: levels, Baseline: levels[0]}), g.describeLevels(m.profile))
		}
	}
}

// writeMany lists more features than anyone reads one by one.
func (m *Model) writeMany(line func(string, ...any)) {
	line("      features: [  # %d of them", count(m.columns, numericFeature, categoricalFeature))
	text := ""
	for i := range m.columns {
		g := &m.columns[i]
		item := ""
		switch g.role {
		case numericFeature:
			item = m.written(g.column) + ","
		case categoricalFeature:
			levels := g.levels()
			item = inline(feature{Name: g.name, Levels: levels, Baseline: levels[0]}) + ","
		default:
			continue
		}
		if text != "" && len(text)+len(item) > 90 {
			line("        %s", text)
			text = ""
		}
		text = strings.TrimSpace(text + " " + item)
	}
	line("        %s", text)
	line("      ]")
}

// constant reports whether the draft has centre and scale of the sample.
func (m *Model) constant() bool { return m.own != nil && m.own.constant }

// written is a column of numbers as the draft has it.
func (m *Model) written(c *column) string {
	if f, ok := c.long(); ok && m.constant() {
		return inline(f)
	}
	return inline(c.name)
}

// hint is the form of a feature whose centre and scale are known.
func (m *Model) hint(c *column) string {
	if m.constant() {
		return ""
	}
	if f, ok := c.long(); ok {
		return "; or " + inline(f)
	}
	return ""
}

// feature is the long form of a feature in a configuration.
type feature struct {
	Name     string   `yaml:"name"`
	Center   *float64 `yaml:"center,omitempty"`
	Scale    *float64 `yaml:"scale,omitempty"`
	Levels   []string `yaml:"levels,omitempty"`
	Baseline string   `yaml:"baseline,omitempty"`
}

// writeExposure names the columns that counts may be in proportion to.
func (m *Model) writeExposure(line func(string, ...any)) {
	if !m.Kind.Exposure {
		return
	}
	for i := range m.columns {
		if g := &m.columns[i]; g.role == numericFeature && g.least > 0 && has(g.name, exposureWords) {
			line("      # Counts in proportion to %s? Then take it out of features, and:", plain(g.name))
			line("      # exposure: %s", inline(g.name))
		}
	}
}

func (m *Model) writeLeftOut(line func(string, ...any)) {
	if count(m.columns, leftOut) == 0 && len(m.profile.skipped) == 0 {
		return
	}
	line("      # Left out:")
	for i := range m.columns {
		if g := &m.columns[i]; g.role == leftOut {
			line("      #   %s: %s", plain(g.name), g.why)
		}
	}
	for _, s := range m.profile.skipped {
		line("      #   %s: type %s is not read", plain(s.Name), plain(s.Type))
	}
}

// describe says what was seen of a column of numbers.
func (c *column) describe(p *Profile) string {
	if c.binary() {
		return fmt.Sprintf("0 or 1, %s ones", percent(c.exact[1], c.values)) + c.missing(p)
	}
	if c.kind == cdf.Time {
		ends := cdf.Column{Type: cdf.Time, Number: []float64{c.least, c.most}}
		from, _ := ends.Label(0)
		to, _ := ends.Label(1)
		return from + " to " + to + c.missing(p)
	}
	return fmt.Sprintf("%s to %s, mean %s, sd %s", number(c.least), number(c.most), number(c.mean), number(c.sd())) + c.missing(p)
}

// describeLevels says what was seen of a column that names something.
func (c *column) describeLevels(p *Profile) string {
	top := c.levels()[0]
	return fmt.Sprintf("%s, most often %s (%s)", plural(len(c.counts), "level", "levels"), plain(top), percent(c.counts[top], c.values)) + c.missing(p)
}

func (c *column) missing(p *Profile) string {
	if n := p.Rows - c.values; n > 0 {
		return fmt.Sprintf(", %s missing", percent(n, p.Rows))
	}
	return ""
}

// inline writes a value as YAML that can stand anywhere on a line: mappings
// and lists in braces and brackets, texts in quotes where they need them.
func inline(value any) string {
	var n yaml.Node
	if err := n.Encode([]any{value}); err != nil {
		panic(fmt.Sprintf("a value that YAML can't hold: %v", err)) // only texts and numbers come here
	}
	flow(&n)
	text, err := yaml.Marshal(&n)
	if err != nil {
		panic(fmt.Sprintf("a value that YAML can't hold: %v", err))
	}
	line := strings.TrimSpace(string(text))
	return line[1 : len(line)-1]
}

// flow has a node written on one line.
func flow(n *yaml.Node) {
	switch n.Kind {
	case yaml.ScalarNode:
		if strings.ContainsFunc(n.Value, func(r rune) bool { return r < ' ' || r == '#' || r > '~' }) {
			n.Style = yaml.DoubleQuotedStyle
		}
	default:
		n.Style = yaml.FlowStyle
		for _, child := range n.Content {
			flow(child)
		}
	}
}

// plain makes a name fit for a comment: on one line, seen to its ends, and without what would
// move a cursor.
func plain(name string) string {
	if name == "" || strings.TrimSpace(name) != name || strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

func number(x float64) string { return cli.Number(x + 0) } // no negative zero

// round keeps so many digits of a finite number.
func round(x float64, digits int) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	return rounded + 0 // no negative zero
}

func percent(n, of int) string {
	share := 100 * float64(n) / float64(max(of, 1))
	switch {
	case n > 0 && share < 1:
		return "under 1%"
	case n < of && share > 99:
		return "over 99%"
	}
	return fmt.Sprintf("%.0f%%", share)
}

func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
