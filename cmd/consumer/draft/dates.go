package draft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/formula"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/models/kind"
)

const perDay = 86400. // seconds

// dateParts are what a time can be as a feature: the terms of a formula, and how many seconds tell of it.
var dateParts = []struct {
	word, term, what string
	span             float64
	baseline         string // of an effect per level
}{
	{"trend", "trend(%s)", "a straight line, per day", 0, ""},
	{"weekday", "weekday(%s)", "an effect per day of the week", 14 * perDay, "mon of weekday(%s)"},
	{"month", "C(month(%s))", "an effect per month", 400 * perDay, "jan of month(%s)"},
	{"season", "season(%s, 1y, 2)", "a smooth course over the year", 400 * perDay, ""},
	{"hour", "C(hour(%s))", "an effect per hour of the day", 2 * perDay, "0 of hour(%s)"},
}

// DatesUsage is the help of the flag --dates.
const DatesUsage = "let times be features: `PARTS` of trend, weekday, month, season, hour; the draft then has a formula"

// DateParts are the words of Wish.Dates.
func DateParts() (words []string) {
	for _, p := range dateParts {
		words = append(words, p.word)
	}
	return words
}

// CheckDates refuses words that are no parts of a time: a usage error.
func (w *Wish) CheckDates() error {
	for i, word := range w.Dates {
		if !slices.Contains(DateParts(), word) {
			return cli.Usagef("--dates %s: %q is none of: %s", strings.Join(w.Dates, ","), word, strings.Join(DateParts(), ", "))
		}
		if slices.Contains(w.Dates[:i], word) {
			return cli.Usagef("--dates %s: %s is there twice", strings.Join(w.Dates, ","), word)
		}
	}
	return nil
}

// date makes features of the columns that hold times.
func (m *Model) date() error {
	found := false
	for i := range m.columns {
		if g := &m.columns[i]; g.role == clock && g.kind == cdf.Time {
			g.role, found = dated, true
		}
	}
	if !found {
		return fmt.Errorf("%w: no column holds dates or times, which --dates would make features of (the columns are %s)", ErrDraft, m.profile.names())
	}
	return nil
}

// writable reports whether a term can be part of a formula.
func writable(term string) bool {
	_, err := formula.Parse("y ~ " + term)
	return err == nil
}

// compose writes the columns as a formula with the parts of times as terms.
func (m *Model) compose(parts []string) error {
	if !m.Kind.Features {
		return fmt.Errorf("%w: kind %s takes no features, so no parts of dates either; leave out --dates, or name a kind of %s", ErrDraft,
			m.Kind.Name, strings.Join(m.kinds.Names(func(k *kind.Kind) bool { return k.Features }), ", "))
	}
	var terms []string
	for i := range m.columns {
		g := &m.columns[i]
		name := "`" + g.name + "`"
		if g.role != leftOut && !writable(name) {
			g.role, g.why = leftOut, "its name cannot stand in a formula, which --dates makes; rename it"
		}
		switch g.role {
		case numericFeature:
			terms = append(terms, name)
		case categoricalFeature:
			term, _ := g.listed(m.profile.Rows)
			terms = append(terms, term)
		case group:
			terms = append(terms, fmt.Sprintf("(1 | %s)", name))
		case dated:
			for _, p := range dateParts {
				if slices.Contains(parts, p.word) && (p.word != "hour" || !g.dates) {
					terms = append(terms, fmt.Sprintf(p.term, name))
					g.parts = append(g.parts, p.word)
				}
			}
		}
	}
	f, err := formula.Parse("`" + m.response.name + "` ~ " + strings.Join(terms, " + "))
	if err != nil {
		return fmt.Errorf("%w: the columns do not make a formula: %w", ErrDraft, err)
	}
	m.formula, m.parts = f, parts
	return nil
}

// listed is the term of a factor with its levels, the first of which is the baseline; false: they cannot stand in a formula, and
// those of a key's first shard are its levels. A gap in one of so many rows is a level too.
func (g *given) listed(rows int) (string, bool) {
	var levels []string
	for _, level := range g.levels() {
		levels = append(levels, `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(level)+`"`)
	}
	gaps := ""
	if g.values < rows {
		gaps = ", missing=level"
	}
	if term := fmt.Sprintf("C(`%s`, [%s]%s)", g.name, strings.Join(levels, ", "), gaps); writable(term) {
		return term, true
	}
	return fmt.Sprintf("C(`%s`%s)", g.name, gaps), false
}
