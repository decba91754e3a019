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
	factors, keys := all.Settled(), p.rows.Keyed(mostKeys)
	lacking := make([]int, len(factors)) // keys
	told := make([][2]int, len(factors)) // levels of a first shard and of all rows, of the first of these keys
	for _, rows := range keys {
		b := rows.Batch()
		if b.Rows <= shard {
			continue
		}
		first, whole := levelsOf(f, part(b, 0, shard), len(factors)), levelsOf(f, b, len(factors))
		for i := range factors {
			had, has := first[i], whole[i]
			if has-had < 2 {
				continue
			}
			if lacking[i]++; lacking[i] == 1 {
				told[i] = [2]int{had, has}
			}
		}
	}
	for i, factor := range factors {
		if lacking[i] == 0 {
			continue
		}
		in := ""
		if len(keys) > 1 {
			in = fmt.Sprintf(" in %d of %s", lacking[i], cli.Plural(len(keys), "key"))
		}
		notes = append(notes, fmt.Sprintf("%s takes its levels from a key's first shard, of %s here, which has %s of %s%s: the others share one coefficient, __other__; "+
			"list them in C(), as levels=[%s]", plain(factor.Name), cli.Plural(shard, "row"), cli.Count(told[i][0]), cli.Count(told[i][1]), in, listOf(factor.Levels)))
	}
	return notes
}

// levelsOf counts those that rows give each of so many factors of a formula; none where it cannot be begun with them.
func levelsOf(f *formula.Formula, b *cdf.Batch, factors int) []int {
	counts := make([]int, factors)
	begun, err := f.Begin(b, 0, false)
	if err != nil {
		return counts
	}
	for i, factor := range begun.Settled()[:min(factors, len(begun.Settled()))] {
		counts[i] = len(factor.Levels)
	}
	return counts
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
