package show

import (
	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/term"
)

// tailFlags are what `tail` is asked for.
type tailFlags struct {
	app.Flags
	app.Format
	key      string
	from     string
	limit    int
	untilEnd bool
}

// TailCommand returns the command tail.
func TailCommand(a *app.App) *cobra.Command {
	var f tailFlags
	cmd := &cobra.Command{
		Use:   "tail --config FILE",
		Short: "Show posteriors as they are published",
		Long: `tail reads the output topic and prints each posterior once: messages that a
restart has sent again are left out.`,
		GroupID: app.GroupWork,
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.from != "beginning" && f.from != "end" {
				return cli.Usagef("--from %s: %q is none of: beginning, end", f.from, f.from)
			}
			if f.limit < 0 {
				return cli.Usagef("--limit %d is below 0", f.limit)
			}
			format, err := f.Choose(a.Out)
			if err != nil {
				return err
			}
			return a.Connected(&f.Flags, func(conn *connect.Connection) error {
				topic := conn.Config.Kafka.Output
				p, notify := NewPrinter(a, format, NewSelection(f.key, f.limit), "topic "+topic)
				tail := Tail
				if f.untilEnd {
					tail = tailToEnd
				}
				return tail(cmd.Context(), conn.Feed(topic, f.from == "end", f.untilEnd, notify), p)
			})
		},
	}
	f.Flags.Add(a, cmd)
	f.Format.Add(cmd)
	cmd.Flags().StringVar(&f.key, "key", "", "only keys that match the `GLOB` (* stops at /, ** does not)")
	cmd.Flags().StringVar(&f.from, "from", "beginning", "beginning or end")
	cmd.Flags().IntVar(&f.limit, "limit", 0, "stop after `N` posteriors")
	cmd.Flags().BoolVar(&f.untilEnd, "until-end", false, "stop at the end that the topic has now; exit code 1 if it is stopped before")
	app.Offer(cmd, "from", "beginning", "end")
	return cmd
}

// NewPrinter returns what prints in the given format, and what tells the user
// something meanwhile.
func NewPrinter(a *app.App, format string, s *Selection, title string) (printer, func(string, ...any)) {
	if format == app.Table && term.IsTerminal(a.Out) {
		p := newLivePrinter(a.Out, s, toJSON, title)
		return p, p.notify
	}
	return newStreamPrinter(a.Out, format, s, toJSON, a.Printf), a.Printf
}
