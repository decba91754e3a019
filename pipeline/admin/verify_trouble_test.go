package admin_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// bent is a stored value with its snapshot changed, its checksums
// made to fit.
func bent(t *testing.T, value pipeline.Stored, bend func(snapshot []byte)) pipeline.Stored {
	t.Helper()
	var e pipeline.Envelope
	if err := e.UnmarshalBinary(bytes.Clone(value)); err != nil {
		t.Fatal(err)
	}
	n := len(e.Snapshot) - 4
	bend(e.Snapshot[:n])
	binary.LittleEndian.PutUint32(e.Snapshot[n:], crc32.Checksum(e.Snapshot[:n], crc32.MakeTable(crc32.Castagnoli)))
	b, err := e.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// One bit of one snapshot, whose checksums fit: no other test of the store
// could see it.
func TestVerifierComparesSnapshots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, from, rules := &pipelinetest.Kafka{Log: pipelinetest.Records(1, 400)}, storetest.NewMemory(), pipelinetest.Rules(t)
		worked(t, k, from, rules)
		c, err := collect(t, from, 1, func() {})
		if err != nil || len(c.keys) < 5 {
			t.Fatalf("%d keys, error %v", len(c.keys), err)
		}
		for _, key := range c.keys {
			other := *c
			other.values = map[string]pipeline.Stored{}
			for k, v := range c.values {
				other.values[k] = v
			}
			other.values[key] = bent(t, c.values[key], func(b []byte) { b[len(b)-9] ^= 1 })
			store := storetest.NewMemory()
			if err := putIn(t.Context(), store, &other, 0); err != nil {
				t.Fatal(err)
			}
			got, wrong := verify(t, k, store, rules, 1<<30)
			if len(wrong) != 1 || !strings.HasPrefix(wrong[0], key+"@") || !strings.Contains(wrong[0], "the snapshot differs") || got.Keys != int64(len(c.keys)-1) {
				t.Errorf("%s: %+v, %q", key, got, wrong)
			}
		}
	})
}

// A score that differs in its last digits is one that another release has computed, and counted as such; one
// that differs by more is wrong. Another release may also have judged another record to have outliers: the account
// of predictions in its snapshot differs then, and where the snapshot does not the value is wrong.
func TestVerifierTellsRounding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, from, rules := &pipelinetest.Kafka{Log: pipelinetest.Records(1, 400)}, storetest.NewMemory(), pipelinetest.Rules(t)
		worked(t, k, from, rules)
		c, err := collect(t, from, 1, func() {})
		if err != nil {
			t.Fatal(err)
		}
		bends := 0
		for _, key := range c.keys {
			score := func(factor float64) func([]byte) {
				return func(b []byte) {
					spec, _ := rules.Match(key)
					f := cdf.NewFilter(spec, key)
					var e pipeline.Envelope
					if e.UnmarshalBinary(bytes.Clone(c.values[key])) != nil || f.UnmarshalBinary(e.Snapshot) != nil {
						t.Fatal(key)
					}
					s, err := f.Summary()
					if err != nil {
						t.Fatal(err)
					}
					v := binary.LittleEndian.AppendUint64(nil, math.Float64bits(s.Score.LogDensity))
					if at := bytes.Index(b, v); at >= 0 && s.Score.Rows > 0 {
						bends++
						binary.LittleEndian.PutUint64(b[at:], math.Float64bits(factor*s.Score.LogDensity))
					}
				}
			}
			for _, by := range []struct {
				factor         float64
				outlier        int64
				rounded, wrong int
			}{{1 + 1e-13, 0, 1, 0}, {1 + 1e-6, 0, 0, 1}, {1 + 1e-13, 1, 1, 0}, {1, 1, 0, 1}} {
				other, before := *c, bends
				other.values = maps.Clone(c.values)
				other.values[key] = bent(t, c.values[key], score(by.factor))
				if bends == before {
					continue
				}
				var e pipeline.Envelope
				if err := e.UnmarshalBinary(other.values[key]); err != nil {
					t.Fatal(err)
				}
				e.Outlier += by.outlier
				if other.values[key], err = e.AppendBinary(nil); err != nil {
					t.Fatal(err)
				}
				store := storetest.NewMemory()
				if err := putIn(t.Context(), store, &other, 0); err != nil {
					t.Fatal(err)
				}
				got, wrong := verify(t, k, store, rules, 1<<30)
				if got.Rounded != int64(by.rounded) || len(wrong) != by.wrong || got.Keys != int64(len(c.keys)-by.wrong) {
					t.Errorf("%s, times %v, outliers %d records on: %+v, %q", key, by.factor, by.outlier, got, wrong)
				}
				if by.outlier > 0 && by.wrong > 0 && !strings.Contains(wrong[0], "the last outlier is stored as of offset") {
					t.Errorf("%s: %q", key, wrong)
				}
			}
		}
		if bends < 4 {
			t.Errorf("%d scores were changed", bends)
		}
	})
}

// onGet is a reader under which the world goes on: before the n-th value is
// read.
type onGet struct {
	pipeline.Reader
	n    int
	then func()
}

func (r *onGet) Get(ctx context.Context, p pipeline.Partition, key string) (pipeline.Stored, error) {
	if r.n--; r.n == 0 {
		r.then()
	}
	return r.Reader.Get(ctx, p, key)
}

// Seeds 0 to 3. A worker that goes on while states are read makes none of them
// wrong: not those read before it, not those after, not those it deletes.
func TestVerifierBesideAWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deleted := 0
		for seed := range uint64(4) {
			for at := 1; at <= 5; at += 4 {
				log := pipelinetest.Records(seed, 400)
				k, store, rules := &pipelinetest.Kafka{Log: log[:200]}, storetest.NewMemory(), pipelinetest.Rules(t)
				worked(t, k, store, rules)
				before, err := store.Keys(t.Context(), inPart, "", "", 100)
				if err != nil {
					t.Fatal(err)
				}
				reader := &onGet{Reader: store, n: at}
				reader.then = func() {
					k.Set(func(k *pipelinetest.Kafka) { k.Log = log[:260] })
					worked(t, k, store, rules)
					for _, key := range before {
						if v, err := store.Get(t.Context(), inPart, key); err == nil && v == nil {
							deleted++
						}
					}
				}
				v := verifier(k, store, rules, 1<<30)
				v.Reader = reader
				got, err := v.Verify(t.Context(), inPart, func(m admin.Mismatch) error {
					t.Errorf("seed %d, value %d: %+v", seed, at, m)
					return nil
				})
				if err != nil || got.Keys < 4 || reader.n > 0 {
					t.Errorf("seed %d, value %d: %+v and error %v", seed, at, got, err)
				}
			}
		}
		if deleted == 0 {
			t.Error("no key was deleted under the verifier: this test shows too little")
		}
	})
}

// brittle breaks after it has absorbed a shard of more than 20 rows.
type brittle struct {
	cdf.Model
	cdf.Sampler
	blocks []cdf.Block
}

type brittleBlock struct{ cdf.Block }

func brittleSpec(t *testing.T) *cdf.Spec {
	t.Helper()
	spec := cdftest.Levels()
	spec.Draws = 16
	whole := spec.New
	spec.New = func(d cdf.Dims) (cdf.Model, error) {
		m, err := whole(d)
		if err != nil {
			return nil, err
		}
		b := &brittle{Model: m, Sampler: m.(cdf.Sampler)}
		for _, inner := range m.Blocks() {
			b.blocks = append(b.blocks, brittleBlock{inner})
		}
		return b, nil
	}
	return spec
}

func (b *brittle) Blocks() []cdf.Block { return b.blocks }

func (b brittleBlock) Absorb(s *cdf.Step) {
	b.Block.Absorb(s)
	if s.Shard.Rows > 20 {
		panic(fmt.Sprintf("%d rows", s.Shard.Rows))
	}
}

// Seeds 0 to 2. A record whose arithmetic breaks half-way leaves no trace:
// neither in a worker's states nor in what they are compared with.
func TestVerifierForgetsHalfAnUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules := pipelinetest.RulesOf(t, pipeline.Rule{Match: "k*", Spec: brittleSpec(t)})
		for seed := range uint64(3) {
			k, store := &pipelinetest.Kafka{Log: pipelinetest.Records(seed, 300)}, storetest.NewMemory()
			worked(t, k, store, rules)
			broke := 0
			for _, o := range k.Sent {
				for _, h := range o.Headers {
					if h.Key == "stage" && string(h.Value) == string(pipeline.StageFault) && !bytes.HasPrefix(o.Value, []byte("!")) {
						broke++
					}
				}
			}
			got, wrong := verify(t, k, store, rules, 1<<30)
			if len(wrong) > 0 || got.Keys < 4 || broke < 20 {
				t.Errorf("seed %d, %d broke: %+v, %q", seed, broke, got, wrong)
			}
		}
	})
}
