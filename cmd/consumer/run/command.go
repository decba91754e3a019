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
)

// Command returns the command run.
func Command(a *app.App) *cobra.Command {
	var f app.Flags
	var untilEnd bool
	cmd := &cobra.Command{
		Use:   "run --config FILE",
		Short: "Update models with shards and publish their posteriors",
		Long: `run joins the consumer group and runs until it is stopped (SIGTERM or Ctrl-C);
it then saves a last checkpoint. It retries during outages of Kafka and Redis. A
partition that needs a decision halts, and the process stays up.`,
		GroupID: app.GroupWork,
		Args:    app.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Load(&f)
			if err != nil {
				return err
			}
			return runWorker(cmd.Context(), a, c, untilEnd)
		},
	}
	f.Add(a, cmd)
	cmd.Flags().BoolVar(&untilEnd, "until-end", false, "exit once all partitions have reached the ends that they have now; exit code 3 if all records became dead letters")
	return cmd
}

func runWorker(ctx context.Context, a *app.App, c *config.Config, untilEnd bool) error {
	a.Printf("effective configuration:\n%s", c)
	logger := newLogger(a.Err, slog.LevelInfo)
	if !connect.UsesEmbedded(c) { // their logs and states have no bound
		limitMemory(c, a.Env)
	}
	end, err := connect.StartEmbedded(ctx, c, connect.Usual, logger)
	if err != nil {
		return err
	}
	defer end()
	s, err := NewService(ctx, c, logger)
	if err != nil {
		return err
	}
	if s.http != nil {
		logger.Info("http server listens", slog.String("address", s.http.Addr()))
	}
	return s.Run(ctx, untilEnd)
}
