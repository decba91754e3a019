// Package storetest holds the contract of a checkpoint store as a test suite,
// and a store in memory that keeps it.
package storetest

import (
	"context"
	"errors"
	"reflect"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// Fixture is a store under test with what is needed to hurt it. Every field
// is set.
type Fixture struct {
	Store  pipeline.Store
	Reader pipeline.Reader
	Admin  pipeline.StateAdmin
	// Layouts is about the same store.
	Layouts pipeline.LayoutAdmin
	// Sibling opens the store of another group on the same server.
	Sibling func() (pipeline.Store, pipeline.Reader)
	// Snapshot takes the whole store as it is; what it returns puts it back
	// under those who use it.
	Snapshot func() (restore func())
	// Lose removes a stored value and leaves the count of keys as it is.
	Lose func(p pipeline.Partition, key string)
	// LoseBlob removes what the stored value of a key points to; the value
	// is of BigBytes.
	LoseBlob func(p pipeline.Partition, key string)
}

// BigBytes is the length of the values that the suite takes for big ones,
// which a store keeps apart.
const BigBytes = 700 << 10

// Run runs the contract. open is called once per case and returns an empty
// store.
func Run(t *testing.T, open func(t *testing.T) Fixture) {
	for _, group := range [][]testCase{claimCases, saveCases, blobCases, listCases, adminCases, layoutCases} {
		for _, c := range group {
			t.Run(c.name, func(t *testing.T) {
				t.Cleanup(func() {
					if t.Failed() {
						t.Logf("why it matters: %s", c.why)
					}
				})
				c.run(&subject{Fixture: open(t), t: t})
			})
		}
	}
}

type testCase struct {
	name, why string
	run       func(*subject)
}

// subject is a store in one case.
type subject struct {
	Fixture
	t *testing.T
}

var part = pipeline.Partition{Topic: "shards", ID: 3}

func lease(token string) pipeline.Lease {
	return pipeline.Lease{Partition: part, Token: token, Generation: 7}
}

// put is a checkpoint with values given as key, value, key, value; an empty
// value deletes.
func put(from, to int64, keysAndValues ...string) pipeline.Checkpoint {
	c := pipeline.Checkpoint{From: from, To: to, Last: pipeline.Last{Offset: to - 1, Time: 1700000000000 + to, CRC: 0xfffffff0}}
	for i := 0; i < len(keysAndValues); i += 2 {
		change := pipeline.Change{Key: keysAndValues[i]}
		if v := keysAndValues[i+1]; v != "" {
			change.Value = pipeline.Stored(v)
		}
		c.Changes = append(c.Changes, change)
	}
	return c
}

// big returns a value of BigBytes that differs by mark.
func big(mark string) string {
	b := make([]byte, BigBytes)
	x := uint32(len(mark) + 1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return mark + string(b[len(mark):])
}

func (s *subject) ctx() context.Context { return s.t.Context() }

func (s *subject) claim(token string) pipeline.Meta {
	s.t.Helper()
	meta, err := s.Store.Claim(s.ctx(), lease(token))
	if err != nil {
		s.t.Fatalf("claim by %s: %v", token, err)
	}
	return meta
}

func (s *subject) save(token string, c pipeline.Checkpoint) {
	s.t.Helper()
	if err := s.Store.Save(s.ctx(), lease(token), c); err != nil {
		s.t.Fatalf("save by %s from %d to %d: %v", token, c.From, c.To, err)
	}
}

func (s *subject) saveIs(token string, c pipeline.Checkpoint, want error) {
	s.t.Helper()
	if err := s.Store.Save(s.ctx(), lease(token), c); !errors.Is(err, want) {
		s.t.Errorf("save by %s from %d to %d: error %v, want %v", token, c.From, c.To, err, want)
	}
}

func (s *subject) loadIs(token string, watermark int64, key string, want error) {
	s.t.Helper()
	if _, err := s.Store.Load(s.ctx(), lease(token), []int64{watermark}, []string{key}, 1); !errors.Is(err, want) {
		s.t.Errorf("load by %s at %d: error %v, want %v", token, watermark, err, want)
	}
}

// load reads all of keys, in as many calls as it takes.
func (s *subject) load(token string, watermark int64, keys []string) (values []pipeline.Stored) {
	s.t.Helper()
	for len(values) < len(keys) {
		some, err := s.Store.Load(s.ctx(), lease(token), []int64{watermark}, keys[len(values):], 1<<30)
		if err != nil || len(some) == 0 {
			s.t.Fatalf("load: %d of %d values and error %v", len(some), len(keys)-len(values), err)
		}
		values = append(values, some...)
	}
	return values
}

// holds checks a value as its owner and as a reader without a claim see it; an
// empty one is absent.
func (s *subject) holds(token string, watermark int64, key, want string) {
	s.t.Helper()
	values, err := s.Store.Load(s.ctx(), lease(token), []int64{watermark}, []string{key}, 1)
	if err != nil {
		s.t.Errorf("load %q: %v", key, err)
		return
	}
	if string(values[0]) != want || (values[0] == nil) != (want == "") {
		s.t.Errorf("load %q: %s, want %s", key, show(string(values[0])), show(want))
	}
	s.reads(key, want)
}

func (s *subject) reads(key, want string) {
	s.t.Helper()
	value, err := s.Reader.Get(s.ctx(), part, key)
	if err != nil || string(value) != want || (value == nil) != (want == "") {
		s.t.Errorf("get %q: %s and error %v, want %s", key, show(string(value)), err, show(want))
	}
}

func (s *subject) meta() pipeline.Meta {
	s.t.Helper()
	meta, err := s.Store.Meta(s.ctx(), part)
	if err != nil {
		s.t.Fatalf("meta: %v", err)
	}
	return meta
}

func (s *subject) same(what string, got, want pipeline.Meta) {
	s.t.Helper()
	if !reflect.DeepEqual(got, want) {
		s.t.Errorf("%s: %+v, want %+v", what, got, want)
	}
}

// show makes a value short enough to print.
func show(v string) string {
	if len(v) > 40 {
		return strconv.Quote(v[:40]) + "... of " + strconv.Itoa(len(v)) + " bytes"
	}
	return strconv.Quote(v)
}
