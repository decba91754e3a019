package try

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/consumer/draft"
	"github.com/credence-stream/credence/cmd/consumer/run"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/models/kind"
)

const (
	mostShown  = 8    // effects, and other lists
	mostNamed  = 5    // keys in a sentence
	mostFactor = 1000 // beyond it, and below its inverse, digits say nothing
)

// report says what was learnt, what was left out, and how to keep it.
func (t *trial) report(ctx context.Context, s *run.Service) error {
	f, err := t.findings(ctx, s)
	if err != nil {
		return err
	}
	if f.keys == 0 && t.partly > 0 {
		return nil // nothing is saved yet
	}
	var w strings.Builder
	keys := cli.Plural(f.keys, "key")
	if f.more {
		keys = "more than " + keys
	}
	fmt.Fprintf(&w, "\nWhat was learnt about %s, from %s (%s)\n", t.model.ResponseName(), t.name(), keys)
	if t.partly > 0 {
		of := ""
		if t.census != nil {
			of = " of " + cli.Count(t.census.rows)
		}
		fmt.Fprintf(&w, "It was interrupted: this is from about %s%s rows.\n", cli.Count(t.partly), of)
	}
	switch {
	case f.read == f.keys && !f.more:
	case t.census != nil:
		fmt.Fprintf(&w, "Effects, doubts and flags are those of the %s with the most rows.\n", cli.Plural(f.read, "key"))
	default:
		fmt.Fprintf(&w, "Effects, doubts and flags are those of the first %s by name; others may know more.\n", cli.Plural(f.read, "key"))
	}
	if err := t.writeEffects(&w, f); err != nil {
		return err
	}
	if err := t.writeLevels(&w, f); err != nil {
		return err
	}
	t.writeFit(&w, s)
	t.writeDoubts(&w, f)
	if better := t.model.Likelier(); better != "" {
		fmt.Fprintf(&w, "\nWhat to try next: %s\n", better)
	}
	if err := t.writeRefused(ctx, &w, s); err != nil {
		return err
	}
	if left := t.model.LeftOut(); len(left) > 0 {
		w.WriteString("\nLeft out\n")
		for _, line := range left {
			fmt.Fprintf(&w, "  %s\n", line)
		}
	}
	var kept error // what was learnt is told all the same
	if t.ask.Out != "" {
		kept = draft.Write(t.ask.Out, t.text, t.force)
	}
	t.writeNext(&w, kept == nil)
	_, err = io.WriteString(t.Out, w.String())
	return errors.Join(err, kept)
}

// writeEffects ranks the coefficients.
func (t *trial) writeEffects(w *strings.Builder, f *findings) error {
	effects, unknown := f.known()
	if len(effects)+len(unknown) == 0 {
		return nil
	}
	shown := effects[:min(len(effects), mostShown)]
	if len(shown) > 0 {
		w.WriteString("\nWhat matters most, per unit: sure signs first, then by what one sd of the column changes, or a level\n")
	}
	var cells strings.Builder
	for i, e := range shown {
		if i < 3 {
			fmt.Fprintf(w, "  %s\n", t.sentence(e))
		}
		if f.keys == 1 {
			t.cellsOfOne(&cells, e)
		} else {
			t.cellsOfMany(&cells, e)
		}
	}
	if len(shown) > 0 {
		head := "\n  VARIABLE\tEFFECT\t95 % INTERVAL\tHOW SURE\n"
		if f.keys > 1 {
			head = "\n  VARIABLE\tMEDIAN KEY\tMIDDLE 80 % OF KEYS\tSURE OF ITS SIGN\n"
		}
		if err := app.Tabulate(w, head+cells.String(), 0); err != nil {
			return err
		}
		fmt.Fprintf(w, "  %s\n", t.units())
	}
	t.writeHidden(w, shown, effects[len(shown):])
	if len(unknown) > 0 {
		if len(shown) == 0 {
			w.WriteString("\n")
		}
		whose := "No key knows more than the prior"
		if f.keys == 1 {
			whose = "The rows say no more than the prior"
		}
		fmt.Fprintf(w, "  %s about %s.\n", whose, named(unknown))
	}
	return nil
}

// writeHidden says how many effects are not shown, and names those of them that by another
// measure would come first.
func (t *trial) writeHidden(w *strings.Builder, shown, hidden []*effect) {
	if len(hidden) == 0 {
		return
	}
	strongest, largest := outranked(shown, hidden)
	what := "less"
	if largest != nil {
		what = "less, or whose sign is not sure"
	}
	fmt.Fprintf(w, "  and %s %s\n", cli.Plural(len(hidden), "variable that changes", "variables that change"), what)
	one := func(e *effect) string {
		return fmt.Sprintf("%s, %s (%s sds from 0)", e.label(), t.value(median(e.of, mean)), cli.Number(math.Round(10*e.strength())/10))
	}
	if largest != nil {
		fmt.Fprintf(w, "  the largest of them: %s\n", one(largest))
	}
	if strongest != nil && strongest != largest {
		fmt.Fprintf(w, "  the surest of all is small: %s\n", one(strongest))
	}
}

// sentence says in words what an effect is.
func (t *trial) sentence(e *effect) string {
	up, down := 0, 0
	for _, x := range e.of {
		switch {
		case x.low > 0:
			up++
		case x.high < 0:
			down++
		}
	}
	what, middle := term.HarmlessText(t.model.ResponseName()), t.value(median(e.of, mean))
	verbs := [2]string{"rises", "falls"}
	if t.model.Kind.Response == kind.Binary {
		verbs = [2]string{"gets likelier", "gets less likely"}
	}
	verb := verbs[0]
	if median(e.of, mean) < 0 {
		verb = verbs[1]
	}
	if len(e.of) == 1 {
		if x := e.of[0]; !x.sure() {
			return fmt.Sprintf("%s may not depend on %s: its effect can be %s or %s", what, e.label(), t.value(x.low), t.value(x.high))
		}
		return fmt.Sprintf("%s %s with %s: %s", what, verb, e.label(), middle)
	}
	if up+down == 0 {
		return fmt.Sprintf("%s may not depend on %s: no key is sure of the sign", what, e.label())
	}
	return fmt.Sprintf("%s %s with %s in the median key (%s); %s sure that it %s, %s that it %s",
		what, verb, e.label(), middle, cli.Plural(up, "key is", "keys are"), verbs[0], cli.Count(down), verbs[1])
}

func (t *trial) cellsOfOne(w *strings.Builder, e *effect) {
	x := e.of[0]
	fmt.Fprintf(w, "  %s\t%s\t%s to %s\t%s\n", e.label(), t.value(x.mean), t.value(x.low), t.value(x.high), t.certainty(x))
}

func (t *trial) cellsOfMany(w *strings.Builder, e *effect) {
	fmt.Fprintf(w, "  %s\t%s\t%s to %s\t%d of %d keys\n", e.label(), t.value(median(e.of, mean)),
		t.value(quantile(e.of, .1, mean)), t.value(quantile(e.of, .9, mean)), e.sure(), len(e.of)+e.unsure)
}

// certainty says how sure the sign is.
func (t *trial) certainty(e estimate) string {
	p, side := e.positive(), "above 0"
	if p < .5 {
		p, side = 1-p, "below 0"
	}
	if t.model.Kind.Response == kind.Count {
		side = strings.Replace(side, "0", "1", 1) // a factor
	}
	switch {
	case math.IsNaN(p):
		return "-"
	case p > .999:
		return fmt.Sprintf("over 99.9 %% that it is %s", side)
	case !e.sure():
		return fmt.Sprintf("not sure: %.0f %% that it is %s", 100*p, side)
	}
	return fmt.Sprintf("%.1f %% that it is %s", 100*p, side)
}

// value writes an effect in the units of the report.
func (t *trial) value(x float64) string {
	if t.model.Kind.Response == kind.Count {
		switch factor := math.Exp(x); {
		case factor > mostFactor:
			return "x over " + cli.Count(mostFactor)
		case factor < 1./mostFactor:
			return fmt.Sprintf("x under %g", 1./mostFactor)
		default:
			return "x " + near1(factor)
		}
	}
	text := strconv.FormatFloat(x, 'g', 3, 64)
	if x > 0 {
		return "+" + text
	}
	return text
}

// near1 writes a factor with three digits, and with more where those would make it 1.
func near1(factor float64) string {
	off := math.Abs(factor - 1)
	if off == 0 || off >= .01 {
		return strconv.FormatFloat(factor, 'g', 3, 64)
	}
	decimals := min(int(math.Ceil(-math.Log10(off)))+1, 9)
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(factor, 'f', decimals, 64), "0"), ".")
}

// units says what the numbers are.
func (t *trial) units() string {
	per := "Per unit of the column"
	if b := t.model.Baselines(); len(b) > 0 {
		per += ", or against the baseline of a category (" + named(b) + ")"
	} else if t.ask.Wish.Formula != "" {
		per += ", or against the baseline of a category"
	}
	switch t.model.Kind.Response {
	case kind.Binary:
		return per + ", on the scale of probit: +1 lifts a probability of 50 % to 84 %."
	case kind.Count:
		return per + ": the factor by which the rate changes."
	}
	if t.model.Dated() {
		return fmt.Sprintf("%s, in seconds of %s.", per, show(t.model.ResponseName()))
	}
	if column := t.model.Logged(); column != "" {
		return fmt.Sprintf("%s, in units of %s: +0.1 multiplies %s by 1.105.", per, show(t.model.ResponseName()), show(column))
	}
	return fmt.Sprintf("%s, in units of %s.", per, show(t.model.ResponseName()))
}

// writeFit says how well rows were predicted before they were seen.
func (t *trial) writeFit(w *strings.Builder, s *run.Service) {
	sums := s.Predicted()
	inside := sums.Coverage95()
	if math.IsNaN(inside) {
		return
	}
	fmt.Fprintf(w, "\nOf %s that were predicted before they were seen, %.1f %% lay inside their 95 %% interval", cli.Plural(sums.Rows, "row"), 100*inside)
	if rmse := sums.RMSE(); !math.IsNaN(rmse) && t.model.Kind.Response == kind.Real {
		fmt.Fprintf(w, "; the typical error was %s", cli.Number(rmse))
	}
	w.WriteString(".\n")
}

// writeDoubts names keys that know little, and flags with what to do about them.
func (t *trial) writeDoubts(w *strings.Builder, f *findings) {
	if len(f.little) > 0 {
		remedy := "More rows help"
		if t.model.Kind.Features {
			remedy += ", or fewer columns"
		}
		if t.key() != "" && !t.model.Kind.Time { // one series of several would jump from row to row
			remedy += ", or one model for all: leave --key out"
		}
		fmt.Fprintf(w, "\n%s little more than the prior: %s. %s.\n", cli.Plural(len(f.little), "key knows", "keys know"), named(f.little), remedy)
	}
	for _, name := range slices.Sorted(maps.Keys(f.flags)) {
		r := f.flags[name]
		fmt.Fprintf(w, "\n%s flag %s: %s.", cli.Plural(len(r.keys), "key raises the", "keys raise the"), name, named(r.keys))
		if r.advice != "" {
			fmt.Fprintf(w, " %s.", strings.ToUpper(r.advice[:1])+r.advice[1:])
		}
		w.WriteString("\n")
	}
}

// mostRefused is how many records that became dead letters are looked at.
const mostRefused = 10_000

// writeRefused says what was wrong with records that nothing was learnt from: the dead
// letters end with the process.
func (t *trial) writeRefused(ctx context.Context, w *strings.Builder, s *run.Service) error {
	all := s.Refused()
	if all == 0 {
		return nil
	}
	letters, err := s.DeadLetters(ctx, mostRefused)
	if err != nil {
		return err
	}
	var why connect.Reasons
	for i := range letters {
		l := &letters[i]
		why.Add(l.Source.ID, l.SourceOffset, l.Reason)
	}
	fmt.Fprintf(w, "\nNot learnt from, for a real run would make dead letters of them: %s", cli.Plural(all, "record"))
	if int64(why.Total) < all {
		fmt.Fprintf(w, "; of the newest %s", cli.Count(why.Total))
	}
	fmt.Fprintf(w, "\n%s\n", &why)
	return nil
}

// writeNext says how to run the same on real servers; kept says whether the configuration
// is where --out names.
func (t *trial) writeNext(w *strings.Builder, kept bool) {
	file := t.ask.Out
	w.WriteString("\nTo keep it\n")
	switch {
	case file == "":
		file = "credence.yaml"
		fmt.Fprintf(w, "  add --out %s to this command: it writes the configuration, with what was found as comments\n", file)
	case kept:
		fmt.Fprintf(w, "  %s has the configuration, with what was found as comments\n", file)
	default:
		fmt.Fprintf(w, "  %s could not be written: %s init drafts the same configuration\n", file, cli.Command(t.Consumer))
	}
	consumer, with := cli.Command(t.Consumer), " --config "+cli.Quote(file)
	w.WriteString("On real servers (their addresses are in the configuration)\n")
	switch {
	case t.file == "-":
		fmt.Fprintf(w, "  # with what was piped in as %s\n", t.ask.Called)
	case t.copied:
		fmt.Fprintf(w, "  # with %s under the name %s\n", t.file, t.ask.Called)
	}
	fmt.Fprintf(w, "  %s check%s\n", consumer, with)
	if t.file != "" {
		fmt.Fprintf(w, "  %s %s\n", cli.Command(t.Producer), t.look.Replay())
	}
	fmt.Fprintf(w, "  %s run%s\n", consumer, with)
}

// named lists the first of some keys.
func named(keys []string) string {
	var some []string
	for _, k := range keys[:min(len(keys), mostNamed)] {
		some = append(some, show(k))
	}
	if more := len(keys) - len(some); more > 0 {
		some = append(some, fmt.Sprintf("and %s more", cli.Count(more)))
	}
	return strings.Join(some, ", ")
}

// show makes a name from outside fit for a line.
func show(name string) string { return term.Cut(name, 40) }
