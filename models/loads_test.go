package models

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/fault"
)

// extreme draws a size that numbers may have, mostly 1: up to where squares, fourth and sixth powers and the
// numbers themselves overflow or are 0.
func (r chance) extreme() float64 {
	switch r.IntN(8) {
	case 0:
		return math.Pow(10, 620*r.Float64()-312)
	case 1:
		return choose(r, []float64{1e150, 1e153, 1e154, 1e155, 1e100, 1e75, 1e77, 1e102, 1e-150, 1e-162, 1e-300, 1e-310, 5e-324, 1e300, 1e307, math.MaxFloat64, 0})
	case 2:
		return math.Pow(10, 40*r.Float64()-20)
	case 3:
		return math.Pow(10, 200*r.Float64()-100)
	}
	return 1
}

// wildShard draws a shard whose columns have sizes of their own, which come back, some of them or some of their numbers
// others for once, and whose times leap.
func (r chance) wildShard(kind string, at *int64, sizes map[string]float64) *cdf.Batch {
	b := r.shard(kind, at)
	for j := range b.Columns {
		c := &b.Columns[j]
		if c.Name == "t" {
			if r.of(.1) {
				*at += choose(r, []int64{1 << 20, 1 << 40, 1 << 61, -(1 << 61)})
			}
			continue
		}
		if c.Number == nil || c.Name == "y" && kind == "probit" {
			continue
		}
		size := 1.
		if r.of(.3) {
			if size = sizes[c.Name]; size == 0 {
				size = r.extreme()
				sizes[c.Name] = size
			}
		}
		if r.of(.1) {
			size = r.extreme()
		}
		for i, v := range c.Number {
			if c.Number[i] *= size; r.of(.02) {
				c.Number[i] = v * r.extreme()
			}
			if v = c.Number[i]; math.IsInf(v, 0) {
				c.Number[i] = math.Copysign(math.MaxFloat64, v)
			}
			if c.Name == "y" && kind == "poisson" {
				c.Number[i] = math.Floor(math.Abs(c.Number[i]))
			}
		}
	}
	return b
}

// loads takes a key through shards and returns the first state that cannot be loaded, or says something else then.
func (r chance) loads(spec *cdf.Spec) (err error) {
	defer fault.Catch(&err)
	f, at, sizes := cdf.NewFilter(spec, "key"), int64(0), map[string]float64{}
	for shard := range 1 + r.IntN(r.shards) {
		_, err := f.Update(r.wildShard(spec.Kind, &at, sizes))
		refused := errors.Is(err, cdf.ErrSchema) || errors.Is(err, cdf.ErrShard) || errors.Is(err, cdf.ErrNumeric)
		if fault.In(err) != nil || err != nil && !refused {
			return fmt.Errorf("shard %d: %w", shard, err)
		}
		if f.Faulted() != nil {
			return fmt.Errorf("shard %d: %w", shard, f.Faulted())
		}
		snapshot, err := f.MarshalBinary()
		if err == nil {
			err = survives(spec, f, snapshot)
		}
		if err != nil {
			return fmt.Errorf("shard %d: %w", shard, err)
		}
	}
	return nil
}

// met are seeds by which states were found that could not be loaded, or panics: of sums that overflow beside those that
// were looked at, of discounts whose product is 0, of a lattice without a place for its node.
var met = []int{1281, 1364, 1451, 1534, 2138, 2302, 4493, 6320, 6872, 8307, 9933, 12000, 12709, 12839}

// TestEveryStateLoads: what a checkpoint stores of a key can be read back, whatever numbers its rows had: it would be found
// only behind a restart, when the log may be gone. CREDENCE_SPECS is how many configurations are drawn.
func TestEveryStateLoads(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 100
	}
	if v := os.Getenv("CREDENCE_SPECS"); v != "" {
		var err error
		if n, err = strconv.Atoi(v); err != nil {
			t.Fatal(err)
		}
	}
	drawn := map[string]int{}
	for i := range n + len(met) {
		seed := i
		if i >= n {
			seed = met[i-n]
		}
		r := newChance(uint64(seed), 77)
		r.strange()
		r.shards = min(r.shards, 30)
		spec, about, err := r.spec()
		if err != nil {
			t.Fatal(err)
		}
		spec.Publish.Variables = nil // what is not published may be beyond numbers
		if r.of(.5) {
			spec.Columns.Scaling = "none"
		}
		if r.of(.2) {
			spec.Forget = choose(r, []float64{1e-9, 1e-300, .5, .99})
			spec.ForgetPer = cdf.Clock{Unit: "shard"}
		}
		spec.Seal()
		drawn[spec.Kind]++
		if err := r.loads(spec); err != nil {
			t.Errorf("seed %d: %s\n\t%v", seed, about, err)
		}
	}
	if t.Log(drawn); len(drawn) != len(Kinds()) {
		t.Error("kinds that were not drawn")
	}
}
