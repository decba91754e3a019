package pipeline

import (
	"strconv"
	"time"
)

// openTransaction is what keeps a partition from reading on: a producer's
// transaction that has neither ended nor timed out.
type openTransaction struct {
	at    int64 // the last stable offset
	since time.Time
	told  bool
}

// openAfter is when an open transaction is told of: longer than producers leave
// one open on purpose, and than brokers allow by default.
const openAfter = time.Minute

// compacted tells once of records that the log no longer has, which were not applied.
func (s *shell) compacted(e evFetched) {
	if e.err != nil || e.got.Lack.Count == 0 || s.lacks {
		return
	}
	s.lacks = true
	s.w.opt.Logger.Warn("log compacted", "advice", "records are gone that were not applied: set cleanup.policy=delete, and use a new topic and group where all shards count",
		"topic", s.a.Topic, "partition", s.a.ID, "from", e.got.Lack.First, "offsets", e.got.Lack.Count)
}

// blocked looks whether records are there that may not be read yet.
func (s *shell) blocked(e evFetched) {
	if e.err != nil {
		return
	}
	o := &s.txn
	seconds := 0.0
	switch now := time.Now(); {
	case e.got.High <= e.got.End:
		*o = openTransaction{}
	case o.since.IsZero() || o.at != e.got.End:
		*o = openTransaction{at: e.got.End, since: now}
	default:
		seconds = now.Sub(o.since).Seconds()
	}
	s.w.opt.Metrics.open.WithLabelValues(s.a.Topic, strconv.Itoa(int(s.a.ID))).Set(seconds)
	if seconds >= openAfter.Seconds() && !o.told {
		o.told = true
		s.w.opt.Logger.Warn("open transaction", "advice", "it keeps records from being read: end it (kafka-transactions.sh find-hanging, abort), or wait for its time-out",
			"topic", s.a.Topic, "partition", s.a.ID, "from", e.got.End, "records", e.got.High-e.got.End)
	}
}
