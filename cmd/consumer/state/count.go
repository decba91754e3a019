package state

import (
	"context"
	"fmt"
	"strings"

	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/kafka"
)

// counted is what repair finds of the number of partitions that states are made for.
type counted struct {
	why, remedy string // as those of pipeline.Elsewhere
	lost        int    // the number that the store has lost, as the keys tell it; 0: none, or they do not
	keys        int64  // that tell it
}

// counted finds why states may be elsewhere. A number that the store has lost is that for which
// murmur2 puts every stored key into its partition, if that is one alone.
func (s *states) counted(ctx context.Context) (c counted, err error) {
	l, err := pipeline.ReadLayout(ctx, s.Store, s.config.Kafka.Input, s.count)
	if err != nil {
		return c, err
	}
	c.why, c.remedy, err = pipeline.Elsewhere(ctx, l, s.Store, s.Log, s.config.Kafka.Input, s.count)
	if l.Partitions != pipeline.Uncounted || err != nil {
		return c, err
	}
	if err := s.rescaled(ctx); err != nil { // what else is lost no key tells
		c.remedy = err.Error()
		return c, nil
	}
	fit := make([]int, s.count)
	for i := range fit {
		fit[i] = i + 1
	}
	err = admin.EachKey(ctx, s.Store, s.config.Kafka.Input, s.count, "", func(key string, in []pipeline.Partition) error {
		c.keys++
		left := fit[:0]
		for _, n := range fit {
			if len(in) == 1 && kafka.PartitionOf([]byte(key), n) == in[0].ID {
				left = append(left, n)
			}
		}
		fit = left
		return nil
	})
	begin := fmt.Sprintf("Restore the store, or begin again with the log as it is by a new consumer group or %s state delete --all", s.Consumer)
	switch {
	case err != nil:
		return c, err
	case len(fit) == 0:
		c.remedy = begin + ": there is no number for which murmur2 puts each stored key into its partition"
	case len(fit) > 1:
		c.remedy = fmt.Sprintf("%s: murmur2 puts the %s into their partitions for each of the numbers %s", begin, cli.Plural(c.keys, "stored key"),
			strings.Trim(fmt.Sprint(fit), "[]"))
	default:
		c.lost = fit[0]
		c.remedy = fmt.Sprintf("the number was %d, by %s", c.lost, cli.Plural(c.keys, "stored key"))
	}
	return c, nil
}

// recount has the store know the number of partitions again.
func (s *states) recount(ctx context.Context, c counted, yes bool) error {
	s.Printf("topic %s had %s when its states were begun, as %s tell: consumers will take that for its number",
		s.config.Kafka.Input, cli.Plural(int64(c.lost), "partition"), cli.Plural(c.keys, "stored key"))
	if err := s.Agree(s.cmd, yes, fmt.Sprintf("Restore the number %d?", c.lost)); err != nil {
		return err
	}
	return s.Audited(s.config, "state repair", "keys", func() (int64, error) {
		n, err := s.Store.Pin(ctx, s.config.Kafka.Input, c.lost)
		if err == nil && n != c.lost {
			err = fmt.Errorf("%w: another number, %d, was stored meanwhile", pipeline.ErrFenced, n)
		}
		if err != nil {
			return 0, err
		}
		if n != s.count {
			s.Printf("restored: stop the producers, let the consumers apply what the former %s have, and run %s rescale --to %d", cli.Plural(int64(n), "partition"), s.Consumer, s.count)
		} else {
			s.Printf("restored: consumers continue within ten seconds")
		}
		return 0, nil
	})
}
