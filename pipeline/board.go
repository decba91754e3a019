package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// status is what a partition's worker says of itself.
type status struct {
	ready  bool
	halted string // reason
	why    string
	told   int64 // watermark of the last checkpoint that the observer knows of
}

// board gathers the partitions' statuses for the readiness check, which is
// asked from other goroutines.
type board struct {
	mu    sync.Mutex
	given int // partitions, -1: no member of the group
	parts map[Partition]status
	// kept is what outlives an assignment: the cache of its last claim, until the
	// next generation has all its partitions, and the highest watermark that it
	// left.
	kept map[Partition]memory
	held func(bytes, keys int64) // is told what kept caches take, and give back
}

// memory is what a process remembers of a partition between assignments.
type memory struct {
	keep  retained
	known int64
	flags *flagLog
}

func newBoard(held func(bytes, keys int64)) *board {
	return &board{given: -1, parts: map[Partition]status{}, kept: map[Partition]memory{}, held: held}
}

// join notes how many partitions the group gives this process, -1 for no
// member: it has no partitions then, and not because there are none for it.
func (b *board) join(partitions int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.given = partitions
	b.settle()
}

// settle lets the caches go of partitions that this process does not have any
// more, once it has all that it was given.
func (b *board) settle() {
	if b.given < 0 || len(b.parts) < b.given {
		return
	}
	for p := range b.kept {
		b.release(p)
	}
}

// release forgets the cache of a partition.
func (b *board) release(p Partition) {
	m := b.kept[p]
	if c := m.keep.cache; c != nil {
		bytes, keys := c.held()
		b.held(-bytes, -keys)
	}
	m.keep = retained{}
	b.kept[p] = m
}

// enter notes an assignment and returns what is remembered.
func (b *board) enter(a Assignment) memory {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parts[a.Partition] = status{why: "claiming"}
	m, ok := b.kept[a.Partition]
	if !ok {
		m.known = -1
	}
	if m.flags == nil {
		m.flags = new(flagLog)
	}
	if ok {
		b.release(a.Partition)
	}
	b.settle()
	return m
}

// leave notes the end of an assignment.
func (b *board) leave(a Assignment, m memory) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.parts, a.Partition)
	b.kept[a.Partition] = m
	if c := m.keep.cache; c != nil {
		b.held(c.held())
	}
}

func (b *board) set(p Partition, s status) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parts[p] = s
}

// assigned returns the number of partitions at work.
func (b *board) assigned() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.parts)
}

// expected returns the number of partitions that are at work or will be, once
// all that were given have begun.
func (b *board) expected() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(b.given, len(b.parts))
}

// ready reports whether every assigned partition makes progress, and what
// stands in the way.
func (b *board) ready() (bool, string) {
	why := b.obstacles(true)
	return len(why) == 0, strings.Join(why, "; ")
}

// obstacles lists what stands in the way of partitions, halts among it or not.
func (b *board) obstacles(halts bool) (why []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.given < 0:
		why = append(why, "waiting for the consumer group")
	case len(b.parts) < b.given:
		why = append(why, "taking partitions over")
	}
	for p, s := range b.parts {
		if !s.ready && (halts || s.halted == "") {
			why = append(why, fmt.Sprintf("%s: %s", p, s.why))
		}
	}
	slices.Sort(why)
	return why
}

// settled reports whether this process is a member of the group and every
// partition that it has is decided on: halted, or at work with all told that
// was saved before the ends.
func (b *board) settled(ends []int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for p, s := range b.parts {
		behind := int(p.ID) < len(ends) && s.told < ends[p.ID]
		if s.halted == "" && (!s.ready || behind) {
			return false
		}
	}
	return b.given >= 0 && len(b.parts) >= b.given
}

// halted returns the reasons of halted partitions.
func (b *board) halted() map[Partition]status {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := map[Partition]status{}
	for p, s := range b.parts {
		if s.halted != "" {
			m[p] = s
		}
	}
	return m
}
