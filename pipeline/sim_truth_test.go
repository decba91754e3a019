package pipeline

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// simTruth knows which courses of the log the store's content is of. A save
// must lead from one point of a course to a later one: what was mixed is of
// none.
type simTruth struct {
	branches []*simBranch
	now      simStored
	kept     []*simStored
	highest  int64 // watermark ever stored
	savedAt  time.Duration
	order    map[string]int64 // newest first occurrence per topic and key
	reasons  map[int64]map[string]bool
}

// simStored is what is known of a store.
type simStored struct {
	of        uint64 // branches, a bit each
	watermark int64  // -1: nothing is stored, which is of every branch
	last      simPlace
}

var simEmpty = simStored{of: ^uint64(0), watermark: -1}

// begin starts the first branch.
func (s *Sim) begin() {
	s.truth = simTruth{now: simEmpty, highest: -1, order: map[string]int64{}, reasons: map[int64]map[string]bool{}}
	s.grow(s.branch())
}

// grow adds a branch that tells the log as it is and will be, and returns its bit.
func (s *Sim) grow(b *simBranch) uint64 {
	for i := range s.log.told {
		b.add(&s.log.entries[i])
	}
	for i := range s.Sent {
		b.came(&s.Sent[i])
	}
	s.log.grow = append(s.log.grow, b)
	s.truth.branches = append(s.truth.branches, b)
	return 1 << (len(s.truth.branches) - 1)
}

// growing are the branches of the present log.
func (s *Sim) growing() (of uint64) {
	for i, b := range s.truth.branches {
		if slices.Contains(s.log.grow, b) {
			of |= 1 << i
		}
	}
	return of
}

// fork begins a branch for a log that from offset n on is another one, -1: all
// of it and its topic too. What was stored below n is of both, and so is what has
// nothing of the log yet.
func (s *Sim) fork(n int64) {
	olds := s.log.grow
	s.log.grow = nil
	for _, old := range olds {
		was := uint64(1) << slices.Index(s.truth.branches, old)
		b := s.branch()
		b.origin, b.gaps = old.origin, old.gaps
		bit := s.grow(b)
		for _, x := range append(s.truth.kept, &s.truth.now) {
			if x.watermark >= 0 && (x.watermark <= n || n >= 0 && x.watermark == old.origin) && x.of&was != 0 {
				x.of |= bit
			} else if x.watermark >= 0 {
				x.of &^= bit
			}
		}
	}
}

// keep returns what puts the store back to where it is now.
func (s *Sim) keep() (back func()) {
	restore, was := s.store.Keep(), s.truth.now
	s.truth.kept = append(s.truth.kept, &was)
	return func() {
		s.restores++
		restore()
		s.truth.now = was
		s.tracef("the store is back at %d", was.watermark)
	}
}

// saved follows a checkpoint that the store has taken.
func (s *Sim) saved(c *Checkpoint) {
	s.saveInTime()
	t := &s.truth
	t.highest = max(t.highest, c.To)
	if s.Decoder != nil {
		t.now.watermark = c.To
		return
	}
	was := t.now
	defer func() { t.now.last = simPlace{c.Last.Epoch, c.Last.Offset} }()
	if c.From < 0 && c.To > 0 || len(c.Gaps) > 0 && c.To > c.From {
		s.giveUp(c)
		return
	}
	t.now = simStored{watermark: c.To}
	why := "nothing is"
	for i, b := range t.branches {
		if was.of&(1<<i) == 0 {
			continue
		}
		if not := b.accepts(c); not != "" {
			why = not
		} else {
			t.now.of |= 1 << i
		}
	}
	if t.now.of == 0 {
		s.violate("state", "the checkpoint from %d to %d is not what the log leads to: %s", c.From, c.To, why)
	}
}

// giveUp begins branches without what a checkpoint gives up, or begins after.
func (s *Sim) giveUp(c *Checkpoint) {
	t := &s.truth
	if c.From < 0 && c.Topic != s.log.id() { // it comes late, of a topic that is no more
		old := t.branches[slices.IndexFunc(t.branches, func(b *simBranch) bool { return b.topic == c.Topic })]
		b := s.branch()
		b.topic, b.origin = c.Topic, c.To
		for i := range old.told {
			b.add(&old.told[i])
		}
		t.branches = append(t.branches, b)
		t.now = simStored{of: 1 << (len(t.branches) - 1), watermark: c.To}
		return
	}
	of, growing := uint64(0), s.log.grow
	for i, old := range t.branches {
		if t.now.of&(1<<i) != 0 && slices.Contains(growing, old) {
			b := s.branch()
			b.origin, b.gaps = old.origin, slices.Clone(old.gaps)
			if c.From < 0 {
				b.origin = c.To
			} else {
				b.gaps = append(b.gaps, Gap{c.From, c.To})
			}
			of |= s.grow(b)
		}
	}
	t.now = simStored{of: of, watermark: c.To}
	if !s.Plan.SkipGap && c.From >= 0 || s.log.start < c.To && (c.From >= 0 || c.To != s.noted) {
		s.violate("state", "records from %d to %d are given up, the log begins at %d", c.From, c.To, s.log.start)
	}
}

// accepts says why a checkpoint is not one of the branch, "" where it is.
func (b *simBranch) accepts(c *Checkpoint) string {
	switch {
	case c.To > b.end:
		return fmt.Sprintf("it covers %d, the log can be read to %d", c.To, b.end)
	case c.Topic != "" && c.Topic != b.topic:
		return "it is of " + c.Topic
	case c.Last.Offset >= 0 && (c.Last.Offset >= b.end || b.times[c.Last.Offset] != c.Last.Time):
		return fmt.Sprintf("its last record is %+v", c.Last)
	}
	if now := (simMinute{}); b.fresh > 0 {
		if c.To > 0 {
			now = b.was[c.To-1]
		}
		if not := now.matches(c); not != "" {
			return not
		}
	}
	changed := map[string]bool{}
	for _, x := range c.Changes {
		now := b.at(x.Key, c.To)
		if not := now.matches(x.Value); not != "" {
			return fmt.Sprintf("key %q: %s", x.Key, not)
		}
		changed[x.Key] = true
	}
	for key := range b.keys {
		if b.at(key, c.To).offset != b.at(key, c.From).offset && !changed[key] {
			return fmt.Sprintf("key %q has changed, and is not in it", key)
		}
	}
	for offset := max(0, c.From); offset < c.To; offset++ {
		if out := b.outs[offset]; out != nil && !out.came {
			return fmt.Sprintf("the output of offset %d is not in the log yet", offset)
		}
	}
	return ""
}

// came follows an output into its topic.
func (s *Sim) came(o *Output) {
	s.Sent = append(s.Sent, *o)
	if s.Decoder != nil {
		return
	}
	known, key := false, o.Topic+" "+string(o.Key)
	for _, b := range s.truth.branches {
		expected, first := b.came(o)
		if !expected {
			continue
		}
		known = true
		if at, ok := s.truth.order[key]; ok && first && o.Offset < at && len(s.truth.branches) == 1 {
			s.violate("order", "offset %d of key %q comes first after offset %d", o.Offset, o.Key, at)
		}
		s.truth.order[key] = max(s.truth.order[key], o.Offset)
	}
	if n := s.truth.reason(o); n > len(s.truth.branches) {
		s.violate("output", "offset %d is dead for %d reasons in %d branches, the last: %s", o.Offset, n, len(s.truth.branches), reasonOf(o))
	}
	if !known {
		s.violate("output", "offset %d to %q, key %q: %q (%s) is not what the log leads to", o.Offset, o.Topic, o.Key, o.Value, reasonOf(o))
	}
}

// reason notes why a record is dead and returns how many reasons there were: a
// repeat has the same one, unless what came before the record was given up since.
func (t *simTruth) reason(o *Output) int {
	if t.reasons[o.Offset] == nil {
		t.reasons[o.Offset] = map[string]bool{}
	}
	t.reasons[o.Offset][reasonOf(o)] = true
	return len(t.reasons[o.Offset])
}

// came follows an output that the branch may expect.
func (b *simBranch) came(o *Output) (expected, first bool) {
	if o.Offset >= b.end || b.outs[o.Offset] == nil || !b.outs[o.Offset].expects(o) {
		return false, false
	}
	x := b.outs[o.Offset]
	if first = !x.came; first {
		x.came = true
	}
	return true, first
}

func reasonOf(o *Output) string {
	if len(o.Headers) < 2 {
		return ""
	}
	return string(o.Headers[1].Value)
}

// excused reports whether a partition may stay halted. What was applied of a log and is cut from it
// may be there again, with the same bytes at the same offset: nobody has to know that it is.
func (s *Sim) excused(reason string) bool {
	now := s.truth.now
	switch reason {
	case "gap":
		return !s.Plan.SkipGap && now.watermark >= 0 && s.log.start > now.watermark || now.watermark < 0 && s.noted >= 0 && s.log.start > s.noted
	case "truncated", "recreated":
		return now.watermark >= 0 && (now.of&s.growing() == 0 || s.log.lost[now.last]) || max(now.watermark, s.noted) > s.log.stable()
	case "store_lost":
		return now.watermark < 0 && s.log.start > max(0, s.noted)
	}
	return false
}

// end compares all that is stored, and counts what was done more than once.
func (s *Sim) end() {
	if s.Decoder != nil || s.Violation != nil {
		return
	}
	t := &s.truth
	keys, err := s.store.Keys(context.Background(), simPartition, "", "", 1000)
	if err != nil {
		s.violate("state", "%v", err)
	}
	why := "nothing is"
	for i, b := range t.branches {
		if t.now.of&(1<<i) == 0 {
			continue
		}
		if why = s.holds(b, keys); why == "" {
			break
		}
	}
	if why != "" {
		s.violate("state", "at the end the store is not at %d: %s", t.now.watermark, why)
	}
	s.amplified()
}

// holds says in what the store differs from a branch.
func (s *Sim) holds(b *simBranch, keys []string) string {
	n := 0
	for key := range b.keys {
		want := b.at(key, s.truth.now.watermark)
		value, err := s.store.Get(context.Background(), simPartition, key)
		if err != nil {
			return err.Error()
		}
		if not := want.matches(value); not != "" {
			return fmt.Sprintf("key %q: %s", key, not)
		}
		if want.present {
			n++
		}
	}
	if n != len(keys) {
		return fmt.Sprintf("it has the keys %q, want %d", keys, n)
	}
	return ""
}
