package models

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

var update = flag.Bool("update", false, "write golden files that do not exist yet")

// goldenSettings are forms of a model with statistics of their own, beside its
// defaults.
var goldenSettings = map[string]map[string]string{
	"dlm":        {"compact": "{mode: compact, window: 8}", "filtered": "{mode: filtered, window: 8}"},
	"compressed": {"packed": "{dimension: 2, statistics: packed}", "lean": "{dimension: 2, statistics: lean}", "fixed": "{dimension: 2, projection: fixed}", "lossy": "{dimension: 2, rank: 2}"},
	"poisson":    {"buffer": "{buffer: 3}", "lognormal": "{overdispersion: lognormal, prior: {group: inverse-gamma}}"},
}

// Snapshots of every kind load for ever, and today's arithmetic writes the
// same bytes. A new format adds files beside these.
func TestGoldenSnapshots(t *testing.T) {
	everyVariant(t, func(t *testing.T, s stream, spec *cdf.Spec) { golden(t, s, spec, spec.Variant) })
	for _, k := range Kinds() {
		for name, settings := range goldenSettings[k.Name] {
			t.Run(k.Name+"/"+name, func(t *testing.T) {
				s := stream{k, settings}
				golden(t, s, s.spec(t, "corrected"), name)
			})
		}
	}
	files, err := filepath.Glob("testdata/snapshot_v1_*.bin")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		kind := strings.Split(filepath.Base(file), "_")[2]
		if !slices.Contains(Kinds().Names(), kind) {
			t.Errorf("%s is of no kind", file)
		}
	}
}

// golden compares the snapshot after 30 shards with the file, and goes on from
// the file.
func golden(t *testing.T, s stream, spec *cdf.Spec, name string) {
	const shards = 30
	file := filepath.Join("testdata", "snapshot_v1_"+spec.Kind+"_"+name+".bin")
	r := rand.New(rand.NewPCG(11, 7))
	f := cdf.NewFilter(spec, "golden")
	for range shards {
		if _, err := f.Update(s.shard(r, 4)); err != nil {
			t.Fatal(err)
		}
	}
	snap, err := f.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); *update && os.IsNotExist(err) {
		if err := os.WriteFile(file, snap, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	old := cdf.NewFilter(spec, "golden")
	if err := old.UnmarshalBinary(want); err != nil {
		t.Fatalf("%s does not load: %v", file, err)
	}
	if !bytes.Equal(snap, want) {
		t.Errorf("%s: the same shards now have other bytes: raise cdf's Arithmetic or the model's version", file)
	}
	next := s.shard(r, 4)
	for _, f := range []*cdf.Filter{f, old} {
		if _, err := f.Update(next); err != nil {
			t.Errorf("%s does not go on: %v", file, err)
		}
	}
	a, errA := f.AppendBinary(nil)
	b, errB := old.AppendBinary(nil)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("%s goes on to another state (%v, %v)", file, errA, errB)
	}
}
