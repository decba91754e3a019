package pipeline

import (
	"context"
	"errors"
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
	// members returns those that the coordinator has, by id, and where each runs; nil while they join.
	members func(ctx context.Context) (map[string]string, error)
	session time.Duration // until the coordinator gives up a member that it does not hear
	// arithmetic is how this process computes, and topics where it publishes, which a beat tells behind its number: see unlike.
	arithmetic, topics string

	mu     sync.Mutex
	member string // this process's id, "" before it has one

	seen map[string]sight
	last time.Time // of the last look
	odd  string    // how the last members computed that computed otherwise
	away string    // where the last ones published that published elsewhere
	told string    // why beats are not kept, as it was told

	asked  time.Time      // when the coordinator was last asked for the members
	absent map[string]int // of these without a beat: how often in a row
	apart  string         // where the last ones ran that were told of as without a beat
}

// sight is the newest beat that was seen, and since when.
type sight struct {
	value string // of the beat
	since time.Time
	lives bool // it was another one before
	told  bool
}

// looks is how often a peer's beat is looked at before it counts as silent.
const looks = 8

// absences is how often in a row a member has no beat in the store before it is told of. The coordinator is asked for the members
// twice a session, and would have given up one by then that ended before its first beat.
const absences = 4

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
	beats, err := p.roster.Beat(bounded, member, strconv.FormatUint(n, 10)+" "+p.arithmetic+" "+p.topics)
	if err != nil {
		p.absent = nil
		p.unkept(err)
		return // nobody's silence is known
	}
	p.told = ""
	p.elsewhere(bounded, time.Now(), member, beats)
	delete(beats, member)
	silent := p.silent(time.Now(), beats)
	p.unlike()
	for _, id := range silent {
		p.remove(ctx, id)
	}
}

// unkept tells, once, of beats that the store cannot keep, which does not end by itself. Outages are told of elsewhere.
func (p *peers) unkept(err error) {
	if !errors.Is(err, ErrOtherType) || p.told == err.Error() {
		return
	}
	p.told = err.Error()
	p.log.Warn("beats are not kept", "error", err, "advice", "until then a member that ends without leaving keeps its partitions waiting for kafka.session_timeout")
}

// unlike tells of members whose floating-point numbers have other bits than this process's, and of those that publish to other topics,
// each kind of them once: where a partition moves between them, what is published again is not the same to the bit, or not in one place.
// The beat of a process that has ended stays for a while, as of this one before it was started again.
func (p *peers) unlike() {
	var bits, topics []string
	for _, s := range p.seen {
		if !s.lives {
			continue
		}
		_, shown, _ := strings.Cut(s.value, " ")
		theirs, to, _ := strings.Cut(shown, " ")
		bits, topics = unequal(bits, theirs, p.arithmetic), unequal(topics, to, p.topics)
	}
	if news(&p.odd, bits) {
		p.log.Warn("members compute with other bits", "arithmetic", p.arithmetic, "others", p.odd)
	}
	if news(&p.away, topics) {
		p.log.Warn("members publish elsewhere", "topics", p.topics, "others", p.away, "advice", "a key's outputs change their topic with its partition: give all processes of the group the same kafka.output and other topics")
	}
}

// unequal appends what a member shows, if it shows anything that is not what this process does.
func unequal(others []string, theirs, own string) []string {
	if theirs == "" || theirs == own || slices.Contains(others, theirs) {
		return others
	}
	return append(others, theirs)
}

// news notes what there is to tell of, and reports whether it is anything, and not what was told last.
func news(told *string, all []string) bool {
	slices.Sort(all)
	now := strings.Join(all, ", ")
	fresh := now != *told && now != ""
	*told = now
	return fresh
}

// elsewhere tells of members of the group that have no beat in this store, once for the same ones: they keep their partitions'
// states in another, and neither process can know what the other applied.
func (p *peers) elsewhere(ctx context.Context, now time.Time, self string, beats map[string]string) {
	if now.Sub(p.asked) < p.session/2 {
		return
	}
	p.asked = now
	there, err := p.members(ctx)
	if _, one := there[self]; err != nil || !one {
		p.absent = nil // nobody's absence is known
		return
	}
	was := p.absent
	p.absent = map[string]int{}
	var missing []string
	for id, at := range there {
		if _, shown := beats[id]; shown || id == self {
			continue
		}
		if p.absent[id] = was[id] + 1; p.absent[id] >= absences {
			missing = append(missing, at)
		}
	}
	if news(&p.apart, missing) {
		p.log.Warn("members show nothing in this store", "members", p.apart, "advice", elsewhereAdvice)
	}
}

const elsewhereAdvice = "give all processes of the group the same redis.url, with the same database. Of two stores each has the states of its own members alone: a partition that moves is " +
	"applied and published again from the log, or halts where that was trimmed. A member that does not reach Redis, has kafka.peer_timeout 0s or is no Credence shows nothing, too"

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
			p.seen[id] = sight{value: beat, since: now, lives: ok}
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

// remove expels a member, and tries again with the next look if that fails. The beat of one that has left stands still as well.
func (p *peers) remove(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	s := p.seen[id]
	err := p.expel(ctx, id)
	left := errors.Is(err, ErrNoMember)
	if err == nil || left {
		err = p.roster.Forget(ctx, id)
	}
	switch {
	case err == nil:
		if !left {
			p.log.Warn("silent member expelled", "member", id, "silent", p.timeout)
		}
		delete(p.seen, id)
	case !s.told && ctx.Err() == nil:
		p.log.Warn("silent member stays", "member", id, "error", err)
		s.told = true
		p.seen[id] = s
	}
}
