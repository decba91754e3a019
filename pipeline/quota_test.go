package pipeline_test

import (
	"context"
	"encoding/binary"
	"log/slog"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// crowd is a broker of many partitions with as many records each. Those of the
// first ones take long to decode.
type crowd struct {
	pipelinetest.Kafka
	partitions, slow int
	slowLog          []pipeline.Record
	late             time.Duration // that the others begin
	inTime           bool          // an answer has come when its fetch is given up
}

// slowly marks the shards that take long: it is the first response in them.
const slowly = 1e6

func newCrowd(partitions, slow, records int) *crowd {
	c := &crowd{partitions: partitions, slow: slow}
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range records {
		r := pipeline.Record{Offset: int64(i), Time: 1e12, Key: []byte("k7"), Value: pipelinetest.Shard(rng)}
		c.Log = append(c.Log, r)
		r.Value = append([]byte(nil), r.Value...)
		binary.LittleEndian.PutUint64(r.Value, math.Float64bits(slowly))
		c.slowLog = append(c.slowLog, r)
	}
	return c
}

func (c *crowd) Partitions(context.Context, string) (int, error) { return c.partitions, nil }

func (c *crowd) Follow(ctx context.Context, p pipeline.Partition, at pipeline.Position, maxBytes int, room *pipeline.Room) (pipeline.Fetched, error) {
	log, end := c.Log, int64(len(c.Log))
	if int(p.ID) < c.slow {
		log = c.slowLog
	}
	if at.Offset == end {
		<-ctx.Done()
		return pipeline.Fetched{}, ctx.Err()
	}
	delay := 10 * time.Millisecond // all ask before the first is answered
	if int(p.ID) >= c.slow && at.Offset == 0 {
		delay += c.late
	}
	select {
	case <-time.After(delay):
	case <-ctx.Done():
		if !c.inTime {
			return pipeline.Fetched{}, ctx.Err()
		}
	}
	got := pipeline.Fetched{Next: at.Offset, End: end, High: end}
	for bytes := int64(0); got.Next < end && (bytes == 0 || bytes < int64(maxBytes)); got.Next++ {
		n := log[got.Next].Size()
		if err := room.Take(n); err != nil {
			return pipeline.Fetched{}, err
		}
		bytes += n
	}
	got.Records = log[at.Offset:got.Next]
	return got, nil
}

func (c *crowd) Run(ctx context.Context, member func(string, int), work func(context.Context, pipeline.Assignment)) error {
	member("m", c.partitions)
	var all sync.WaitGroup
	for p := range c.partitions {
		all.Go(func() {
			work(ctx, pipeline.Assignment{Partition: pipeline.Partition{Topic: "in", ID: int32(p)}, Generation: 1, Member: "m", Committed: -1,
				Commit: func(context.Context, pipeline.GroupOffset) error { return nil }})
		})
	}
	all.Wait()
	return ctx.Err()
}

// slowDecoder takes ten seconds, of the bubble's clock, for a shard that is marked.
type slowDecoder struct{ pipelinetest.Decoder }

func (d *slowDecoder) Decode(value []byte) (*cdf.Batch, error) {
	if math.Float64frombits(binary.LittleEndian.Uint64(value)) == slowly {
		<-time.After(10 * time.Second)
	}
	return d.Decoder.Decode(value)
}

// worker returns a worker for all partitions of the crowd.
func (c *crowd) worker(t *testing.T, store *storetest.Memory, reg *prometheus.Registry, inflight int64) *pipeline.Worker {
	t.Helper()
	w, err := pipeline.New(pipeline.Options{
		Topic: "in", Group: c, Log: c, Publisher: c, Store: store, Rules: pipelinetest.Rules(t),
		Interval: time.Second, Records: 100, Bytes: 1 << 20, Inflight: inflight, Cache: 1 << 24,
		Heartbeat: 500 * time.Millisecond, Flush: 10 * time.Second, Lanes: c.partitions,
		NewDecoder: func() pipeline.Decoder { return new(slowDecoder) }, NewOutputs: func() pipeline.Outputs { return pipelinetest.Outputs{} },
		Metrics: pipeline.NewMetrics(reg, "test"), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Whenever a worker ends, and although claims were lost before, all memory has been
// given back.
func TestNothingIsHeldInTheEnd(t *testing.T) {
	const partitions = 6
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 8))
			store, reg := storetest.NewMemory(), prometheus.NewRegistry()
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			c := newCrowd(partitions, rng.IntN(partitions), 200)
			c.inTime = true
			go func() { done <- c.worker(t, store, reg, 20_000).Run(ctx) }()
			for range rng.IntN(4) {
				<-time.After(time.Duration(rng.IntN(5000)) * time.Microsecond * 20)
				// Another takes a partition.
				p := pipeline.Partition{Topic: "in", ID: int32(rng.IntN(partitions))}
				if _, err := store.Claim(ctx, pipeline.Lease{Partition: p, Token: "other", Generation: 1}); err != nil {
					t.Error(err)
				}
			}
			<-time.After(time.Duration(rng.IntN(5000)) * time.Microsecond * 20)
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
			if n := metric(t, reg, "credence_inflight_bytes"); n != 0 {
				t.Errorf("seed %d: %g bytes are held in the end", seed, n)
			}
		})
	}
}

// Partitions whose models are slow, each with more records than there is memory
// for, leave the others the memory that these need to work.
func TestSlowPartitionsLeaveOthersTheirShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const partitions, slow, records = 12, 9, 8000
		c := newCrowd(partitions, slow, records)
		c.late = 15 * time.Second // when the slow ones have what they get
		inflight := int64(0)      // four partitions can fill it
		for i := range c.slowLog {
			inflight += 4 * c.slowLog[i].Size()
		}
		store, reg := storetest.NewMemory(), prometheus.NewRegistry()
		w := c.worker(t, store, reg, inflight)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- w.Run(ctx) }()
		start, peak := time.Now(), 0.0
		for p := slow; p < partitions; {
			<-time.After(100 * time.Millisecond)
			peak = max(peak, metric(t, reg, "credence_inflight_bytes"))
			meta, err := store.Meta(ctx, pipeline.Partition{Topic: "in", ID: int32(p)})
			if err != nil {
				t.Fatal(err)
			}
			if meta.Watermark == records {
				p++
			}
			if time.Since(start) > 5*time.Minute {
				t.Errorf("partition %d stands at %d of %d records after five minutes", p, meta.Watermark, records)
				break
			}
		}
		if part := peak / float64(inflight); part < .5 || part > .8 {
			t.Errorf("%.2f of the budget was in use at most", part)
		}
		t.Logf("%v; %.0f of %d bytes were held", time.Since(start), peak, inflight)
		cancel()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	})
}
