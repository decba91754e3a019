package cdf_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
)

// Snapshots whose score or evidence differ in the last digits come from the same sums; those that differ by more, or anywhere
// else, do not.
func TestSameSums(t *testing.T) {
	spec := cdftest.Line()
	f, other := cdf.NewFilter(spec, "k"), cdf.NewFilter(spec, "k")
	shards := cdftest.LineShards(1, 30)
	for i, b := range shards {
		for _, f := range []*cdf.Filter{f, other}[:min(2, len(shards)-i)] {
			if _, err := f.Update(b); err != nil {
				t.Fatal(err)
			}
		}
	}
	snap := state(t, f)
	sum, err := f.Summary()
	if err != nil {
		t.Fatal(err)
	}
	// changed has a number at the place of v, the checksum made to fit.
	changed := func(v, to float64) []byte {
		b := bytes.Clone(snap)
		at := bytes.Index(b, binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
		if at < 0 {
			t.Fatalf("%v is not in the snapshot", v)
		}
		binary.LittleEndian.PutUint64(b[at:], math.Float64bits(to))
		return binary.LittleEndian.AppendUint32(b[:len(b)-4], crc32.Checksum(b[:len(b)-4], crc32.MakeTable(crc32.Castagnoli)))
	}
	bit := func(at int) []byte {
		b := bytes.Clone(snap)
		b[at] ^= 1
		return binary.LittleEndian.AppendUint32(b[:len(b)-4], crc32.Checksum(b[:len(b)-4], crc32.MakeTable(crc32.Castagnoli)))
	}
	density, rmse := sum.Score.LogDensity, sum.Score.RMSE
	for what, c := range map[string]struct {
		snap []byte
		same bool
	}{
		"the same":                   {snap, true},
		"the last digit of a score":  {changed(density, math.Nextafter(density, 9)), true},
		"ten digits of it":           {changed(density, density*(1+1e-11)), true},
		"seven digits of it":         {changed(density, density*(1+1e-8)), false},
		"a score that is not there":  {changed(density, math.NaN()), false},
		"the last digit of the rmse": {changed(rmse, math.Nextafter(rmse, 9)), true},
		"a bit of the model":         {bit(len(snap) - 13), false},
		"a shard less":               {state(t, other), false},
		"what is no snapshot":        {snap[:9], false},
	} {
		if got := spec.SameSums(snap, c.snap); got != c.same {
			t.Errorf("%s: %v", what, got)
		}
		if got := spec.SameSums(c.snap, snap); got != c.same {
			t.Errorf("%s, the other way round: %v", what, got)
		}
	}
}

// The error of rows that the columns give is a difference, and has the digits of what it is a difference of.
func TestSameSumsOfExactRows(t *testing.T) {
	spec := cdftest.Line()
	f := cdf.NewFilter(spec, "k")
	for _, b := range cdftest.LineShards(2, 300) {
		for i, x := range b.Columns[0].Number {
			b.Columns[1].Number[i] = 100 - 3*x
		}
		if _, err := f.Update(b); err != nil {
			t.Fatal(err)
		}
	}
	snap := state(t, f)
	sum, err := f.Summary()
	if err != nil {
		t.Fatal(err)
	}
	rmse, unit := sum.Score.RMSE, math.Exp(-sum.Score.LogDensity)
	if !(rmse < .01*unit) {
		t.Fatalf("the error is %v where %v is about the sd of a prediction", rmse, unit)
	}
	at := bytes.Index(snap, binary.LittleEndian.AppendUint64(nil, math.Float64bits(rmse)))
	if at < 0 {
		t.Fatalf("%v is not in the snapshot", rmse)
	}
	for by, same := range map[float64]bool{5e-10: true, 5e-9: false} {
		b := bytes.Clone(snap)
		binary.LittleEndian.PutUint64(b[at:], math.Float64bits(rmse+by*unit))
		b = binary.LittleEndian.AppendUint32(b[:len(b)-4], crc32.Checksum(b[:len(b)-4], crc32.MakeTable(crc32.Castagnoli)))
		if spec.SameSums(snap, b) != same || spec.SameSums(b, snap) != same {
			t.Errorf("%v of the unit: not %v", by, same)
		}
	}
}
