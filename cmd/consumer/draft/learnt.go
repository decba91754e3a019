package draft

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/formula"
	"github.com/credence-stream/credence/cmd/internal/cli"
)

// mostSuggested is how many levels a note lists.
const mostSuggested = 40

// pooled says of a formula's factors without a list of levels which levels of the sample would share one coefficient: those that
// a key's first shard, of so many rows, does not have. A single one has that coefficient for itself.
func (p *Profile) pooled(f *formula.Formula, shard int) (notes []string) {
	all, err := f.Begin(p.rows.Batch(), 0, false)
	if err != nil {
		return nil // the draft says what is wrong
	}
	keys := p.rows.Keyed(mostKeys)
	for i, factor := range all.Settled() {
		var told []string // of the first key
		lacking := 0
		for _, rows := range keys {
			b := rows.Batch()
			if b.Rows <= shard {
				continue
			}
			had, has := levelsOf(f, part(b, 0, shard), i), levelsOf(f, b, i)
			if len(has)-len(had) < 2 {
				continue
			}
			if lacking++; lacking == 1 {
				told = []string{cli.Count(len(had)), cli.Count(len(has))}
			}
		}
		if lacking == 0 {
			continue
		}
		in := ""
		if len(keys) > 1 {
			in = fmt.Sprintf(" in %d of %s", lacking, cli.Plural(len(keys), "key"))
		}
		notes = append(notes, fmt.Sprintf("%s takes its levels from a key's first shard, of %s here, which has %s of %s%s: the others share one coefficient, __other__; "+
			"list them in C(), as levels=[%s]", plain(factor.Name), cli.Plural(shard, "row"), told[0], told[1], in, listOf(factor.Levels)))
	}
	return notes
}

// levelsOf are those that rows give a part of a formula; nil: none, or it cannot be begun with them.
func levelsOf(f *formula.Formula, b *cdf.Batch, part int) []string {
	begun, err := f.Begin(b, 0, false)
	if err != nil || part >= len(begun.Settled()) {
		return nil
	}
	return begun.Settled()[part].Levels
}

// listOf writes levels as a formula lists them: text in quotes, unless all are whole numbers.
func listOf(levels []string) string {
	words := slices.Clone(levels[:min(len(levels), mostSuggested)])
	if slices.ContainsFunc(words, func(level string) bool {
		_, err := strconv.ParseInt(level, 10, 64)
		return err != nil
	}) {
		for i := range words {
			words[i] = strconv.Quote(words[i])
		}
	}
	if len(words) < len(levels) {
		words = append(words, "...")
	}
	return strings.Join(words, ", ")
}
