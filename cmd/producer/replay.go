package main

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
their keys first appeared. Columns of a CSV file are integers, numbers,
booleans (true, false), ISO dates and times, or else text; an empty field is a
null. JSON Lines files have one object per line; a key that is missing or null
is a null, a string is text or an ISO date or time, and the keys of the first
1,000 lines are the columns. The key column is not part of the shards unless
--columns names it.
Without --key-column and --key the key is the file's name without extensions.`

// replayFlags are the flags of `producer replay`.
type replayFlags struct {
	delivery
	input     string
	keyColumn string
	key       string
	keyPrefix string
	columns   []string
	null      []string
	rows      int
	limit     int64
}

func (p *program) replayCommand() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:     "replay --input FILE --rows N --topic T --brokers B",
		Short:   "Send the rows of a CSV, JSON Lines, Arrow or Parquet file",
		Long:    replayHelp,
		Example: "  producer replay --input flights.csv --key-column origin --rows 10 --topic shards --brokers 127.0.0.1:9092",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			p.Started = true
			return p.replay(cmd.Context(), &f)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.input, "input", "", "read `FILE`: .csv, .jsonl, .ndjson (each also .gz), .arrow, .arrows or .parquet (required)")
	fs.StringVar(&f.keyColumn, "key-column", "", "take the key of each row from column `C`")
	fs.StringVar(&f.key, "key", "", "give all rows the key `TEXT`")
	fs.StringVar(&f.keyPrefix, "key-prefix", "", "put `P` before each key")
	fs.StringSliceVar(&f.columns, "columns", nil, "send only these columns, `a,b,c` (default: all but the key column)")
	fs.IntVar(&f.rows, "rows", 0, "rows per shard, `N` (required)")
	fs.Int64Var(&f.limit, "limit", 0, "stop after `N` shards; 0: send all")
	fs.StringArrayVar(&f.null, "null", nil, "`TEXT` that is a null, as an empty CSV field is (repeatable)")
	f.register(fs)
	for _, name := range []string{"input", "rows", "topic", "brokers"} {
		// It fails only for a name that is no flag.
		_ = cmd.MarkFlagRequired(name)
	}
	_ = cmd.MarkFlagFilename("input", rows.Endings()...)
	f.complete(cmd)
	cmd.MarkFlagsMutuallyExclusive("key-column", "key")
	return cmd
}

// check returns what is wrong with the flags, before anything is opened.
func (f *replayFlags) check(cmd *cobra.Command) error {
	if rows.FormatOf(f.input) == "" {
		return fmt.Errorf("--input %s: want a file that ends in %s", f.input, strings.Join(rows.Extensions, ", "))
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
	for i, c := range f.columns {
		if slices.Contains(f.columns[:i], c) {
			return fmt.Errorf("--columns names %q twice", c)
		}
	}
	if f.keyColumn == "" {
		if f.key == "" {
			f.key = strings.TrimSuffix(filepath.Base(f.input), rows.FormatOf(f.input))
		}
		if err := replay.CheckKey(f.keyPrefix + f.key); err != nil {
			return err
		}
	}
	return f.delivery.check()
}

// replay sends the file.
func (p *program) replay(ctx context.Context, f *replayFlags) error {
	reading := term.Progress(p.Stderr, "rows read", 0)
	src, err := rows.Open(ctx, f.input, rows.Selection{
		KeyColumn: f.keyColumn, Key: f.key, Prefix: f.keyPrefix, Columns: f.columns, Null: f.null,
	}, reading.Add)
	reading.Done()
	switch {
	case err != nil && ctx.Err() != nil:
		return errStopped
	case err != nil:
		return err
	}
	defer func() { _ = src.Close() }()
	for _, note := range src.Notes() {
		p.Say("%s: %s", f.input, note)
	}
	return p.deliver(ctx, &f.delivery, rows.Shards(src, f.rows), f.limit, src.Rows())
}
