package state

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/kafka"
)

// rescaleFlags are what `rescale` is asked for.
type rescaleFlags struct {
	app.Flags
	to      int
	export  string
	outputs bool
	yes     bool
	wait    time.Duration
}

// RescaleCommand returns the command rescale.
func RescaleCommand(a *app.App) *cobra.Command {
	var f rescaleFlags
	cmd := &cobra.Command{
		Use:   "rescale --config FILE --to N",
		Short: "Give the input topic more partitions, and move the states",
		Long: `rescale adds partitions to the input topic and moves each key's state to the
partition that murmur2 gives for N, so that consumers go on as if the topic had
always had N partitions. (state import --rescale-from is about other units of
measurement.)

Stop the producers, and dead-letters replay. Let the consumers apply all records,
and stop them; with --wait rescale waits for both. It refuses a log that is not
applied whole, an open transaction, live consumers, damaged state, another
configuration, and keys that another partitioner has put elsewhere.

Its progress is recorded in Redis. After a failure run it again with the same --to:
it goes on where it was. Consumers that start before it has ended halt with the
reason partitions. Until the topic has its new partitions, --to with the former
number takes everything back.

Before consumers may go on it writes an export of all states: keep it, for Redis
can no longer be rebuilt from the log alone. If Redis is lost, the partitions halt,
and state import --in FILE is the way on.`,
		GroupID: app.GroupCare,
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.to < 1 {
				return cli.Usagef("--to N is missing: the number of partitions that the topic is to have")
			}
			return withStates(a, cmd, &f.Flags, "", func(ctx context.Context, s *states) error { return s.rescale(ctx, &f) })
		},
	}
	f.Add(a, cmd)
	cmd.Flags().IntVar(&f.to, "to", 0, "the number of partitions, `N` (required)")
	cmd.Flags().StringVar(&f.export, "export", "", "the `FILE` for the export of all states (default GROUP-N.arrows)")
	cmd.Flags().BoolVar(&f.outputs, "outputs", false, "give N partitions also to the topics of outputs that have fewer")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "do not ask for confirmation")
	cmd.Flags().DurationVar(&f.wait, "wait", 0, "how long to wait until all records are applied and all consumers have stopped")
	return cmd
}

func (s *states) rescale(ctx context.Context, f *rescaleFlags) error {
	if f.export == "" {
		f.export = fmt.Sprintf("%s-%d.arrows", s.config.Kafka.Group, f.to)
	}
	export, err := filepath.Abs(f.export)
	if err != nil {
		return err
	}
	if err := s.atRest(ctx, f.wait); err != nil {
		return err
	}
	s.Printf("group %s, topic %s: the states will be moved to %d partitions. Producers have to be stopped until this has ended; Kafka takes no partition away again",
		s.config.Kafka.Group, s.config.Kafka.Input, f.to)
	if err := s.Agree(s.cmd, f.yes, fmt.Sprintf("Rescale to %d partitions?", f.to)); err != nil {
		return err
	}
	r := &admin.Rescale{
		Topic: s.config.Kafka.Input, To: f.to, Home: kafka.PartitionOf,
		Log: s.Log, Written: s.Log.Written,
		Grow:  func(ctx context.Context, n int) error { return s.Client.Grow(ctx, s.config.Kafka.Input, n) },
		Store: s.Store, Reader: s.Store, Layouts: s.Store, Rules: s.Rules,
		Tell: func(ctx context.Context, past []pipeline.Era) error { return s.leaveWord(ctx, f, export, past) },
		Say:  s.Printf,
	}
	metas, err := s.metas(ctx)
	if err != nil {
		return err
	}
	err = s.Audited(s.config, fmt.Sprintf("rescale --to %d", f.to), "keys", func() (keys int64, err error) {
		for _, m := range metas {
			keys += m.Keys
		}
		return keys, r.Run(ctx)
	})
	switch {
	case errors.Is(err, admin.ErrTakenBack):
		return err
	case errors.Is(err, pipeline.ErrFenced):
		return fmt.Errorf("%w: a consumer, or another rescale, was started meanwhile; stop it and run this again", err)
	case err != nil:
		return fmt.Errorf("%w; nothing is lost, run it again with --to %d once that is settled", err, f.to)
	}
	s.Printf("done: start the consumers, then the producers")
	return nil
}

// restPause is the time between two looks at what is waited for.
const restPause = 500 * time.Millisecond

// atRest waits until everything is applied and nobody works any more.
func (s *states) atRest(ctx context.Context, wait time.Duration) error {
	end := time.Now().Add(wait)
	for said := ""; ; {
		err := s.NobodyWorks(ctx)
		if err == nil || time.Now().After(end) {
			return err
		}
		why := "all records are applied: waiting until the consumers are stopped"
		if lag, lerr := s.lag(ctx); lerr != nil {
			return lerr
		} else if lag > 0 {
			why = "waiting until the consumers have applied the rest"
		}
		if why != said {
			s.Printf("%s", why)
			said = why
		}
		select {
		case <-time.After(restPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// lag counts the records that are not applied yet.
func (s *states) lag(ctx context.Context) (total int64, err error) {
	metas, err := s.metas(ctx)
	if err != nil {
		return 0, err
	}
	for id, m := range metas {
		start, end, err := s.Log.Bounds(ctx, s.partition(id))
		if err != nil {
			return 0, err
		}
		total += max(0, end-max(start, m.Watermark))
	}
	return total, nil
}

// leaveWord writes the export, and a note beside the group's offsets: who finds the store
// empty learns from it that the log does not give the states again.
func (s *states) leaveWord(ctx context.Context, f *rescaleFlags, export string, past []pipeline.Era) error {
	if f.outputs {
		for _, t := range s.config.Topics() {
			if t.Input {
				continue
			}
			if err := s.Client.Grow(ctx, t.Name, f.to); err != nil {
				return err
			}
		}
	}
	s.count = f.to
	if err := s.exportTo(ctx, export, "", past); err != nil {
		return err
	}
	note := fmt.Sprintf("rescaled from %d to %d partitions; export %s", len(past[len(past)-1].Partitions), f.to, export)
	metas, err := s.metas(ctx)
	if err != nil {
		return err
	}
	for id, m := range metas {
		mark := kafka.Mark{Offset: m.Watermark, Note: note[:min(len(note), maxNote)]}
		if err := s.Client.SetMark(ctx, s.config.Kafka.Group, s.config.Kafka.Input, int32(id), mark); err != nil {
			return err
		}
	}
	return nil
}

// maxNote is far below what brokers take beside an offset, 4 KiB.
const maxNote = 2000
