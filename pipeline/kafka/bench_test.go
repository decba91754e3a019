package kafka

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/pipeline"
)

// packed are the ways that a broker's canned batch, 1 MB of records of 1 KB,
// is compressed for benchmarks of fetching.
var packed = []struct {
	name  string
	codec kgo.CompressionCodec
}{{"plain", kgo.NoCompression()}, {"snappy", kgo.SnappyCompression()}, {"lz4", kgo.Lz4Compression()}, {"zstd", kgo.ZstdCompression()}}

// canned is a topic that never ends.
func canned(b *testing.B, codec kgo.CompressionCodec) (*Client, pipeline.Partition) {
	b.Helper()
	c := connect(b, fake(b, kfake.SyntheticFetch(kfake.SyntheticBatch{RecordBytes: 1000, RandomFrac: 0.5, Compression: codec})).ListenAddrs())
	return c, pipeline.Partition{Topic: fresh(b, c, 1)}
}

func kilobytes(topic string, n int) []pipeline.Output {
	random := rand.New(rand.NewPCG(1, 2))
	outputs := make([]pipeline.Output, n)
	for i := range outputs {
		v := make([]byte, 1000)
		for j := range v {
			v[j] = byte(random.IntN(16))
		}
		outputs[i] = pipeline.Output{Topic: topic, Key: []byte("key-0123"), Value: v, Time: int64(i + 1)}
	}
	return outputs
}

func BenchmarkFetch(b *testing.B) {
	for _, pack := range packed {
		b.Run(pack.name, func(b *testing.B) {
			c, p := canned(b, pack.codec)
			l := newLog(b, c)
			b.SetBytes(1000)
			b.ReportAllocs()
			b.ResetTimer()
			var from, sum int64
			for n := 0; n < b.N; {
				f, err := l.Fetch(b.Context(), p, from, 1<<20)
				if err != nil {
					b.Fatal(err)
				}
				for i := range f.Records {
					sum += int64(f.Records[i].Value[0])
				}
				n += len(f.Records)
				from = f.Next
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

// BenchmarkFetchClient is the same by kafka-go's Client.Fetch, which neither
// filters aborted records nor bounds what it unpacks.
func BenchmarkFetchClient(b *testing.B) {
	for _, pack := range packed {
		b.Run(pack.name, func(b *testing.B) {
			c, p := canned(b, pack.codec)
			k := &kafka.Client{Addr: kafka.TCP(c.brokers...), Transport: &kafka.Transport{}}
			b.SetBytes(1000)
			b.ReportAllocs()
			b.ResetTimer()
			var from, sum int64
			for n := 0; n < b.N; {
				f, err := k.Fetch(b.Context(), &kafka.FetchRequest{Topic: p.Topic, Offset: from, MinBytes: 1, MaxBytes: 1 << 20,
					IsolationLevel: kafka.ReadCommitted})
				if err == nil {
					err = f.Error
				}
				if err != nil {
					b.Fatal(err)
				}
				for {
					r, err := f.Records.ReadRecord()
					if errors.Is(err, io.EOF) {
						break
					}
					if err != nil {
						b.Fatal(err)
					}
					value, err := kafka.ReadAll(r.Value)
					if err := errors.Join(err, r.Value.Close()); err != nil {
						b.Fatal(err)
					}
					sum += int64(value[0])
					from = r.Offset + 1
					n++
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

// BenchmarkDecode is the parsing of an answer alone.
func BenchmarkDecode(b *testing.B) {
	set := stored(b, 0, Plain, kilobytes("", 1000)...)
	l := &Log{limit: testLimit}
	var err error
	if l.unpack, err = newUnpacker(testLimit); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(set)))
	b.ReportAllocs()
	for b.Loop() {
		if f, err := l.decode(&answer{stable: 1000, records: set}, 0, nil); err != nil || len(f.Records) != 1000 {
			b.Fatal(err)
		}
	}
}

func BenchmarkPublish(b *testing.B) {
	for name, pack := range map[string]Compression{"plain": Plain, "lz4": LZ4} {
		b.Run(name, func(b *testing.B) {
			c := connect(b, fake(b, kfake.BlackholeProduce()).ListenAddrs())
			outputs := kilobytes(fresh(b, c, 1), 1000)
			p := NewPublisher(c, pack)
			b.SetBytes(1000)
			b.ReportAllocs()
			for n := 0; n < b.N; n += len(outputs) {
				if _, err := p.Publish(b.Context(), outputs); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

func BenchmarkProducer(b *testing.B) {
	c := connect(b, fake(b, kfake.BlackholeProduce()).ListenAddrs())
	outputs := kilobytes(fresh(b, c, 1), 1000)
	b.SetBytes(1000)
	b.ReportAllocs()
	err := NewProducer(c, ProducerOptions{}).Run(b.Context(), func(_ context.Context, send func(pipeline.Output) error) error {
		for n := range b.N {
			if err := send(outputs[n%len(outputs)]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
}
