package main

import (
	"context"
	"io"
	"log/slog"

	"github.com/spf13/cobra"
)

func (a *app) runCommand() *cobra.Command {
	var f configFlags
	var untilEnd bool
	cmd := &cobra.Command{
		Use:   "run --config FILE",
		Short: "Fold shards into models and publish their posteriors",
		Long: `run joins the consumer group and works until it is told to end (SIGTERM or
Ctrl-C); it then saves a last checkpoint. Outages of Kafka and Redis are waited
out. A partition that needs a decision halts, and the process stays up.`,
		GroupID: groupWork,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.load(&f)
			if err != nil {
				return err
			}
			return a.run(cmd.Context(), c, untilEnd)
		},
	}
	f.add(a, cmd)
	cmd.Flags().BoolVar(&untilEnd, "until-end", false, "exit once all partitions have reached the ends that they have now")
	return cmd
}

func (a *app) run(ctx context.Context, c *config, untilEnd bool) error {
	a.printf("effective configuration:\n%s", c)
	logger := newLogger(a.err, slog.LevelInfo)
	end, err := startEmbedded(ctx, c, usual, logger)
	if err != nil {
		return err
	}
	defer end()
	s, err := newService(ctx, c, logger)
	if err != nil {
		return err
	}
	if s.http != nil {
		logger.Info("http server listens", slog.String("address", s.http.Addr()))
	}
	return s.run(ctx, untilEnd)
}

func newLogger(w io.Writer, least slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: least}))
}
