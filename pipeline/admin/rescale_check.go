package admin

import (
	"context"
	"fmt"

	"github.com/credence-stream/credence/pipeline"
)

// drained looks whether a partition may be moved from: all of its log is in its states,
// which are whole, of the present models, and of keys that belong to it. The error is a
// refusal, or an outage. seen is what a claim returned, nil: none was made.
func (r *Rescale) drained(ctx context.Context, p pipeline.Partition, seen *pipeline.Meta) (pipeline.Stretch, error) {
	var none pipeline.Stretch
	meta := pipeline.Meta{}
	if seen != nil {
		meta = *seen
	} else {
		var err error
		if meta, err = r.Store.Meta(ctx, p); err != nil {
			return none, err
		}
	}
	log, err := pipeline.ReadLogState(ctx, r.Log, p, meta.Last)
	if err != nil {
		return none, err
	}
	if meta.Exists { // before what is said of its records: of another topic they are others
		if _, why := log.Another(p, meta); why != "" {
			return none, refuse("%s: %s. %s", p, why, pipeline.AnotherRemedy)
		}
	}
	written, err := r.Written(ctx, p)
	if err != nil {
		return none, err
	}
	if written > log.End {
		return none, refuse("%s: a transaction is open at offset %d: end it, or wait until the brokers abort it", p, log.End)
	}
	if !meta.Exists {
		if log.End > log.Start {
			return none, refuse("%s: %d records are not applied yet: start the consumers until they have no lag, then stop them", p, log.End-log.Start)
		}
		return pipeline.Stretch{From: log.Start, To: log.Start, Configured: r.Rules.Recorded(log.Start)}, nil
	}
	e := Export{Watermark: meta.Watermark, Topic: meta.Topic, Last: meta.Last, Config: meta.Configured, Format: meta.Format}
	switch {
	case Unfinished(meta):
		return none, refuse("%s: an import did not come to its end: run it again first", p)
	case log.End > meta.Watermark:
		return none, refuse("%s: %d records are not applied yet: start the consumers until they have no lag, then stop them", p, log.End-meta.Watermark)
	}
	if err := e.Fits(r.Rules, p, log); err != nil {
		return none, refuse("%s: %v", p, err)
	}
	if err := r.atHome(ctx, p); err != nil {
		return none, err
	}
	return pipeline.Stretch{From: r.layout.Base(p.ID, meta.Origin), To: meta.Watermark, Keys: meta.Keys, Gaps: meta.Gaps, Configured: meta.Configured}, nil
}

// atHome refuses a key in a partition that murmur2 does not give it: it may have another
// state elsewhere, and no record says which of them goes on.
func (r *Rescale) atHome(ctx context.Context, p pipeline.Partition) error {
	n := r.layout.Partitions
	if m := r.layout.Moving; m != nil {
		n = m.From
	}
	return r.eachKey(ctx, p, func(key string) error {
		if home := r.Home([]byte(key), n); home != p.ID {
			return refuse("%s: key %q has a state here, and murmur2 puts it into partition %d: a producer uses another partitioner, "+
				"and its keys cannot be moved (librdkafka: set partitioner=murmur2_random, and begin with a new topic)", p, key, home)
		}
		return nil
	})
}

// eachKey calls visit for the keys of a partition, a page at a time. visit may delete them.
func (r *Rescale) eachKey(ctx context.Context, p pipeline.Partition, visit func(string) error) error {
	for after := ""; ; {
		keys, err := r.Reader.Keys(ctx, p, "", after, pageKeys)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if err := visit(key); err != nil {
				return err
			}
		}
		if len(keys) < pageKeys {
			return nil
		}
		after = keys[len(keys)-1]
	}
}

// quiet looks at what was sent after the states were settled, to the first n partitions:
// a producer that knows the new number has put it where it belongs, and does no harm;
// one that does not has not been stopped.
func (r *Rescale) quiet(ctx context.Context, m *pipeline.Moving, n int) error {
	for id := range n {
		p, at := r.partition(id), int64(0)
		if id < m.From {
			at = m.Era.Partitions[id].To
		}
		end, err := r.Written(ctx, p)
		if err != nil {
			return err
		}
		if end > at && n == m.From {
			return refuse("%s: %d records were sent since its states were settled: stop the producers", p, end-at)
		}
		for at < end {
			got, err := r.Log.Fetch(ctx, p, at, verifyBytes)
			if err != nil {
				return fmt.Errorf("fetch %s at offset %d: %w", p, at, err)
			}
			for i := range got.Records {
				if home := r.Home(got.Records[i].Key, m.To); len(got.Records[i].Key) > 0 && home != p.ID {
					return fmt.Errorf("%s: the record of key %q at offset %d was sent after its states were settled, by a producer that does not know of %d partitions yet "+
						"(it belongs into %d): stop the producers. This record's key would have two states: copy the topic to a new one of %d partitions, and read that with a new group",
						p, got.Records[i].Key, got.Records[i].Offset, m.To, home, m.To)
				}
			}
			if got.Next == at && got.End <= at {
				return refuse("%s: a transaction is open at offset %d: end it, or wait until the brokers abort it", p, at)
			}
			at = got.Next
		}
	}
	return nil
}
