package state

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/arrow"
)

// The metadata of an export's schema.
const (
	exportFormat     = "credence.export" // exportVersion
	exportCluster    = "credence.cluster"
	exportGroup      = "credence.group"
	exportTopic      = "credence.topic"
	exportCount      = "credence.partition_count"
	exportPartitions = "credence.partitions" // JSON list of admin.Export
	exportSelection  = "credence.key"        // the glob, "" for all keys
	exportPast       = "credence.past"       // JSON list of pipeline.Era, where the topic was rescaled
	exportSum        = "credence.sum"        // what the file ends with, see checkTrailer; "" nothing
)

// exportVersion is the format of the file: 2 since the last outlier is in it.
const exportVersion = "2"

// exportAttempts is how often a partition is read that does not keep still.
const exportAttempts = 20

func exportCommand(a *app.App) *cobra.Command {
	var f app.Flags
	var out, glob string
	cmd := &cobra.Command{
		Use:   "export --config FILE --out FILE",
		Short: "Write all states to an Arrow IPC stream",
		Long: `export writes a row per key: key, kind, variant, t, n, partition, offset, time,
gaps, fingerprint, snapshot, summary, repeats, outlier (the offset of the last
record that has outliers), sections (what else belongs to the state). The
metadata of the schema holds cluster, group and topic, and the watermark and
other data of each partition, so that import is exact. Each partition is a
consistent snapshot: if a consumer changes it while it is read, it is read
again.`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" {
				return cli.Usagef("--out FILE is missing")
			}
			return withStates(a, cmd, &f, glob, func(ctx context.Context, s *states) error { return s.export(ctx, out, glob) })
		},
	}
	f.Add(a, cmd)
	cmd.Flags().StringVar(&out, "out", "", "the `FILE` to write, usually .arrows (required)")
	cmd.Flags().StringVar(&glob, "key", "", "only keys that match the `GLOB`; such a file cannot be imported")
	return cmd
}

// export writes the states of a group to a file.
func (s *states) export(ctx context.Context, name, glob string) error {
	if members, merr := s.Client.Members(ctx, s.config.Kafka.Group); merr == nil && len(members) > 0 {
		s.Printf("group %s has %s running: each partition is a consistent snapshot, but not all are of the same moment", s.config.Kafka.Group, cli.Plural(len(members), "consumer"))
	}
	layout, err := s.settled(ctx)
	if err != nil {
		return err
	}
	if err := s.PastLost(ctx, layout, s.count); err != nil {
		s.Printf("warning: %v. The file has the states, and not what the partitions were before", err)
	}
	return s.exportTo(ctx, name, glob, layout.Past)
}

// exportTo writes the file, whole or not at all.
func (s *states) exportTo(ctx context.Context, name, glob string, past []pipeline.Era) error {
	to, err := cli.Create(name, true, 0o600)
	if err != nil {
		return err
	}
	rows, parts, err := s.exportInto(ctx, to, glob, past)
	if err = to.Finish(err); err != nil {
		return err
	}
	s.Printf("%s of %s written to %s", cli.Plural(rows, "state"), cli.Plural(parts, "partition"), name)
	return nil
}

func (s *states) exportInto(ctx context.Context, to *cli.File, glob string, past []pipeline.Era) (rows int64, parts int, err error) {
	spool, err := os.CreateTemp(to.Dir, ".spool-*")
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = errors.Join(spool.Close(), os.Remove(spool.Name())) }()
	partitions, err := s.spool(ctx, spool)
	if err != nil {
		return 0, 0, err
	}
	rows, err = s.writeExport(ctx, to, spool, partitions, glob, past)
	return rows, len(partitions), err
}

// spooled is where a partition's values are.
type spooled struct {
	admin.Export
	from, to int64
}

// spool collects the values of all partitions, because what belongs to them
// goes before them in the file.
func (s *states) spool(ctx context.Context, file *os.File) ([]spooled, error) {
	var all []spooled
	at := int64(0)
	for id := range s.count {
		w := bufio.NewWriterSize(file, 1<<20)
		end := at
		begin := func(attempt int) error {
			if attempt > 1 {
				s.Printf("partition %d changed while it was read: reading it again", id)
			}
			end = at
			w.Reset(file)
			_, err := file.Seek(at, io.SeekStart)
			return err
		}
		if err := begin(1); err != nil {
			return nil, err
		}
		e, ok, err := admin.Collect(ctx, s.Store, s.Store, s.partition(id), exportAttempts, s.seen, begin, func(key string, v pipeline.Stored) error {
			head := binary.AppendUvarint(nil, uint64(len(key)))
			head = append(head, key...)
			head = binary.AppendUvarint(head, uint64(len(v)))
			end += int64(len(head) + len(v))
			_, err := w.Write(append(head, v...))
			return err
		})
		if err != nil {
			return nil, err
		}
		if err := w.Flush(); err != nil {
			return nil, err
		}
		if ok {
			all = append(all, spooled{e, at, end})
		}
		at = end
	}
	return all, nil
}

// writeExport writes the file from the spool.
func (s *states) writeExport(ctx context.Context, out io.Writer, spool io.ReaderAt, partitions []spooled, glob string, past []pipeline.Era) (int64, error) {
	cluster, err := s.Client.ClusterID(ctx)
	if err != nil {
		return 0, err
	}
	about := make([]admin.Export, len(partitions))
	for i := range partitions {
		about[i] = partitions[i].Export
	}
	text, err := json.Marshal(about)
	if err != nil {
		return 0, err
	}
	sum := newSum()
	buffered := bufio.NewWriterSize(io.MultiWriter(out, sum), 1<<20)
	head := map[string]string{
		exportFormat: exportVersion, exportCluster: cluster, exportGroup: s.config.Kafka.Group, exportTopic: s.config.Kafka.Input,
		exportCount: strconv.Itoa(s.count), exportPartitions: string(text), exportSelection: glob,
		exportSum: "crc32c",
	}
	if len(past) > 0 {
		if text, err = json.Marshal(past); err != nil {
			return 0, err
		}
		head[exportPast] = string(text)
	}
	w := arrow.NewStateWriter(buffered, head)
	rows := int64(0)
	for _, p := range partitions {
		r := bufio.NewReaderSize(io.NewSectionReader(spool, p.from, p.to-p.from), 1<<20)
		for {
			key, value, err := readSpooled(r)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return rows, err
			}
			row, err := stateRow(key, p.Partition, value)
			if err != nil {
				return rows, fmt.Errorf("partition %d: %w; see the command state repair", p.Partition, err)
			}
			if err := w.Write(row); err != nil {
				return rows, err
			}
			rows++
		}
	}
	if err := errors.Join(w.Close(), buffered.Flush()); err != nil {
		return rows, err
	}
	return rows, writeTrailer(out, sum)
}

func readSpooled(r *bufio.Reader) (key string, value []byte, err error) {
	var parts [2][]byte
	for i := range parts {
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return "", nil, err
		}
		parts[i] = make([]byte, n)
		if _, err := io.ReadFull(r, parts[i]); err != nil {
			return "", nil, err
		}
	}
	return string(parts[0]), parts[1], nil
}

func stateRow(key string, partition int32, value pipeline.Stored) (*arrow.State, error) {
	h, err := pipeline.ParseStored(key, value)
	if err != nil {
		return nil, err
	}
	return &arrow.State{
		Key: key, Kind: h.Kind, Variant: h.Variant, T: h.T, N: h.N, Partition: partition,
		Offset: h.Offset, Time: h.Time, Gaps: int64(h.Gaps), Fingerprint: hex.EncodeToString(h.Fingerprint[:]),
		Snapshot: h.Snapshot, Summary: h.Summary, Repeats: h.Repeats(), Outlier: h.Outlier - 1, Sections: h.Sections(),
	}, nil
}
