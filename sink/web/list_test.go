package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

type listAnswer struct {
	Models []struct {
		Key, Kind string
		Partition int32
		Owned     *bool
		T, N      int64
		Damaged   bool
		Posterior []struct {
			Variable string
			Mean     *float64
		}
	}
	Next  *string
	Total int64
}

func listOf(t *testing.T, s *Server, query url.Values) (a listAnswer) {
	t.Helper()
	status, _, body := ask(s, "GET", "/v1/models?"+query.Encode())
	if err := json.Unmarshal([]byte(body), &a); status != 200 || err != nil {
		t.Fatalf("%v: %d %v %s", query, status, err, body)
	}
	return a
}

// walk follows next to the end.
func walk(t *testing.T, s *Server, query url.Values) (all []string, pages int) {
	t.Helper()
	for {
		a := listOf(t, s, query)
		for _, m := range a.Models {
			all = append(all, m.Key)
		}
		if pages++; a.Next == nil {
			return all, pages
		}
		query.Set("after", *a.Next)
	}
}

func keysOf(s *shelf, keep func(string) bool) []string {
	var all []string
	for _, part := range s.keys {
		for _, k := range part {
			if keep(k) {
				all = append(all, k)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Pages of any size together have every key once, in byte order, whatever
// partition it is in, with and without filters.
func TestPagesLoseNothing(t *testing.T) {
	var store *shelf
	s := newServer(t, func(o *Options) { store = o.Store.(*shelf) }) //nolint:forcetypeassert // made here
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 700 {
		key := fmt.Sprintf("%c/%d", 'a'+rune(rng.IntN(4)), rng.IntN(5000))
		if i%50 == 0 {
			key = fmt.Sprintf("Ü\x00%d\xf4\x8f\xbf\xbf", i)
		}
		store.list(rng.IntN(4), key)
	}
	for i := range store.keys {
		store.keys[i] = slices.Compact(store.keys[i])
	}
	store.list(0, "twice")
	store.list(3, "twice")
	for _, c := range []struct {
		name  string
		query url.Values
		keep  func(string) bool
	}{
		{"all", nil, func(string) bool { return true }},
		{"prefix", url.Values{"prefix": {"b/"}}, func(k string) bool { return strings.HasPrefix(k, "b/") }},
		{"contains", url.Values{"contains": {"/4"}}, func(k string) bool { return strings.Contains(k, "/4") }},
		{"both", url.Values{"contains": {"7"}, "prefix": {"c"}}, func(k string) bool { return strings.HasPrefix(k, "c") && strings.Contains(k, "7") }},
		{"letter case", url.Values{"contains": {"A/1"}}, func(k string) bool { return strings.Contains(k, "a/1") }},
		{"kind", url.Values{"kind": {"linear"}}, func(k string) bool { return store.models[k] != nil }},
		{"other kind", url.Values{"kind": {"dlm"}}, func(string) bool { return false }},
	} {
		want := keysOf(store, c.keep)
		for _, limit := range []string{"1", "7", "100", "10000"} {
			if limit == "1" && len(want) > 300 {
				continue // many pages say no more than those of 7
			}
			query := url.Values{"fields": {"key"}, "limit": {limit}}
			for k, v := range c.query {
				query[k] = v
			}
			if got, pages := walk(t, s, query); !slices.Equal(got, want) {
				t.Errorf("%s, pages of %s: %d keys in %d pages, want %d", c.name, limit, len(got), pages, len(want))
			}
		}
	}
}

// 100,000 keys cost what a page costs; a filter that few pass ends after so
// many keys and says where to go on.
func TestManyKeys(t *testing.T) {
	var store *shelf
	s := newServer(t, func(o *Options) { store = o.Store.(*shelf) }) //nolint:forcetypeassert // made here
	for i := range store.keys {
		store.keys[i] = nil
	}
	for i := range 100_000 {
		store.keys[i%4] = append(store.keys[i%4], fmt.Sprintf("k%06d", i))
	}
	if a := listOf(t, s, url.Values{"fields": {"key"}, "after": {"k050000"}}); len(a.Models) != 100 || a.Models[0].Key != "k050001" || a.Total != 100_000 || *a.Next != "k050100" {
		t.Errorf("a page: %+v", a)
	}
	if store.reads > 1000 {
		t.Errorf("a page of 100 read %d keys", store.reads)
	}
	store.reads = 0
	a := listOf(t, s, url.Values{"fields": {"key"}, "contains": {"k099999"}})
	if len(a.Models) != 0 || a.Next == nil || store.reads > maxScan+4*scanChunk {
		t.Errorf("a filter that none passes: %+v, %d keys read", a, store.reads)
	}
	if got, pages := walk(t, s, url.Values{"fields": {"key"}, "contains": {"k099999"}}); !slices.Equal(got, []string{"k099999"}) || pages != 2 {
		t.Errorf("%q in %d pages", got, pages)
	}
	// All of them, by the largest pages: what a page reads beyond itself is a
	// chunk of each partition at most.
	store.reads = 0
	got, pages := walk(t, s, url.Values{"fields": {"key"}, "limit": {"10000"}})
	if want := keysOf(store, func(string) bool { return true }); !slices.Equal(got, want) || pages != 10 {
		t.Errorf("%d keys in %d pages, want %d in 10", len(got), pages, len(want))
	}
	if most := 100_000 + pages*4*scanChunk; store.reads > most {
		t.Errorf("%d keys read for 100,000, want at most %d", store.reads, most)
	}
}

// A partition whose keys fill a chunk exactly is neither cut off nor read for
// ever.
func TestChunkBoundaries(t *testing.T) {
	const chunk = 10
	for _, n := range []int{0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, 2*chunk + 1} {
		store := &shelf{}
		var want []string
		for p := range store.keys {
			for i := range n + p%2 { // some at the boundary, some beside it
				key := fmt.Sprintf("%03d/%d", i, p)
				store.list(p, key)
				want = append(want, key)
			}
		}
		slices.Sort(want)
		m := newMerge(store, len(store.keys), "", "", chunk)
		var got []string
		for {
			l, ok, err := m.next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			if got = append(got, l.key); len(got) > len(want) {
				t.Fatalf("%d keys a partition: more than there are", n)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d keys a partition: %d of %d", n, len(got), len(want))
		}
		if _, ok, _ := m.next(t.Context()); ok || m.reads != len(want) {
			t.Errorf("%d keys a partition: %d keys read of %d", n, m.reads, len(want))
		}
	}
}

func TestListEntries(t *testing.T) {
	var store *shelf
	s := newServer(t, func(o *Options) { store = o.Store.(*shelf) }) //nolint:forcetypeassert // made here
	a := listOf(t, s, url.Values{"key": {"x//y", "nobody", "flights/ATL"}, "variables": {"beta[c*,sigma2"}})
	if len(a.Models) != 2 || a.Models[0].Key != "x//y" || a.Models[1].Key != "flights/ATL" || a.Next != nil {
		t.Fatalf("%+v", a)
	}
	m := a.Models[1]
	if m.Kind != "linear" || m.Partition != 1 || m.Owned == nil || *m.Owned || m.T != 1 || m.N != 60 {
		t.Errorf("%+v", m)
	}
	var names []string
	for i, v := range m.Posterior {
		names = append(names, v.Variable)
		var want *cdf.Row
		for j := range store.models[m.Key].Posterior.Summary.Rows {
			if r := &store.models[m.Key].Posterior.Summary.Rows[j]; r.Variable == v.Variable {
				want = r
			}
		}
		if v.Mean == nil || *v.Mean != want.Mean {
			t.Errorf("%s: mean %v, want %v", v.Variable, m.Posterior[i].Mean, want.Mean)
		}
	}
	if !slices.Equal(names, []string{"beta[carrier=DL]", "sigma2"}) {
		t.Errorf("variables %q", names)
	}
	store.list(2, "damaged", "beyond")
	if a = listOf(t, s, url.Values{"key": {"damaged", "beyond"}}); len(a.Models) != 2 || !a.Models[0].Damaged || !a.Models[1].Damaged {
		t.Errorf("a damaged state, and one that no number holds: %+v", a)
	}
	if a = listOf(t, s, url.Values{"flag": {"low_ess"}}); len(a.Models) != 0 || a.Next != nil {
		t.Errorf("flags that nobody has: %+v", a)
	}
	store.away = errors.New("store away")
	if status, h, body := ask(s, "GET", "/v1/models"); status != 503 || errorCode(body) != "unavailable" || h.Get("Retry-After") == "" {
		t.Errorf("store away: %d %s", status, body)
	}
}

// Keys with a flag come from the feed, by pages too.
func TestListFlagged(t *testing.T) {
	s := newServer(t, nil)
	p := pipeline.Partition{Topic: "shards", ID: 1}
	s.options.Feed.State(p, pipeline.State{Phase: pipeline.PhaseRunning})
	var points []*pipeline.Point
	for i, key := range []string{"c", "a", "b", "d"} {
		points = append(points, &pipeline.Point{
			Key: key, Kind: "linear", Partition: 1, Offset: int64(i), T: 3, N: 30, Score: cdf.NoScore(), Published: true, Flagged: key != "b",
			Names: []string{"mu"}, Variables: 1, Numbers: make([]float64, len(cdf.RowColumns)),
		})
	}
	s.options.Feed.Saved(p, points)
	got, pages := walk(t, s, url.Values{"flag": {"model"}, "limit": {"2"}})
	if !slices.Equal(got, []string{"a", "c", "d"}) || pages != 2 {
		t.Errorf("%q in %d pages", got, pages)
	}
	a := listOf(t, s, url.Values{"flag": {"model"}, "key": {"d", "b", "a"}})
	if len(a.Models) != 2 || a.Models[0].Key != "d" || a.Models[1].T != 3 || a.Models[1].Owned == nil || !*a.Models[1].Owned {
		t.Errorf("flag and keys: %+v", a)
	}
}

// A page costs reads of the store by its size, not by the size of the store.
func TestMergeEnds(t *testing.T) {
	store := newShelf(t)
	store.away = errors.New("away")
	if _, _, err := newMerge(store, 4, "", "", 10).next(context.Background()); err == nil {
		t.Error("an outage passes for the end")
	}
}
