package run

import (
	"log/slog"
	"sync/atomic"

	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink/live"
)

// crowdTeller is a feed that says once, in the log, that it drops pasts of keys because
// there are too many of them.
type crowdTeller struct {
	*live.Feed
	log   *slog.Logger
	limit int64 // http.history
	told  atomic.Bool
}

// Saved implements pipeline.Observer.
func (c *crowdTeller) Saved(p pipeline.Partition, points []*pipeline.Point) {
	c.Feed.Saved(p, points)
	if c.told.Load() {
		return
	}
	if crowd, ok := c.Crowded(); ok && !c.told.Swap(true) {
		c.log.Warn("pasts of keys are dropped", "keys", crowd.Keys, "http.history", cli.Size(c.limit),
			"advice", "the live page has no past of keys that changed long ago: for the last ten posteriors of each key set http.history to "+
				cli.Size(live.Crowd{Keys: 1000, PerKey: crowd.PerKey}.Needed())+" for each 1,000 keys, here "+cli.Size(crowd.Needed())+" or more")
	}
}
