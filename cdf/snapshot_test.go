package cdf_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/cdf/formula"
	"github.com/credence-stream/credence/internal/isatest"
)

var update = flag.Bool("update", false, "write golden files that do not exist yet")

// goldens are snapshots of every version of the format: with kept rows, with
// frozen constants, of a sampled model with groups, with rows that were dropped, with errors that rows share, with shards that came again,
// with predicted probabilities, with a time that was ignored and with rows that came again in their shards. They load for ever; a new version adds files beside them.
var goldens = []struct {
	file   string
	spec   func() *cdf.Spec
	shards func(uint64, int) []*cdf.Batch
	n      int
}{
	{"testdata/snapshot_v1_line_kept.bin", cdftest.Line, cdftest.LineShards, 4},
	{"testdata/snapshot_v1_line_frozen.bin", cdftest.Line, cdftest.LineShards, 30},
	{"testdata/snapshot_v1_levels_kept.bin", cdftest.Levels, cdftest.LevelShards, 6},
	{"testdata/snapshot_v1_levels_frozen.bin", cdftest.Levels, cdftest.LevelShards, 30},
	{"testdata/snapshot_v2_line_dropped.bin", cdftest.Line, gappyShards, 30},
	{"testdata/snapshot_v3_line_errors.bin", cdftest.SharedLine, cdftest.LineShards, 28},
	{"testdata/snapshot_v3_line_errors_dropped.bin", cdftest.SharedLine, gappyShards, 36},
	{"testdata/snapshot_v4_line_kept.bin", cdftest.Line, cdftest.LineShards, 4},
	{"testdata/snapshot_v4_line_dropped.bin", cdftest.Line, gappyShards, 30},
	{"testdata/snapshot_v4_line_errors.bin", cdftest.SharedLine, cdftest.LineShards, 28},
	{"testdata/snapshot_v4_line_errors_repeats.bin", cdftest.SharedLine, sentAgain, 60},
	{"testdata/snapshot_v4_levels_frozen.bin", cdftest.Levels, cdftest.LevelShards, 30},
	{"testdata/snapshot_v4_line_classes.bin", cdftest.ClassedLine, cdftest.LineShards, 30},
	{"testdata/snapshot_v4_line_classes_errors_dropped.bin", cdftest.ClassedLine, gappyShards, 36},
	{"testdata/snapshot_v4_line_clock.bin", hourly, timelessShards, 28},
	{"testdata/snapshot_v4_line_twice.bin", cdftest.Line, twiceShards, 30},
}

// gappyShards are those of a line, some of whose rows have no x.
func gappyShards(seed uint64, n int) []*cdf.Batch {
	shards := cdftest.LineShards(seed, n)
	for _, b := range shards {
		if b.Rows > 1 {
			b.Columns[0].Number[b.Rows/2] = math.NaN()
		}
	}
	return shards
}

// sentAgain are shards of a line of which each half comes twice.
func sentAgain(seed uint64, n int) []*cdf.Batch {
	shards := cdftest.LineShards(seed, n)
	for i := range shards {
		if i%20 >= 10 {
			shards[i] = shards[i-10]
		}
	}
	return shards
}

// twiceShards are those of a line each of whose rows comes twice in its shard.
func twiceShards(seed uint64, n int) []*cdf.Batch {
	shards := cdftest.LineShards(seed, n)
	for _, b := range shards {
		b.Rows *= 2
		for i := range b.Columns {
			c := &b.Columns[i]
			c.Number = append(c.Number, c.Number...)
		}
	}
	return shards
}

// hourly is a line whose rows age with time.
func hourly() *cdf.Spec {
	s := cdftest.SharedLine()
	s.Forget, s.ForgetPer = .9, cdf.Clock{Unit: "duration", Millis: 3_600_000}
	return s
}

// timelessShards are those of a line, an hour apart, and every seventh has no time.
func timelessShards(seed uint64, n int) []*cdf.Batch {
	shards := cdftest.LineShards(seed, n)
	for i, b := range shards {
		if b.Time = 1_700_000_000_000 + 3_600_000*int64(i); i%7 == 6 {
			b.Time = -1
		}
	}
	return shards
}

// TestEveryVersionHasAGolden finds a version of snapshots or of stored summaries that this
// release reads and of which no file is tested, and a file that no test opens.
func TestEveryVersionHasAGolden(t *testing.T) {
	f := cdf.NewFilter(cdftest.Line(), "golden")
	snap := state(t, f)
	snap[4] = 255
	snap = binary.LittleEndian.AppendUint32(snap[:len(snap)-4], crc32.Checksum(snap[:len(snap)-4], crc32.MakeTable(crc32.Castagnoli)))
	var tested []string
	for _, g := range goldens {
		tested = append(tested, g.file)
	}
	everyVersion(t, "testdata/snapshot_v", 4, f.UnmarshalBinary(snap), tested)
	tested = []string{firstSummary}
	for _, g := range goldenSummaries {
		tested = append(tested, g.file)
	}
	everyVersion(t, "testdata/summary_v", 0, f.RestoreSummary([]byte{255}), tested)
}

// everyVersion checks the files of a format, whose versions the refusal of a later one
// tells; the byte that has the version is at a place.
func everyVersion(t *testing.T, prefix string, at int, refusal error, tested []string) {
	t.Helper()
	var first, last int
	_, reads, _ := strings.Cut(fmt.Sprint(refusal), "this one reads ")
	if n, err := fmt.Sscanf(reads, "%d to %d", &first, &last); n != 2 || !errors.Is(refusal, cdf.ErrLater) {
		t.Fatalf("%v: %v", refusal, err)
	}
	for version := first; version <= last; version++ {
		files, err := filepath.Glob(fmt.Sprintf("%s%d_*.bin", prefix, version))
		if err != nil || len(files) == 0 {
			t.Errorf("no file begins with %s%d: make one with the code that wrote that version (%v)", prefix, version, err)
		}
		for _, file := range files {
			if b, err := os.ReadFile(file); err != nil || int(b[at]) != version {
				t.Errorf("%s is not of version %d (%v)", file, version, err)
			}
		}
	}
	all, err := filepath.Glob(prefix + "*")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(tested)
	if !slices.Equal(all, tested) {
		t.Errorf("the files are %q, and %q are tested", all, tested)
	}
}

func TestSnapshotGolden(t *testing.T) {
	for _, g := range goldens {
		f := cdf.NewFilter(g.spec(), "golden")
		shards := g.shards(1, g.n+1)
		take(t, f, shards[:g.n]...)
		snap := state(t, f)
		if _, err := os.Stat(g.file); *update && os.IsNotExist(err) {
			if err := os.WriteFile(g.file, snap, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(g.file)
		if err != nil {
			t.Fatal(err)
		}
		old := cdf.NewFilter(g.spec(), "golden")
		if err := old.UnmarshalBinary(want); err != nil {
			t.Fatalf("%s does not load: %v", g.file, err)
		}
		if old.T() != int64(g.n) || old.N() != f.N() {
			t.Errorf("%s: t=%d n=%d, want %d and %d", g.file, old.T(), old.N(), g.n, f.N())
		}
		switch {
		case !isatest.SameBits(t):
		case snap[4] > want[4]:
			// Which shards came is remembered since.
			if !g.spec().SameSums(snap, want) {
				t.Errorf("%s: the same shards have other sums", g.file)
			}
		case !bytes.Equal(snap, want):
			t.Errorf("%s: the same shards now have other bytes: raise Arithmetic or the snapshot's version", g.file)
		}
		if _, err := old.Update(shards[g.n]); err != nil {
			t.Errorf("%s does not go on: %v", g.file, err)
		}
	}
}

func TestSnapshotRefusals(t *testing.T) {
	f := cdf.NewFilter(cdftest.Line(), "k")
	take(t, f, cdftest.LineShards(1, 3)...)
	snap := state(t, f)
	other := cdftest.Line()
	other.Seed = 2
	err := cdf.NewFilter(other, "k").UnmarshalBinary(snap)
	a, b := cdftest.Line().Fingerprint(), other.Fingerprint()
	if !errors.Is(err, cdf.ErrSnapshot) || !strings.Contains(err.Error(), hex.EncodeToString(a[:])) || !strings.Contains(err.Error(), hex.EncodeToString(b[:])) {
		t.Errorf("another configuration: %v", err)
	}
	newer := bytes.Clone(snap)
	newer[4] = 5
	if err := f.UnmarshalBinary(newer); !errors.Is(err, cdf.ErrSnapshot) || errors.Is(err, cdf.ErrLater) {
		t.Errorf("a damaged version: %v", err)
	}
	newer = binary.LittleEndian.AppendUint32(newer[:len(newer)-4], crc32.Checksum(newer[:len(newer)-4], crc32.MakeTable(crc32.Castagnoli)))
	if err := f.UnmarshalBinary(newer); !errors.Is(err, cdf.ErrSnapshot) || !errors.Is(err, cdf.ErrLater) || !strings.Contains(err.Error(), "version 5") {
		t.Errorf("a newer version: %v", err)
	}
	for _, bad := range [][]byte{nil, []byte("CDFS"), []byte("not a snapshot, but longer than the head of one would be")} {
		if err := f.UnmarshalBinary(bad); !errors.Is(err, cdf.ErrSnapshot) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	// A list that claims more than the bytes hold costs nothing.
	head, claim := bytes.Clone(snap[:4+1+32]), binary.AppendUvarint(nil, 1<<27)
	head = append(append(head, claim...), make([]byte, 64)...)
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(head, crc32.MakeTable(crc32.Castagnoli)))
	if err := f.UnmarshalBinary(head); !errors.Is(err, cdf.ErrSnapshot) || !strings.Contains(err.Error(), "a list of 134217728") {
		t.Errorf("a string that is too long: %v", err)
	}
	// What a filter is told through publish and limits is not its identity.
	wide := cdftest.Line()
	wide.Publish.Scale, wide.Limits.Rows = "model", 5
	if err := cdf.NewFilter(wide, "k").UnmarshalBinary(snap); err != nil {
		t.Errorf("other publish and limits: %v", err)
	}
	// A filter without shards has a snapshot too.
	empty := state(t, cdf.NewFilter(cdftest.Line(), "k"))
	if err := f.UnmarshalBinary(empty); err != nil || f.T() != 0 {
		t.Errorf("an empty snapshot: %v, t=%d", err, f.T())
	}
	if sum, err := f.Summary(); err != nil || len(sum.Rows) != 0 || sum.T != 0 {
		t.Errorf("summary of nothing: %+v, %v", sum, err)
	}
}

func TestFingerprint(t *testing.T) {
	base := cdftest.Line().Fingerprint()
	if got := hex.EncodeToString(base[:8]); got != "66483bbb046db10c" {
		t.Errorf("fingerprint %s: states made before no longer load", got)
	}
	one := 1.
	for name, change := range map[string]func(*cdf.Spec){
		"kind":     func(s *cdf.Spec) { s.Kind = "other" },
		"revision": func(s *cdf.Spec) { s.Revision++ },
		"variant":  func(s *cdf.Spec) { s.Variant = "other" },
		"seed":     func(s *cdf.Spec) { s.Seed++ },
		"columns":  func(s *cdf.Spec) { s.Columns.Response.Center = &one },
		"draws":    func(s *cdf.Spec) { s.Draws++ },
		"forget":   func(s *cdf.Spec) { s.Forget = .9 },
		"clock":    func(s *cdf.Spec) { s.ForgetPer.Unit = "row" },
		"missing":  func(s *cdf.Spec) { s.Missing = "reject" },
		"settings": func(s *cdf.Spec) { s.Settings = cdftest.LineSettings{Noise: 1, Prior: 4} },
	} {
		s := cdftest.Line()
		change(s)
		if s.Fingerprint() == base {
			t.Errorf("%s is not part of the fingerprint", name)
		}
	}
}

// States made while slopes of groups were of columns as they are no longer load; those of groups without slopes do.
func TestFingerprintOfSlopes(t *testing.T) {
	for want, slopes := range map[string][]string{"2b4a8100e5cf8300": nil, "3a35864b582182ee": {"x"}} {
		s := cdftest.Line()
		s.Columns.Groups = []cdf.Group{{Column: "g", Slopes: slopes}}
		print := s.Fingerprint()
		if got := hex.EncodeToString(print[:8]); got != want {
			t.Errorf("slopes %q: fingerprint %s, want %s", slopes, got, want)
		}
	}
}

// So it is with formulas, whose products were of columns as they are.
func TestFingerprintOfProducts(t *testing.T) {
	for want, text := range map[string]string{"3ff41d82f926348b": "y ~ x + z", "5ac950f1228025d8": "y ~ x * z"} {
		s := cdftest.Line()
		f, err := formula.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		s.Columns.Formula = f
		print := s.Fingerprint()
		if got := hex.EncodeToString(print[:8]); got != want {
			t.Errorf("%s: fingerprint %s, want %s", text, got, want)
		}
	}
}

func TestStreamGolden(t *testing.T) {
	for _, c := range []struct {
		seed    uint64
		key     string
		t       int64
		purpose string
		want    string
	}{
		{1, "flights/ATL", 1, "update", "4828dd4bb344612bd1440ae5e55ef081"},
		{1, "flights/ATL", 1, "score", "2404b48e11a156a78700d799b54ab072"},
		{1, "flights/ATL", 2, "update", "a6d095999e586f823dfb89f895a4a37d"},
		{2, "flights/ATL", 1, "update", "62543c5a155d2266f9c76ddebb27ae89"},
		{1, "flights/ATLu", 1, "pdate", "990311068118b74fe6a17df6528c2757"},
	} {
		r := cdf.NewStream(c.seed, c.key, c.t, c.purpose)
		if got := fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64()); got != c.want {
			t.Errorf("stream of %+v begins %s", c, got)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"**", "beta[x]", true}, {"**", "", true}, {"*", "beta[c=A]", true}, {"*", "u[a/b]", false}, {"**", "u[a/b]", true},
		{"beta[*]", "beta[x]", true}, {"beta[*]", "beta[x", false}, {"beta", "beta[x]", false}, {"flights/*", "flights/ATL", true},
		{"flights/*", "flights/a/b", false}, {"flights/**", "flights/a/b", true}, {"*a*a*b", strings.Repeat("a", 400), false},
		{"a*c", "abc", true}, {"a*c", "abcd", false}, {"", "", true}, {"", "a", false}, {"a**c", "a/b/c", true},
	} {
		if got := cdf.Glob(c.pattern, c.name); got != c.want {
			t.Errorf("Glob(%q, %q) = %v", c.pattern, c.name, got)
		}
	}
}

// FuzzSnapshot gives the decoder arbitrary bytes under a valid head and
// checksum. What it accepts must survive its own round trip and the next shard.
func FuzzSnapshot(f *testing.F) {
	const head = 4 + 1 + 32
	for _, g := range goldens {
		b, err := os.ReadFile(g.file)
		if err != nil {
			f.Fatal(err)
		}
		which := uint8(0)
		for i, word := range []string{"levels", "errors", "classes", "clock"} {
			if strings.Contains(g.file, word) {
				which = uint8(i + 1)
			}
		}
		f.Add(b[4], which, b[head:len(b)-4])
	}
	line, levels := cdftest.LineShards(1, 1)[0], cdftest.LevelShards(1, 1)[0]
	f.Fuzz(func(t *testing.T, version, which uint8, body []byte) {
		spec, next := cdftest.Line(), line
		switch which % 5 {
		case 1:
			spec, next = cdftest.Levels(), levels
		case 2:
			spec = cdftest.SharedLine()
		case 3:
			spec = cdftest.ClassedLine()
		case 4:
			spec = hourly()
		}
		print := spec.Fingerprint()
		b := append([]byte("CDFS"), version)
		b = append(append(b, print[:]...), body...)
		b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
		filter := cdf.NewFilter(spec, "k")
		if err := filter.UnmarshalBinary(b); err != nil {
			if !errors.Is(err, cdf.ErrSnapshot) {
				t.Fatalf("refused with %v", err)
			}
			return
		}
		snap := state(t, filter)
		again := cdf.NewFilter(spec, "k")
		if err := again.UnmarshalBinary(snap); err != nil {
			t.Fatalf("its own snapshot: %v", err)
		}
		for _, g := range []*cdf.Filter{filter, again} {
			if _, err := g.Update(next); err != nil && !errors.Is(err, cdf.ErrNumeric) && !errors.Is(err, cdf.ErrSchema) && !errors.Is(err, cdf.ErrShard) {
				t.Fatalf("next shard: %v", err)
			}
		}
		x, errX := filter.AppendBinary(nil)
		y, errY := again.AppendBinary(nil)
		if errX != nil || errY != nil || !bytes.Equal(x, y) {
			t.Fatalf("continues differently: %v %v", errX, errY)
		}
	})
}
