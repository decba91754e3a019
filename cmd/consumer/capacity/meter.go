package capacity

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/replay"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
)

// Cost is what shards and keys of a sample take, means of all of them. Bytes in
// Kafka are those before compression and replication.
type Cost struct {
	Shards      int     `json:"shards"` // measured
	Keys        int     `json:"keys"`   // of these
	Rows        float64 `json:"rows_per_shard"`
	FirstMicros float64 `json:"first_shard_us"` // one core: decode, update, score, summary, encode
	LaterMicros float64 `json:"later_shard_us"` // 0: each key has one shard
	Input       float64 `json:"input_bytes"`    // of a record
	Output      float64 `json:"output_bytes"`   // of what a shard publishes
	Stored      float64 `json:"stored_bytes"`   // of a key, in Redis
	Resting     float64 `json:"memory_bytes"`   // of a key whose model is not at hand
}

// meter applies shards as a worker's lane does and keeps account. It is for one
// goroutine.
type meter struct {
	recomputer *pipeline.Recomputer
	outputs    *counted
	states     map[string]*pipeline.Recomputed

	shards, first     int
	rows, input       int64
	firstTime, onward time.Duration
}

func newMeter(c *config.Config, rules *pipeline.Rules) *meter {
	limits := connect.LimitsOf(c)
	m := &meter{states: map[string]*pipeline.Recomputed{}}
	m.outputs = &counted{Outputs: connect.NewOutputs(c, rules, limits.Summary)}
	m.recomputer = rules.NewRecomputer(pipeline.Partition{Topic: c.Kafka.Input}, limits, connect.NewRows(c), func() pipeline.Outputs { return m.outputs })
	return m
}

// add applies one shard. One that a worker would not apply is an error.
func (m *meter) add(s replay.Shard) error {
	value, err := arrow.Encode(s.Batch)
	if err != nil {
		return fmt.Errorf("shard %d of key %q: %w", s.N, s.Key, err)
	}
	r := &pipeline.Record{Offset: int64(m.shards), Time: time.Now().UnixMilli(), Key: []byte(s.Key), Value: value}
	begin := time.Now()
	state, err := m.recomputer.Apply(m.states[s.Key], r)
	took := time.Since(begin)
	switch {
	case err != nil:
		return fmt.Errorf("shard %d of key %q: %w", s.N, s.Key, err)
	case m.outputs.refused != "":
		return fmt.Errorf("shard %d of key %q would be a dead letter: %s", s.N, s.Key, m.outputs.refused)
	case state == nil:
		return fmt.Errorf("key %q matches no entry of models", s.Key)
	}
	if m.states[s.Key] == nil {
		m.first++
		m.firstTime += took
	} else {
		m.onward += took
	}
	m.states[s.Key] = state
	m.shards++
	m.rows += int64(s.Batch.Rows)
	m.input += wire(&pipeline.Output{Key: r.Key, Value: r.Value}) + headers
	return nil
}

// cost returns the means.
func (m *meter) cost() (Cost, error) {
	if m.shards == 0 {
		return Cost{}, fmt.Errorf("the sample has no row")
	}
	n, keys := float64(m.shards), float64(len(m.states))
	c := Cost{Shards: m.shards, Keys: len(m.states), Rows: float64(m.rows) / n, Input: float64(m.input) / n, Output: float64(m.outputs.bytes) / n}
	c.FirstMicros = micros(m.firstTime, m.first)
	if later := m.shards - m.first; later > 0 {
		c.LaterMicros = micros(m.onward, later)
	}
	rest := pipeline.NewRest()
	for _, key := range slices.Sorted(maps.Keys(m.states)) { // what a state takes at rest depends on those before
		s := m.states[key]
		stored, err := s.Value()
		if err != nil {
			return Cost{}, err
		}
		if err := rest.Add(s); err != nil {
			return Cost{}, err
		}
		c.Stored += float64(len(stored)) / keys
	}
	c.Resting = float64(rest.Bytes()) / keys
	return c, nil
}

func micros(d time.Duration, n int) float64 {
	return float64(d) / float64(time.Microsecond) / float64(n)
}

// counted are outputs whose bytes are added up.
type counted struct {
	pipeline.Outputs
	bytes   int64
	refused string // why a record became a dead letter
}

// Posterior implements pipeline.Outputs.
func (c *counted) Posterior(dst []pipeline.Output, in *pipeline.Pages, p *pipeline.Posterior, f *cdf.Filter, r *pipeline.Record) ([]pipeline.Output, error) {
	own, err := c.count(c.Outputs.Posterior(nil, in, p, f, r))
	return append(dst, own...), err
}

// Predictions implements pipeline.Outputs.
func (c *counted) Predictions(p *pipeline.Predictions, r *pipeline.Record) ([]pipeline.Output, error) {
	return c.count(c.Outputs.Predictions(p, r))
}

func (c *counted) count(outs []pipeline.Output, err error) ([]pipeline.Output, error) {
	for i := range outs {
		c.bytes += wire(&outs[i])
	}
	return outs, err
}

// Dead implements pipeline.Outputs.
func (c *counted) Dead(p pipeline.Partition, r *pipeline.Record, stage pipeline.Stage, reason string) pipeline.Output {
	c.refused = reason
	return c.Outputs.Dead(p, r, stage, reason)
}

const (
	framing = 12 // what a record's lengths, offset and time take in Kafka, about
	headers = 83 // what producer replay's headers take: content-type and credence-shard
)

// wire is what a record takes in Kafka, uncompressed.
func wire(o *pipeline.Output) int64 {
	n := int64(len(o.Key) + len(o.Value) + framing)
	for _, h := range o.Headers {
		n += int64(len(h.Key) + len(h.Value) + 2)
	}
	return n
}
