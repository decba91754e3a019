package pipeline

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/alert"
	"github.com/credence-stream/credence/pipeline/gather"
)

var update = flag.Bool("update", false, "write golden files that do not exist yet")

func TestEnvelopeRoundTrip(t *testing.T) {
	e := Envelope{Offset: 1 << 40, Time: 1700000000123, Gaps: 2, Outlier: 1 << 39, Snapshot: []byte("snapshot"), Summary: []byte("summary")}
	for i := range 10 {
		e.remember(fmt.Sprintf("run-%d", i), uint64(i+1))
	}
	b, err := e.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	var got Envelope
	if err := got.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if got.Offset != e.Offset || got.Time != e.Time || got.Gaps != 2 || got.Outlier != e.Outlier || !bytes.Equal(got.Snapshot, e.Snapshot) || !bytes.Equal(got.Summary, e.Summary) {
		t.Errorf("read %+v, wrote %+v", got, e)
	}
	for i := range 10 {
		id, n := fmt.Sprintf("run-%d", i), uint64(i+1)
		if want := i >= 2; got.repeated(id, n) != want {
			t.Errorf("repeated(%s, %d) = %v: the last %d runs are remembered", id, n, !want, maxRuns)
		}
		if got.repeated(id, n+1) {
			t.Errorf("%s/%d was never applied", id, n+1)
		}
	}
}

// goldenEnvelopes are stored values of every version and with every section.
func goldenEnvelopes() map[string]Envelope {
	all := map[string]Envelope{
		"testdata/envelope_v1.bin":         {Summary: []byte{}},
		"testdata/envelope_v2.bin":         {Summary: []byte("summary")},
		"testdata/envelope_v3.bin":         {Summary: []byte{}, Outlier: 1234},
		"testdata/envelope_v4.bin":         {Summary: []byte{}, Alerts: []alert.State{{Name: "steep", Sum: 77, Run: 2}, {Name: "far", Sum: 1, Raised: true}}},
		"testdata/envelope_v4_waiting.bin": {Summary: []byte{}, Ended: &gather.Mark{Offset: 1 << 39, Time: 1600000000123}, Waiting: waitingRows()},
		"testdata/envelope_v4_ended.bin":   {Summary: []byte{}, Ended: &gather.Mark{Offset: -1}},
		"testdata/envelope_v4_moved.bin":   {Summary: []byte{}, Moved: &Moved{Partition: 3, Resumed: true}, Ended: &gather.Mark{Offset: 1 << 41, Time: 1600000000123}, Waiting: waitingRows()},
	}
	for file, e := range all {
		e.Offset, e.Time, e.Gaps, e.Snapshot = 1<<40, 1700000000123, 2, []byte("snapshot")
		e.remember("run", 3)
		e.remember("dlq.in.0", 17)
		all[file] = e
	}
	return all
}

// tellAll is all that an envelope has, for comparison.
func tellAll(e Envelope) string {
	text := fmt.Sprintf("%+v %+v", e.Waiting.Tell(), e.Waiting != nil)
	if e.Ended != nil {
		text += fmt.Sprintf(" ended %+v", *e.Ended)
	}
	if e.Moved != nil {
		text += fmt.Sprintf(" moved %+v", *e.Moved)
	}
	e.Waiting, e.Ended, e.Moved = nil, nil, nil
	return fmt.Sprintf("%+v %s", e, text)
}

// TestEnvelopeGolden checks that every version of the stored form is read for
// ever, and that what has neither summary nor outliers is still written as version 1.
func TestEnvelopeGolden(t *testing.T) {
	for file, e := range goldenEnvelopes() {
		b, err := e.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(file); *update && os.IsNotExist(err) {
			if err := os.WriteFile(file, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		golden, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b, golden) {
			t.Errorf("%s: written as %x", file, b)
		}
		var got Envelope
		if err = got.UnmarshalBinary(golden); err != nil || tellAll(got) != tellAll(e) {
			t.Errorf("%s: read as %s (%v), want %s", file, tellAll(got), err, tellAll(e))
		}
	}
}

// TestEveryVersionHasAGolden finds a version or a section that this release reads and of
// which no file is tested, and a file that no test opens.
func TestEveryVersionHasAGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/envelope_*")
	if err != nil {
		t.Fatal(err)
	}
	tested := goldenEnvelopes()
	versions, tags := map[byte]bool{}, map[byte]bool{}
	for _, file := range files {
		e, ok := tested[file]
		if !ok {
			t.Errorf("%s is not tested", file)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		versions[b[2]] = true
		for _, s := range e.sections() {
			tags[s.tag] = true
		}
	}
	for v := byte(envelopePlain); v <= envelopeSection; v++ {
		if !versions[v] {
			t.Errorf("no file is of version %d: make one with the code that wrote it", v)
		}
	}
	for _, tag := range sectionTags {
		if !tags[tag] {
			t.Errorf("no file has a section %q: make one with the code that wrote it", tag)
		}
	}
}

// waitingRows are two rows of a number, an integer and a text.
func waitingRows() *gather.Rows {
	r := gather.New(gather.Mark{Offset: 1<<39 + 5, Time: 1600000000200}, []cdf.Input{{Name: "x"}, {Name: "n", Category: true}, {Name: "g", Category: true}})
	r.Add(&cdf.Batch{Rows: 2, Columns: []cdf.Column{
		{Name: "x", Number: []float64{1.5, -2}}, {Name: "n", Type: cdf.Integer, Number: []float64{7, 1 << 40}, Int: []int64{7, 1 << 40}},
		{Name: "g", Type: cdf.Text, Code: []int32{0, -1}, Levels: []string{"north"}},
	}})
	return r
}

func TestEnvelopeDamageIsNoticed(t *testing.T) {
	for _, e := range []Envelope{{}, {Ended: &gather.Mark{Offset: -1}, Waiting: waitingRows()}, {Summary: []byte("summary")}, {Outlier: 6}, {Outlier: 6, Summary: []byte("summary")}} {
		e.Offset, e.Snapshot = 1<<40, []byte("snapshot")
		e.remember("run", 3)
		checkDamage(t, &e)
	}
}

// A version of later is one only where the checksum fits.
func TestEnvelopeOfALaterRelease(t *testing.T) {
	b, err := (&Envelope{Offset: 7, Snapshot: []byte("snapshot")}).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	b[2] = envelopeSection + 1
	if err := new(Envelope).UnmarshalBinary(b); !errors.Is(err, ErrDamaged) {
		t.Errorf("a damaged version: %v", err)
	}
	n := len(b) - 4
	b = binary.LittleEndian.AppendUint32(b[:n], crc32.Checksum(b[:n], castagnoli))
	if err := new(Envelope).UnmarshalBinary(b); !errors.Is(err, cdf.ErrLater) || errors.Is(err, ErrDamaged) {
		t.Errorf("a later version: %v", err)
	}
}

func checkDamage(t *testing.T, e *Envelope) {
	t.Helper()
	b, err := e.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range b {
		if err := new(Envelope).UnmarshalBinary(b[:i]); !errors.Is(err, ErrDamaged) {
			t.Errorf("%d of %d bytes: %v, want ErrDamaged", i, len(b), err)
		}
		c := bytes.Clone(b)
		c[i] ^= 1
		if err := new(Envelope).UnmarshalBinary(c); !errors.Is(err, ErrDamaged) {
			t.Errorf("bit flipped in byte %d: %v, want ErrDamaged", i, err)
		}
	}
}

func FuzzEnvelope(f *testing.F) {
	e := Envelope{Offset: 7, Snapshot: []byte("snapshot")}
	e.remember("run", 3)
	for i, summary := range []string{"", "summary", "", ""} {
		e.Summary, e.Outlier = []byte(summary), int64(i/2)
		if i == 3 {
			e.Offset, e.Ended, e.Waiting = 1<<40, &gather.Mark{Offset: 3}, waitingRows()
		}
		b, err := e.AppendBinary(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var e Envelope
		if e.UnmarshalBinary(b) != nil {
			return
		}
		again, err := e.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		var second Envelope
		if err := second.UnmarshalBinary(again); err != nil {
			t.Fatalf("what was read and written again is refused: %v", err)
		}
	})
}

func TestParseShard(t *testing.T) {
	for _, c := range []struct {
		in string
		id string
		n  uint64
		ok bool
	}{
		{"run/1", "run", 1, true},
		{"dlq.in.3/17", "dlq.in.3", 17, true},
		{"a/b/2", "a/b", 2, true},
		{"/1", "", 0, false},
		{"run/", "run", 0, false},
		{"run/-1", "run", 0, false},
		{"run", "", 0, false},
		{"", "", 0, false},
	} {
		id, n, ok := parseShard([]byte(c.in))
		if ok != c.ok || ok && (id != c.id || n != c.n) {
			t.Errorf("%q: %q %d %v, want %q %d %v", c.in, id, n, ok, c.id, c.n, c.ok)
		}
	}
}

func TestSectionsThatAreNone(t *testing.T) {
	e := Envelope{Alerts: []alert.State{{Name: "a", Run: 1}}}
	b := e.Sections()
	var got Envelope
	if err := got.SetSections(b); err != nil || fmt.Sprint(got.Alerts) != fmt.Sprint(e.Alerts) {
		t.Errorf("%+v, %v", got.Alerts, err)
	}
	if err := got.SetSections([]byte{'Z', 0}); !errors.Is(err, cdf.ErrLater) || errors.Is(err, ErrDamaged) {
		t.Errorf("a section of a later release: %v", err)
	}
	waits := Envelope{Offset: 1 << 40, Ended: &gather.Mark{Offset: 3, Time: 4}, Waiting: waitingRows()}
	w := waits.Sections()
	late := Envelope{Offset: 1 << 30, Ended: waits.Ended, Waiting: waits.Waiting}
	if err := late.SetSections(w); !errors.Is(err, ErrDamaged) {
		t.Errorf("rows from after the last record: %v", err)
	}
	for n := 1; n < len(w); n++ {
		if err := (&Envelope{Offset: 1 << 40}).SetSections(w[:n]); !errors.Is(err, ErrDamaged) {
			t.Errorf("%d of %d bytes are taken: %v", n, len(w), err)
		}
	}
	for _, bad := range [][]byte{{'W', 0}, {'W', 2, 3, 0}, {'W', 2, 16, 0}, b[:len(b)-1], append(bytes.Clone(b), b...), {'A'}, {'A', 1, 0}} {
		if err := new(Envelope).SetSections(bad); !errors.Is(err, ErrDamaged) {
			t.Errorf("%q is taken: %v", bad, err)
		}
	}
}
