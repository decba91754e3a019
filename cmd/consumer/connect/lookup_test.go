package connect_test

import (
	"context"
	"errors"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/connect/connecttest"
	"github.com/credence-stream/credence/pipeline"
)

func TestLookup(t *testing.T) {
	l := connecttest.Lookup(t, map[int32][]string{1: {"a"}, 2: {"astray"}, 0: {"a"}, 3: {"no rule"}})
	for _, c := range []struct {
		key       string
		partition int32 // -1: none
	}{
		{"a", 1}, {"astray", 2}, {"absent", -1}, {"no rule", -1},
	} {
		m, err := l.Model(t.Context(), c.key)
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
	l := connecttest.Lookup(t, nil)
	l.Reader = connecttest.Shelf{Err: away}
	if _, err := l.Model(t.Context(), "a"); !errors.Is(err, away) {
		t.Errorf("store away: %v", err)
	}
	l = connecttest.Lookup(t, nil)
	l.Count = func(context.Context) (int, error) { return 0, away }
	if _, err := l.Model(t.Context(), "a"); !errors.Is(err, away) {
		t.Errorf("kafka away: %v", err)
	}
	l = connecttest.Lookup(t, map[int32][]string{1: {"a"}})
	l.Reader.(connecttest.Shelf).Values[1]["a"][7] ^= 1
	if _, err := l.Model(t.Context(), "a"); !errors.Is(err, pipeline.ErrDamaged) {
		t.Errorf("damaged state: %v", err)
	}
}
