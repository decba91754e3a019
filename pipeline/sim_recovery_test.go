package pipeline

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"
)

// DrawRecovery draws a schedule in which the store loses the partition count, once or often, while
// answers of the brokers may say that the topic has a partition more, and in which states are exported,
// deleted and imported again.
func DrawRecovery(seed uint64) Plan {
	p := DrawPlan(seed)
	p.Faults = slices.DeleteFunc(p.Faults, func(f Fault) bool {
		return slices.Contains([]FaultKind{StoreBack, StoreSplit, StoreEmpties, StoreDamaged, StoreForgets, Grown}, f.Kind)
	})
	r := rand.New(rand.NewPCG(seed, 14))
	at := func() time.Duration { return time.Duration(r.Int64N(int64(8 * time.Second))) }
	for range 1 + r.IntN(4) {
		from := at()
		p.Faults = append(p.Faults, Fault{Kind: CountEvicted, From: from, To: from},
			Fault{Kind: Grown, From: max(0, from-at()), To: from + at(), N: one(r, 30, 100)},
			Fault{Kind: Rebalance, From: from + time.Duration(r.Int64N(int64(time.Second))), To: from + 2*time.Second, N: r.IntN(2)})
	}
	if r.IntN(3) > 0 {
		from := at()
		p.Faults = append(p.Faults, Fault{Kind: StatesBack, From: from, To: from + time.Millisecond + at()})
	}
	return p
}

// evictCount has the store lose the layout, unless states are moved by it.
func (s *Sim) evictCount(*Fault) {
	ctx, topic := context.Background(), simPartition.Topic
	if l, err := s.store.Layout(ctx, topic); err == nil && l.Partitions > 0 {
		_ = s.store.Unpin(ctx, topic)
	}
}

// importAgain stands for an export, a command that deletes everything, and an import that takes until the
// fault ends, in several checkpoints: nothing is applied meanwhile, and afterwards all is as it was.
func (s *Sim) importAgain(f *Fault) {
	ctx, topic := context.Background(), simPartition.Topic
	was, err := s.store.Layout(ctx, topic)
	meta, merr := s.store.Meta(ctx, simPartition)
	keys, kerr := s.store.Keys(ctx, simPartition, "", "", 1000)
	if err != nil || merr != nil || kerr != nil || !meta.Exists || was.Partitions == Rescales {
		return
	}
	var changes []Change
	for _, key := range keys {
		value, err := s.store.Get(ctx, simPartition, key)
		if err != nil {
			s.violate("import", "%v", err)
		}
		changes = append(changes, Change{key, value})
	}
	must := func(err error) {
		if err != nil {
			s.violate("import", "%v", err)
		}
	}
	lease, filling := Lease{Partition: simPartition, Token: "import"}, Layout{Partitions: Rescales, Importing: &Importing{ID: "import", File: "s.arrows"}}
	must(s.store.SetLayout(ctx, topic, was, filling))
	must(s.store.Clear(ctx, lease, meta))
	begin := func() (from int64, rest []Change) {
		if len(changes) < 2 {
			return -1, changes
		}
		// Half of it, under a configuration that no worker has.
		must(s.store.Save(ctx, lease, Checkpoint{From: -1, Origin: meta.Origin, Last: Last{Offset: -1}, Changes: changes[:1], Configured: []Configured{{Core: "half"}}}))
		return 0, changes[1:]
	}
	from, rest := begin()
	finish := func() error {
		c := Checkpoint{From: from, To: meta.Watermark, Origin: meta.Origin, Topic: meta.Topic, Last: meta.Last, Configured: meta.Configured, Gaps: meta.Gaps, Minutes: meta.Minutes, Changes: rest}
		if c.From == c.To {
			return s.store.Amend(ctx, lease, c)
		}
		return s.store.Save(ctx, lease, c)
	}
	s.until(f, func() {
		err := finish()
		if errors.Is(err, ErrFenced) { // a worker claimed meanwhile: it is run again
			seen, err := s.store.Meta(ctx, simPartition)
			must(err)
			must(s.store.Clear(ctx, lease, seen))
			from, rest = begin()
		}
		if err != nil {
			err = finish()
		}
		must(err)
		must(s.store.SetLayout(ctx, topic, filling, Layout{Partitions: 1}))
	})
}

// counted finds a partition count that was pinned and is not that for which states are.
func (s *Sim) counted() {
	if l, err := s.store.Layout(context.Background(), simPartition.Topic); err == nil && l.Partitions > 1 && s.truth.now.watermark >= 0 {
		s.violate("partitions", "the states are those of 1 partition, and the store says %d: keys begin a second model", l.Partitions)
	}
}
