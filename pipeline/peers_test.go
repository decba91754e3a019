package pipeline

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
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
	p := &peers{roster: r, reach: reach, timeout: 2 * time.Second, log: slog.New(slog.DiscardHandler), expel: func(_ context.Context, id string) error {
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

// Members whose numbers have other bits are told of once, and again when others come. What an older release shows says nothing of it.
func TestMembersThatComputeOtherwise(t *testing.T) {
	r := &roster{beats: map[string]string{"like": "3 aa", "old": "4"}}
	var told strings.Builder
	p := &peers{
		roster: r, timeout: time.Hour, log: slog.New(slog.NewTextHandler(&told, nil)), arithmetic: "aa",
		reach: func(context.Context) error { return nil },
	}
	p.join("self")
	for i, look := range []struct{ beat, others string }{
		{"", ""},
		{"1 bb", "bb"},
		{"2 bb", ""},
		{"3 cc", `"bb, cc"`},
		{"", "bb"},
	} {
		told.Reset()
		if delete(r.beats, "new"); look.beat != "" {
			r.beats["new"] = look.beat
		}
		if i == 3 {
			r.beats["more"] = "9 bb"
		}
		p.look(t.Context(), uint64(i))
		_, others, _ := strings.Cut(strings.TrimSpace(told.String()), "others=")
		if others != look.others {
			t.Errorf("look %d tells of %q, want %q: %s", i, others, look.others, told.String())
		}
	}
	if want := "4 aa"; r.beat != want {
		t.Errorf("it shows %q, want %q", r.beat, want)
	}
}
