package state

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
)

func isDamaged(err error) bool { return errors.Is(err, pipeline.ErrDamaged) }

func repairCommand(a *app.App) *cobra.Command {
	var f app.Flags
	var format app.Format
	var yes bool
	var asked []int
	cmd := &cobra.Command{
		Use:   "repair --config FILE",
		Short: "Find damaged state, and have it rebuilt from the log",
		Long: `repair reads all states and reports for each partition what would halt it, and
the remedy. State is damaged if counts do not match, a value is missing or
a checksum is wrong. Then, after confirmation or with --yes, repair drops the
state of that partition and resets its watermark to where the group began;
consumers, which may keep running, rebuild it from the log under the current
configuration and send its outputs again. If the log no longer has that part,
nothing is dropped, and repair reports what would be lost. Differences found by
the command verify have valid checksums: name the partition with --partition.
If the store has lost the number of partitions, repair finds it by where the keys
are, and restores it.
Exit code 1 means that something still needs a decision.`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			how, err := format.Choose(a.Out)
			if err != nil {
				return err
			}
			return withStates(a, cmd, &f, "", func(ctx context.Context, s *states) error { return s.repair(ctx, how, asked, yes) })
		},
	}
	f.Add(a, cmd)
	format.Add(cmd)
	cmd.Flags().IntSliceVar(&asked, "partition", nil, "rebuild partition `N` although no damage is seen (repeatable)")
	cmd.Flags().BoolVar(&yes, "yes", false, "drop damaged state without confirmation")
	return cmd
}

// diagnosis is what is wrong with a partition.
type diagnosis struct {
	Partition int32    `json:"partition"`
	Watermark int64    `json:"watermark"`
	Damage    []string `json:"damage"` // of the state itself
	Halt      string   `json:"halt"`   // what else halts it
	Remedy    string   `json:"remedy"`
	Pending   int      `json:"pending"` // blobs of an unfinished checkpoint

	meta    pipeline.Meta
	rebuild bool // the log has all that the state was made of
}

func (s *states) repair(ctx context.Context, format string, asked []int, yes bool) error {
	out := app.NewListing(s.Out, format, []string{"partition", "watermark", "damage", "halt", "pending", "remedy"})
	var damaged []*diagnosis
	open := 0
	for _, id := range asked {
		if id < 0 || id >= s.count {
			return cli.Usagef("--partition %d: the topic has partitions 0 to %d", id, s.count-1)
		}
	}
	count, err := s.counted(ctx)
	if err != nil {
		return err
	}
	for id := range s.count {
		t, err := s.examine(ctx, id, slices.Contains(asked, id), count)
		if err != nil {
			return err
		}
		damage := strings.Join(t.Damage, "; ")
		if err := out.Write(t, []string{strconv.Itoa(id), strconv.FormatInt(t.Watermark, 10), damage, t.Halt, strconv.Itoa(t.Pending), t.Remedy}); err != nil {
			return err
		}
		if t.rebuild {
			damaged = append(damaged, t)
		} else if t.Remedy != "" && (count.lost == 0 || t.Halt != "partitions: "+count.why) {
			open++
		}
	}
	if err := out.End(); err != nil {
		return err
	}
	if count.lost > 0 {
		if err := s.recount(ctx, count, yes); err != nil {
			return err
		}
	} else if len(damaged) == 0 && open == 0 {
		s.Printf("nothing is damaged")
		return nil
	}
	if len(damaged) > 0 {
		for _, t := range damaged {
			if !t.meta.Exists {
				s.Printf("partition %d: what is left of its state will be dropped, and it is rebuilt from where the group began; outputs are sent again", t.Partition)
				continue
			}
			s.Printf("partition %d: the state of %s will be dropped and rebuilt from offset %d on, %s; outputs are sent again",
				t.Partition, cli.Plural(t.meta.Keys, "key"), t.meta.Origin, cli.Plural(t.Watermark-t.meta.Origin, "offset"))
		}
		if err := s.Agree(s.cmd, yes, fmt.Sprintf("Drop the state of %s?", cli.Plural(len(damaged), "partition"))); err != nil {
			return err
		}
	}
	if len(damaged) > 0 {
		if err := s.Audited(s.config, "state repair", "keys", func() (int64, error) { return s.reset(ctx, damaged) }); err != nil {
			return err
		}
	}
	if open > 0 {
		s.Printf("%s a decision, see the last column", cli.Plural(open, "partition needs", "partitions need"))
		return cli.ErrReported
	}
	return nil
}

// reset drops the state of damaged partitions, and counts its keys.
func (s *states) reset(ctx context.Context, damaged []*diagnosis) (keys int64, err error) {
	for _, t := range damaged {
		err := s.drop(ctx, t)
		if err != nil {
			return keys, fmt.Errorf("partition %d was not reset: %w; run it again", t.Partition, err)
		}
		s.Printf("partition %d: reset; its consumer continues within ten seconds", t.Partition)
		keys += t.meta.Keys
	}
	return keys, nil
}

// drop is reset of one. What has no watermark has no origin either: its consumer finds one.
func (s *states) drop(ctx context.Context, t *diagnosis) error {
	p := s.partition(int(t.Partition))
	if !t.meta.Exists {
		return s.Store.Clear(ctx, pipeline.NewLease(p), t.meta)
	}
	return admin.Reset(ctx, s.Store, s.Store, p, t.meta, s.Rules)
}

// examine finds out what would halt a worker that claims the partition.
func (s *states) examine(ctx context.Context, id int, asked bool, count counted) (*diagnosis, error) {
	p := s.partition(id)
	t := &diagnosis{Partition: int32(id), Damage: []string{}}
	if count.why != "" {
		t.Halt, t.Remedy = "partitions: "+count.why, count.remedy
	}
	var err error
	if t.meta, err = s.Store.Meta(ctx, p); err != nil && !isDamaged(err) {
		return nil, err
	} else if err != nil {
		t.Damage = append(t.Damage, err.Error())
		t.Remedy = s.Consumer + " state delete --all, or restore the store: the offset at which the group began cannot be read"
		return t, nil
	}
	t.Watermark = t.meta.Watermark
	log, err := pipeline.ReadLogState(ctx, s.Log, p, t.meta.Last)
	if err != nil {
		return nil, err
	}
	start := log.Start
	if t.Damage, t.Pending, err = s.damage(ctx, p); errors.Is(err, cdf.ErrLater) {
		t.Damage, t.Halt, t.Remedy = []string{}, fmt.Sprintf("format: %v", err), pipeline.LaterRemedy
		return t, nil
	} else if err != nil {
		return nil, err
	}
	if asked {
		t.Damage = append(t.Damage, "to be rebuilt, as requested by --partition")
	}
	if len(t.Damage) > 0 && count.why != "" && count.lost == 0 {
		t.Remedy = fmt.Sprintf("restore the store: a damaged partition can neither be moved nor rebuilt once the topic may have other partitions; %s state delete --all, or a new consumer group, begins again with the log as it is", s.Consumer)
		return t, nil
	}
	if !t.meta.Exists {
		return t, s.neverSaved(ctx, t, start)
	}
	if t.Halt == "" {
		s.halts(t, log)
	}
	switch {
	case admin.Unfinished(t.meta):
		t.Damage = append(t.Damage, "an import did not come to its end")
		t.Remedy = "run " + s.Consumer + " state import again"
	case t.Halt != "" || len(t.Damage) == 0:
	case s.rescaled(ctx) != nil:
		t.Remedy = s.toImport()
	case start > t.meta.Origin:
		t.Remedy = fmt.Sprintf("restore the store or import an export: the log begins at %d, so the %d offsets from %d on can't be rebuilt; %s state delete --all gives them up",
			start, start-t.meta.Origin, t.meta.Origin, s.Consumer)
	default:
		lack, err := admin.ReadLack(ctx, s.Log, p, log.Identity.Topic, t.meta.Origin, t.Watermark)
		if err != nil {
			return nil, err
		}
		if lack.Count > 0 {
			t.Remedy = fmt.Sprintf("restore the store or import an export: the log was compacted and lacks %s, the first of them %d, which can't be rebuilt; %s state delete --all gives them up",
				cli.Plural(lack.Count, "offset"), lack.First, s.Consumer)
			return t, nil
		}
		t.rebuild, t.Remedy = true, rebuilt
	}
	return t, nil
}

// neverSaved looks at a partition without a watermark. What is left of its state beside that is
// dropped, and its consumer does what it does where all of it is lost.
func (s *states) neverSaved(ctx context.Context, t *diagnosis, start int64) error {
	if t.Halt != "" {
		return nil
	}
	marks, err := s.Client.Marks(ctx, s.config.Kafka.Group, s.config.Kafka.Input, s.count)
	if err != nil {
		return err
	}
	at, past := marks[t.Partition].Offset, marks[t.Partition].Past()
	switch {
	case past.Rescaled != "":
		t.Halt = "store_lost: " + past.Rescaled
		t.Remedy = "restore the store, or import that export"
	case at > past.Begin() && start > max(0, past.Begin()):
		t.Halt = fmt.Sprintf("store_lost: the group had reached offset %d, and the log begins at %d", at, start)
		t.Remedy = "restore the store, import an export, or begin anew with " + s.Consumer + " state delete --all"
	case len(t.Damage) > 0 && s.rescaled(ctx) != nil:
		t.Remedy = s.toImport()
	case len(t.Damage) > 0:
		t.rebuild, t.Remedy = true, rebuilt
	}
	return nil
}

const rebuilt = "rebuilt from the log"

// toImport is the remedy for what a topic that was rescaled has lost.
func (s *states) toImport() string {
	return fmt.Sprintf("restore the store, or %s state import --force of an export since the topic was rescaled: no partition's log alone gives its states again", s.Consumer)
}

// halts finds what halts a partition whose state is whole.
func (s *states) halts(t *diagnosis, log pipeline.LogState) {
	m := t.meta
	e := admin.Export{Watermark: m.Watermark, Topic: m.Topic, Last: m.Last, Config: m.Configured, Format: m.Format}
	if err := e.Fits(s.Rules, s.partition(int(t.Partition)), log); err != nil && !admin.Unfinished(m) {
		t.Halt = err.Error()
		t.Remedy = "restore the configuration or the topic; a new group or " + s.Consumer + " state delete --all starts over"
		if log.Start > m.Watermark {
			t.Remedy = "on_gap: skip continues without them; a new group or " + s.Consumer + " state delete --all starts over"
		}
	}
}

// damage reads all that is stored of a partition. While a worker moves on, it
// looks again.
func (s *states) damage(ctx context.Context, p pipeline.Partition) (found []string, pending int, err error) {
	for range 4 {
		var before, after pipeline.Meta
		if before, err = s.Store.Meta(ctx, p); err != nil {
			return nil, 0, err
		}
		audit, err := s.Store.Audit(ctx, p)
		if isDamaged(err) {
			return []string{err.Error()}, 0, nil
		}
		if err != nil {
			return nil, 0, err
		}
		found, pending = []string{}, len(audit.Pending)
		if !audit.Whole() {
			found = append(found, fmt.Sprintf("meta counts %d keys, %d are stored, %d are listed", audit.Counted, audit.Held, audit.Listed))
		}
		bad, err := s.badValues(ctx, p)
		if err != nil {
			return nil, 0, err
		}
		found = append(found, bad...)
		if after, err = s.Store.Meta(ctx, p); err != nil {
			return nil, 0, err
		}
		if len(found) == 0 || after.Watermark == before.Watermark {
			break
		}
	}
	return found, pending, nil
}

// maxTold is how many bad values are told of a partition.
const maxTold = 3

func (s *states) badValues(ctx context.Context, p pipeline.Partition) ([]string, error) {
	var told []string
	bad := 0
	err := admin.Each(ctx, s.Store, p, nil, func(key string, value pipeline.Stored, err error) error {
		switch {
		case err == nil && value == nil:
			err = fmt.Errorf("key %q: listed, and no value is stored", key)
		case err == nil:
			_, err = pipeline.ParseStored(key, value)
		case !isDamaged(err):
			return err
		}
		if err == nil || errors.Is(err, cdf.ErrLater) {
			return err
		}
		if bad++; bad <= maxTold {
			told = append(told, err.Error())
		}
		return nil
	})
	if bad > maxTold {
		told = append(told, fmt.Sprintf("and %d more keys", bad-maxTold))
	}
	return told, err
}
