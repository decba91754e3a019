package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// mostWrong is how many letters a name may be wrong in, case aside.
const mostWrong = 2

// Near returns the names that a word may have been meant for, the likeliest first, at most
// most of them: those that differ in case, in one or two letters, or only go on.
func Near(word string, names []string, most int) []string {
	type near struct {
		name string
		rank int
	}
	low := strings.ToLower(word)
	var all []near
	for _, name := range names {
		other := strings.ToLower(name)
		switch n := distance(low, other); {
		case name == word:
		case n <= mostWrong && n < len(low):
			all = append(all, near{name, n})
		case low != "" && strings.HasPrefix(other, low):
			all = append(all, near{name, mostWrong + 1})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.name, b.name))
	})
	var out []string
	for _, n := range all[:min(len(all), most)] {
		out = append(out, n.name)
	}
	return out
}

// meant adds to the error of a flag that a command does not have the one that may have been meant. -help and
// -config, as some programs have them, are letters to cobra, of which it names what is left of them.
func meant(cmd *cobra.Command, err error, args []string) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if letters := unknown.GetSpecifiedShortnames(); letters != "" {
		for _, arg := range args {
			name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
			if len(name) > 1 && name != arg && strings.HasSuffix(arg, letters) && slices.Contains(names, name) {
				return fmt.Errorf("unknown flag: -%s, did you mean --%s?", name, name)
			}
		}
		return err
	}
	for _, name := range Near(unknown.GetSpecifiedName(), names, 1) {
		return fmt.Errorf("%w, did you mean --%s?", err, name)
	}
	return err
}
