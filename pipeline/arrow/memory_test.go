package arrow

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/credence-stream/credence/pipeline"
)

// A record holds what it says it becomes until it is given up, one that is
// refused as well, and small ones hold nothing.
func TestLargeRecordsHoldMemoryUntilReleased(t *testing.T) {
	memory := pipeline.NewBudget(64 << 20)
	d := NewDecoder(Limits{Memory: memory})
	of := func(rows int, options ...ipc.Option) []byte {
		return write(t, rand.New(rand.NewPCG(4, 4)), stream{columns: 2, rows: rows, batches: 2,
			types: []arrow.DataType{arrow.PrimitiveTypes.Float64}, options: options})
	}
	for _, tc := range []struct {
		name  string
		value []byte
		held  int64 // at least
	}{
		{"small", of(100), 0},
		{"large", of(100_000), 2 * 2 * 8 * 200_000},
		{"packed", of(100_000, ipc.WithZstd()), 2 * 2 * 2 * 8 * 200_000},
		{"cut", of(100_000)[:200_000], 0},
	} {
		_, err := d.Decode(tc.value)
		if (err != nil) != (tc.name == "cut") {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if held := memory.Used(); held < tc.held || tc.held == 0 && held != 0 {
			t.Errorf("%s: %d bytes are held, want at least %d", tc.name, held, tc.held)
		}
		if large := d.Release(); large != (tc.held > 0) || memory.Used() != 0 || large && d.floats.buf != nil {
			t.Errorf("%s: large %v, %d bytes held after release, a buffer of %d kept", tc.name, large, memory.Used(), len(d.floats.buf))
		}
	}
}
