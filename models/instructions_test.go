package models

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
	"golang.org/x/sys/cpu"
)

// wide are the kinds that multiply matrices, over as many columns as have full
// tiles and edges.
var wide = []form{
	{"probit", "corrected", "16 chains", "{window: 130}"},
	{"probit", "paper", "paper", "{window: 130, chains: 8}"},
	{"probit", "corrected", "uneven", "{window: 90, chains: 5}"},
	{"compressed", "corrected", "exact", "{statistics: exact}"},
	{"compressed", "corrected", "sketch", "{dimension: 9}"},
	{"compressed", "corrected", manyRows, "{rank: 20}"},
	{"compressed", "corrected", "fixed", "{dimension: 12, projection: fixed}"},
	{"linear", "corrected", "linear", "{}"},
	{"linear", "corrected", manyRows, "{}"},   // expanded about one sigma2
	{"linear", "corrected", gramOfRows, "{}"}, // folded in by their Gram matrix
}

// manyRows is a form whose shards have 210 rows: a sketch takes so many at once, and they are many of a regression.
const manyRows = "many rows"

// gramOfRows is one of 1,000 rows.
const gramOfRows = "Gram matrix"

// wideBytes is a digest of the snapshots after every shard; those of probit hold
// its draws.
func wideBytes(t *testing.T, f form) string {
	k, _ := Lookup(f.kind)
	s := stream{Kind: k}
	spec := modeltest.Spec(t, k, f.variant, cdf.Roles{Intercept: true}, strictyaml.Decode(f.settings))
	spec.Draws = 40
	spec.Columns.Features = nil
	filter, r, sum := cdf.NewFilter(spec, "wide"), rand.New(rand.NewPCG(13, 1)), sha256.New()
	rows := 41
	switch f.name {
	case manyRows:
		rows = 210
	case gramOfRows:
		rows = 1000
	}
	for range 6 {
		sh := s.shard(r, rows)
		for j := range 33 {
			x := make([]float64, sh.Rows)
			for i := range x {
				x[i] = r.NormFloat64()
			}
			sh.Columns = append(sh.Columns, cdf.Column{Name: fmt.Sprint("w", j), Type: cdf.Float, Number: x})
		}
		if _, err := filter.Update(sh); err != nil {
			t.Fatal(err)
		}
		snap, err := filter.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = sum.Write(snap)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// The test runs itself with instructions taken away; these variables say what is
// gone there, and what the snapshots are with all of them.
const (
	lacking  = "CREDENCE_TEST_LACKING"
	expected = "CREDENCE_TEST_EXPECTED"
)

// Snapshots have the same bytes with AVX-512, with AVX2 and without either. So has
// the build without assembly: the golden files hold with -tags purego too.
func TestInstructionSets(t *testing.T) {
	var got []string
	for _, f := range wide {
		got = append(got, f.kind+" "+f.name+" "+wideBytes(t, f))
	}
	all := strings.Join(got, "\n")
	if gone := os.Getenv(lacking); gone != "" {
		if cpu.X86.HasAVX512F || gone == "AVX2" && cpu.X86.HasAVX2 {
			t.Fatalf("%s is still here", gone)
		}
		if want := os.Getenv(expected); all != want {
			t.Errorf("without %s the snapshots are\n%s\nand not\n%s", gone, all, want)
		}
		return
	}
	for _, set := range []struct {
		name, without string
		here          bool
	}{
		{"AVX-512", "cpu.avx512f=off", cpu.X86.HasAVX512F},
		{"AVX2", "cpu.avx512f=off,cpu.avx2=off", cpu.X86.HasAVX2 && cpu.X86.HasFMA},
	} {
		if !set.here {
			fmt.Fprintf(os.Stderr, "\n*** NOT TESTED: snapshots with %s, which is not here (%s) ***\n\n", set.name, runtime.GOARCH)
			continue
		}
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestInstructionSets$")
		cmd.Env = append(os.Environ(), "GODEBUG="+set.without, lacking+"="+set.name, expected+"="+all)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("without %s: %v\n%s", set.name, err, out)
		}
	}
}
