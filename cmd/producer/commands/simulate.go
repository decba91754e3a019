package commands

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/replay"
	"github.com/credence-stream/credence/models/simulate"
)

const simulateHelp = `Send shards drawn from a model with known parameters.

Every key is a separate stream: shard 1 of each key is sent first, then shard 2
of each, and so on. The data depend only on the scenario, the seed, the key and
the number of the shard.

Scenarios: `

// simulateFlags are the flags of `producer simulate`.
type simulateFlags struct {
	delivery
	scenario  string
	shards    int64
	keys      int64
	keyPrefix string
	rows      int
	seed      uint64
}

func (p *Program) simulateCommand() *cobra.Command {
	var f simulateFlags
	cmd := &cobra.Command{
		Use:     "simulate --scenario NAME --shards T --topic T --brokers B",
		Short:   "Send data drawn from a model",
		Long:    simulateHelp + strings.Join(simulate.Names(), ", ") + ".",
		Example: "  " + p.names.Producer + " simulate --scenario linear --shards 500 --keys 20 --topic shards --brokers 127.0.0.1:9092",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			sc, err := f.check(cmd)
			if err != nil {
				return cli.Usage(err)
			}
			return p.simulate(cmd.Context(), &f, sc)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.scenario, "scenario", "", "draw from scenario `NAME` (required)")
	fs.Int64Var(&f.shards, "shards", 0, "send `T` shards of each key (required)")
	fs.Int64Var(&f.keys, "keys", 1, "number of keys, `K`: they are called PREFIX1 to PREFIXK")
	fs.StringVar(&f.keyPrefix, "key-prefix", "", "`PREFIX` of the keys (default: the scenario and a slash)")
	fs.IntVar(&f.rows, "rows", 0, "rows per shard, `N` (default: the scenario's)")
	fs.Uint64Var(&f.seed, "seed", 1, "seed of the data")
	f.register(fs)
	for _, name := range []string{"scenario", "shards", "topic", "brokers"} {
		// It fails only for a name that is no flag.
		_ = cmd.MarkFlagRequired(name)
	}
	_ = cmd.RegisterFlagCompletionFunc("scenario", cobra.FixedCompletions(simulate.Names(), cobra.ShellCompDirectiveNoFileComp))
	f.complete(cmd)
	return cmd
}

// check returns what is wrong with the flags, or the scenario that they name.
func (f *simulateFlags) check(cmd *cobra.Command) (simulate.Scenario, error) {
	sc, ok := simulate.Lookup(f.scenario)
	if !ok {
		return sc, fmt.Errorf("--scenario %q: want one of %s", f.scenario, strings.Join(simulate.Names(), ", "))
	}
	if f.shards < 1 || f.keys < 1 {
		return sc, fmt.Errorf("--shards %d --keys %d: want at least 1", f.shards, f.keys)
	}
	if !cmd.Flags().Changed("rows") {
		f.rows = sc.Rows
	}
	if f.rows < 1 {
		return sc, fmt.Errorf("--rows %d: want at least 1", f.rows)
	}
	if f.keyPrefix == "" {
		f.keyPrefix = f.scenario + "/"
	}
	if err := replay.CheckKey(f.keyPrefix + strconv.FormatInt(f.keys, 10)); err != nil {
		return sc, err
	}
	return sc, f.delivery.check()
}

// simulate sends the data.
func (p *Program) simulate(ctx context.Context, f *simulateFlags, sc simulate.Scenario) error {
	return p.deliver(ctx, &f.delivery, f.draw(sc), 0, f.shards*f.keys*int64(f.rows))
}

// draw yields shard by shard, all keys in turn. A shard is valid until the
// next one is asked for.
func (f *simulateFlags) draw(sc simulate.Scenario) iter.Seq2[replay.Shard, error] {
	return func(yield func(replay.Shard, error) bool) {
		for t := range f.shards {
			for k := range f.keys {
				key := f.keyPrefix + strconv.FormatInt(k+1, 10)
				d := sc.Shard(f.seed, key, t+1, f.rows)
				if !yield(replay.Shard{Key: key, N: t + 1, Batch: d.Batch(0)}, nil) {
					return
				}
			}
		}
	}
}
