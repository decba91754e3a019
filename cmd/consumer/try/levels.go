package try

import (
	"fmt"
	"strings"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/models/kind"
)

// writeLevels shows groups, and what else a model without effects knows.
func (t *trial) writeLevels(w *strings.Builder, f *findings) error {
	line := func(e estimate) {
		write := cli.Number
		if family, _ := split(e.name); family == "u" { // a deviation of a logarithm
			write = t.value
		}
		fmt.Fprintf(w, "  %s: %s (95 %%: %s to %s)\n", show(e.name), write(e.mean), write(e.low), write(e.high))
	}
	if len(f.groups) > 0 {
		fmt.Fprintf(w, "\n%s, the highest first\n", cli.Plural(len(f.groups), "group"))
		top := f.groups
		if len(top) > mostShown {
			top = top[:mostShown/2]
		}
		for _, e := range top {
			line(e)
		}
		if len(top) < len(f.groups) {
			fmt.Fprintf(w, "  ...\n")
			for _, e := range f.groups[len(f.groups)-mostShown/2:] {
				line(e)
			}
		}
		w.WriteString(t.meaning(top[0].name))
	}
	if len(f.effects) == 0 && len(f.others) > 0 {
		w.WriteString("\nThe whole\n")
		for _, e := range f.others[:min(len(f.others), mostShown)] {
			line(e)
		}
	}
	return t.writeWholes(w, f)
}

// writeWholes shows what keys know beside groups, where there are no effects.
func (t *trial) writeWholes(w *strings.Builder, f *findings) error {
	if len(f.effects) > 0 || len(f.wholes) == 0 {
		return nil
	}
	var cells strings.Builder
	cells.WriteString("\n  VARIABLE\tMEDIAN KEY\tMIDDLE 80 % OF KEYS\n")
	for _, e := range f.wholes[:min(len(f.wholes), mostShown)] {
		fmt.Fprintf(&cells, "  %s\t%s\t%s to %s\n", e.label(), cli.Number(median(e.of, mean)), cli.Number(quantile(e.of, .1, mean)), cli.Number(quantile(e.of, .9, mean)))
	}
	if err := app.Tabulate(w, cells.String(), 0); err != nil {
		return err
	}
	if t.model.Kind.Groups != kind.NoGroups {
		w.WriteString("  The groups of each key are on its page.\n")
	}
	return nil
}

// meaning says what the numbers of groups are, by the name of one: "" where it says so itself.
func (t *trial) meaning(of string) string {
	family, group := split(of)
	response := show(t.model.ResponseName())
	switch family {
	case "zeta":
		return fmt.Sprintf("  %s is the mean of %s in group %s. Groups with few rows are drawn towards mu, the mean of the groups;\n"+
			"  tau2 is the variance of their means, sigma2 that of the rows of a group.\n", show(of), response, show(group))
	case "u":
		return fmt.Sprintf("  %s is the factor by which the rate of %s in group %s differs from that of all. Groups with few rows\n"+
			"  are drawn towards x 1.\n", show(of), response, show(group))
	}
	return ""
}
