package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestPeers walks through looks at given times.
func TestPeers(t *testing.T) {
	start := time.Now()
	second := func(s float64) time.Time { return start.Add(time.Duration(s * float64(time.Second))) }
	p := &peers{timeout: 2 * time.Second}
	for _, look := range []struct {
		at     float64
		beats  map[string]string
		silent []string
	}{
		{0, map[string]string{"a": "1", "b": "9"}, nil},
		{.5, map[string]string{"a": "2", "b": "9"}, nil},
		{1, map[string]string{"a": "3", "b": "9"}, nil},
		{1.5, map[string]string{"a": "3", "b": "9"}, nil},
		{2, map[string]string{"a": "3", "b": "9"}, []string{"b"}},
		{2.5, map[string]string{"a": "3"}, nil},
		{2.9, map[string]string{"a": "3"}, nil},
		{5, map[string]string{"a": "3", "c": "1"}, nil}, // looked away itself
		{5.5, map[string]string{"a": "3", "c": "1"}, nil},
		{6, map[string]string{"a": "3", "c": "2"}, nil},
		{6.5, map[string]string{"a": "3"}, nil}, // c has left
		{7, map[string]string{"a": "3", "c": "2"}, []string{"a"}},
		{7.5, map[string]string{"c": "2"}, nil},
		{8, map[string]string{"c": "2"}, nil},
		{8.5, map[string]string{"c": "2"}, nil}, // seen since 7
		{9, map[string]string{"c": "2"}, []string{"c"}},
	} {
		got := p.silent(second(look.at), maps.Clone(look.beats))
		if !slices.Equal(got, look.silent) {
			t.Errorf("after %v s: silent %v, want %v", look.at, got, look.silent)
		}
	}
}

// roster is a store's map of beats.
type roster struct {
	beats  map[string]string
	beaten int
	beat   string
	forgot []string
	err    error
}

func (r *roster) Beat(_ context.Context, _, beat string) (map[string]string, error) {
	r.beaten, r.beat = r.beaten+1, beat
	return maps.Clone(r.beats), r.err
}

func (r *roster) Forget(_ context.Context, member string) error {
	r.forgot = append(r.forgot, member)
	delete(r.beats, member)
	return nil
}

// TestSilentPeersAreExpelled: this process never, one that is silent once, and
// again only where that failed; and nobody while the coordinator is away, when nobody
// shows that it lives.
func TestSilentPeersAreExpelled(t *testing.T) {
	r := &roster{beats: map[string]string{"dead": "7", "self": "as if its own beats were lost"}}
	var expelled []string
	refuse := errors.New("no")
	var away error
	reach := func(context.Context) error { return away }
	members := func(context.Context) (map[string]string, error) { return nil, nil }
	p := &peers{roster: r, reach: reach, members: members, timeout: 2 * time.Second, log: slog.New(slog.DiscardHandler), expel: func(_ context.Context, id string) error {
		expelled = append(expelled, id)
		return refuse
	}}
	p.join("self")
	silent := func() { // as if both had been silent since long
		p.last = time.Now()
		p.seen = map[string]sight{}
		for id, beat := range r.beats {
			p.seen[id] = sight{value: beat, since: time.Now().Add(-time.Hour)}
		}
	}
	silent()
	p.look(t.Context(), 1)
	if !slices.Equal(expelled, []string{"dead"}) || len(r.forgot) != 0 {
		t.Errorf("expelled %v, forgot %v", expelled, r.forgot)
	}
	refuse = nil
	p.look(t.Context(), 2)
	p.look(t.Context(), 3)
	if !slices.Equal(expelled, []string{"dead", "dead"}) || !slices.Equal(r.forgot, []string{"dead"}) {
		t.Errorf("expelled %v, forgot %v", expelled, r.forgot)
	}
	r.beats["dead"], r.err = "7", errors.New("the store is away")
	silent()
	p.look(t.Context(), 4)
	if len(expelled) != 2 {
		t.Error("a member was expelled while the store did not answer")
	}
	r.err, away, r.beaten = nil, errors.New("the coordinator is away"), 0
	silent()
	p.look(t.Context(), 5)
	if len(expelled) != 2 || r.beaten != 0 {
		t.Errorf("without the coordinator it has beaten %d times, and expelled %v", r.beaten, expelled)
	}
	away = nil
	p.look(t.Context(), 6)
	if len(expelled) != 3 || r.beaten != 1 {
		t.Errorf("with the coordinator it has beaten %d times, and expelled %v", r.beaten, expelled)
	}
}

// The beat of a member that has left is forgotten without a word, as nobody was expelled.
func TestMembersThatLeft(t *testing.T) {
	r := &roster{beats: map[string]string{"left": "7", "silent": "9"}}
	p, told := company(r, func() (map[string]string, error) { return nil, nil })
	p.expel = func(_ context.Context, id string) error {
		if id == "left" {
			return fmt.Errorf("expel: %w", ErrNoMember)
		}
		return nil
	}
	p.remove(t.Context(), "left")
	if told.Len() > 0 {
		t.Errorf("of one that left: %s", told)
	}
	p.remove(t.Context(), "silent")
	if !strings.Contains(told.String(), `"silent member expelled" member=silent`) || len(r.beats) != 0 {
		t.Errorf("of one that is silent: %s; beats are left of %v", told, r.beats)
	}
}

// company returns a process of a group whose roster and members are given, and what it logs.
func company(r *roster, members func() (map[string]string, error)) (*peers, *strings.Builder) {
	told := new(strings.Builder)
	p := &peers{
		roster: r, timeout: time.Hour, session: time.Minute, log: slog.New(slog.NewTextHandler(told, nil)), arithmetic: "aa", topics: "out,dead",
		reach:   func(context.Context) error { return nil },
		members: func(context.Context) (map[string]string, error) { return members() },
	}
	p.join("self")
	return p, told
}

// Members whose numbers have other bits, or that publish to other topics, are told of once, and again when others come. What an older
// release shows says nothing of it, nor does the beat of a process that has ended.
func TestMembersThatAreUnlike(t *testing.T) {
	r := &roster{beats: map[string]string{"ended": "7 dd gone,dead"}}
	p, told := company(r, func() (map[string]string, error) { return nil, nil })
	n := 0
	for i, step := range []struct {
		shown        []string // by members beside those that are alike
		bits, topics string
	}{
		{nil, "", ""},
		{[]string{"bb out,dead"}, "bb", ""},
		{[]string{"bb out,dead"}, "", ""},
		{[]string{"cc out,dead", "bb"}, `"bb, cc"`, ""},
		{[]string{"bb"}, "bb", ""},
		{[]string{"bb else,dead"}, "", "else,dead"},
		{nil, "", ""},
		{[]string{"aa else,dead"}, "", "else,dead"},
	} {
		told.Reset()
		for range 3 {
			n++
			for id := range r.beats {
				if id != "ended" {
					delete(r.beats, id)
				}
			}
			for k, shown := range append([]string{"aa out,dead", "", "aa"}, step.shown...) {
				r.beats["member "+strconv.Itoa(k)] = strconv.Itoa(n) + " " + shown
			}
			p.look(t.Context(), uint64(n))
		}
		got := map[string]string{}
		for line := range strings.Lines(told.String()) {
			about, others, _ := strings.Cut(line, " others=")
			others, _, _ = strings.Cut(strings.TrimSpace(others), " advice=")
			_, about, _ = strings.Cut(about, "msg=\"members ")
			about, _, _ = strings.Cut(about, " ")
			got[about] = others // of the last line
		}
		if got["compute"] != step.bits || got["publish"] != step.topics {
			t.Errorf("step %d tells of %q, want %q and %q: %s", i, got, step.bits, step.topics, told.String())
		}
	}
	if want := strconv.Itoa(n) + " aa out,dead"; r.beat != want {
		t.Errorf("it shows %q, want %q", r.beat, want)
	}
}

// A member of the group without a beat in the store works with another store, and is told of once; not one that has ended before its
// first beat, which the group gives up within a session, nor anybody while it is not known who is a member.
func TestMembersOfAnotherStore(t *testing.T) {
	all := map[string]string{"self": "a at /h1", "like": "b at /h2", "other": "c at /h3"}
	r := &roster{beats: map[string]string{"like": "3 aa out,dead"}}
	there := all
	var fails error
	p, told := company(r, func() (map[string]string, error) { return maps.Clone(there), fails })
	start := time.Now()
	look := func(want string, seconds ...int) {
		t.Helper()
		for _, s := range seconds {
			told.Reset()
			p.elsewhere(t.Context(), start.Add(time.Duration(s)*time.Second), "self", maps.Clone(r.beats))
			if got := told.String(); (got == "") != (want == "") || !strings.Contains(got, want) {
				t.Errorf("after %d s: %q, want %q", s, got, want)
			}
		}
	}
	look("", 0, 10, 20, 30, 40, 50, 60, 70, 80) // asked three times
	look(`members="c at /h3"`, 90)
	look("", 120)
	there = map[string]string{"self": "a at /h1", "like": "b at /h2"} // as of one that ended, and whose session is over
	look("", 150)
	there = all
	look("", 180, 210, 240)
	fails = errors.New("no coordinator")
	look("", 270)
	fails = nil
	look("", 300, 330, 360)
	there = nil // while they join
	look("", 390)
	there = map[string]string{"other": "c at /h3"} // while this process is none
	look("", 420, 450, 480, 510)
	there = all
	look("", 540, 570, 600)
	r.beats["other"] = "1 aa out,dead" // as in a store that was emptied, and shows it again
	look("", 630)
	delete(r.beats, "other")
	look("", 660, 690, 720)
	look(`members="c at /h3"`, 750)
	r.err = errors.New("the store is away")
	p.look(t.Context(), 1)
	if p.absent != nil {
		t.Error("somebody is absent while the store does not answer")
	}
}

// TestBeatsThatAreNotKept: what does not end by itself is told of once, and again when it comes back; an outage is not, of which others tell.
func TestBeatsThatAreNotKept(t *testing.T) {
	r := &roster{}
	p, told := company(r, func() (map[string]string, error) { return nil, nil })
	broken := fmt.Errorf("beats: %w: delete the key", ErrOtherType)
	for n, err := range []error{errors.New("away"), broken, broken, nil, broken} {
		r.err = err
		p.look(t.Context(), uint64(n+1))
		if want := []int{0, 1, 1, 1, 2}[n]; strings.Count(told.String(), `msg="beats are not kept"`) != want || want > 0 && !strings.Contains(told.String(), "delete the key") {
			t.Errorf("look %d: want %d lines: %s", n+1, want, told)
		}
	}
}
