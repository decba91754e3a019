package kafka

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/credence-stream/credence/pipeline"
)

// TestLookups: callers share an answer that was asked for after each of them came,
// and none ends it for another.
func TestLookups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := lookups{next: map[string]*lookup{}}
		asked, ended := 0, 0
		ask := func(ctx context.Context) (route, error) {
			asked++
			r := route{leaders: make([]string, asked)}
			select {
			case <-time.After(time.Second):
				return r, nil
			case <-ctx.Done():
				ended++
				return route{}, ctx.Err()
			}
		}
		type result struct {
			ask int // the answer's
			err error
		}
		call := func(ctx context.Context) <-chan result {
			c := make(chan result, 1)
			go func() {
				r, err := s.do(ctx, "t", ask)
				c <- result{len(r.leaders), err}
			}()
			synctest.Wait()
			return c
		}
		brief, cancel := context.WithCancel(t.Context())
		first := call(t.Context())
		second, third := call(brief), call(t.Context())
		if r := <-first; r != (result{ask: 1}) {
			t.Errorf("the first was told %+v", r)
		}
		synctest.Wait() // the second and third are being asked for
		cancel()
		if r := <-second; !errors.Is(r.err, context.Canceled) {
			t.Errorf("who left was told %+v", r)
		}
		if r := <-third; r != (result{ask: 2}) {
			t.Errorf("who stayed was told %+v", r)
		}
		// The last that leaves ends what is asked for, and what is not yet.
		brief, cancel = context.WithCancel(t.Context())
		briefer, cancelNext := context.WithCancel(t.Context())
		fourth, fifth := call(brief), call(briefer)
		cancelNext()
		<-fifth
		cancel()
		<-fourth
		synctest.Wait()
		if asked != 3 || ended != 1 || len(s.next) > 0 {
			t.Errorf("asked %d times, %d ended, %d are left", asked, ended, len(s.next))
		}
	})
}

func TestAddresses(t *testing.T) {
	r := newAddresses([]string{"a", "b", "a"})
	for _, step := range []struct {
		do   func()
		want []string
	}{
		{func() {}, []string{"a", "b"}},
		{func() { r.failed("a") }, []string{"b", "a"}},
		{func() { r.named([]string{"c", "b"}) }, []string{"b", "c", "a"}},
		{func() { r.answered("c") }, []string{"c", "b", "a"}},
		{func() { r.named([]string{"d"}) }, []string{"b", "d", "a"}},
		{func() { r.failed("c") }, []string{"b", "d", "a"}},
	} {
		step.do()
		if got := r.list(); !slices.Equal(got, step.want) {
			t.Errorf("%v, want %v", got, step.want)
		}
	}
}

// A partition that nobody leads says so, and what to do if that lasts.
func TestNobodyLeads(t *testing.T) {
	c := connect(t, []string{"127.0.0.1:1"})
	c.routes["in"] = route{leaders: []string{""}, born: time.Now()}
	if _, err := c.leader(t.Context(), pipeline.Partition{Topic: "in"}); !errors.Is(err, kafka.LeaderNotAvailable) || !strings.Contains(err.Error(), "start a broker that has this partition") {
		t.Errorf("error %v", err)
	}
}
