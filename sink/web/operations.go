package web

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/credence-stream/credence/pipeline"
)

const (
	freshness  = time.Second     // of what is asked of store and Kafka for everybody
	askTimeout = 2 * time.Second // one such question
)

// Topics answers from Kafka.
type Topics interface {
	// Ends returns for each partition of the input the offset after its last
	// record.
	Ends(ctx context.Context) ([]int64, error)
	// DeadLetters returns the newest letters, newest first.
	DeadLetters(ctx context.Context, limit int) ([]Letter, error)
}

// Process is what is known of this process and its configuration.
type Process struct {
	Version              string
	Started              time.Time
	Input, Output, Group string
	DeadLetters          string // topic
	// Memory returns the bytes of cached states and of records on their way.
	Memory func() (cache, inflight int64)
}

// outside is what others know of the partitions, as of a moment.
type outside struct {
	at    time.Time
	metas []pipeline.Meta // nil: the store did not answer
	ends  []int64         // nil: Kafka did not answer
}

// cached asks store and Kafka at most once per freshness, however many ask it.
type cached struct {
	mu   sync.Mutex
	last outside
}

func (c *cached) get(ctx context.Context, store Store, topics Topics) outside {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.last.at) < freshness {
		return c.last
	}
	// Whoever waits for the lock wants the answer as well: it does not end
	// with the request that happened to ask.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
	defer cancel()
	var now outside
	var wait sync.WaitGroup
	wait.Go(func() {
		if metas, err := store.Metas(ctx); err == nil {
			now.metas = metas
		}
	})
	wait.Go(func() {
		if ends, err := topics.Ends(ctx); err == nil {
			now.ends = ends
		}
	})
	wait.Wait()
	now.at = time.Now()
	c.last = now
	return now
}

// operations answers /v1/operations.
func (s *Server) operations(w http.ResponseWriter, r *http.Request) error {
	if err := newQuery(r).err(); err != nil {
		return err
	}
	commands, err := json.Marshal(s.options.Commands.Process())
	if err != nil {
		return fmt.Errorf("operations: commands: %w", err)
	}
	now := s.outside.get(r.Context(), s.options.Store, s.options.Topics)
	reasons := s.options.Ready()
	p := &s.options.Process
	o := newObject()
	o.truth("ready", len(reasons) == 0)
	o.texts("reasons", reasons)
	o.text("version", p.Version)
	o.time("started", p.Started.UnixMilli())
	o.text("input", p.Input)
	o.text("output", p.Output)
	o.text("group", p.Group)
	parts := s.partitions(now)
	s.appendTotals(&o, now, parts)
	appendList(&o, "partitions", parts, appendPartition)
	appendList(&o, "events", s.options.Feed.Events(), appendOperationEvent)
	o.raw("commands", commands)
	writeBody(w, jsonType, o.line())
	return nil
}

// partition is where a partition stands.
type partition struct {
	id                 int32
	owned              bool
	phase, reason, why string
	owner              string
	generation         int32
	keys, watermark    int64
	end                int64 // -1: not known
	checkpointAge      float64
}

// ownerLength is what is shown of a claim's token.
const ownerLength = 8

// partitions puts together what the store, Kafka and this process know.
func (s *Server) partitions(now outside) []partition {
	states := s.options.Feed.Partitions()
	n := max(len(now.metas), len(now.ends))
	for id := range states {
		n = max(n, int(id)+1)
	}
	list := make([]partition, n)
	for i := range list {
		p := &list[i]
		*p = partition{id: int32(i), phase: "unclaimed", watermark: -1, end: -1, checkpointAge: math.NaN()}
		if i < len(now.ends) {
			p.end = now.ends[i]
		}
		if i < len(now.metas) {
			m := &now.metas[i]
			p.owner, p.generation, p.keys, p.watermark = m.Owner[:min(len(m.Owner), ownerLength)], m.Generation, m.Keys, m.Watermark
			if m.Owner != "" {
				p.phase = "elsewhere"
			}
		}
		st, ok := states[p.id]
		if !ok {
			continue
		}
		p.owned, p.phase, p.reason, p.why = true, string(st.Phase), st.Reason, st.Why
		if st.Owner != "" {
			p.owner, p.generation = st.Owner, st.Generation
		}
		p.watermark = max(p.watermark, st.Watermark)
		if !st.Saved.IsZero() {
			p.checkpointAge = time.Since(st.Saved).Seconds()
		}
	}
	return list
}

// lag returns the records that are not applied yet, false where Kafka does not
// say where the log ends.
func (p *partition) lag() (int64, bool) {
	return max(0, p.end-max(p.watermark, 0)), p.end >= 0
}

func appendPartition(o *object, p *partition) {
	o.count("partition", int64(p.id))
	o.truth("owned", p.owned)
	o.text("phase", p.phase)
	if p.reason != "" {
		o.text("reason", p.reason)
	}
	if p.why != "" {
		o.text("why", p.why)
	}
	o.text("owner", p.owner)
	o.count("generation", int64(p.generation))
	o.count("keys", p.keys)
	o.count("watermark", p.watermark)
	lag, known := p.lag()
	o.maybe("end", p.end, known)
	o.maybe("lag", lag, known)
	o.number("checkpoint_age", p.checkpointAge)
}

func (s *Server) appendTotals(o *object, now outside, parts []partition) {
	keys, lag := int64(0), int64(0)
	for i := range parts {
		keys += parts[i].keys
		if l, ok := parts[i].lag(); ok {
			lag += l
		}
	}
	totals := s.options.Feed.Totals()
	cache, inflight := s.options.Process.Memory()
	o.name("totals")
	o.open()
	o.maybe("keys", keys, now.metas != nil)
	o.number("rows_per_second", totals.RowsPerSecond)
	o.number("shards_per_second", totals.ShardsPerSecond)
	o.maybe("lag", lag, now.ends != nil)
	o.count("dead_letters", totals.DeadLetters)
	o.count("cache_bytes", cache)
	o.count("inflight_bytes", inflight)
	o.close()
}

func appendOperationEvent(o *object, e *pipeline.Event) {
	o.time("time", e.Time.UnixMilli())
	o.text("kind", e.Kind)
	o.maybe("partition", int64(e.Partition.ID), e.Partition.ID >= 0)
	o.text("message", e.Message)
}
