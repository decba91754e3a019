package models

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/isatest"
)

var update = flag.Bool("update", false, "write golden files that do not exist yet")

// Snapshots of every kind load for ever, and today's arithmetic writes the
// same bytes. A new format adds files beside these.
func TestGoldenSnapshots(t *testing.T) {
	everyForm(t, forms, golden)
	files, err := filepath.Glob("testdata/snapshot_v*.bin")
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
func golden(t *testing.T, s stream, spec *cdf.Spec) {
	const shards = 30
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
	name := func(version int) string {
		return filepath.Join("testdata", fmt.Sprintf("snapshot_v%d_%s_%s.bin", version, spec.Kind, path.Base(t.Name())))
	}
	version := int(snap[len("CDFS")])
	file := name(version)
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
	alike := isatest.SameBits(t)
	if alike && !bytes.Equal(snap, want) {
		t.Errorf("%s: the same shards now have other bytes: raise cdf's Arithmetic, or the kind's Revision and the state's version", file)
	}
	next := s.shard(r, 4)
	for _, f := range []*cdf.Filter{f, old} {
		if _, err := f.Update(next); err != nil {
			t.Errorf("%s does not go on: %v", file, err)
		}
	}
	a, errA := f.AppendBinary(nil)
	b, errB := old.AppendBinary(nil)
	if errA != nil || errB != nil || alike && !bytes.Equal(a, b) {
		t.Errorf("%s goes on to another state (%v, %v)", file, errA, errB)
	}
	before, err := filepath.Glob(strings.TrimSuffix(file, ".bin") + "_*.bin") // without parts that this version has since
	if err != nil {
		t.Fatal(err)
	}
	for version--; version > 0; version-- {
		before = append(before, name(version))
	}
	for _, file := range before {
		if b, err := os.ReadFile(file); err == nil {
			goesOn(t, spec, b, next)
			if alike && (!spec.SameSums(b, snap) || !spec.SameSums(snap, b)) {
				t.Errorf("%s has other sums", file)
			}
		}
	}
}

// goesOn takes a snapshot of an older version and goes on from it.
func goesOn(t *testing.T, spec *cdf.Spec, snap []byte, next *cdf.Batch) {
	t.Helper()
	f := cdf.NewFilter(spec, "golden")
	if err := f.UnmarshalBinary(snap); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Update(next); err != nil {
		t.Error(err)
	}
}
