package run

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/credence-stream/credence/testenv/probe"
)

// TestMemoryPartsAddUp holds the sum of the parts against the resident memory that the
// system counts.
func TestMemoryPartsAddUp(t *testing.T) {
	if _, ok := programBytes("/proc/self/statm"); !ok {
		t.Skip("this system does not tell what is resident")
	}
	if probe.Raced() {
		t.Skip("what the race detector keeps is of no part")
	}
	held := make([]byte, 200<<20) // and written, so that it is resident
	for i := range held {
		held[i] = byte(i)
	}
	m := newMemoryParts(func() (states, inflight int64) { return int64(len(held)), 3 << 20 }, func() int64 { return 2 << 20 }, func() int64 { return 0 })
	p, sum := m.parts(), int64(0)
	for of, n := range p {
		if n < 0 {
			t.Errorf("%s: %d bytes", of, n)
		}
		sum += n
	}
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		t.Fatal(err)
	}
	resident := pages * int64(os.Getpagesize())
	if ratio := float64(sum) / float64(resident); math.Abs(ratio-1) > .1 {
		t.Errorf("the parts are %d bytes, %d are resident: %v", sum, resident, p)
	}
	if p["states"] != int64(len(held)) || p["inflight"] != 3<<20 || p["history"] != 2<<20 || p["program"] == 0 {
		t.Errorf("the parts are %v", p)
	}
	if held[1] != 1 {
		t.Error("what was held is gone")
	}
}

// TestMemoryOutsideTheHeapIsAPart: what lies outside the heap is of the states, not of the
// heap's other objects.
func TestMemoryOutsideTheHeapIsAPart(t *testing.T) {
	const outside = 100 << 20
	held := make([]byte, outside) // other objects
	defer runtime.KeepAlive(&held)
	some := newMemoryParts(func() (states, inflight int64) { return outside + 1<<20, 0 }, func() int64 { return 0 }, func() int64 { return outside })
	none := newMemoryParts(func() (states, inflight int64) { return 1 << 20, 0 }, func() int64 { return 0 }, func() int64 { return 0 })
	if a, b := some.parts()["other"], none.parts()["other"]; math.Abs(float64(a-b)) > 16<<20 {
		t.Errorf("%d bytes are of other objects, without states outside the heap %d", a, b)
	}
}

func TestProgramBytes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "statm")
	if err := os.WriteFile(file, []byte("100 50 7 1 0 9 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, ok := programBytes(file); !ok || n != 7*int64(os.Getpagesize()) {
		t.Errorf("%d, %v: want 7 pages", n, ok)
	}
	if _, ok := programBytes(file + "-none"); ok {
		t.Error("a system without the file has pages")
	}
}
