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

const (
	// mostTriedBeside is how many features a draft may have.
	mostTriedBeside = 20
	// mostChanged is how many changes a note may have.
	mostChanged = 3
	// wideResponse and wideFeature are how many times its least value a column's largest has to be, for the logarithm to differ from it.
	wideResponse, wideFeature = 3, 10
	// leastGain and leastGains are by how much the log density of a row, and of all rows together, has to be higher. Of two given models the one that
	// rows are of has a lower one by as much in e^-10 of samples.
	leastGain, leastGains = .02, 10
	// leastShare is the share of shards in which it has to be higher at all: not for the sake of a few rows.
	leastShare = 2. / 3
	// fewCount and mostCount are the range of a response that a kind for counts is tried with: what is never few is rather measured.
	fewCount, mostCount = 2, 1e6
	// restricted is by how much a logarithm has to predict better than an exposure, which has a coefficient less, and a curve than a logarithm.
	restricted = 3
	// leastValues is how many values a column has that may follow a curve.
	leastValues = 5
)

// change is a column in another form, its logarithm, the exposure or with its square, or a part of a time as a feature more.
type change struct {
	of   *column
	form string // of the term: one of those below, or that of a part
}

const logarithm, exposure, curve = "log(%s)", "exposure(%s)", "poly(%s, 2)"

// term is what a formula has of it.
func (c change) term() string { return fmt.Sprintf(c.form, inFormula(c.of.name)) }

// adds reports a term beside those of the columns.
func (c change) adds() bool { return c.form != logarithm && c.form != exposure && c.form != curve }

// attempt is the draft by a kind with changes, and what it makes of the shards.
type attempt struct {
	kind      *kind.Kind
	made      []change
	densities []float64
}

// transform tries logarithms of columns above 0, squares, parts of times and, of counts, a kind for counts and exposures. What predicts rows of the
// sample better than the draft does, each by those before it, is worth a note. The draft keeps the columns as they came: their effects are easier to
// read, and what they mean is the user's to say. wanted is the kind that was asked for.
func (m *Model) transform(wanted string) {
	if m.formula != nil || count(m.columns, numericFeature, categoricalFeature) > mostTriedBeside {
		return
	}
	kinds := m.compared(wanted)
	if len(kinds) == 1 && len(m.changes(m.Kind)) == 0 {
		return
	}
	rows := triedRows
	if slices.ContainsFunc(kinds, func(k *kind.Kind) bool { return k.Response == kind.Count }) {
		rows = triedCounts
	}
	shards := m.triedShards(rows)
	first, ok := m.densities(m.Kind, nil, shards)
	if !ok {
		return
	}
	best := attempt{kind: m.Kind, densities: first}
	for _, k := range kinds {
		from := attempt{kind: k, densities: first}
		if k != m.Kind {
			if from.densities, ok = m.densities(k, nil, shards); !ok {
				continue // it does not take the draft's columns
			}
		}
		one := m.climbed(from, shards)
		average := k != m.Kind && k.Response == kind.Real && !slices.ContainsFunc(one.made, change.adds) // which explains nothing
		if average || !better(first, one.densities, shards) {
			continue
		}
		if total, _, _ := gained(best.densities, one.densities, shards); total > 0 {
			best = one
		}
	}
	if best.kind != m.Kind || len(best.made) > 0 {
		total, rows, _ := gained(first, best.densities, shards)
		m.likelier = m.words(best, total/float64(rows))
	}
}

// compared are the kinds that are tried, the draft's first: those for counts where the response may be one, and of a series, or of few groups,
// the one that explains by features, as parts of times may be.
func (m *Model) compared(wanted string) []*kind.Kind {
	kinds, r := []*kind.Kind{m.Kind}, m.response
	if wanted != "" || m.Kind.Response != kind.Real {
		return kinds
	}
	if !m.Kind.Features {
		if g := first(m.columns, group); m.moment() == nil || g != nil && g.distinct() > mostLevels {
			return kinds
		}
		if k := m.explaining(); k != nil {
			kinds = append(kinds, k)
		}
	}
	if r.count() && r.least <= fewCount && r.most <= mostCount {
		for _, k := range m.kinds {
			if k.Response == kind.Count && k.Features {
				kinds = append(kinds, k)
			}
		}
	}
	return kinds
}

// climbed makes changes from the columns as they came, and from the logarithm of the response: of a power of a feature
// neither logarithm alone need be better than the line.
func (m *Model) climbed(now attempt, shards []triedShard) attempt {
	candidates, factors := m.changes(now.kind), change{m.response, logarithm}
	best := m.climb(now, slices.Clone(candidates), shards)
	if !slices.Contains(candidates, factors) || len(best.made) > 0 && best.made[0] == factors {
		return best
	}
	made := []change{factors}
	densities, ok := m.densities(now.kind, made, shards)
	if !ok {
		return best
	}
	candidates = slices.DeleteFunc(candidates, func(c change) bool { return c == factors })
	if other := m.climb(attempt{now.kind, made, densities}, candidates, shards); better(best.densities, other.densities, shards) {
		return other
	}
	return best
}

// climb makes one change after the other, each the one that predicts best.
func (m *Model) climb(now attempt, candidates []change, shards []triedShard) attempt {
	for len(now.made) < mostChanged {
		next, ok := m.likeliest(now, candidates, shards)
		if !ok {
			break
		}
		now = next
		last := now.made[len(now.made)-1]
		candidates = slices.DeleteFunc(candidates, func(c change) bool { return c == last || c.of == last.of && !c.adds() })
	}
	return now
}

// changes are those that may be tried with a kind, in that order: the last ones are not where the work ends before.
func (m *Model) changes(k *kind.Kind) (all []change) {
	wide := func(c *column, times float64) bool { return c.least > 0 && c.most >= times*c.least }
	if r := m.response; k.Response == kind.Real && r.kind != cdf.Time && r.infinite == 0 && len(r.standIns()) == 0 && wide(r, wideResponse) {
		all = append(all, change{r, logarithm})
	}
	if !k.Features {
		return all
	}
	var exposures, logarithms, curves []change
	for i := range m.columns {
		g := &m.columns[i]
		if g.role != numericFeature || g.kind == cdf.Time || g.infinite > 0 || len(g.standIns()) > 0 {
			continue // of a value that may mean none a curve would be made
		}
		if wide(g.column, wideFeature) {
			logarithms = append(logarithms, change{g.column, logarithm})
			if k.Exposure {
				exposures = append(exposures, change{g.column, exposure})
			}
		}
		if len(g.exact) >= leastValues {
			curves = append(curves, change{g.column, curve})
		}
	}
	all = append(append(all, exposures...), logarithms...)
	if t := m.moment(); t != nil {
		for _, p := range dateParts {
			if t.most-t.least >= p.span && (p.word != "hour" || !t.dates) {
				all = append(all, change{t, p.term})
			}
		}
	}
	return append(all, curves...)
}

// moment is the first column of times that every row has, nil where none has.
func (m *Model) moment() *column {
	i := slices.IndexFunc(m.columns, func(g given) bool {
		return g.kind == cdf.Time && g.role != numericFeature && g.infinite == 0 && g.values == m.profile.Rows && g.least < g.most
	})
	if i < 0 {
		return nil
	}
	return m.columns[i].column
}

// likeliest is the attempt with that candidate more that predicts best; false where none predicts better by enough.
func (m *Model) likeliest(now attempt, candidates []change, shards []triedShard) (best attempt, found bool) {
	most := 0.
	for _, c := range candidates {
		if c.form == exposure && slices.ContainsFunc(now.made, func(other change) bool { return other.form == exposure }) {
			continue // a model has one
		}
		made := append(slices.Clone(now.made), c)
		after, ok := m.densities(now.kind, made, shards)
		if !ok || !better(now.densities, after, shards) {
			continue
		}
		total, _, _ := gained(now.densities, after, shards)
		switch c.form {
		case exposure:
		case curve:
			total -= 2 * restricted
		default:
			total -= restricted
		}
		if total > most {
			best, most, found = attempt{now.kind, made, after}, total, true
		}
	}
	return best, found
}

// better reports whether densities of the shards' rows are higher than before by enough for a note.
func better(before, after []float64, shards []triedShard) bool {
	total, rows, share := gained(before, after, shards)
	return total >= leastGains && total >= leastGain*float64(rows) && share >= leastShare
}

// gained is by how much densities of the shards' rows are higher than before, in all, of how many rows, and in which share of the shards.
func gained(before, after []float64, shards []triedShard) (total float64, rows int, share float64) {
	higher, shared := 0, 0
	for i := range shards {
		if shards[i].first {
			continue
		}
		total += after[i] - before[i]
		rows += shards[i].batch.Rows
		shared++
		if after[i] > before[i] {
			higher++
		}
	}
	return total, rows, float64(higher) / float64(max(shared, 1))
}

// changed writes the draft's columns as a formula of a kind with changes; "" where names or terms cannot stand in one.
func (m *Model) changed(k *kind.Kind, made []change) string {
	form := func(c *column) string {
		if i := slices.IndexFunc(made, func(one change) bool { return one.of == c && !one.adds() }); i >= 0 {
			return made[i].term()
		}
		return inFormula(c.name)
	}
	var terms []string
	for i := range m.columns {
		g := &m.columns[i]
		switch g.role {
		case numericFeature:
			terms = append(terms, form(g.column))
		case categoricalFeature:
			terms = append(terms, g.factor(m.profile.Rows))
		case group:
			if k.Groups == kind.NoGroups {
				terms = append(terms, g.factor(m.profile.Rows))
			} else {
				terms = append(terms, "(1 | "+inFormula(g.name)+")")
			}
		}
	}
	for _, c := range made {
		if c.adds() {
			terms = append(terms, c.term())
		}
	}
	if len(terms) == 0 {
		terms = []string{"1"}
	}
	text := form(m.response) + " ~ " + strings.Join(terms, " + ")
	if _, err := formula.Parse(text); err != nil {
		return ""
	}
	return text
}

// factor is the term that makes levels of a column; a gap in one of so many rows is a level too.
func (g *given) factor(rows int) string {
	name := inFormula(g.name)
	switch {
	case g.values < rows:
		return "C(" + name + ", missing=level)"
	case g.kind != cdf.Text:
		return "C(" + name + ")"
	}
	return name
}

// inFormula is a column's name as a formula has it: in quotes where it has to be.
func inFormula(name string) string {
	if f, err := formula.Parse(name + " ~ 1"); err == nil && slices.Equal(f.Answers(), []string{name}) {
		return name
	}
	return "`" + name + "`"
}

// words say what predicts better, by how much for a row, and how to ask for it.
func (m *Model) words(a attempt, each float64) string {
	var all, flags []string
	if a.kind != m.Kind {
		what := fmt.Sprintf("kind %s, if %s counts something", a.kind.Name, plain(m.response.name))
		if a.kind.Response == kind.Real {
			what = "kind " + a.kind.Name
			if m.Kind.Time {
				what += ", which has no level that drifts"
			}
		}
		all, flags = append(all, what), append(flags, "--kind "+a.kind.Name)
	}
	var parts []string
	for _, c := range a.made {
		switch {
		case c.form == exposure:
			all = append(all, plain(c.of.name)+" as the exposure, which counts are in proportion to")
		case c.adds():
			parts = append(parts, plain(c.term()))
		case c.form == curve:
			all = append(all, fmt.Sprintf("%s in place of %s, a curve", plain(c.term()), plain(c.of.name)))
		case c.of == m.response:
			all = append(all, fmt.Sprintf("%s in place of %s, so that effects are factors", plain(c.term()), plain(c.of.name)))
		default:
			all = append(all, fmt.Sprintf("%s in place of %s", plain(c.term()), plain(c.of.name)))
		}
	}
	if len(parts) > 0 {
		as := " as a feature"
		if len(parts) > 1 {
			as = " as features"
		}
		if m.Kind.Features {
			as += " more"
		}
		all = append(all, strings.Join(parts, ", ")+as)
	}
	if len(a.made) > 0 {
		flags = append(flags, "--formula "+cli.Quote(m.changed(a.kind, a.made)))
	}
	return fmt.Sprintf("rows of the sample are predicted better, their log density is higher by %s each, with %s: %s",
		number(round(each, 2)), strings.Join(all, ", and "), strings.Join(flags, " "))
}
