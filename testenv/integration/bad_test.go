//go:build unix

package integration

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/ipc"
)

// absurd is what small records ask for: 354 GB.
const absurd = 354 << 30

// bad is a record that cannot be applied.
type bad struct {
	name       string
	key, value []byte
	stage      string
	reason     string // part of the message
}

const (
	goodKey   = "good/a"   // rows with missing values are dropped
	strictKey = "strict/a" // shards with missing values are refused
)

// badModels leave every other key without a model.
const badModels = `
  - {match: "good/*", kind: linear, columns: {response: y}}
  - {match: "strict/*", kind: linear, columns: {response: y}, missing: reject}`

// good is a shard of the columns that keys of badModels have.
func good(t *testing.T, rng *rand.Rand) []byte {
	x, z, y := make([]float64, feederRows), make([]float64, feederRows), make([]float64, feederRows)
	for i := range x {
		x[i], z[i] = rng.NormFloat64(), rng.NormFloat64()
		y[i] = 3 - x[i] + rng.NormFloat64()/4
	}
	return stream(t, nil, column{"x", x}, column{"z", z}, column{"y", y})
}

// patched replaces every aligned 64-bit number.
func patched(t *testing.T, value []byte, from, to uint64) []byte {
	t.Helper()
	value = bytes.Clone(value)
	found := 0
	for i := 0; i+8 <= len(value); i += 8 {
		if binary.LittleEndian.Uint64(value[i:]) == from {
			binary.LittleEndian.PutUint64(value[i:], to)
			found++
		}
	}
	if found == 0 {
		t.Fatalf("no %d to replace", from)
	}
	return value
}

// badRecords is one record of each kind.
func badRecords(t *testing.T, rng *rand.Rand) []bad {
	three := func() (x, z, y []float64) { return []float64{1, 2, 3}, []float64{2, 1, 2}, []float64{1, 2, 4} }
	with := func(change func(x, z, y []float64)) []byte {
		x, z, y := three()
		change(x, z, y)
		return stream(t, nil, column{"x", x}, column{"z", z}, column{"y", y})
	}
	x, z, y := three()
	fine := good(t, rng)

	// 100 rows: a column's buffer has 800 bytes.
	long := make([]float64, 100)
	for i := range long {
		long[i] = rng.Float64()
	}
	plain := stream(t, nil, column{"x", long}, column{"z", long}, column{"y", long})
	packed := stream(t, []ipc.Option{ipc.WithZstd()}, column{"x", make([]float64, 100)}, column{"z", make([]float64, 100)}, column{"y", make([]float64, 100)})

	many := make([]column, 5001)
	for i := range many {
		many[i] = column{"x" + strconv.Itoa(i), []float64{1, 2}}
	}
	large := make([]float64, 40<<20/8/2)
	for i := range large {
		large[i] = rng.Float64()
	}
	return []bad{
		{"not Arrow", []byte(goodKey), []byte("this is no Arrow stream"), "decode", ""},
		{"an empty value", []byte(goodKey), []byte{}, "decode", ""},
		{"truncated Arrow", []byte(goodKey), fine[:len(fine)*2/3], "decode", ""},
		{"absurd buffers", []byte(goodKey), patched(t, plain, 800, absurd), "decode", ""},
		{"absurd rows", []byte(goodKey), patched(t, plain, 100, absurd), "check", "rows"},
		{"absurd unpacked size", []byte(goodKey), patched(t, packed, 800, absurd), "decode", ""},
		{"a missing column", []byte(goodKey), stream(t, nil, column{"x", x}, column{"other", z}, column{"y", y}), "schema", `"z"`},
		{"no response", []byte(goodKey), stream(t, nil, column{"x", x}, column{"z", z}), "schema", `"y"`},
		{"text for numbers", []byte(goodKey), stream(t, nil, column{"x", []string{"1", "2", "3"}}, column{"z", z}, column{"y", y}), "schema", `"x"`},
		{"text for the response", []byte(goodKey), stream(t, nil, column{"x", x}, column{"z", z}, column{"y", []string{"1", "2", "4"}}), "schema", `"y"`},
		{"NaN where missing is refused", []byte(strictKey), with(func(x, _, _ []float64) { x[1] = math.NaN() }), "check", "row 2"},
		{"an infinite feature", []byte(goodKey), with(func(x, _, _ []float64) { x[2] = math.Inf(1) }), "check", `"x"`},
		{"an infinite response", []byte(goodKey), with(func(_, _, y []float64) { y[0] = math.Inf(-1) }), "check", `"y"`},
		{"zero rows", []byte(goodKey), stream(t, nil, column{"x", []float64{}}, column{"z", []float64{}}, column{"y", []float64{}}), "check", "row"},
		{"5,001 columns", []byte(goodKey), stream(t, nil, many...), "schema", "5001"},
		{"duplicate names", []byte(goodKey), stream(t, nil, column{"x", x}, column{"x", z}, column{"z", z}, column{"y", y}), "schema", `"x"`},
		{"40 MB", []byte(goodKey), stream(t, nil, column{"x", large}, column{"y", large}), "check", "limits.record"},
		{"a null key", nil, fine, "check", "null"},
		{"an empty key", []byte{}, fine, "check", "empty"},
		{"a long key", []byte(strings.Repeat("k", 513)), fine, "check", "513"},
		{"a key that is no text", []byte("good/\xff\xfe"), fine, "check", "UTF-8"},
		{"a key without a model", []byte("nobody/a"), fine, "check", fmt.Sprintf("%q", "nobody/a")},
	}
}
