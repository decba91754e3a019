package rows

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// nodeType is the Arrow type of a column. Of what is not sent it is near enough for a
// message.
func nodeType(n schema.Node) arrow.DataType {
	var t arrow.DataType
	switch n := n.(type) {
	case *schema.PrimitiveNode:
		t = leafType(n)
	case *schema.GroupNode:
		switch n.ConvertedType() {
		case schema.ConvertedTypes.List, schema.ConvertedTypes.Map, schema.ConvertedTypes.MapKeyValue:
			t = arrow.ListOf(arrow.Null)
		default:
			t = arrow.StructOf()
		}
	}
	if n.RepetitionType() == parquet.Repetitions.Repeated {
		t = arrow.ListOf(t)
	}
	return t
}

// leafType is the Arrow type that the values of a leaf are read as. Integers of 8 and 16
// bits are those of 32, as the file has them.
func leafType(n *schema.PrimitiveNode) arrow.DataType {
	logical := n.LogicalType()
	switch l := logical.(type) {
	case schema.NullLogicalType, schema.UnknownLogicalType:
		return arrow.Null
	case *schema.DecimalLogicalType:
		if l.Precision() > decimal128.MaxPrecision {
			return &arrow.Decimal256Type{Precision: l.Precision(), Scale: l.Scale()}
		}
		return &arrow.Decimal128Type{Precision: l.Precision(), Scale: l.Scale()}
	case *schema.TimeLogicalType:
		return arrow.FixedWidthTypes.Time64ns
	case schema.DateLogicalType:
		return arrow.FixedWidthTypes.Date32
	case *schema.TimestampLogicalType:
		switch l.TimeUnit() {
		case schema.TimeUnitMillis:
			return arrow.FixedWidthTypes.Timestamp_ms
		case schema.TimeUnitMicros:
			return arrow.FixedWidthTypes.Timestamp_us
		default:
			return arrow.FixedWidthTypes.Timestamp_ns
		}
	}
	unsigned := false
	if l, ok := logical.(*schema.IntLogicalType); ok {
		unsigned = !l.IsSigned()
	}
	switch physical := n.PhysicalType(); {
	case physical == parquet.Types.Boolean:
		return arrow.FixedWidthTypes.Boolean
	case physical == parquet.Types.Int32 && unsigned:
		return arrow.PrimitiveTypes.Uint32
	case physical == parquet.Types.Int32:
		return arrow.PrimitiveTypes.Int32
	case physical == parquet.Types.Int64 && unsigned:
		return arrow.PrimitiveTypes.Uint64
	case physical == parquet.Types.Int64:
		return arrow.PrimitiveTypes.Int64
	case physical == parquet.Types.Int96: // a time of Impala and of older Spark
		return arrow.FixedWidthTypes.Timestamp_us
	case physical == parquet.Types.Float:
		return arrow.PrimitiveTypes.Float32
	case physical == parquet.Types.Double:
		return arrow.PrimitiveTypes.Float64
	case physical == parquet.Types.ByteArray:
		return arrow.BinaryTypes.Binary
	case n.TypeLength() == arrow.Float16SizeBytes && logical.Equals(schema.Float16LogicalType{}):
		return arrow.FixedWidthTypes.Float16
	}
	return &arrow.FixedSizeBinaryType{ByteWidth: n.TypeLength()}
}

// parquetColumn reads a leaf that is neither repeated nor part of something nested.
type parquetColumn struct {
	leaf   int
	kind   arrow.DataType
	alloc  memory.Allocator
	reader file.RecordReader
}

func newParquetColumn(pq *file.Reader, leaf int, kind arrow.DataType, alloc memory.Allocator) *parquetColumn {
	column := pq.MetaData().Schema.Column(leaf)
	var stored arrow.DataType // of what the reader collects in a builder of its own
	switch column.PhysicalType() {
	case parquet.Types.ByteArray:
		stored = arrow.BinaryTypes.Binary
	case parquet.Types.FixedLenByteArray:
		stored = &arrow.FixedSizeBinaryType{ByteWidth: column.TypeLength()}
	}
	levels := file.LevelInfo{NullSlotUsage: 1, DefLevel: column.MaxDefinitionLevel(), RepLevel: column.MaxRepetitionLevel()}
	return &parquetColumn{leaf, kind, alloc, file.NewRecordReader(column, levels, stored, alloc, pq.BufferPool())}
}

// read returns the next n values.
func (c *parquetColumn) read(n int64) (arrow.Array, error) {
	c.reader.Reset()
	if err := c.reader.Reserve(n); err != nil {
		return nil, err
	}
	got, err := c.reader.ReadRecords(n)
	if err != nil {
		return nil, err
	}
	if got != n {
		return nil, fmt.Errorf("%d values of %d rows", got, n)
	}
	if binary, ok := c.reader.(file.BinaryRecordReader); ok {
		whole, err := array.Concatenate(binary.GetBuilderChunks(), c.alloc)
		if err != nil {
			return nil, err
		}
		if whole.Len() != int(n) {
			return nil, fmt.Errorf("%d values of %d rows", whole.Len(), n)
		}
		return c.ofBytes(whole)
	}
	switch c.kind.ID() {
	case arrow.NULL:
		return array.NewNull(int(n)), nil
	case arrow.BOOL:
		return c.built(n, func(b array.Builder, i int, raw []byte) {
			b.(*array.BooleanBuilder).Append(raw[i] != 0) //nolint:forcetypeassert // of the type of the column
		}), nil
	case arrow.DECIMAL128, arrow.DECIMAL256:
		wide := c.reader.Type() == parquet.Types.Int64
		return c.built(n, func(b array.Builder, i int, raw []byte) {
			if wide {
				appendDecimal(b, big.NewInt(arrow.Int64Traits.CastFromBytes(raw)[i]))
			} else {
				appendDecimal(b, big.NewInt(int64(arrow.Int32Traits.CastFromBytes(raw)[i])))
			}
		}), nil
	}
	if c.reader.Type() == parquet.Types.Int96 {
		return c.built(n, func(b array.Builder, i int, raw []byte) {
			t := micros96(parquet.Int96Traits.CastFromBytes(raw)[i])
			b.(*array.TimestampBuilder).Append(t) //nolint:forcetypeassert // of the type of the column
		}), nil
	}
	nulls := int(c.reader.NullCount())
	data := array.NewData(c.kind, int(n), []*memory.Buffer{c.valid(), c.reader.ReleaseValues()}, nil, nulls, 0)
	return array.MakeFromData(data), nil
}

// valid returns the bits of the values that are not null, nil where none is.
func (c *parquetColumn) valid() *memory.Buffer {
	bits := c.reader.ReleaseValidBits()
	if c.reader.NullCount() == 0 {
		return nil
	}
	return bits
}

// built makes the array of values that are not laid out as Arrow has them; put appends
// that of place i of the raw ones.
func (c *parquetColumn) built(n int64, put func(b array.Builder, i int, raw []byte)) arrow.Array {
	b := array.NewBuilder(c.alloc, c.kind)
	valid, raw := c.valid(), c.reader.Values()
	for i := range int(n) {
		if valid != nil && bitutil.BitIsNotSet(valid.Bytes(), i) {
			b.AppendNull()
		} else {
			put(b, i, raw)
		}
	}
	return b.NewArray()
}

// ofBytes makes decimals and numbers of 16 bits of bytes; others are texts.
func (c *parquetColumn) ofBytes(a arrow.Array) (arrow.Array, error) {
	if !slices.Contains([]arrow.Type{arrow.DECIMAL128, arrow.DECIMAL256, arrow.FLOAT16}, c.kind.ID()) {
		return a, nil
	}
	b := array.NewBuilder(c.alloc, c.kind)
	for i := range a.Len() {
		if a.IsNull(i) {
			b.AppendNull()
			continue
		}
		var raw []byte
		switch a := a.(type) {
		case *array.Binary:
			raw = a.Value(i)
		case *array.FixedSizeBinary:
			raw = a.Value(i)
		}
		if half, ok := b.(*array.Float16Builder); ok {
			half.Append(float16.FromLEBytes(raw))
			continue
		}
		if most := c.kind.(arrow.FixedWidthDataType).BitWidth() / 8; len(raw) == 0 || len(raw) > most { //nolint:forcetypeassert // a decimal
			return nil, fmt.Errorf("a decimal of %d bytes, %d at most", len(raw), most)
		}
		v := new(big.Int).SetBytes(raw) // big-endian, two's complement
		if raw[0]&0x80 != 0 {
			v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(raw))))
		}
		appendDecimal(b, v)
	}
	return b.NewArray(), nil
}

// micros96 is a time of 96 bits, nanoseconds of a Julian day, to the microsecond that a shard has.
// The library's own way is by nanoseconds since 1970, which end in 2262: 9999-12-31 became 1816.
func micros96(v parquet.Int96) arrow.Timestamp {
	const day, of1970 = 86_400_000_000, 2_440_588
	nanos, julian := int64(binary.LittleEndian.Uint64(v[:8])), int64(binary.LittleEndian.Uint32(v[8:]))
	if julian > of1970+1e8 || nanos < 0 || nanos > 1000*day {
		return math.MaxInt64 // no time: refused as one that a shard has not
	}
	return arrow.Timestamp((julian-of1970)*day + (nanos+500)/1000)
}

func appendDecimal(b array.Builder, v *big.Int) {
	switch b := b.(type) {
	case *array.Decimal128Builder:
		b.Append(decimal128.FromBigInt(v))
	case *array.Decimal256Builder:
		b.Append(decimal256.FromBigInt(v))
	}
}
