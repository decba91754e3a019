// Package run is the commands run and demo: the worker, and the HTTP server that
// answers beside it.
package run

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/internal/offheap"
)

// Command returns the command run.
func Command(a *app.App) *cobra.Command {
	var f app.Flags
	var untilEnd, printConfig bool
	var begin, group string
	cmd := &cobra.Command{
		Use:   "run --config FILE",
		Short: "Update models with shards and publish their posteriors",
		Long: `run joins the consumer group and runs until it is stopped (SIGTERM or Ctrl-C);
it then saves a last checkpoint. With --until-end it says in the end what became of
the records. It retries during outages of Kafka and Redis. A
partition that needs a decision halts, and the process stays up.

--from begins a new group somewhere in the log: it works at full speed, tells how
far it is and how long the rest takes, and is live from then on. What lies before
is not the group's, by decision, also when its state is rebuilt. A group that has
state is refused. The value is a time (2026-01-31T08:00:00Z, 2026-01-31), how long
ago (36h, 7d), earliest, latest, or an offset for each partition (0=1500,1=1700);
of a time, a partition begins at its first record that is not older.`,
		GroupID: app.GroupWork,
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var start *from
			if cmd.Flags().Changed("from") {
				var err error
				if start, err = parseFrom(begin, time.Now()); err != nil {
					return err
				}
			}
			if cmd.Flags().Changed("group") {
				f.Override("kafka.group", group)
			}
			c, warnings, err := a.Read(&f)
			if err != nil {
				for _, text := range warnings {
					a.Printf("warning: %s", text)
				}
				return err
			}
			if printConfig {
				a.Printf("effective configuration:\n%s", c)
			}
			said := newPatient(a.Err, c.Log.Format, usualPatience)
			through := *a
			through.Err = said
			w := newWords(&through, &c.Log)
			for _, text := range warnings {
				w.warning(text)
			}
			err = w.failed(runWorker(cmd.Context(), a, c, w, said, start, untilEnd))
			if !said.End() && err != nil {
				return errors.Join(cli.ErrReported, err) // nobody reads: to say more would wait for ever
			}
			return err
		},
	}
	f.Add(a, cmd)
	cmd.Flags().BoolVar(&untilEnd, "until-end", false, "exit once all partitions have reached the ends that they have now; exit code 1 if it is stopped before, 3 if all records became dead letters")
	cmd.Flags().StringVar(&begin, "from", "", "begin a new group at a `PLACE` in the log: a time, how long ago, earliest, latest, or PARTITION=OFFSET,…")
	cmd.Flags().StringVar(&group, "group", "", "the `NAME` of the group, in place of kafka.group")
	cmd.Flags().BoolVar(&printConfig, "print-config", false, "print the effective configuration before the work: with defaults, without passwords")
	return cmd
}

func runWorker(ctx context.Context, a *app.App, c *config.Config, w words, said *patient, start *from, untilEnd bool) error {
	if !connect.UsesEmbedded(c) { // their logs and states have no bound
		limit := limitMemory(c, a.Env, containerMemory("/sys/fs/cgroup"), w.log)
		defer shareMemory(limit, offheap.Mapped)()
		defer boundGarbage(a.Env)()
	}
	inside, err := connect.StartEmbedded(ctx, c, connect.Usual, w.log)
	if err != nil {
		return err
	}
	defer inside.End()
	s, err := NewService(ctx, a.Names, c, w.log)
	if err != nil {
		return err
	}
	s.servers, s.said = inside, said
	if s.from = start; term.IsTerminal(a.Err) {
		s.tty = a.Err
	}
	if page := s.Page(); page != "" {
		w.page(page)
	}
	if err := s.Run(ctx, untilEnd); err != nil {
		return err
	}
	account, ok := s.Final()
	if ok {
		w.account(account)
	}
	if !untilEnd {
		return nil
	}
	return account.verdict(ok)
}
