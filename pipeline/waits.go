package pipeline

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// waitsAfter is how long the process may wait for its group, for Kafka or for the
// store before the log says so: longer than a failover takes.
const waitsAfter = 10 * time.Second

// waits tells the log of what keeps partitions from going on, once for all of
// them, and of the end. A halted partition is told of by itself.
type waits struct {
	log   *slog.Logger
	away  func() bool // whether an outage is told of, which explains what is waited for
	since time.Time   // zero: nothing stands in the way
	told  bool
}

// look compares what stands in the way now with what did.
func (w *waits) look(now time.Time, why []string) {
	switch {
	case len(why) == 0:
		if w.told {
			w.log.Info("the wait is over", "seconds", int(now.Sub(w.since).Seconds()))
		}
		w.since, w.told = time.Time{}, false
	case w.since.IsZero(), !w.told && w.away():
		w.since = now
	case !w.told && now.Sub(w.since) >= waitsAfter:
		w.log.Warn("waiting", "for", why[0], "others", len(why)-1)
		w.told = true
	}
}

// watch looks at the board every second and returns what ends it.
func (w *waits) watch(ctx context.Context, b *board) (stop func()) {
	return beside(ctx, func(ctx context.Context) {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case now := <-tick.C:
				w.look(now, b.obstacles(false))
			case <-ctx.Done():
				return
			}
		}
	})
}

// beside runs f in a goroutine and returns what ends it and waits for it.
func beside(ctx context.Context, f func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { f(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}
