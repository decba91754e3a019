package main

import (
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/credence-stream/credence/pipeline"
)

// seal puts the checksum at the end of changed bytes.
func seal(b []byte) []byte {
	n := len(b) - 4
	return binary.LittleEndian.AppendUint32(b[:n:n], crc32.Checksum(b[:n], crc32.MakeTable(crc32.Castagnoli)))
}

// TestLaterFormat has states before the consumer that a later release wrote, as after a
// downgrade: it halts by name, and no command drops or changes them.
func TestLaterFormat(t *testing.T) {
	w := settled(t)
	want := w.everything()
	client, hash, cell := w.cell("b")
	var e pipeline.Envelope
	if err := e.UnmarshalBinary([]byte(cell[1:])); err != nil {
		t.Fatal(err)
	}
	snapshot := []byte(string(e.Snapshot))
	snapshot[4] = 99
	e.Snapshot = seal(snapshot)
	inner, err := e.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	outer := []byte(cell[1:])
	outer[2] = 99
	w.send(stateKeys, 1)
	for name, value := range map[string][]byte{"the snapshot": inner, "the stored state": seal(outer)} {
		t.Run(name, func(t *testing.T) {
			stored := cell[:1] + string(value)
			if err := client.HSet(t.Context(), hash, "b", stored).Err(); err != nil {
				t.Fatal(err)
			}
			for _, c := range []struct {
				args []string
				says []string
			}{
				{[]string{"run", "--until-end"}, []string{"halted (format)", pipeline.LaterRemedy}},
				{[]string{"state", "repair", "--yes"}, []string{pipeline.LaterRemedy, "1 partition needs a decision"}},
				{[]string{"get", "b"}, nil},
				{[]string{"verify"}, nil},
				{[]string{"state", "list"}, []string{"1 state cannot be read"}},
				{[]string{"state", "export", "--out", t.TempDir() + "/x.arrows"}, nil},
			} {
				code, out, messages := w.consumer(c.args...)
				said := strings.ReplaceAll(out+messages, `\"`, `"`) // of JSON
				for _, text := range append(c.says, `key "b"`, "written by a later release", "version 99") {
					if code != 1 || !strings.Contains(said, text) {
						t.Errorf("%v: exit %d, no %q in\n%s", c.args, code, text, said)
					}
				}
			}
			if _, _, now := w.cell("b"); now != stored {
				t.Error("the state was changed")
			}
		})
	}
	if err := client.HSet(t.Context(), hash, "b", cell).Err(); err != nil {
		t.Fatal(err)
	}
	if now := w.everything(); now["b"] != want["b"] {
		t.Error("the state is not what it was")
	}
	w.must("run", "--until-end")
	w.must("verify")
}
