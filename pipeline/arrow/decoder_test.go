package arrow

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// aligned returns a copy of b that begins at an address of shift modulo 8.
func aligned(b []byte, shift int) []byte {
	words := make([]uint64, len(b)/8+3)
	raw := make([]byte, 0, 8*len(words))
	for len(raw) < cap(raw) {
		raw = append(raw, 0)
	}
	copy(raw[shift:], b)
	return raw[shift : shift+len(b) : shift+len(b)]
}

func TestRandomStreamsAreReadAsTheLibraryReadsThem(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 7))
	d := NewDecoder(Limits{}) // one for all: what it keeps must not show
	numeric := types[:1]
	for round := range 400 {
		s := stream{columns: 1 + rng.IntN(8), rows: 1 + rng.IntN(40), batches: 1, types: types}
		if round%4 == 0 {
			s.types = numeric
		}
		if round%3 == 0 {
			s.nulls = 0.3
		}
		if round%5 == 0 {
			s.batches = 1 + rng.IntN(4)
		}
		switch round % 7 {
		case 1:
			s.options = append(s.options, ipc.WithLZ4())
		case 2:
			s.options = append(s.options, ipc.WithZstd())
		case 3:
			s.options = append(s.options, ipc.WithDictionaryDeltas(true))
		}
		value := write(t, rng, s)
		want := library(t, value)
		for shift := range 2 {
			got, err := d.Decode(aligned(value, 3*shift))
			if err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			same(t, "kept decoder", got, want)
		}
		got, err := NewDecoder(Limits{}).Decode(value)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		same(t, "fresh decoder", got, want)
	}
}

func TestPlainColumnsAreViewsOfTheRecord(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	value := aligned(write(t, rng, stream{columns: 3, rows: 10, batches: 1, types: types[:1]}), 0)
	d := NewDecoder(Limits{})
	b, err := d.Decode(value)
	if err != nil {
		t.Fatal(err)
	}
	before := b.Columns[0].Number[0]
	for i := range value {
		value[i] ^= 1
	}
	if b.Columns[0].Number[0] == before {
		t.Fatal("the column did not change with the record's bytes: it was copied")
	}
}

func TestColumnsAreAlignedWhereverTheRecordLies(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	value := write(t, rng, stream{columns: 3, rows: 10, batches: 1, types: []arrow.DataType{types[0], arrow.PrimitiveTypes.Int64}})
	for shift := range 8 {
		b, err := NewDecoder(Limits{}).Decode(aligned(value, shift))
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Columns {
			c := &b.Columns[i]
			if p := unsafe.Pointer(unsafe.SliceData(c.Number)); uintptr(p)%8 != 0 {
				t.Errorf("shift %d: numbers of column %d at %p", shift, i, p)
			}
			if p := unsafe.Pointer(unsafe.SliceData(c.Int)); uintptr(p)%8 != 0 {
				t.Errorf("shift %d: ints of column %d at %p", shift, i, p)
			}
		}
	}
}

func TestDecodeAllocatesNothingOnceItKnowsTheSchema(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for name, s := range map[string]stream{
		"float64":             {columns: 6, rows: 10, batches: 1, types: types[:1]},
		"float64 with nulls":  {columns: 6, rows: 10, batches: 1, types: types[:1], nulls: .3},
		"integers and floats": {columns: 12, rows: 10, batches: 1, types: types[:14], nulls: .1},
		"text and dictionary": {columns: 4, rows: 10, batches: 1, types: []arrow.DataType{types[20], types[23]}, nulls: .1},
		"two batches":         {columns: 6, rows: 10, batches: 2, types: types[:1]},
	} {
		value := write(t, rng, s)
		d := NewDecoder(Limits{})
		for shift := range 2 {
			value := aligned(value, shift)
			if n := testing.AllocsPerRun(50, func() {
				if _, err := d.Decode(value); err != nil {
					t.Fatal(err)
				}
			}); n != 0 {
				t.Errorf("%s, shift %d: %v allocations", name, shift, n)
			}
		}
	}
}

func TestHalfPrecision(t *testing.T) {
	for h := range 1 << 16 {
		want := float64(float16.FromBits(uint16(h)).Float32())
		// The library turns infinities and small numbers to others; these
		// are the standard's.
		if e := h >> 10 & 31; e == 0 || e == 31 {
			continue
		}
		if got := half(uint16(h)); got != want {
			t.Fatalf("%#04x: %v, want %v", h, got, want)
		}
	}
	for h, want := range map[uint16]float64{0: 0, 1: 0x1p-24, 0x3ff: 1023 * 0x1p-24, 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1), 0x3555: 0.333251953125} {
		if got := half(h); got != want {
			t.Errorf("%#04x: %v, want %v", h, got, want)
		}
	}
	if got := half(0x7e00); !math.IsNaN(got) {
		t.Errorf("not a number is %v", got)
	}
	if got := half(0x8000); got != 0 || !math.Signbit(got) {
		t.Errorf("minus zero is %v", got)
	}
}

func TestSecondsKeepNanoseconds(t *testing.T) {
	if got := seconds(1_600_000_000_123_456_789, 1e9); got != 1600000000.123456789 {
		t.Errorf("got %.9f", got)
	}
	if got := seconds(-1_500, 1e3); got != -1.5 {
		t.Errorf("got %v", got)
	}
}

func TestUnsignedBeyondInt64IsANumberOnly(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	value := write(t, rng, stream{columns: 1, rows: 3, batches: 1, types: []arrow.DataType{arrow.PrimitiveTypes.Uint64}})
	d := NewDecoder(Limits{})
	b, err := d.Decode(value)
	if err != nil || b.Columns[0].Type != cdf.Integer {
		t.Fatalf("small values: %v, %v", b, err)
	}
	first := le.AppendUint64(nil, uint64(b.Columns[0].Int[0]))
	at := index(t, value, first)
	le.PutUint64(value[at:], 1<<63+1<<20)
	b, err = d.Decode(value)
	if err != nil {
		t.Fatal(err)
	}
	if c := b.Columns[0]; c.Type != cdf.Float || c.Int != nil || c.Number[0] != 1<<63+1<<20 {
		t.Fatalf("got %+v", c)
	}
}

func TestLimits(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	value := write(t, rng, stream{columns: 4, rows: 10, batches: 3, types: types[:1]})
	for name, c := range map[string]struct {
		limits Limits
		want   error
	}{
		"fits":    {Limits{Record: len(value), Rows: 30, Columns: 4}, nil},
		"bytes":   {Limits{Record: len(value) - 1}, cdf.ErrShard},
		"rows":    {Limits{Rows: 29}, cdf.ErrShard},
		"columns": {Limits{Columns: 3}, cdf.ErrSchema},
	} {
		if _, err := NewDecoder(c.limits).Decode(value); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	empty := write(t, rng, stream{columns: 4, rows: 0, batches: 1, types: types})
	if _, err := NewDecoder(Limits{}).Decode(empty); !errors.Is(err, cdf.ErrShard) {
		t.Errorf("no rows: %v", err)
	}
	none := write(t, rng, stream{columns: 4, rows: 0, batches: 0, types: types[:1]})
	if _, err := NewDecoder(Limits{}).Decode(none); !errors.Is(err, cdf.ErrShard) {
		t.Errorf("no batches: %v", err)
	}
}

func TestDuplicateAndSkippedColumnsAreToldApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	value := write(t, rng, stream{columns: 2, rows: 2, batches: 1, types: []arrow.DataType{arrow.ListOf(arrow.PrimitiveTypes.Int8)}})
	b, err := NewDecoder(Limits{}).Decode(value)
	if err != nil {
		t.Fatal(err)
	}
	if want := []cdf.Skipped{{Name: "c0", Type: "list"}, {Name: "c1", Type: "list"}}; !slices.Equal(b.Skipped, want) || len(b.Columns) != 0 {
		t.Fatalf("got %+v", b)
	}
	value, err = Encode(&cdf.Batch{Rows: 1, Columns: []cdf.Column{{Name: "x", Number: []float64{1}}, {Name: "x", Number: []float64{2}}}})
	if err != nil {
		t.Fatal(err)
	}
	if b, err = NewDecoder(Limits{}).Decode(value); err != nil || len(b.Columns) != 2 || b.Columns[1].Number[0] != 2 {
		t.Fatalf("duplicates: %+v, %v", b, err)
	}
}

func TestRecordsOfManySchemasTakeTurns(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	var values [][]byte
	for n := range 12 {
		values = append(values, write(t, rng, stream{columns: n + 1, rows: 5, batches: 1, types: types}))
	}
	d := NewDecoder(Limits{})
	for range 300 {
		v := values[rng.IntN(len(values))]
		got, err := d.Decode(v)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "turn", got, library(t, v))
	}
	if len(d.plans) != keptPlans {
		t.Errorf("%d plans kept", len(d.plans))
	}
}

func TestStreamMayEndWithoutItsMarker(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 3))
	value := write(t, rng, stream{columns: 3, rows: 5, batches: 1, types: types[:1]})
	want := library(t, value)
	for name, v := range map[string][]byte{
		"no marker":     value[:len(value)-8],
		"old marker":    append(slices.Clone(value[:len(value)-8]), 0, 0, 0, 0),
		"padded marker": append(slices.Clone(value), make([]byte, 16)...),
	} {
		got, err := NewDecoder(Limits{}).Decode(v)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		same(t, name, got, want)
	}
	if _, err := NewDecoder(Limits{}).Decode(append(slices.Clone(value), value...)); !errors.Is(err, pipeline.ErrDecode) {
		t.Errorf("two streams: %v", err)
	}
}

// index returns where sub lies in b.
func index(t testing.TB, b, sub []byte) int {
	t.Helper()
	for i := range b {
		if i+len(sub) <= len(b) && slices.Equal(b[i:i+len(sub)], sub) {
			return i
		}
	}
	t.Fatal("not found")
	return -1
}
