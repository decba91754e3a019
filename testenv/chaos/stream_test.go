//go:build unix

package chaos

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
)

// blobColumns makes a state of more than 256 KiB, which the store keeps apart.
const blobColumns = 258

// stream is the input that a correct consumer must survive.
type stream struct {
	records []pipeline.Output
	shards  int
}

// newStream makes a stream of at least n shards: models that are deleted and
// begin again, shards sent twice, records that cannot be applied, and a few
// keys whose state is large, one whose model is slow, and one whose shards all
// suit no model.
func newStream(seed uint64, topic string, n, keys int) (*stream, error) {
	s := &stream{}
	rng := rand.New(rand.NewPCG(seed, 1))
	count := map[string]int{}
	newest := map[string]pipeline.Output{}
	at := time.Now().UnixMilli()
	for s.shards < n {
		key, rows, columns := fmt.Sprintf("k/%03d", rng.IntN(keys)), 2+rng.IntN(20), 3
		switch rng.IntN(max(40, n/36)) {
		case 0:
			key, columns = "blob/"+strconv.Itoa(rng.IntN(3)), blobColumns
		case 1:
			key, rows = "slow/0", 100
		case 2:
			key = "poison/0"
		}
		o := pipeline.Output{Topic: topic, Key: []byte(key), Time: at + int64(len(s.records))}
		switch rng.IntN(100) {
		case 0: // deleted, to begin again with the next shard
		case 1:
			o.Value = []byte("this is no Arrow stream")
		case 2, 3, 4:
			again, ok := newest[key]
			if !ok {
				continue
			}
			o.Value, o.Headers = again.Value, again.Headers
		default:
			b := shard(rng, rows, columns)
			if columns != blobColumns {
				addKinds(rng, b)
			}
			value, err := arrow.Encode(b)
			if err != nil {
				return nil, err
			}
			s.shards++
			count[key]++
			o.Value = value
			o.Headers = []pipeline.Header{{Key: pipeline.ShardHeader, Value: fmt.Appendf(nil, "chaos/%d", count[key])}}
			newest[key] = o
		}
		s.records = append(s.records, o)
	}
	return s, nil
}

func shard(rng *rand.Rand, rows, columns int) *cdf.Batch {
	b := &cdf.Batch{Rows: rows}
	y := make([]float64, rows)
	for i := range y {
		y[i] = rng.NormFloat64()
	}
	for j := range columns {
		x := make([]float64, rows)
		for i := range x {
			x[i] = rng.NormFloat64()
			y[i] += float64(j%3) * x[i] / float64(columns)
		}
		b.Columns = append(b.Columns, cdf.Column{Name: "x" + strconv.Itoa(j), Number: x})
	}
	b.Columns = append(b.Columns, cdf.Column{Name: "y", Number: y})
	return b
}

// addKinds adds columns for models of other kinds: groups, a class and a count.
func addKinds(rng *rand.Rand, b *cdf.Batch) {
	y := b.Columns[len(b.Columns)-1].Number
	group := cdf.Column{Name: "g", Type: cdf.Text, Levels: []string{"a", "b", "c", "d"}}
	class := cdf.Column{Name: "c", Type: cdf.Bool}
	count := cdf.Column{Name: "n", Type: cdf.Integer}
	for _, v := range y {
		group.Code = append(group.Code, int32(rng.IntN(4)))
		positive, events := 0., math.Floor(math.Exp(v/2))
		if v > 0 {
			positive = 1
		}
		class.Number = append(class.Number, positive)
		count.Number, count.Int = append(count.Number, events), append(count.Int, int64(events))
	}
	b.Columns = append(b.Columns, group, class, count)
}
