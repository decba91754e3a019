// Package try is the command try: a file or a topic becomes posteriors with nothing
// installed, and in the end words say what was learnt.
package try

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/draft"
	"github.com/credence-stream/credence/cmd/consumer/run"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/cmd/producer/rows"
)

const (
	usualListen = "127.0.0.1:8080" // unless it is taken
	usualSample = 10_000
	mostListed  = 20 // columns that could be the response
)

// flags are what `try` is asked for.
type flags struct {
	file   string // "-": standard input; "": a topic
	rows   int
	format string
	sample int
	force  bool
	exit   bool

	listen    string
	fixed     bool // listen was given
	noBrowser bool

	ask draft.Request
}

// Command returns the command try.
func Command(a *app.App) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "try FILE | - | --topic T --brokers B",
		Short: "Learn from a file or a topic, with nothing else installed, and say what was learnt",
		Long: `try drafts a model for your data as init does, starts a broker and a store inside
the process, learns from the rows in their order, and shows the posteriors on a live
page. In the end it says what was learnt, what was left out and why, and how to run
the same on real servers.

A file has a format that ` + a.Producer + ` replay reads: .csv, .tsv, .json, .jsonl, .ndjson (each
also .gz), .arrow, .arrows or .parquet. - is standard input, kept in a temporary file of
at most ` + cli.Size(mostBytes) + ` while it is read; its first bytes tell the format, unless --format does.
Each value of the column --key has a model of its own; without --key there is one
model for the whole file. A column of more than ` + cli.Count(mostKeys) + ` values is no key.

A topic is read from its beginning, and nothing is written to its cluster: no group,
no topics, no offsets.`,
		Example: `  ` + a.Consumer + ` try sales.csv --response sold --key shop
  zcat sales.csv.gz | ` + a.Consumer + ` try - --response sold
  ` + a.Consumer + ` try --topic sales --brokers 127.0.0.1:9092 --response sold --out credence.yaml`,
		GroupID: app.GroupFirst,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(a, cmd, args); err != nil {
				return err
			}
			t := &trial{App: a, flags: &f, stdin: cmd.InOrStdin(), stays: term.IsTerminal(a.Out) && !f.exit, mostKeys: mostKeys, mostRead: mostRead, mostBytes: mostBytes}
			return t.run(cmd.Context())
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.ask.Wish.Response, "response", "", "column to explain, `C`; without it, the columns are listed that could be one")
	fs.StringVar(&f.ask.Selection.KeyColumn, "key", "", "column of the file whose values get a model each, `C`")
	fs.StringVar(&f.ask.Wish.Kind, "kind", "", "kind of model: "+strings.Join(a.Kinds.Names(), ", ")+" (default: one that fits)")
	fs.StringVar(&f.ask.Wish.Group, "group", "", "column that names groups, `C`")
	fs.StringVar(&f.ask.Wish.Formula, "formula", "", "explain by this `FORMULA` instead of --response and all columns, as in \"y ~ x * z\"")
	fs.StringSliceVar(&f.ask.Wish.Dates, "dates", nil, draft.DatesUsage)
	fs.StringSliceVar(&f.ask.Selection.Columns, "columns", nil, "read only these columns of the file, `a,b,c`")
	f.ask.Selection.Flags(fs)
	fs.StringVar(&f.format, "format", "", "format of the file whatever its name: "+strings.Join(formats, ", "))
	fs.IntVar(&f.rows, "rows", 0, "rows of a key that are learnt from at a time, `N` (default: a twentieth of those of a key, 5 to 500)")
	fs.IntVar(&f.sample, "sample", usualSample, "draft the model from about `N` rows")
	fs.StringVar(&f.ask.Topic, "topic", "", "read shards of topic `T` instead of a file")
	fs.StringSliceVar(&f.ask.Brokers, "brokers", nil, "Kafka brokers of the topic, `HOST:PORT,...`")
	fs.StringVar(&f.ask.Records.Format, "input-format", config.FormatArrow, "what the topic's records are: "+strings.Join(config.Formats(), ", "))
	fs.StringVar(&f.ask.Records.Payload, "payload", "", "`PATH` of the row or rows in a record of the topic, as in payload.after")
	fs.StringArrayVar(&f.ask.Sets, "set", nil, "set a key of kafka or input.schema, as in kafka.tls.enabled=true; may be repeated")
	fs.StringVar(&f.ask.Out, "out", "", "write the configuration to `FILE`")
	fs.BoolVar(&f.force, "force", false, "overwrite the file of --out")
	fs.StringVar(&f.listen, "listen", usualListen, "`ADDRESS` of the page; empty: no page")
	fs.BoolVar(&f.noBrowser, "no-browser", false, "do not open the page in a browser; none is opened where there is no terminal, in CI and over SSH")
	fs.BoolVar(&f.exit, "exit", false, "end after the last row also on a terminal, where the page stays until Ctrl-C")
	app.Offer(cmd, "kind", a.Kinds.Names()...)
	app.Offer(cmd, "dates", draft.DateParts()...)
	app.Offer(cmd, "format", formats...)
	app.Offer(cmd, "input-format", config.Formats()...)
	for name, words := range rows.FlagWords {
		app.Offer(cmd, name, words...)
	}
	// It fails only for a name that is no flag.
	_ = cmd.MarkFlagFilename("out", "yaml", "yml")
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return rows.Endings(), cobra.ShellCompDirectiveFilterFileExt
	}
	return cmd
}

// key is the column of the file whose values have a model each, "" for none.
func (f *flags) key() string { return f.ask.Selection.KeyColumn }

// check returns what is wrong with the command line and completes it.
func (f *flags) check(a *app.App, cmd *cobra.Command, args []string) error {
	f.fixed = cmd.Flags().Changed("listen")
	if len(args) > 0 {
		f.file = args[0]
	}
	topic := f.ask.Topic != ""
	switch {
	case len(args) > 1:
		return cli.Usagef("unexpected argument %q after %s", args[1], args[0])
	case f.file == "" && !topic:
		return cli.Usagef("nothing to try: give a FILE, - for standard input, or --topic T and --brokers B")
	case f.file != "" && topic:
		return cli.Usagef("%s and --topic %s: try one of them", f.file, f.ask.Topic)
	case topic && len(f.ask.Brokers) == 0:
		return cli.Usagef("--topic %s: --brokers says where", f.ask.Topic)
	case !topic && len(f.ask.Brokers)+len(f.ask.Sets) > 0:
		return cli.Usagef("--brokers and --set are about a topic, and there is no --topic")
	case topic && (f.key() != "" || f.rows != 0 || f.format != "" || f.ask.Selection.Columns != nil || len(f.ask.Selection.Args()) > 0):
		return cli.Usagef("--key, --rows, --format, --columns, --null, --text, --decimal, --date-order and --no-key are about a file; the records of a topic have keys and rows")
	case !topic && f.ask.Records != config.Input{Format: config.FormatArrow}:
		return cli.Usagef("--input-format and --payload are about a topic, and there is no --topic")
	case f.ask.Wish.Formula != "" && (f.ask.Wish.Response != "" || f.ask.Wish.Group != ""):
		return cli.Usagef("--formula names response and groups itself: leave out --response and --group")
	case f.ask.Wish.Formula != "" && len(f.ask.Wish.Dates) > 0:
		return cli.Usagef("--formula has the parts of dates as terms, as in weekday(at): leave out --dates")
	case cmd.Flags().Changed("rows") && f.rows < 1:
		return cli.Usagef("--rows %d: want at least 1", f.rows)
	case f.sample < 1:
		return cli.Usagef("--sample %d: want at least 1", f.sample)
	case f.force && f.ask.Out == "":
		return cli.Usagef("--force says to write over a file, and there is no --out")
	case f.key() != "" && f.key() == f.ask.Wish.Response:
		return cli.Usagef("column %q can't be key and response", f.key())
	}
	if err := f.ask.Selection.Check(); err != nil {
		return cli.Usagef("%w", err)
	}
	if err := f.ask.Wish.CheckDates(); err != nil {
		return err
	}
	for _, s := range f.ask.Sets {
		if !strings.HasPrefix(s, "kafka.") && !strings.HasPrefix(s, "input.schema.") {
			return cli.Usagef("--set %s: here it takes keys of kafka and input.schema only", s)
		}
	}
	if f.ask.Wish.Kind != "" {
		if _, err := config.FindKind(a.Kinds, f.ask.Wish.Kind); err != nil {
			return cli.Usagef("--kind: %w", err)
		}
	}
	if err := checkFormat(f.file, f.format); err != nil {
		return err
	}
	if err := run.CheckListen(f.listen); err != nil {
		return err
	}
	f.ask.By, f.ask.Sample = "try", f.sample
	if f.ask.Out == "" {
		return nil
	}
	return cli.Free(f.ask.Out, f.force)
}

// lookAt drafts from the data, or says what could be drafted.
func (t *trial) lookAt(ctx context.Context) (*draft.Look, error) {
	l, err := t.ask.Look(ctx, t.App)
	if err != nil {
		return nil, err
	}
	switch {
	case t.ask.Wish.Formula != "":
		return l, nil
	case t.ask.Wish.Response == "":
		return nil, t.whichResponse(l)
	}
	return l, l.Response(t.ask.Wish.Response)
}

// whichResponse is the answer to a command line without --response.
func (t *trial) whichResponse(l *draft.Look) error {
	could := l.Responses(t.Kinds, mostListed)
	if len(could) == 0 {
		return fmt.Errorf("no column of %s could be the response, for every kind takes numbers", l.What())
	}
	for _, note := range l.Notes() {
		t.Printf("note: %s", note)
	}
	return cli.Usagef("which column is to be explained? --response C names it. In %s it could be:\n  %s", l.What(), strings.Join(could, "\n  "))
}
