package arrow

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/pierrec/lz4/v4"
)

// frameOf packs data with the frame writer of the library.
func frameOf(t testing.TB, data []byte, options ...lz4.Option) []byte {
	t.Helper()
	var b bytes.Buffer
	w := lz4.NewWriter(&b)
	if err := w.Apply(options...); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestLZ4FramesOfEveryForm(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for name, options := range map[string][]lz4.Option{
		"default":         nil,
		"small blocks":    {lz4.BlockSizeOption(lz4.Block64Kb)},
		"block checksums": {lz4.BlockSizeOption(lz4.Block64Kb), lz4.BlockChecksumOption(true)},
		"no checksum":     {lz4.ChecksumOption(false)},
	} {
		for _, size := range []int{1, 100, 64 << 10, 200_000} {
			noise, text := make([]byte, size), bytes.Repeat([]byte("shard "), size/6+1)[:size]
			for i := range noise {
				noise[i] = byte(rng.Uint32())
			}
			for _, data := range [][]byte{noise, text} {
				dst := make([]byte, size)
				if err := unlz4(dst, frameOf(t, data, options...)); err != nil || !bytes.Equal(dst, data) {
					t.Errorf("%s, %d bytes: %v", name, size, err)
				}
			}
		}
	}
}

// A frame of linked blocks whose first one refers to what comes before the
// frame. A reader that keeps its window would resolve it to other data.
func TestLZ4FrameCannotReachBehindItsStart(t *testing.T) {
	frame := []byte{0x04, 0x22, 0x4d, 0x18, 0x40, 0x40, 0xc0,
		0x09, 0, 0, 0, // a block of 9 bytes: one literal, then a match 4 before it
		0x10, 'a', 0x05, 0x00, 0x50, 'b', 'c', 'd', 'e',
		0, 0, 0, 0}
	for range 3 {
		if err := unlz4(make([]byte, 10), frame); !errors.Is(err, errCompressed) {
			t.Errorf("a reference behind the start was resolved: %v", err)
		}
		if err := unlz4(make([]byte, 6000), frameOf(t, bytes.Repeat([]byte("window"), 1000))); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDamagedLZ4FramesAreRefusedAlike(t *testing.T) {
	data := bytes.Repeat([]byte("one shard and another "), 300)
	frame := frameOf(t, data)
	for i := range frame {
		if err := unlz4(make([]byte, len(data)), frame[:i]); !errors.Is(err, errCompressed) {
			t.Fatalf("%d of %d bytes: %v", i, len(frame), err)
		}
	}
	if err := unlz4(make([]byte, len(data)-1), frame); !errors.Is(err, errCompressed) {
		t.Errorf("more data than declared: %v", err)
	}
	if err := unlz4(make([]byte, len(data)+1), frame); !errors.Is(err, errCompressed) {
		t.Errorf("less data than declared: %v", err)
	}
}
