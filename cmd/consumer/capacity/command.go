// Package capacity is the command capacity: it folds a sample of rows into the
// configured models as a worker does, measures what that takes, and says what a
// given number of keys and shards needs of processors, memory, Redis and Kafka.
package capacity

import (
	"context"
	"encoding/json"
	"math"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/cmd/producer/rows"
)

// capacityFlags are what `capacity` is asked for.
type capacityFlags struct {
	app.Flags
	input  string
	sel    rows.Selection
	rows   int
	sample int
	demand Demand
	json   bool
}

// Command returns the command capacity.
func Command(a *app.App) *cobra.Command {
	var f capacityFlags
	cmd := &cobra.Command{
		Use:   "capacity --config FILE --input FILE --keys N --rate R",
		Short: "Measure your models on a file and say what a load needs",
		Long: `capacity cuts the rows of a file into shards, folds them into the configured models as
the command run does, and measures what that takes on one core of this machine. From that it
says what a number of keys and a rate of shards need: processor cores, memory, Redis,
bytes in Kafka. It connects to nothing.

What records cost beside their models, for fetching, publishing and checkpoints, is not
measured but taken from make bench.`,
		Example: "  " + a.Consumer + ` capacity --config credence.yaml --input sales.csv --key-column shop --rows 100 --keys 1000000 --rate 500`,
		GroupID: app.GroupCare,
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return f.run(cmd.Context(), a)
		},
	}
	f.Add(a, cmd)
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.input, "input", "", "sample of rows, `FILE` that "+a.Producer+" replay reads (required)")
	fs.StringVar(&f.sel.KeyColumn, "key-column", "", "column that is the key of the records, `C`")
	fs.StringVar(&f.sel.Key, "key", "sample", "without --key-column: `KEY` of all rows, which chooses the model")
	fs.StringVar(&f.sel.Prefix, "key-prefix", "", "`TEXT` before each key")
	fs.StringSliceVar(&f.sel.Columns, "columns", nil, "read only these columns of the file, `a,b,c`")
	f.sel.Flags(fs)
	fs.IntVar(&f.rows, "rows", 100, "rows of a shard, `N`")
	fs.IntVar(&f.sample, "sample", 500, "measure at most `N` shards")
	fs.Int64Var(&f.demand.Keys, "keys", 0, "keys to plan for, `N` (required)")
	fs.Float64Var(&f.demand.Rate, "rate", 0, "shards a second of all keys to plan for, `R` (required)")
	fs.BoolVar(&f.json, "json", false, "print one JSON object")
	for name, words := range rows.FlagWords {
		app.Offer(cmd, name, words...)
	}
	return cmd
}

func (f *capacityFlags) check() error {
	if err := f.sel.Check(); err != nil {
		return cli.Usagef("%w", err)
	}
	switch {
	case f.input == "":
		return cli.Usagef("--input FILE is missing")
	case rows.FormatOf(f.input) == "":
		return cli.Usagef("--input %s: the name must end in one of %v", f.input, rows.Extensions)
	case f.rows < 1:
		return cli.Usagef("--rows %d: must be at least 1", f.rows)
	case f.sample < 1:
		return cli.Usagef("--sample %d: must be at least 1", f.sample)
	case f.demand.Keys < 0:
		return cli.Usagef("--keys %d: must be at least 1", f.demand.Keys)
	case f.demand.Keys == 0:
		return cli.Usagef("--keys N is missing: how many keys there will be")
	case !(f.demand.Rate >= 0) || math.IsInf(f.demand.Rate, 0):
		return cli.Usagef("--rate %v: must be a number above 0", f.demand.Rate)
	case f.demand.Rate == 0:
		return cli.Usagef("--rate R is missing: how many shards come a second, of all keys together")
	}
	return nil
}

func (f *capacityFlags) run(ctx context.Context, a *app.App) error {
	c, err := a.Load(&f.Flags)
	if err != nil {
		return err
	}
	rules, err := connect.NewRules(c)
	if err != nil {
		return err
	}
	reading := term.Progress(a.Err, "rows read", 0)
	src, err := rows.Open(ctx, f.input, f.sel, rows.Watch{Rows: reading.Add})
	reading.Done()
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	m := newMeter(c, rules)
	for shard, err := range rows.Shards(src, f.rows) {
		if err != nil {
			return err
		}
		if err := m.add(shard); err != nil {
			return err
		}
		if m.shards == f.sample || ctx.Err() != nil {
			break
		}
	}
	cost, err := m.cost()
	if err != nil {
		return err
	}
	plan := cost.Plan(f.demand)
	if f.json {
		enc := json.NewEncoder(a.Out)
		enc.SetEscapeHTML(false)
		return enc.Encode(plan)
	}
	return plan.print(a.Out)
}
