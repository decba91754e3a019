//go:build unix

package chaos

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/testenv/probe"
)

// flow sends records one after the other until the returned function is called and at least
// so many are sent; it returns when all that were sent are acknowledged. On a machine that takes longer they
// have to last: the second half goes at half the rate, what is then the second half at
// half of that, down to a tenth. It is an error if they were not enough.
func flow(t *testing.T, brokers []string, records []pipeline.Output, every time.Duration, least int) (stop func() error) {
	t.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.MetadataMinAge(50*time.Millisecond), kgo.AlwaysRetryEOF()) // a link answers while its broker is down
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		var mu sync.Mutex
		var failed error
		end := func(all error) {
			flushed := c.Flush(context.WithoutCancel(ctx))
			mu.Lock()
			defer mu.Unlock()
			done <- errors.Join(all, flushed, failed)
		}
		pause, half := every, len(records)/2
		for i := range records {
			if i == half && pause < 10*every {
				pause, half = min(2*pause, 10*every), half+(len(records)-half)/2
				tick.Reset(pause)
			}
			enough := ctx.Done()
			if i < least {
				enough = nil
			}
			select {
			case <-tick.C:
			case <-enough:
				end(nil)
				return
			}
			c.Produce(context.WithoutCancel(ctx), recordOf(&records[i]), func(_ *kgo.Record, err error) {
				mu.Lock()
				defer mu.Unlock()
				failed = errors.Join(failed, err)
			})
		}
		end(fmt.Errorf("all %d records were sent before the end", len(records)))
	}()
	t.Cleanup(func() {
		cancel()
		c.Close()
	})
	return func() error {
		cancel()
		return <-done
	}
}

// pulse notes the longest time without an output of each partition of the input, while
// all of them have records.
type pulse struct {
	mu   sync.Mutex
	last map[string]time.Time // by ce_source
	gaps map[string]time.Duration
}

// watch reads the output topic of a group until the end of the test.
func watch(t *testing.T, brokers []string, g group) *pulse {
	t.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.ConsumeTopics(g.output), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.UnknownTopicRetries(-1), kgo.AlwaysRetryEOF(), kgo.MetadataMinAge(50*time.Millisecond), kgo.FetchMaxWait(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	p := &pulse{last: map[string]time.Time{}, gaps: map[string]time.Duration{}}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			f := c.PollFetches(ctx)
			p.mu.Lock()
			f.EachRecord(func(r *kgo.Record) {
				for _, h := range r.Headers {
					if h.Key == "ce_source" {
						p.saw(string(h.Value), time.Now())
					}
				}
			})
			p.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		c.Close()
	})
	return p
}

func (p *pulse) saw(source string, now time.Time) {
	if before, ok := p.last[source]; ok {
		p.gaps[source] = max(p.gaps[source], now.Sub(before))
	}
	p.last[source] = now
}

// fresh waits until each of n partitions has had an output since a time.
func (p *pulse) fresh(ctx context.Context, n int, since time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, probe.Patience)
	defer cancel()
	return probe.Until(ctx, func(context.Context) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		var without []string
		for source, at := range p.last {
			if at.Before(since) {
				without = append(without, source)
			}
		}
		if len(without) > 0 || len(p.last) != n {
			return fmt.Errorf("%d of %d partitions have had an output, and not since then: %s", len(p.last), n, strings.Join(without, ", "))
		}
		return nil
	})
}

// longest returns the longest time of any partition since the last call, until now, and of
// which it is.
func (p *pulse) longest() (gap time.Duration, source string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for s := range p.last {
		if now := time.Since(p.last[s]); now > p.gaps[s] {
			p.gaps[s] = now
		}
		if p.gaps[s] > gap {
			gap, source = p.gaps[s], s
		}
	}
	clear(p.gaps)
	return gap, source
}
