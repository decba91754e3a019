package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/pipeline"
)

// storedState returns what a worker would store for a key after one shard.
func storedState(t *testing.T, spec *cdf.Spec, key string, offset int64) pipeline.Stored {
	t.Helper()
	f := cdf.NewFilter(spec, key)
	x, y := []float64{1, 2, 3, 4}, []float64{1.1, 1.9, 3.2, 3.9}
	if _, err := f.Update(&cdf.Batch{Rows: 4, Columns: []cdf.Column{{Name: "x", Number: x}, {Name: "y", Number: y}}}); err != nil {
		t.Fatal(err)
	}
	snapshot, err := f.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	e := pipeline.Envelope{Offset: offset, Time: 978307200000, Snapshot: snapshot}
	b, err := e.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func newLookup(t *testing.T, s fakeStore) *lookup {
	t.Helper()
	c := parse(t, `models: [{match: "a*", kind: linear}]`)
	rules, err := pipeline.NewRules(c.rules(), pipeline.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for id, keys := range s.keys {
		for _, key := range keys {
			if s.values[id] == nil {
				s.values[id] = map[string]pipeline.Stored{}
			}
			s.values[id][key] = storedState(t, c.Models[0].spec, key, 100+int64(id))
		}
	}
	return &lookup{
		reader: s, rules: rules, topic: "shards", home: byLength,
		count: func(context.Context) (int, error) { return 4, nil },
	}
}

func newFakeStore(keys map[int32][]string) fakeStore {
	return fakeStore{keys: keys, values: map[int32]map[string]pipeline.Stored{}}
}

func TestLookup(t *testing.T) {
	l := newLookup(t, newFakeStore(map[int32][]string{1: {"a"}, 2: {"astray"}, 0: {"a"}, 3: {"no rule"}}))
	for _, c := range []struct {
		key       string
		partition int32 // -1: none
	}{
		{"a", 1}, {"astray", 2}, {"absent", -1}, {"no rule", -1},
	} {
		m, err := l.model(t.Context(), c.key)
		if err != nil {
			t.Fatal(err)
		}
		if c.partition < 0 {
			if m != nil {
				t.Errorf("key %q: found %+v", c.key, m)
			}
			continue
		}
		if m == nil {
			t.Errorf("key %q: nothing", c.key)
			continue
		}
		if p := m.Posterior; m.Rule.Match != "a*" || m.Bytes == 0 || p.Source.ID != c.partition || p.Offset != 100+int64(c.partition) || p.Key != c.key || p.Summary.N != 4 {
			t.Errorf("key %q: %+v of %+v", c.key, p, m)
		}
	}
}

func TestLookupErrors(t *testing.T) {
	away := errors.New("away")
	s := newFakeStore(nil)
	s.err = away
	if _, err := newLookup(t, s).model(t.Context(), "a"); !errors.Is(err, away) {
		t.Errorf("store away: %v", err)
	}
	l := newLookup(t, newFakeStore(nil))
	l.count = func(context.Context) (int, error) { return 0, away }
	if _, err := l.model(t.Context(), "a"); !errors.Is(err, away) {
		t.Errorf("kafka away: %v", err)
	}
	s = newFakeStore(map[int32][]string{1: {"a"}})
	l = newLookup(t, s)
	s.values[1]["a"][7] ^= 1
	if _, err := l.model(t.Context(), "a"); !errors.Is(err, pipeline.ErrDamaged) {
		t.Errorf("damaged state: %v", err)
	}
}

func TestGet(t *testing.T) {
	l := newLookup(t, newFakeStore(map[int32][]string{1: {"a"}, 3: {"a"}}))
	var out, messages bytes.Buffer
	a := &app{kinds: models.Kinds(), out: &out, err: &messages}
	for _, c := range []struct{ format, want string }{
		{"json", `{"key":"a","kind":"linear","variant":"corrected","t":1,"n":4,`},
		{"csv", "key,kind,variant,t,n,time,variable,mean,"},
		{"table", "key          a\nmodel        linear (corrected)"},
	} {
		out.Reset()
		messages.Reset()
		if err := a.get(t.Context(), l, "a", c.format); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out.String(), c.want) || !strings.Contains(out.String(), "beta[x]") {
			t.Errorf("%s: %s", c.format, out.String())
		}
		if !strings.Contains(messages.String(), "partitions 1 and 3") {
			t.Errorf("a key in two partitions is not told: %q", messages.String())
		}
	}
	for key, want := range map[string]string{"absent": "no model for key", "no rule": "no entry of models matches"} {
		if err := a.get(t.Context(), l, key, "json"); err == nil || !strings.Contains(err.Error(), want) || exitCode(err) != 1 {
			t.Errorf("key %q: %v", key, err)
		}
	}
}
