package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink"
)

// patience is how long commands that answer once wait for an answer.
const patience = 30 * time.Second

func (a *app) getCommand() *cobra.Command {
	var config configFlags
	var format formatFlag
	cmd := &cobra.Command{
		Use:     "get KEY --config FILE",
		Short:   "Print the current posterior of a key from the checkpoint store",
		GroupID: groupWork,
		Args:    oneArg("KEY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			how, err := format.choose(a.out)
			if err != nil {
				return err
			}
			c, conn, err := a.connect(&config)
			if err != nil {
				return err
			}
			defer conn.close()
			ctx, cancel := context.WithTimeout(cmd.Context(), patience)
			defer cancel()
			if err := conn.openStore(ctx, c); err != nil {
				return err
			}
			return a.get(ctx, conn.lookup, args[0], how)
		},
	}
	config.add(a, cmd)
	cmd.ValidArgsFunction = config.completeKey(a)
	format.add(cmd)
	return cmd
}

// get prints the posterior of a key.
func (a *app) get(ctx context.Context, l *lookup, key, format string) error {
	if _, ok := l.rules.Match(key); !ok {
		return fmt.Errorf("no entry of models matches key %q: its records go to the dead letters", key)
	}
	all, err := l.find(ctx, key, false)
	if err != nil {
		return fmt.Errorf("key %q: %w", key, err)
	}
	if len(all) == 0 {
		return fmt.Errorf("no model for key %q: no shard of it is in a checkpoint yet, or it was deleted", key)
	}
	if len(all) > 1 {
		a.printf("warning: partitions %d and %d both have a model for key %q: a producer uses another partitioner than murmur2 (librdkafka: set partitioner=murmur2_random)",
			all[0].partition.ID, all[1].partition.ID, key)
	}
	p, err := l.restore(key, all[0])
	if err != nil {
		return err
	}
	return a.writePosterior(p, format)
}

func (a *app) writePosterior(p *pipeline.Posterior, format string) error {
	switch format {
	case formatJSON:
		_, err := fmt.Fprintf(a.out, "%s\n", sink.AppendJSON(nil, p, 0))
		return err
	case formatCSV:
		return newCSV(a.out).write(p)
	}
	return writeDetails(a.out, p)
}
