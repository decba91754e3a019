package state

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/kafka"
)

// deleteFlags are what `state delete` is asked for.
type deleteFlags struct {
	app.Flags
	key  string
	all  bool
	yes  bool
	wait time.Duration
}

func deleteCommand(a *app.App) *cobra.Command {
	var f deleteFlags
	cmd := &cobra.Command{
		Use:   "delete KEY... | --key GLOB | --all",
		Short: "Delete keys, or all that the group has stored",
		Long: `delete KEY sends a tombstone (a record without a value) for each key to the
input topic and waits until the group has applied it. The deletion is thus part
of the log: workers drop the key from memory, readers of the output are
notified, and a rebuild from the log gives the same states.

delete --all deletes everything that the group has stored and its offsets: it
starts over at the beginning of the log. It refuses while the group has live
members.`,
		Args: func(_ *cobra.Command, args []string) error {
			ways := 0
			for _, used := range []bool{len(args) > 0, f.key != "", f.all} {
				if used {
					ways++
				}
			}
			if ways != 1 {
				return cli.Usagef("want either KEY..., --key GLOB or --all")
			}
			for _, key := range args {
				if key == "" || len(key) > pipeline.MaxKey {
					return cli.Usagef("key %q: a model key is 1 to %d bytes", key, pipeline.MaxKey)
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return withStates(a, cmd, &f.Flags, f.key, func(ctx context.Context, s *states) error {
				if f.all {
					return s.forget(ctx, f.yes)
				}
				return s.bury(ctx, args, &f)
			})

		},
	}
	f.Add(a, cmd)
	cmd.Flags().StringVar(&f.key, "key", "", "all stored keys that match the `GLOB` (* stops at /, ** does not)")
	cmd.Flags().BoolVar(&f.all, "all", false, "everything that the group has stored")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "do not ask for confirmation")
	cmd.Flags().DurationVar(&f.wait, "wait", time.Minute, "how long to wait until the tombstones are applied; 0: not at all")
	return cmd
}

// place is a key with the partitions that have a state of it.
type place struct {
	key string
	in  []pipeline.Partition
}

// stored returns where the keys are that match.
func (s *states) stored(ctx context.Context) (all []place, err error) {
	err = admin.EachKey(ctx, s.Store, s.config.Kafka.Input, s.count, "", func(key string, in []pipeline.Partition) error {
		if s.takes(key) {
			all = append(all, place{key, in})
		}
		return nil
	})
	return all, err
}

// named returns where the keys are, each once, all of which have to be there.
func (s *states) named(ctx context.Context, keys []string) (all []place, err error) {
	for i, key := range keys {
		if slices.Contains(keys[:i], key) {
			continue
		}
		found, err := s.Lookup.Find(ctx, key, false)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("no state is stored for key %q; nothing was deleted", key)
		}
		at := place{key: key}
		for _, f := range found {
			at.in = append(at.in, f.Partition)
		}
		all = append(all, at)
	}
	return all, nil
}

// bury sends tombstones for the keys, or for those stored that match.
func (s *states) bury(ctx context.Context, names []string, f *deleteFlags) error {
	var keys []place
	var err error
	if f.key != "" {
		keys, err = s.stored(ctx)
	} else {
		keys, err = s.named(ctx, names)
	}
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return fmt.Errorf("no stored key matches %q", f.key)
	}
	s.Printf("%s, the first %q, will be deleted by tombstones in topic %s; this cannot be undone", cli.Plural(len(keys), "key"), keys[0].key, s.config.Kafka.Input)
	if err := s.Agree(s.cmd, f.yes, fmt.Sprintf("Delete %s?", cli.Plural(len(keys), "key"))); err != nil {
		return err
	}
	publisher := kafka.NewPublisher(s.Client, kafka.Plain)
	now := time.Now().UnixMilli()
	tombs := map[pipeline.Partition][]pipeline.Output{}
	for _, k := range keys {
		for _, p := range k.in {
			tombs[p] = append(tombs[p], pipeline.Output{Topic: p.Topic, Key: []byte(k.key), Time: now})
		}
	}
	until := map[pipeline.Partition]int64{}
	err = s.Audited(s.config, "state delete", "keys", func() (int64, error) {
		sent, buried := 0, map[string]bool{} // a key has a tombstone in each partition that has a state of it
		for p, outputs := range tombs {
			if err := publisher.PublishTo(ctx, p, outputs); err != nil {
				return int64(len(buried)), fmt.Errorf("tombstones to %s: %w; it is safe to run this again", p, err)
			}
			sent += len(outputs)
			for i := range outputs {
				buried[string(outputs[i].Key)] = true
			}
			// The end for readers may lie before the tombstones, where a transaction is open.
			if until[p], err = s.Log.Written(ctx, p); err != nil {
				return int64(len(buried)), err
			}
		}
		s.Printf("%s sent", cli.Plural(sent, "tombstone"))
		return int64(len(buried)), nil
	})
	if err != nil {
		return err
	}
	return s.applied(ctx, until, f.wait)
}

// applied waits until the stored watermarks have reached the given offsets.
func (s *states) applied(ctx context.Context, until map[pipeline.Partition]int64, wait time.Duration) error {
	if wait <= 0 {
		return nil
	}
	if members, err := s.Client.Members(ctx, s.config.Kafka.Group); err == nil && len(members) == 0 {
		s.Printf("no consumer of group %s runs: waiting until one applies them", s.config.Kafka.Group)
	}
	bounded, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for p, end := range until {
		for {
			meta, err := s.Store.Meta(bounded, p)
			if err == nil && meta.Exists && meta.Watermark >= end {
				break
			}
			select {
			case <-tick.C:
			case <-bounded.Done():
				why := ""
				if _, readable, err := s.Log.Bounds(ctx, p); err == nil && readable < end {
					why = fmt.Sprintf(", once the transaction of a producer ends that is open at offset %d", readable)
				}
				return fmt.Errorf("the tombstones of %s (up to offset %d) were not applied within %v; they are in the log and will be%s", p, end, wait, why)
			}
		}
	}
	s.Printf("the tombstones are applied")
	return nil
}

// forget drops the state of all partitions, what the topic was like, and the
// offsets of the group, which would say that state was lost.
func (s *states) forget(ctx context.Context, yes bool) error {
	if err := s.NobodyWorks(ctx); err != nil {
		return err
	}
	if err := s.rescaled(ctx); err != nil {
		return err
	}
	metas, err := s.remains(ctx)
	if err != nil {
		return err
	}
	var keys, from, start int64
	for id, m := range metas {
		keys += m.Keys
		first, _, err := s.Log.Bounds(ctx, s.partition(id))
		if err != nil {
			return err
		}
		start += first
		if m.Exists {
			from += m.Origin
		}
	}
	s.Printf("group %s, topic %s: the states of %s in %s and the group's offsets will be deleted; consumers start over at the beginning of the log and send its outputs again",
		s.config.Kafka.Group, s.config.Kafka.Input, cli.Plural(keys, "key"), cli.Plural(len(metas), "partition"))
	if start > from {
		s.Printf("the log no longer begins where the group began: the information in the missing shards is lost")
	}
	if err := s.Agree(s.cmd, yes, "Delete everything?"); err != nil {
		return err
	}
	return s.Audited(s.config, "state delete --all", "keys", func() (int64, error) { return s.clear(ctx, metas) })
}

// clear is forget once it is agreed to; it counts the keys.
func (s *states) clear(ctx context.Context, metas []pipeline.Meta) (keys int64, err error) {
	for id, m := range metas {
		p := s.partition(id)
		if err := s.Store.Clear(ctx, pipeline.NewLease(p), m); err != nil {
			if errors.Is(err, pipeline.ErrFenced) {
				return keys, fmt.Errorf("%w: a consumer was started meanwhile; stop it and run this again", err)
			}
			return keys, fmt.Errorf("%w; what is deleted by now is deleted: run this again", err)
		}
		keys += m.Keys
	}
	if err := s.Store.Unpin(ctx, s.config.Kafka.Input); err != nil {
		return keys, err
	}
	if err := s.Client.DeleteGroup(ctx, s.config.Kafka.Group); err != nil {
		return keys, err
	}
	s.Printf("deleted")
	return keys, nil
}
