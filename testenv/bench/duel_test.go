//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// scripted takes given paces in turn.
type scripted struct {
	name  string
	paces []pace
	trace *[]string
}

func (s *scripted) batch(context.Context, time.Duration) (pace, error) {
	*s.trace = append(*s.trace, s.name)
	p := s.paces[0]
	s.paces = s.paces[1:]
	return p, nil
}

// Contestants work in turns, and the least of each counts, of processor time
// and of the clock's apart; what a contestant could not do counts nothing.
func TestDuelTakesTurns(t *testing.T) {
	var trace []string
	a := &scripted{"a", []pace{{3, 30}, {1, 31}, {2, 32}}, &trace}
	b := &scripted{"b", []pace{{5, 5}, unknown, {6, 4}}, &trace}
	got, err := effort{rounds: 3}.duel(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	if want := []pace{{1, 30}, {5, 4}}; !slices.Equal(got, want) {
		t.Errorf("paces %v, want %v", got, want)
	}
	if got := strings.Join(trace, ""); got != "ababab" {
		t.Errorf("turns %s", got)
	}
}

// A batch counts all that was done, also when looks at the clock get rarer.
func TestHereCountsItsWork(t *testing.T) {
	done := 0
	h := ours(func() error { done++; return nil }, 2)
	start := time.Now()
	p, err := h.batch(t.Context(), 5*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if most := time.Since(start).Seconds() / float64(2*done); done < 2 || p.wall <= 0 || p.wall > most {
		t.Errorf("%d times: %v a piece, at most %v", done, p.wall, most)
	}
	failing := ours(func() error { return errors.New("no") }, 1)
	if _, err := failing.batch(t.Context(), time.Second); err == nil {
		t.Error("work that fails gave a pace")
	}
}

func TestPeerAnswers(t *testing.T) {
	p := open(t.Context(), "sh", "-c", `read l; echo no module river; read l; echo ready; read l; echo 10 0.5 2; read l; echo what went wrong >&2; exit 3`)
	if err := p.begin("task 0"); err == nil || !strings.Contains(err.Error(), "river") || p.missing != nil {
		t.Errorf("a task that cannot begin says %v", err)
	}
	if err := p.begin("task 1 2"); err != nil {
		t.Fatal(err)
	}
	got, err := p.batch(t.Context(), time.Second)
	if err != nil || got != (pace{.05, .2}) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := p.batch(t.Context(), time.Second); err == nil || !strings.Contains(err.Error(), "what went wrong") {
		t.Errorf("a peer that died says %v", err)
	}
	if p.missing == nil || p.begin("more") == nil {
		t.Error("a peer that died begins again")
	}
	if err := p.close(); err != nil {
		t.Error(err)
	}
}

// A bench goes on without a peer, and watches its own side.
func TestAgainstNobody(t *testing.T) {
	b := &bench{ctx: t.Context(), effort: effort{rounds: 1}, profiles: profiles{filepath.Join(t.TempDir(), "profiles"), time.Millisecond}}
	nobody := &peer{missing: errors.New("no R")}
	if err := b.against(line{"ours", micros("shard"), 2, "how"}, ours(func() error { return nil }, 1), nobody, "task"); err != nil {
		t.Fatal(err)
	}
	if len(b.rows) != 1 || b.rows[0].OK || !b.rows[0].Ours.known() || !strings.Contains(b.rows[0].How, "no R") {
		t.Errorf("%+v", b.rows)
	}
	if profile, err := os.ReadFile(filepath.Join(b.profiles.dir, "ours.pprof")); err != nil || len(profile) == 0 {
		t.Errorf("a profile of %d bytes, %v", len(profile), err)
	}
}
