package draft

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/producer/rows"
	"github.com/credence-stream/credence/models/kind"
)

// draftFlags are what `init` is asked for.
type draftFlags struct {
	input   string
	called  string // the input, where it is called otherwise
	topic   string
	brokers []string
	sets    []string
	records config.Input // of the topic
	sel     rows.Selection
	met     func(key string) error // told of the key of each row of the file; nil: not asked for
	rows    int
	from    string
	out     string
	force   bool
	wish    Wish
	names   cli.Names
	by      string // command that drafts
	shard   int    // rows of a shard in the command that sends the file

	config *config.Config // what the draft says beside the models
}

const (
	initRows   = 10_000
	usualShard = 50
)

// Command returns the command init.
func Command(a *app.App) *cobra.Command {
	f := draftFlags{names: a.Names, by: "init", shard: usualShard}
	cmd := &cobra.Command{
		Use:   "init --input FILE | --topic T --brokers B",
		Short: "Draft a configuration from a sample of a file or a topic",
		Long: `init reads a sample of your data, determines the role of each column, chooses a
kind of model that fits the response, and writes a configuration whose comments
say what it found, the reasons for its choice, and the alternatives.

A file has a format that ` + a.Producer + ` replay reads: .csv, .tsv, .json, .jsonl, .ndjson
(each also .gz), .arrow, .arrows or .parquet. Without --input the sample is taken from the
topic, whose records are shards, or events where --input-format says so.
Without --response the response is a column with a usual name (y,
response, target, outcome, label), or else the last column of numbers.`,
		Example: `  ` + a.Consumer + ` init --input sales.csv --key-column shop --response revenue --out credence.yaml
  ` + a.Consumer + ` init --topic sales --brokers 127.0.0.1:9092 --from beginning
  ` + a.Consumer + ` init --topic sales --brokers 127.0.0.1:9092 --input-format json
  ` + a.Consumer + ` init --topic sales --brokers 127.0.0.1:9092 --input-format avro --set input.schema.registry=http://127.0.0.1:8081`,
		GroupID: app.GroupFirst,
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(a.Kinds, cmd); err != nil {
				return err
			}
			return writeDraft(cmd.Context(), a, &f)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.input, "input", "", "read rows from `FILE`")
	fs.StringVar(&f.topic, "topic", "", "topic of the shards, `T`: read without --input (default with it: the file's name)")
	fs.StringSliceVar(&f.brokers, "brokers", nil, "Kafka brokers, `HOST:PORT,...` (default 127.0.0.1:9092)")
	fs.StringVar(&f.records.Format, "input-format", config.FormatArrow, "what the topic's records are: "+strings.Join(config.Formats(), ", "))
	fs.StringVar(&f.records.Payload, "payload", "", "`PATH` of the row or rows in a record of the topic, as in payload.after")
	fs.StringVar(&f.wish.Response, "response", "", "response column, `C`")
	fs.StringVar(&f.wish.Kind, "kind", "", "kind of model: "+strings.Join(a.Kinds.Names(), ", "))
	fs.StringVar(&f.wish.Group, "group", "", "column that names groups, `C`")
	fs.StringVar(&f.wish.Formula, "formula", "", "write this `FORMULA` instead of columns, as in \"y ~ x * z\"")
	fs.StringSliceVar(&f.wish.Dates, "dates", nil, DatesUsage)
	fs.StringVar(&f.sel.KeyColumn, "key-column", "", "column of the file that is the key of the records, `C`")
	fs.StringSliceVar(&f.sel.Columns, "columns", nil, "read only these columns of the file, `a,b,c`")
	f.sel.Flags(fs)
	fs.IntVar(&f.rows, "rows", initRows, "read about `N` rows")
	fs.StringVar(&f.from, "from", "end", "read the newest records of the topic (end) or the oldest (beginning)")
	fs.StringVar(&f.out, "out", "", "write to `FILE` (default: stdout)")
	fs.BoolVar(&f.force, "force", false, "overwrite the file of --out")
	fs.StringArrayVar(&f.sets, "set", nil, "set a key of kafka, redis, http or input.schema, as in kafka.tls.enabled=true; may be repeated")
	app.Offer(cmd, "kind", a.Kinds.Names()...)
	app.Offer(cmd, "dates", DateParts()...)
	app.Offer(cmd, "from", "beginning", "end")
	for name, words := range rows.FlagWords {
		app.Offer(cmd, name, words...)
	}
	app.Offer(cmd, "input-format", config.Formats()...)
	// These fail only for names that are no flags.
	_ = cmd.RegisterFlagCompletionFunc("set", completeConnection(a))
	_ = cmd.MarkFlagFilename("input", rows.Endings()...)
	_ = cmd.MarkFlagFilename("out", "yaml", "yml")
	return cmd
}

// completeConnection offers the keys that --set takes here.
func completeConnection(a *app.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		all, directive := new(app.Flags).CompleteSet(a)(cmd, args, word)
		var some []string
		for _, name := range all {
			if settableByInit(name) {
				some = append(some, name)
			}
		}
		return some, directive
	}
}

func settableByInit(name string) bool {
	section, _, _ := strings.Cut(name, ".")
	return section == "kafka" || section == "redis" || section == "http" || strings.HasPrefix(name, "input.schema.")
}

// check returns what is wrong with the flags and completes them.
func (f *draftFlags) check(kinds kind.Registry, cmd *cobra.Command) error {
	switch {
	case f.input == "" && f.topic == "":
		return cli.Usagef("nothing to look at: give --input FILE, or --topic T and --brokers B")
	case f.input != "" && rows.FormatOf(f.input) == "":
		return cli.Usagef("--input %w", rows.Unopened(f.input))
	case f.input == "" && (f.sel.KeyColumn != "" || f.sel.Columns != nil || len(f.sel.Args()) > 0):
		return cli.Usagef("--key-column, --columns, --null, --text, --decimal, --date-order and --no-key are about a file, and there is no --input")
	case f.input != "" && f.records != config.Input{Format: config.FormatArrow}:
		return cli.Usagef("--input-format and --payload are about a topic, and --input names a file")
	case f.input != "" && cmd.Flags().Changed("from"):
		return cli.Usagef("--from is about a topic, and --input names a file")
	case f.wish.Formula != "" && (f.wish.Response != "" || f.wish.Group != ""):
		return cli.Usagef("--formula names response and groups itself: leave out --response and --group")
	case f.wish.Formula != "" && len(f.wish.Dates) > 0:
		return cli.Usagef("--formula has the parts of dates as terms, as in weekday(at): leave out --dates")
	case f.rows < 1:
		return cli.Usagef("--rows %d: want at least 1", f.rows)
	case f.from != "beginning" && f.from != "end":
		return cli.Usagef("--from %s: %q is none of: beginning, end", f.from, f.from)
	case f.force && f.out == "":
		return cli.Usagef("--force says to write over a file, and there is no --out")
	}
	if err := f.sel.Check(); err != nil {
		return cli.Usagef("%w", err)
	}
	if err := f.wish.CheckDates(); err != nil {
		return err
	}
	if f.wish.Kind != "" {
		if _, err := config.FindKind(kinds, f.wish.Kind); err != nil {
			return cli.Usagef("--kind: %w", err)
		}
	}
	return f.settle(kinds)
}

// settle completes what the draft says beside the models.
func (f *draftFlags) settle(kinds kind.Registry) error {
	if f.topic == "" {
		f.topic = topicName(f.input)
	}
	for _, s := range f.sets {
		if !settableByInit(s) {
			return cli.Usagef("--set %s: here it takes keys of kafka, redis, http and input.schema only", s)
		}
	}
	sets := []string{"kafka.group=" + f.topic, "kafka.input=" + f.topic, "kafka.output=" + f.topic + ".posteriors", "kafka.format=json"}
	if len(f.brokers) > 0 {
		sets = append(sets, "kafka.brokers="+strings.Join(f.brokers, ","))
	}
	sets = append(sets, "input.format="+f.records.Format, "input.payload="+f.records.Payload)
	c, _, err := config.Parse(config.Source{Kinds: kinds, File: "the draft", Sets: append(sets, f.sets...)}, []byte(`models: [{match: "**", kind: linear}]`))
	if err != nil {
		return cli.Usagef("%w", err)
	}
	f.config = c
	return nil
}

// topicName makes the name of a file one of a topic.
func topicName(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), rows.FormatOf(file))
	name = regexp.MustCompile(`[^A-Za-z0-9._-]+`).ReplaceAllString(name, "-")
	if name = strings.Trim(name, ".-"); name == "" {
		name = "shards"
	}
	return name[:min(len(name), 200)]
}

// writeDraft drafts and writes.
func writeDraft(ctx context.Context, a *app.App, f *draftFlags) error {
	if f.out != "" {
		if err := cli.Free(f.out, f.force); err != nil {
			return err
		}
	}
	s, err := f.look(ctx, a)
	if err != nil {
		return err
	}
	text, m, err := f.draft(a, s)
	if err != nil {
		return err
	}
	if err := app.Tabulate(a.Err, m.table(f.sel.KeyColumn, s.profile), 0); err != nil {
		return err
	}
	if f.out == "" {
		_, err := a.Out.Write(text)
		return err
	}
	if err := Write(f.out, text, f.force); err != nil {
		return err
	}
	a.Printf("wrote %s: kind %s from %s; next: %s check --config %s", f.out, m.Kind.Name, plural(s.profile.Rows, "row", "rows"), a.Consumer, f.out)
	return nil
}

// draft drafts from what was looked at.
func (f *draftFlags) draft(a *app.App, s *look) ([]byte, *Model, error) {
	m, err := s.profile.Suggest(a.Kinds, f.wish)
	if err != nil {
		return nil, nil, s.explained(err, a.Names, f.wish.Response)
	}
	if m.formula != nil {
		m.pooled = s.profile.pooled(m.formula, f.shard)
	}
	m.transform(f.wish.Kind)
	var text []byte
	var warnings []string
	write := func() (*cdf.Spec, error) {
		text = m.appendYAML(f.head(s))
		// What is written must be what run would read.
		c, warned, err := config.Parse(config.Source{Kinds: a.Kinds, File: "the draft"}, text)
		if err == nil {
			err = s.profile.check(c.Models[0].Spec)
		}
		if err != nil {
			return nil, f.invalid(err)
		}
		warnings = warned
		return c.Models[0].Spec, nil
	}
	spec, err := write()
	if err == nil {
		err = m.match(spec, write)
	}
	if err != nil {
		return nil, nil, err
	}
	if f.by == "init" {
		for _, line := range m.Notes() {
			a.Printf("note: %s", line)
		}
	}
	if len(warnings) > 0 {
		a.Printf("warning: %s", strings.Join(warnings, "; "))
	}
	return text, m, nil
}

// invalid says that a draft is. No flag raises the limit of its columns.
func (f *draftFlags) invalid(err error) error {
	var wide *cdf.WidthError
	if !errors.As(err, &wide) {
		return fmt.Errorf("the draft is not valid: %w", err)
	}
	choose := "choose some with --columns or --formula"
	if f.input == "" {
		choose = "choose some with --formula"
	}
	return errors.New("the draft is not valid: " + wide.Remedied(choose) + ". A file that init has written of fewer may be given more, and a higher limits.columns")
}

// Write makes a file, whole or not at all, over another only with force.
func Write(name string, text []byte, force bool) error {
	file, err := cli.Create(name, force, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return file.Finish(err)
}
