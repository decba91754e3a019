package pipeline

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Roster is where the members of a group show each other that they live. A
// group's coordinator waits for a silent member as long as the longest pause
// that it is to survive, half a minute by default; to go on without it is
// always safe, since a partition's owner is decided in the store.
type Roster interface {
	// Beat notes a beat of a member, unless its id is "", and returns the newest
	// beat of each.
	Beat(ctx context.Context, member, beat string) (map[string]string, error)
	// Forget removes a member's beat.
	Forget(ctx context.Context, member string) error
}

// peers shows that this process lives and has the members expelled that have
// shown nothing for a while. Their partitions go to others then as if they had
// left. A process that hears nothing of the group's coordinator shows nothing:
// it cannot do its work, and the coordinator would wait for it until its session
// ends.
type peers struct {
	roster  Roster
	reach   func(ctx context.Context) error // returns nil if the coordinator answers
	expel   func(ctx context.Context, member string) error
	timeout time.Duration
	log     *slog.Logger
	// arithmetic is how this process computes, which a beat tells behind its number: see unlike.
	arithmetic string

	mu     sync.Mutex
	member string // this process's id, "" before it has one

	seen map[string]sight
	last time.Time // of the last look
	odd  string    // how the last members computed that computed otherwise
}

// sight is the newest beat that was seen, and since when.
type sight struct {
	value string // of the beat
	since time.Time
	told  bool
}

// looks is how often a peer's beat is looked at before it counts as silent.
const looks = 8

// join notes the id of this process. It keeps it between two generations: the
// next one waits for it.
func (p *peers) join(member string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.member = member
}

// start begins to look and returns what ends it.
func (p *peers) start(ctx context.Context) (stop func()) { return beside(ctx, p.run) }

func (p *peers) run(ctx context.Context) {
	tick := time.NewTicker(p.timeout / looks)
	defer tick.Stop()
	for n := uint64(1); ; n++ {
		p.look(ctx, n)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// look beats once and expels who is silent. Without the coordinator it does
// neither: where that is away from everybody, nobody's silence says anything.
func (p *peers) look(ctx context.Context, n uint64) {
	p.mu.Lock()
	member := p.member
	p.mu.Unlock()
	bounded, cancel := context.WithTimeout(ctx, p.timeout/2)
	defer cancel()
	if p.reach(bounded) != nil {
		return
	}
	beats, err := p.roster.Beat(bounded, member, strconv.FormatUint(n, 10)+" "+p.arithmetic)
	if err != nil {
		return // nobody's silence is known
	}
	delete(beats, member)
	p.unlike(beats)
	for _, id := range p.silent(time.Now(), beats) {
		p.remove(ctx, id)
	}
}

// unlike tells of members whose floating-point numbers have other bits than this process's, each kind of them once: where a partition
// moves between them, what is published again is not the same to the bit.
func (p *peers) unlike(beats map[string]string) {
	var others []string
	for _, beat := range beats {
		if _, theirs, told := strings.Cut(beat, " "); told && theirs != p.arithmetic && !slices.Contains(others, theirs) {
			others = append(others, theirs)
		}
	}
	slices.Sort(others)
	if odd := strings.Join(others, ", "); odd != p.odd {
		p.odd = odd
		if odd != "" {
			p.log.Warn("members compute with other bits", "arithmetic", p.arithmetic, "others", odd)
		}
	}
}

// silent returns the members whose beat has stood still for the timeout while
// this process looked. Where it could not look, because it, the store or the
// coordinator stood still, everybody has the whole time again.
func (p *peers) silent(now time.Time, beats map[string]string) (ids []string) {
	if now.Sub(p.last) > p.timeout/2 {
		p.seen = map[string]sight{}
	}
	p.last = now
	for id, beat := range beats {
		if s, ok := p.seen[id]; !ok || s.value != beat {
			p.seen[id] = sight{value: beat, since: now}
		} else if now.Sub(s.since) >= p.timeout {
			ids = append(ids, id)
		}
	}
	for id := range p.seen {
		if _, ok := beats[id]; !ok {
			delete(p.seen, id)
		}
	}
	return ids
}

// remove expels a member, and tries again with the next look if that fails.
func (p *peers) remove(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	s := p.seen[id]
	err := p.expel(ctx, id)
	if err == nil {
		err = p.roster.Forget(ctx, id)
	}
	switch {
	case err == nil:
		p.log.Warn("silent member expelled", "member", id, "silent", p.timeout)
		delete(p.seen, id)
	case !s.told && ctx.Err() == nil:
		p.log.Warn("silent member stays", "member", id, "error", err)
		s.told = true
		p.seen[id] = s
	}
}
