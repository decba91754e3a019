package run

import (
	"context"
	"io"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/pipeline"
)

// backfill is what a new group has to catch up with until it is live.
type backfill struct {
	from, to []int64 // by partition
	began    time.Time
}

// total returns how many offsets lie between.
func (b *backfill) total() (n int64) {
	for id := range b.from {
		n += b.to[id] - b.from[id]
	}
	return n
}

// done returns how many of them are in checkpoints, whichever process made them.
func (b *backfill) done(metas []pipeline.Meta) (n int64) {
	for id := range metas {
		if id < len(b.from) && metas[id].Exists {
			n += max(0, min(metas[id].Watermark, b.to[id])-b.from[id])
		}
	}
	return n
}

// left returns how long the rest takes at the speed so far, false where nothing is done.
func (b *backfill) left(done int64, now time.Time) (time.Duration, bool) {
	if done <= 0 {
		return 0, false
	}
	return time.Duration(float64(now.Sub(b.began)) / float64(done) * float64(b.total()-done)), true
}

const (
	backfillLook = time.Second      // between two looks at the watermarks
	backfillLine = 10 * time.Second // between two lines
)

// follow tells how far the backfill is until it is done: in the log, by metrics and, on a
// terminal, by a bar.
func (s *Service) follow(ctx context.Context, b *backfill, tty io.Writer) {
	auto := promauto.With(s.metrics)
	remaining := auto.NewGauge(prometheus.GaugeOpts{Namespace: "credence", Name: "backfill_remaining_records", Help: "Records of the backfill of run --from that are not yet in a checkpoint."})
	eta := auto.NewGauge(prometheus.GaugeOpts{Namespace: "credence", Name: "backfill_eta_seconds", Help: "Time until the backfill of run --from is done, at its speed so far."})
	var bar *term.Bar
	if tty != nil {
		bar = term.Progress(tty, "records until live", b.total())
		defer bar.Done()
	}
	shown, told := int64(0), time.Now()
	look := func(ctx context.Context) (over bool) {
		metas, err := s.Metas(ctx)
		if err != nil {
			return false // which is told of elsewhere
		}
		now, done := time.Now(), b.done(metas)
		left, known := b.left(done, now)
		remaining.Set(float64(b.total() - done))
		if known {
			eta.Set(left.Seconds())
		}
		if bar != nil {
			bar.Add(max(0, done-shown))
		}
		shown = max(done, shown)
		speed := int64(float64(done) / max(now.Sub(b.began).Seconds(), 1e-3))
		switch {
		case done >= b.total():
			s.logger.Info("backfill done", "records", done, "seconds", round(now.Sub(b.began)), "records_per_second", speed)
		case now.Sub(told) >= backfillLine && known:
			told = now
			s.logger.Info("backfill", "records", done, "of", b.total(), "percent", 100*done/b.total(), "records_per_second", speed, "seconds_left", round(left))
		}
		return done >= b.total()
	}
	tick := time.NewTicker(backfillLook)
	defer tick.Stop()
	for !look(ctx) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			if s.reached() { // a run to the end may be shorter than a tick
				bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), accounting)
				defer cancel()
				look(bounded)
			}
			return
		}
	}
}

func round(d time.Duration) float64 { return d.Round(100 * time.Millisecond).Seconds() }
