package depend

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// crowd is work that takes some requests and half a minute for all of them, by many at once, of servers that
// take up one request after the other.
type crowd struct {
	each    time.Duration // of a request
	steps   int
	limit   time.Duration
	servers chan struct{}
}

// do asks for what all steps need and tells whether they ended in time.
func (c *crowd) do(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	for range c.steps {
		select {
		case c.servers <- struct{}{}:
		case <-ctx.Done():
			return false
		}
		select {
		case <-time.After(c.each):
			<-c.servers
		case <-ctx.Done():
			<-c.servers
			return false
		}
	}
	return true
}

// TestTurnsKeepACrowdGoing: a thousand that ask servers for more than these give within the limit of each all come to
// their end, in about the time that the servers need for them. Without turns none does.
func TestTurnsKeepACrowdGoing(t *testing.T) {
	for _, n := range []int{50, 1000} {
		synctest.Test(t, func(t *testing.T) {
			var turns Turns
			c := &crowd{each: time.Second, steps: 4, limit: 30 * time.Second, servers: make(chan struct{}, 20)}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
			defer cancel()
			begun, done, failed := time.Now(), make(chan int, n), 0
			for range n {
				go func() {
					for tries := 0; ; tries++ {
						if turns.Take(ctx) != nil {
							return
						}
						well := c.do(ctx)
						turns.Done(well, !well)
						if well {
							done <- tries
							return
						}
						<-time.After(2 * time.Second)
					}
				}()
			}
			for range n {
				select {
				case tries := <-done:
					failed += tries
				case <-ctx.Done():
					t.Fatalf("after %v not all are done", time.Since(begun))
				}
			}
			took, least := time.Since(begun), time.Duration(n*c.steps/cap(c.servers))*c.each
			t.Logf("%d: done after %v, %d tries ran out of time; the servers need %v", n, took, failed, least)
			if took > 3*least+c.limit {
				t.Errorf("%d took %v, and the servers need %v", n, took, least)
			}
		})
	}
}

// TestTurnsWithoutTrouble: nobody waits for a turn while all come to their end or are refused, and who gives up
// to wait for one takes none.
func TestTurnsWithoutTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns Turns
		at := time.Now()
		for range 1000 {
			if err := turns.Take(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for range 980 {
			turns.Done(false, false)
		}
		turns.Done(false, true) // of 20
		for range 11 {
			turns.Done(true, false)
		}
		if turns.busy != 8 || turns.most != 12 || !at.Equal(time.Now()) {
			t.Fatalf("%d are under way, at most %d", turns.busy, turns.most)
		}
		for range 4 {
			if err := turns.Take(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := turns.Take(ctx); err == nil {
			t.Error("a thirteenth has a turn")
		}
		got := make(chan error)
		go func() { got <- turns.Take(t.Context()) }()
		synctest.Wait()
		turns.Done(false, false)
		if err := <-got; err != nil || turns.busy != 12 || len(turns.queue) != 0 {
			t.Errorf("%d are under way, %d wait, error %v", turns.busy, len(turns.queue), err)
		}
	})
}
