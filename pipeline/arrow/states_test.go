package arrow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

func TestStatesRoundTrip(t *testing.T) {
	var out bytes.Buffer
	w := NewStateWriter(&out, map[string]string{"credence.topic": "shards", "empty": ""})
	var want []*State
	for i := range 1000 {
		s := &State{
			Key: fmt.Sprintf("k/%d", i), Kind: "linear", Variant: "corrected", T: int64(i), N: 1 << 40, Partition: int32(i % 3),
			Offset: int64(i) << 33, Time: 978307200000, Gaps: 1, Fingerprint: "ab",
			Snapshot: bytes.Repeat([]byte{byte(i)}, i*20), Repeats: []byte{0}, Outlier: int64(i) - 1,
		}
		want = append(want, s)
		if err := w.Write(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, meta, err := NewStateReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil || meta["credence.topic"] != "shards" {
		t.Fatalf("%v and error %v", meta, err)
	}
	for i, s := range want {
		got, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Snapshot) == 0 {
			s.Snapshot = nil
		}
		if !reflect.DeepEqual(got, s) {
			t.Fatalf("row %d: %+v, want %+v", i, got, s)
		}
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last row: %v", err)
	}
	// Whatever is cut or not ours is an error, never a panic or fewer rows.
	for _, b := range [][]byte{nil, []byte("states"), out.Bytes()[:out.Len()/2]} {
		r, _, err := NewStateReader(bytes.NewReader(b), int64(len(b)))
		for n := 0; err == nil; n++ {
			if _, err = r.Next(); errors.Is(err, io.EOF) {
				t.Errorf("%d bytes: %d rows and an end", len(b), n)
			}
		}
	}
}

// A length of which one bit is wrong is refused before there is memory for it. The schema is the library's
// own, which takes lengths in it for what they say.
func TestStatesOfWrongLengths(t *testing.T) {
	var out bytes.Buffer
	w := NewStateWriter(&out, nil)
	if err := errors.Join(w.Write(&State{Key: "k", Snapshot: []byte("snapshot")}), w.Close()); err != nil {
		t.Fatal(err)
	}
	for at := 8 + int(binary.LittleEndian.Uint32(out.Bytes()[4:])); at < out.Len(); at++ {
		b := bytes.Clone(out.Bytes())
		b[at] ^= 1 << (at % 6)
		r, _, err := NewStateReader(bytes.NewReader(b), int64(len(b)))
		for err == nil {
			_, err = r.Next()
		}
	}
}

// A column that this release does not know is not left out: it may be a part of the state.
func TestStatesOfMoreColumns(t *testing.T) {
	var out bytes.Buffer
	later := append(slices.Clone(stateFields), arrow.Field{Name: "momentum", Type: arrow.BinaryTypes.Binary, Nullable: true})
	if err := ipc.NewWriter(&out, ipc.WithSchema(arrow.NewSchema(later, nil))).Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := NewStateReader(bytes.NewReader(out.Bytes()), int64(out.Len())); err == nil || !strings.Contains(err.Error(), "momentum") {
		t.Errorf("error %v", err)
	}
}
