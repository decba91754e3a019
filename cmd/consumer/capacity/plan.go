package capacity

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/credence-stream/credence/cmd/consumer/app"
)

// What docs/capacity.md measures and a sample cannot tell.
const (
	// recordMicros is what `consumer run` takes for a record beside its model.
	recordMicros = 25
	// busy is the share of a core's time that is planned for.
	busy = .7
	// redisKey is what Redis takes for a key beside its value, and grown how much
	// larger its allocator makes both.
	redisKey = 170
	grown    = 1.15
	day      = 86_400
)

// Demand is a load.
type Demand struct {
	Keys int64   `json:"keys"`
	Rate float64 `json:"shards_per_second"`
}

// Plan is what a load needs. Bytes in Kafka are those before compression and
// replication.
type Plan struct {
	Demand       Demand  `json:"demand"`
	Cost         Cost    `json:"measured"`
	RecordMicros float64 `json:"record_us"` // beside the model
	Cores        float64 `json:"cores"`
	Partitions   int     `json:"partitions"`         // at least
	Cache        float64 `json:"memory_cache_bytes"` // that holds all keys
	Redis        float64 `json:"redis_bytes"`
	RedisWrites  float64 `json:"redis_bytes_per_second"` // at most
	InputDay     float64 `json:"input_bytes_per_day"`
	OutputDay    float64 `json:"output_bytes_per_day"`
}

// Plan returns what a load needs.
func (c Cost) Plan(d Demand) Plan {
	keys, shard := float64(d.Keys), c.LaterMicros
	if shard == 0 {
		shard = c.FirstMicros
	}
	p := Plan{Demand: d, Cost: c, RecordMicros: recordMicros}
	p.Cores = d.Rate * (shard + recordMicros) / 1e6 / busy
	// Partitions can be shared out among twice the processes without being added.
	p.Partitions = max(4, 2*int(math.Ceil(p.Cores)))
	p.Cache = keys * c.Resting
	p.Redis = keys * (c.Stored + redisKey) * grown
	p.RedisWrites = d.Rate * c.Stored
	p.InputDay, p.OutputDay = d.Rate*c.Input*day, d.Rate*c.Output*day
	return p
}

// print writes the plan for people.
func (p *Plan) print(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "measured\t%d shards of %.4g rows on average, %d keys\n", p.Cost.Shards, p.Cost.Rows, p.Cost.Keys)
	fmt.Fprintf(&b, "first shard of a key\t%.3g us of a core\n", p.Cost.FirstMicros)
	if p.Cost.LaterMicros > 0 {
		fmt.Fprintf(&b, "later shards\t%.3g us of a core\n", p.Cost.LaterMicros)
	}
	fmt.Fprintf(&b, "a record beside its model\t%.3g us of a core (make bench)\n", p.RecordMicros)
	fmt.Fprintf(&b, "\nfor\t%s keys, %s shards a second, %s rows a day\n", count(float64(p.Demand.Keys)), count(p.Demand.Rate), count(p.Demand.Rate*p.Cost.Rows*day))
	fmt.Fprintf(&b, "cores\t%.3g, busy for %.0f %% of the time\n", p.Cores, 100*busy)
	fmt.Fprintf(&b, "partitions of the topic\t%d at least\n", p.Partitions)
	fmt.Fprintf(&b, "memory.cache\t%s of all processes together hold every key (%s each); with less, keys are read from Redis again\n", size(p.Cache), size(p.Cost.Resting))
	fmt.Fprintf(&b, "Redis\t%s (%s of state a key), %s/s written at most\n", size(p.Redis), size(p.Cost.Stored), size(p.RedisWrites))
	fmt.Fprintf(&b, "Kafka, input\t%s a day before compression and replicas (%s a shard)\n", size(p.InputDay), size(p.Cost.Input))
	fmt.Fprintf(&b, "Kafka, output\t%s a day, likewise (%s a shard)\n", size(p.OutputDay), size(p.Cost.Output))
	return app.Tabulate(out, b.String(), 0)
}

// size names bytes in binary units.
func size(bytes float64) string {
	for _, unit := range []string{"B", "KiB", "MiB", "GiB"} {
		if bytes < 999.5 { // of three digits
			return fmt.Sprintf("%.3g %s", bytes, unit)
		}
		bytes /= 1024
	}
	return fmt.Sprintf("%.3g TiB", bytes)
}

// count names a large number.
func count(n float64) string {
	for _, unit := range []string{"", " thousand", " million", " billion"} {
		if n < 1000 {
			return fmt.Sprintf("%.3g%s", n, unit)
		}
		n /= 1000
	}
	return fmt.Sprintf("%.4g trillion", n)
}
