package commands

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/replay"
	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/cmd/producer/rows"
)

const replayHelp = `Send the rows of a file as shards.

The rows of each key go out in the order of the file, N at a time; the rows
that are left over at the end go out as shorter shards, in the order in which
their keys first appeared. A column has one type, which all its values decide:
integers, numbers (also 2,050.10 and 2.050,10, with a currency or in percent),
booleans (true, false, yes, no, y, n), dates and times (2012-01-31, 2012/01/31,
31/01/2012, 01/31/2012, 31 Jan 2012, with or without a time of day), or else text. Where the
values leave two readings, replay asks for the flag that decides. Empty fields and
the words listed at --null are nulls. Columns of a CSV file have names in its first
line and are separated by commas, semicolons, tabs or vertical bars. JSON files have one object per line, or one array of
objects; a key that is missing or null is a null, a plain number in quotes is
text, and the keys of the first 1,000 objects are the columns. The key column is
not part of the shards unless --columns names it.
Without --key-column and --key the key is the file's name without extensions.`

// replayFlags are the flags of `producer replay`.
type replayFlags struct {
	delivery
	input string
	rows.Selection
	rows  int
	limit int64
}

func (p *Program) replayCommand() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:     "replay --input FILE --rows N --topic T --brokers B",
		Short:   "Send the rows of a CSV, JSON Lines, Arrow or Parquet file",
		Long:    replayHelp,
		Example: "  " + p.names.Producer + " replay --input flights.csv --key-column origin --rows 10 --topic shards --brokers 127.0.0.1:9092",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return cli.Usage(err)
			}
			return p.replay(cmd.Context(), &f)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.input, "input", "", "read `FILE`: .csv, .tsv, .json, .jsonl, .ndjson (each also .gz), .arrow, .arrows or .parquet (required)")
	fs.StringVar(&f.KeyColumn, "key-column", "", "take the key of each row from column `C`")
	fs.StringVar(&f.Key, "key", "", "give all rows the key `TEXT`")
	fs.StringVar(&f.Prefix, "key-prefix", "", "put `P` before each key")
	fs.StringSliceVar(&f.Columns, "columns", nil, "send only these columns, `a,b,c` (default: all but the key column)")
	fs.IntVar(&f.rows, "rows", 0, "rows per shard, `N` (required)")
	fs.Int64Var(&f.limit, "limit", 0, "stop after `N` shards; 0: send all")
	f.Flags(fs)
	f.register(fs)
	for _, name := range []string{"input", "rows", "topic", "brokers"} {
		// It fails only for a name that is no flag.
		_ = cmd.MarkFlagRequired(name)
	}
	_ = cmd.MarkFlagFilename("input", rows.Endings()...)
	for name, words := range rows.FlagWords {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
	f.complete(cmd)
	cmd.MarkFlagsMutuallyExclusive("key-column", "key")
	return cmd
}

// check returns what is wrong with the flags, before anything is opened.
func (f *replayFlags) check(cmd *cobra.Command) error {
	if rows.FormatOf(f.input) == "" {
		return fmt.Errorf("--input %w", rows.Unopened(f.input))
	}
	if f.rows < 1 {
		return fmt.Errorf("--rows %d: want at least 1", f.rows)
	}
	if f.limit < 0 {
		return fmt.Errorf("--limit %d: want at least 0", f.limit)
	}
	for _, name := range []string{"key-column", "key", "columns"} {
		if fl := cmd.Flags().Lookup(name); fl.Changed && (fl.Value.String() == "" || fl.Value.String() == "[]") {
			return fmt.Errorf("--%s must not be empty", name)
		}
	}
	for i, c := range f.Columns {
		if slices.Contains(f.Columns[:i], c) {
			return fmt.Errorf("--columns names %q twice", c)
		}
	}
	if err := f.Check(); err != nil {
		return err
	}
	if f.KeyColumn == "" {
		if f.Key == "" {
			f.Key = strings.TrimSuffix(filepath.Base(f.input), rows.FormatOf(f.input))
		}
		if err := replay.CheckKey(f.Prefix + f.Key); err != nil {
			return err
		}
	}
	return f.delivery.check()
}

// replay sends the file.
func (p *Program) replay(ctx context.Context, f *replayFlags) error {
	reading := term.Progress(p.Stderr, "rows read", 0)
	src, err := rows.Open(ctx, f.input, f.Selection, rows.Watch{Rows: reading.Add})
	reading.Done()
	switch {
	case err != nil && ctx.Err() != nil:
		return errStopped
	case err != nil:
		return err
	}
	defer func() { _ = src.Close() }()
	if err := f.mark(); err != nil {
		return err
	}
	if f.named() {
		p.Say("run %s has a name of your own, so nobody compares its file: of each key the consumer skips as many shards as it has applied of this run, whatever is in them; a run without --run-id skips none", f.run)
	}
	said := 0
	say := func() {
		for ; said < len(src.Notes()); said++ {
			p.Say("%s: %s", f.input, src.Notes()[said])
		}
	}
	say()
	err = p.deliver(ctx, &f.delivery, rows.Shards(src, f.rows), f.limit, src.Rows())
	say()
	return err
}
