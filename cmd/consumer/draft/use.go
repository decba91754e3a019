package draft

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/cmd/producer/rows"
	"github.com/credence-stream/credence/models/kind"
)

// Request is a draft as another command asks for it: of a file or, without Input, of a
// topic.
type Request struct {
	By        string // the command
	Input     string
	Called    string // the input, by who gave it
	Topic     string
	Brokers   []string
	Sets      []string
	Records   config.Input           // of the topic
	Selection rows.Selection         // of the file
	Key       func(key string) error // told of the key of each row of the file; its error is that of Look
	Sample    int                    // rows that are looked at
	Wish      Wish
	Out       string // where the draft will be kept
}

// Look is what was looked at.
type Look struct {
	flags *draftFlags
	*look
}

// Look takes the sample of a request.
func (r Request) Look(ctx context.Context, a *app.App) (*Look, error) {
	f := &draftFlags{
		names: a.Names, by: r.By, input: r.Input, called: r.Called, topic: r.Topic, brokers: r.Brokers, sets: r.Sets, records: r.Records, sel: r.Selection, met: r.Key,
		rows: r.Sample, from: "beginning", wish: r.Wish, out: r.Out, shard: usualShard,
	}
	if err := f.settle(a.Kinds); err != nil {
		return nil, err
	}
	l, err := f.look(ctx, a)
	if err != nil {
		return nil, err
	}
	return &Look{f, l}, nil
}

// Config is what the draft will say beside the models.
func (l *Look) Config() *config.Config { return l.flags.config }

// Rows are those of the file, from the first on, which is not looked at again.
func (l *Look) Rows() (rows.Source, error) { return l.source.Again() }

// Notes are worth knowing about the data.
func (l *Look) Notes() []string { return l.notes }

// What was looked at, in words.
func (l *Look) What() string { return l.what }

// Draft drafts for shards of so many rows.
func (l *Look) Draft(a *app.App, shard int) ([]byte, *Model, error) {
	l.flags.shard = shard
	return l.flags.draft(a, l.look)
}

// Table says of each column what was seen of it and what it is for, in cells that
// app.Tabulate takes; of hundreds the first.
func (l *Look) Table(m *Model) string { return m.table(l.flags.sel.KeyColumn, l.profile) }

// Replay is the command that sends the file to a real broker, after the program's name.
func (l *Look) Replay() string {
	command, _, _ := strings.Cut(l.flags.replayCommand(), "  #")
	_, arguments, _ := strings.Cut(command, " ")
	return arguments
}

// Response refuses a response of which the sample says that there is nothing to learn.
func (l *Look) Response(name string) error {
	c := l.profile.find(name)
	if c == nil || c.values == 0 || c.distinct() > 1 || c.infinite > 0 {
		return nil // what is wrong otherwise, the draft says
	}
	every := "every row of " + l.what
	if l.profile.Rows == 1 {
		every = "the only row of " + inComment(l.flags.name())
	}
	return fmt.Errorf("the response %q is constant: %s in %s: there is nothing to learn; name another with --response", name, c.only(), every)
}

// Responses lists columns that could be the response, one to a line, with what was
// seen of each and the kind that would model it; those named as a time come last. Of more than most it lists the
// first and says how many columns may be others: a suggestion looks at all columns, so that of thousands not each has one.
func (l *Look) Responses(kinds kind.Registry, most int) []string {
	var all, last []*column
	for _, c := range l.profile.columns {
		switch {
		case !l.profile.responds(c):
		case has(c.name, timeWords):
			last = append(last, c)
		default:
			all = append(all, c)
		}
	}
	all = append(all, last...)
	var lines []string
	for i, c := range all {
		if len(lines) == most {
			return append(lines, "and "+cli.Plural(len(all)-i, "more column"))
		}
		m, err := l.profile.Suggest(kinds, Wish{Response: c.name, Kind: l.flags.wish.Kind, Group: l.flags.wish.Group})
		if err == nil {
			lines = append(lines, fmt.Sprintf("%s: %s; kind %s, because %s", plain(c.name), c.describe(l.profile), m.Kind.Name, m.why))
		}
	}
	return lines
}

// responds reports whether a column could be the response if nobody says which.
func (p *Profile) responds(c *column) bool {
	return c.numeric() && c.kind != cdf.Time && p.unusable(c) == "" && c.id() == "" && !c.timely() && !c.wide()
}

// ResponseName is what the model explains: a column, or what a formula makes of columns, as log(price).
func (m *Model) ResponseName() string {
	if m.formula != nil {
		return m.formula.Roles().Response.Name
	}
	return m.response.name
}

// Likelier says what predicts the sample better by far, and with which flags to ask for it; "" where nothing does.
func (m *Model) Likelier() string { return m.likelier }

// Logged is the column whose logarithm the model explains, "" if it explains something else.
func (m *Model) Logged() string {
	if name := m.response.name; m.ResponseName() == "log("+inFormula(name)+")" {
		return name
	}
	return ""
}

// Dated reports a response of times, which are numbers of seconds.
func (m *Model) Dated() bool { return m.response.kind == cdf.Time }

// mostOfLevel is how much of a level there is beside the name of its column.
const mostOfLevel = 20

// Baselines says of each categorical feature against which level its effects are, "c of g":
// and of each part of a date. nil for a formula of the reader's, which says so itself.
func (m *Model) Baselines() []string {
	if m.formula != nil && len(m.parts) == 0 {
		return nil
	}
	var all []string
	for i := range m.columns {
		switch g := &m.columns[i]; g.role {
		case categoricalFeature:
			listed := m.formula == nil
			if !listed {
				_, listed = g.listed(m.profile.Rows)
			}
			if listed {
				all = append(all, fmt.Sprintf("%s of %s", term.Cut(plain(g.levels()[0]), mostOfLevel), plain(g.name)))
			}
		case dated:
			for _, p := range dateParts {
				if p.baseline != "" && slices.Contains(g.parts, p.word) {
					all = append(all, fmt.Sprintf(p.baseline, plain(g.name)))
				}
			}
		}
	}
	return all
}

// LeftOut lists the columns that serve as nothing, each with the reason.
func (m *Model) LeftOut() []string {
	var all []string
	for i := range m.columns {
		if g := &m.columns[i]; g.role == leftOut {
			all = append(all, plain(g.name)+": "+g.why)
		}
	}
	for _, s := range m.profile.skipped {
		all = append(all, fmt.Sprintf("%s: type %s is not read", plain(s.Name), plain(s.Type)))
	}
	return all
}
