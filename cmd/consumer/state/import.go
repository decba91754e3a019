package state

import (
	"bufio"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/pipeline/kafka"
)

// importFlags are what `state import` is asked for.
type importFlags struct {
	app.Flags
	in      string
	rescale string
	force   bool
	yes     bool
}

func importCommand(a *app.App) *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import --config FILE --in FILE [--rescale-from FILE]",
		Short: "Import exported states into a group",
		Long: `import loads what export wrote into a group that has stored nothing, of the
same topic: consumers then continue from the exported watermarks. Before
anything is changed, it refuses a file of another configuration, another number
of partitions, watermarks that do not match the log, and a group with live
members. While it works its mark is in the store: consumers halt until it has
come to its end, and another import is refused. One that failed is run again;
one that was killed leaves its mark: the next one takes it back where nothing was
changed, else --force takes its place.

--rescale-from names the configuration under which the file was made, where
--config differs from it in center and scale of response and features: states are
expressed in the new units as if they had been learnt in them, without reading the
log again. Models whose entry is the same are imported as they are. linear, anova
and, for the scale of the response, dlm can do it; see docs/howto/change-a-configuration.md.
If one key cannot, nothing is imported.

--force replaces what the group has stored, or takes the place of an import that
was killed, after confirmation or with --yes; consumers replay the log from the
exported watermarks on.`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.in == "" {
				return cli.Usagef("--in FILE is missing")
			}
			return withStates(a, cmd, &f.Flags, "", func(ctx context.Context, s *states) error { return s.importFile(ctx, &f) })
		},
	}
	f.Add(a, cmd)
	cmd.Flags().StringVar(&f.in, "in", "", "the `FILE` that export wrote (required)")
	cmd.Flags().StringVar(&f.rescale, "rescale-from", "", "express states of the configuration `FILE` in the units of --config")
	_ = cmd.MarkFlagFilename("rescale-from", "yaml", "yml")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace what the group has stored")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "with --force: do not ask for confirmation")
	return cmd
}

// importFile checks everything before it changes anything.
func (s *states) importFile(ctx context.Context, f *importFlags) error {
	c, err := s.conversion(f.rescale)
	if err != nil {
		return err
	}
	file, about, err := openExport(f.in)
	if err != nil {
		return fmt.Errorf("%s: %w", f.in, err)
	}
	defer func() { _ = file.Close() }()
	parts, past, err := s.checkImport(ctx, file, about, c)
	if err != nil {
		return fmt.Errorf("%s: %w", f.in, err)
	}
	if err := s.NobodyWorks(ctx); err != nil {
		return err
	}
	r, err := s.refill(ctx, f, parts, past)
	if err != nil {
		return err
	}
	if r.Next, err = nextRow(file, c); err != nil {
		return err
	}
	return s.Audited(s.config, "state import", "keys", func() (rows int64, err error) {
		next := r.Next
		r.Next = func() (admin.Row, error) {
			row, err := next()
			if err == nil {
				rows++
			}
			return row, err
		}
		if err := r.Run(ctx); err != nil {
			return rows, err
		}
		s.Printf("%s of %s imported into group %s", cli.Plural(rows, "state"), cli.Plural(len(parts), "partition"), s.config.Kafka.Group)
		if f.rescale != "" {
			s.Printf("%s rescaled", cli.Plural(c.rescaled, "of them was", "of them were"))
		}
		return rows, nil
	})
}

// refill is what replaces the states, once that is agreed to.
func (s *states) refill(ctx context.Context, f *importFlags, parts map[int32]admin.Export, past []pipeline.Era) (*admin.Refill, error) {
	group, topic := s.config.Kafka.Group, s.config.Kafka.Input
	marked, err := s.Store.Layout(ctx, topic)
	if err != nil {
		return nil, err
	}
	layout, err := admin.TakeBack(ctx, s.Store, s.Store, topic, s.count, marked)
	if err != nil {
		return nil, err
	}
	if marked.Importing != nil && layout.Importing == nil {
		s.Printf("group %s: an import %s has changed nothing: its mark is taken back", group, marked.Importing)
	}
	begun := layout.Partitions == pipeline.Rescales && layout.Moving == nil // another import has left its mark
	if layout.Partitions >= 0 && layout.Partitions != s.count && !begun && !f.force {
		return nil, fmt.Errorf("the states of group %s are not of the %d partitions that topic %s has: see the command rescale, or replace them by --force", group, s.count, topic)
	}
	if err := admin.Occupied(layout); err != nil {
		if !f.force {
			return nil, err
		}
		s.Printf("group %s: %v", group, err)
	}
	metas, err := s.remains(ctx)
	if err != nil {
		return nil, err
	}
	replaced, keys := 0, int64(0)
	for _, m := range metas {
		if m.Exists && !admin.Unfinished(m) {
			replaced++
			keys += m.Keys
		}
	}
	switch {
	case replaced > 0 && !f.force && !begun:
		return nil, fmt.Errorf("group %s has state of %s in %s: import into a new group, or replace it by --force", group, cli.Plural(keys, "key"), cli.Plural(replaced, "partition"))
	case replaced > 0 && f.force:
		s.Printf("group %s: the states of %s in %s will be replaced by those of %s", group, cli.Plural(keys, "key"), cli.Plural(replaced, "partition"), f.in)
		err = s.Agree(s.cmd, f.yes, "Replace them?")
	case layout.Importing != nil && !layout.Importing.Ended:
		err = s.Agree(s.cmd, f.yes, "Take its place?")
	}
	if err != nil {
		return nil, err
	}
	var marks []kafka.Mark
	return &admin.Refill{
		Topic: topic, Count: s.count, Force: f.force, Parts: parts, Past: past, Metas: metas, Layout: layout,
		Mark:  pipeline.Importing{ID: pipeline.NewLease(pipeline.Partition{}).Token, File: f.in, Since: time.Now().UnixMilli()},
		Store: s.Store, Admin: s.Store, Layouts: s.Store,
		MayNote: func(ctx context.Context) error { return s.Client.MayNote(ctx, group) },
		Note: func(ctx context.Context, at map[int32]pipeline.GroupOffset) error {
			var err error
			if marks, err = s.Client.Marks(ctx, group, topic, s.count); err != nil {
				return err
			}
			if err := s.begun(ctx, marks, at); err != nil {
				return err
			}
			return s.Client.NoteAll(ctx, group, topic, at)
		},
		Unnote: func(ctx context.Context) error { return s.Client.SetMarks(ctx, group, topic, marks) },
	}, nil
}

// begun adds the partitions that the file has nothing of, and the group offsets: they begin anew
// with the log as it is, as they would in the group that the file is of. What the group notes of a
// rescaling stays noted.
func (s *states) begun(ctx context.Context, marks []kafka.Mark, at map[int32]pipeline.GroupOffset) error {
	for id, m := range marks {
		rescaled := m.Past().Rescaled
		if o, ok := at[int32(id)]; ok {
			o.Rescaled = cmp.Or(o.Rescaled, rescaled) // the file may not know of it
			at[int32(id)] = o
			continue
		}
		if m.Offset < 0 || rescaled != "" {
			continue
		}
		start, _, err := s.Log.Bounds(ctx, s.partition(id))
		if err != nil {
			return err
		}
		at[int32(id)] = pipeline.GroupOffset{Offset: start, Origin: start}
	}
	return nil
}

// nextRow returns what reads the values of a file once more, from its first.
func nextRow(file *os.File, c *conversion) (func() (admin.Row, error), error) {
	r, _, err := readExport(file)
	c.rescaled = 0
	return func() (admin.Row, error) {
		row, err := r.Next()
		if err != nil {
			return admin.Row{}, err
		}
		if err := c.convert(row); err != nil {
			return admin.Row{}, err
		}
		value, err := valueOf(row)
		return admin.Row{Partition: row.Partition, Key: row.Key, Value: value}, err
	}, err
}

// openExport opens a file whose checksum, if it has one, is right, and reads what is said of
// its partitions.
func openExport(name string) (file *os.File, about map[string]string, err error) {
	if file, err = os.Open(name); err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	summed := false
	if err == nil {
		summed, err = checkTrailer(file, info.Size())
	}
	if err == nil {
		_, about, err = readExport(file)
	}
	if err == nil && !summed && about[exportSum] != "" {
		err = errDamagedFile
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, about, nil
}

// readExport reads an open file from its beginning.
func readExport(file *os.File) (*arrow.StateReader, map[string]string, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	return arrow.NewStateReader(bufio.NewReaderSize(io.NewSectionReader(file, 0, info.Size()), 1<<20), info.Size())
}

// checkImport reads the file once and says why it does not fit this group.
func (s *states) checkImport(ctx context.Context, file *os.File, about map[string]string, c *conversion) (map[int32]admin.Export, []pipeline.Era, error) {
	cluster, err := s.Client.ClusterID(ctx)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case about[exportFormat] != exportVersion:
		return nil, nil, fmt.Errorf("its format is %q, this program reads %s", about[exportFormat], exportVersion)
	case about[exportSelection] != "":
		return nil, nil, fmt.Errorf("it holds only the keys that match %q: single keys can't be put back, because the watermark says that the log is in all of them", about[exportSelection])
	case about[exportCluster] != cluster:
		return nil, nil, fmt.Errorf("it is of kafka cluster %s, this is %s: offsets mean nothing here", about[exportCluster], cluster)
	case about[exportTopic] != s.config.Kafka.Input:
		return nil, nil, fmt.Errorf("it is of topic %s, kafka.input is %s", about[exportTopic], s.config.Kafka.Input)
	case about[exportCount] != strconv.Itoa(s.count):
		return nil, nil, fmt.Errorf("it is of %s partitions, topic %s has %d: keys are elsewhere", about[exportCount], s.config.Kafka.Input, s.count)
	}
	var list []admin.Export
	if err := json.Unmarshal([]byte(about[exportPartitions]), &list); err != nil {
		return nil, nil, fmt.Errorf("metadata %s: %w", exportPartitions, err)
	}
	parts := map[int32]admin.Export{}
	for _, e := range list {
		if e.Partition < 0 || int(e.Partition) >= s.count {
			return nil, nil, fmt.Errorf("it names partition %d of %d", e.Partition, s.count)
		}
		p := s.partition(int(e.Partition))
		log, err := pipeline.ReadLogState(ctx, s.Log, p, e.Last)
		if err != nil {
			return nil, nil, err
		}
		if err := c.adopt(&e); err != nil {
			return nil, nil, fmt.Errorf("partition %d: %w", e.Partition, err)
		}
		if err := e.Fits(s.Rules, p, log); err != nil {
			return nil, nil, fmt.Errorf("partition %d does not fit: %w", e.Partition, err)
		}
		parts[e.Partition] = e
	}
	var past []pipeline.Era
	if text := about[exportPast]; text != "" {
		if err := json.Unmarshal([]byte(text), &past); err != nil {
			return nil, nil, fmt.Errorf("metadata %s: %w", exportPast, err)
		}
	}
	r, _, err := readExport(file)
	if err != nil {
		return nil, nil, err
	}
	return parts, past, s.checkRows(r, c, parts)
}

// checkRows reads all rows: those of a partition are together, in the order
// of keys, as many as its meta counts, and each can be converted and is what a worker can read.
func (s *states) checkRows(r *arrow.StateReader, c *conversion, parts map[int32]admin.Export) error {
	left := map[int32]int64{}
	for id, e := range parts {
		left[id] = e.Keys
	}
	at, last := int32(-1), ""
	for n := 1; ; n++ {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", n, err)
		}
		e, known := parts[row.Partition]
		spec, matched := c.from.Match(row.Key)
		head, herr := cdf.ReadHead(row.Snapshot)
		switch {
		case !known || row.Partition < at || row.Partition == at && row.Key <= last:
			return fmt.Errorf("row %d: key %q of partition %d is not in its place", n, row.Key, row.Partition)
		case herr != nil:
			return fmt.Errorf("row %d, key %q: %w", n, row.Key, herr)
		case !matched:
			return fmt.Errorf("row %d: no entry of models matches key %q", n, row.Key)
		case head.Fingerprint != spec.Fingerprint() || row.Fingerprint != hex.EncodeToString(head.Fingerprint[:]):
			return fmt.Errorf("row %d, key %q: it is of a %s model under configuration %.16s", n, row.Key, row.Kind, row.Fingerprint)
		case row.Offset >= e.Watermark && !moved(row):
			return fmt.Errorf("row %d, key %q: its offset %d is not below the watermark %d", n, row.Key, row.Offset, e.Watermark)
		case row.Outlier > row.Offset:
			return fmt.Errorf("row %d, key %q: its last outlier, at offset %d, is above its offset %d", n, row.Key, row.Outlier, row.Offset)
		}
		err = c.convert(row)
		if err == nil {
			err = c.read(row)
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", n, err)
		}
		at, last = row.Partition, row.Key
		left[at]--
	}
	for id, n := range left {
		if n != 0 {
			return fmt.Errorf("partition %d: %d keys of %d are missing", id, n, parts[id].Keys)
		}
	}
	return nil
}

// moved reports whether the offset of a row is of a partition that its key had before the
// topic was rescaled.
func moved(row *arrow.State) bool {
	var e pipeline.Envelope
	return e.SetSections(row.Sections) == nil && e.Moved != nil && !e.Moved.Resumed
}

// valueOf puts a stored value together again.
func valueOf(row *arrow.State) (pipeline.Stored, error) {
	e := pipeline.Envelope{Offset: row.Offset, Time: row.Time, Gaps: int(row.Gaps), Outlier: row.Outlier + 1, Snapshot: row.Snapshot, Summary: row.Summary}
	if err := errors.Join(e.SetRepeats(row.Repeats), e.SetSections(row.Sections)); err != nil {
		return nil, fmt.Errorf("key %q: %w", row.Key, err)
	}
	return e.AppendBinary(nil)
}
