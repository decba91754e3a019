package deadletters

import (
	"unicode/utf8"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink"
)

// verdict is what becomes of a dead letter in a replay.
type verdict uint8

const (
	verdictSend    verdict = iota
	verdictDone            // an earlier replay has dealt with it
	verdictRepeat          // another letter of the same record came before
	verdictForeign         // no letter, or of another topic
	verdictKeyless         // no model can ever own it
	verdictOther           // not asked for
	verdictBehind          // of a key with an earlier letter that is left out
	verdictNobody          // no model is configured for its key
	verdictAhead           // the group has not come to its record yet
	verdictOrder           // of rows that are steps in time, whose order is lost
	verdictDelete          // a tombstone
	verdictLimit           // beyond --limit
	verdictUnread          // its record is in the input and can't be read under today's limits
	verdictRefused         // a letter that can't be read
	verdictAfter           // behind such a letter
	verdictGone            // without its record, which the input has no more
	verdicts
)

// settled reports whether a letter is done for good, not counting those that
// are to be sent.
func (v verdict) settled() bool { return v <= verdictKeyless && v != verdictSend }

// sorter judges the letters of a topic, those of a partition in their order,
// from the topic's beginning on. It is for one goroutine.
type sorter struct {
	input      string
	ordered    func(key string) (ordered, matched bool) // whether the rows of the key's model are steps in time
	watermarks []int64                                  // of the group, by partition of the input; -1: none
	done       []*progress                              // by partition of the dead letter topic
	glob       string
	stage      string
	left       int  // letters that may be sent, negative: no limit
	yes        bool // also what has lost its order

	seen map[occurrence]uint64
	held map[string]bool // keys with a letter that is left out
	hurt map[int32]bool  // partitions of the dead letter topic with one that can't be read
}

// occurrence names a sequence of numbers that grow per key: the offsets of
// the partition in which records died, or the shards of a producer's run.
type occurrence struct{ run, key string }

// judge decides about the next letter.
func (s *sorter) judge(at pipeline.Partition, r *pipeline.Record) (verdict, sink.Letter) {
	l, ok := sink.ParseLetter(r.Headers)
	key := string(r.Key)
	switch {
	case r.Refused != nil:
		if s.hurt == nil {
			s.hurt = map[int32]bool{}
		}
		s.hurt[at.ID] = true
		return verdictRefused, l
	case !ok || l.Source.Topic != s.input || l.Offset < 0:
		return verdictForeign, l
	case len(r.Key) == 0 || len(r.Key) > pipeline.MaxKey || !utf8.Valid(r.Key):
		return verdictKeyless, l
	case s.again(key, &l):
		return verdictRepeat, l
	case int(at.ID) < len(s.done) && s.done[at.ID].done(r.Offset):
		return verdictDone, l
	case !keyMatches(s.glob, r.Key):
		return verdictOther, l
	}
	v := s.choose(key, at, r, &l)
	if v != verdictSend {
		// A worker would take an earlier letter for a repeat of a later one.
		s.hold(key)
	}
	return v, l
}

func (s *sorter) choose(key string, at pipeline.Partition, r *pipeline.Record, l *sink.Letter) verdict {
	ordered, matched := s.ordered(key)
	switch {
	case s.left == 0:
		return verdictLimit
	case s.held[key]:
		return verdictBehind
	case s.stage != "" && l.Stage != s.stage:
		return verdictOther
	case !matched:
		return verdictNobody
	case int(l.Source.ID) >= len(s.watermarks) || l.Offset >= s.watermarks[l.Source.ID]:
		return verdictAhead
	case s.hurt[at.ID] && !s.yes:
		return verdictAfter
	case ordered && !s.yes:
		return verdictOrder
	case tombstone(r, l) && !s.yes:
		return verdictDelete
	}
	if s.left > 0 {
		s.left--
	}
	return verdictSend
}

// tombstone reports whether a letter's record has a null value.
func tombstone(r *pipeline.Record, l *sink.Letter) bool {
	if l.LeftOut != nil {
		return l.LeftOut.Bytes < 0
	}
	return r.Value == nil
}

func (s *sorter) hold(key string) {
	if s.held == nil {
		s.held = map[string]bool{}
	}
	s.held[key] = true
}

// again reports whether the letter's record is one of which a letter came
// before: a worker that crashed sends letters again, and a record that was
// sent twice dies twice.
func (s *sorter) again(key string, l *sink.Letter) bool {
	if s.seen == nil {
		s.seen = map[occurrence]uint64{}
	}
	twice := s.older(occurrence{l.Source.String(), key}, uint64(l.Offset))
	for i := len(l.Headers) - 1; i >= 0; i-- {
		if l.Headers[i].Key != pipeline.ShardHeader {
			continue
		}
		if run, n, ok := pipeline.ParseShard(l.Headers[i].Value); ok {
			twice = s.older(occurrence{run, key}, n) || twice
		}
		break // a worker looks at the last one only
	}
	return twice
}

// older reports whether n is not above what was seen, and remembers it.
func (s *sorter) older(o occurrence, n uint64) bool {
	last, ok := s.seen[o]
	if ok && n <= last {
		return true
	}
	s.seen[o] = n
	return false
}
