package main

import (
	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/internal/term"
)

// tailFlags are what `tail` is asked for.
type tailFlags struct {
	configFlags
	formatFlag
	key      string
	from     string
	limit    int
	untilEnd bool
}

func (a *app) tailCommand() *cobra.Command {
	var f tailFlags
	cmd := &cobra.Command{
		Use:   "tail --config FILE",
		Short: "Show posteriors as they are published",
		Long: `tail reads the output topic and prints each posterior once: messages that a
restart has sent again are left out.`,
		GroupID: groupWork,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.from != "beginning" && f.from != "end" {
				return usagef("--from %s: %q is none of: beginning, end", f.from, f.from)
			}
			if f.limit < 0 {
				return usagef("--limit %d is below 0", f.limit)
			}
			format, err := f.choose(a.out)
			if err != nil {
				return err
			}
			c, conn, err := a.connect(&f.configFlags)
			if err != nil {
				return err
			}
			defer conn.close()
			p, notify := a.printer(format, newSelection(f.key, f.limit), "topic "+c.Kafka.Output)
			return tail(cmd.Context(), conn.feed(c.Kafka.Output, f.from == "end", f.untilEnd, notify), p)
		},
	}
	f.configFlags.add(a, cmd)
	f.formatFlag.add(cmd)
	cmd.Flags().StringVar(&f.key, "key", "", "only keys that match the `GLOB` (* stops at /, ** does not)")
	cmd.Flags().StringVar(&f.from, "from", "beginning", "beginning or end")
	cmd.Flags().IntVar(&f.limit, "limit", 0, "stop after `N` posteriors")
	cmd.Flags().BoolVar(&f.untilEnd, "until-end", false, "stop at the end that the topic has now")
	offer(cmd, "from", "beginning", "end")
	return cmd
}

// printer returns what prints in the given format, and what tells the user
// something meanwhile.
func (a *app) printer(format string, s *selection, title string) (printer, func(string, ...any)) {
	if format == formatTable && term.IsTerminal(a.out) {
		p := newLivePrinter(a.out, s, toJSON, title)
		return p, p.notify
	}
	return newStreamPrinter(a.out, format, s, toJSON, a.printf), a.printf
}
