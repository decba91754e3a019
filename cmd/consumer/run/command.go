// Package run is the commands run and demo: the worker, and the HTTP server that
// answers beside it.
package run

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
)

// Command returns the command run.
func Command(a *app.App) *cobra.Command {
	var f app.Flags
	var untilEnd, printConfig bool
	cmd := &cobra.Command{
		Use:   "run --config FILE",
		Short: "Update models with shards and publish their posteriors",
		Long: `run joins the consumer group and runs until it is stopped (SIGTERM or Ctrl-C);
it then saves a last checkpoint. With --until-end it says in the end what became of
the records. It retries during outages of Kafka and Redis. A
partition that needs a decision halts, and the process stays up.`,
		GroupID: app.GroupWork,
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Load(&f)
			if err != nil {
				return err
			}
			if printConfig {
				a.Printf("effective configuration:\n%s", c)
			}
			return runWorker(cmd.Context(), a, c, untilEnd)
		},
	}
	f.Add(a, cmd)
	cmd.Flags().BoolVar(&untilEnd, "until-end", false, "exit once all partitions have reached the ends that they have now; exit code 3 if all records became dead letters")
	cmd.Flags().BoolVar(&printConfig, "print-config", false, "print the effective configuration before the work: with defaults, without passwords")
	return cmd
}

func runWorker(ctx context.Context, a *app.App, c *config.Config, untilEnd bool) error {
	logger := newLogger(a.Err, slog.LevelInfo)
	if !connect.UsesEmbedded(c) { // their logs and states have no bound
		limitMemory(c, a.Env)
	}
	end, err := connect.StartEmbedded(ctx, c, connect.Usual, logger)
	if err != nil {
		return err
	}
	defer end()
	s, err := NewService(ctx, a.Names, c, logger)
	if err != nil {
		return err
	}
	if s.http != nil {
		a.Printf("the live page: %s", s.page())
	}
	if err := s.Run(ctx, untilEnd); err != nil {
		return err
	}
	account, ok := s.Final()
	if !ok {
		return nil
	}
	a.Printf("%s", account)
	return account.Err()
}
