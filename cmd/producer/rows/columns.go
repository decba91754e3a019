package rows

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/replay"
)

// columnType says how an Arrow column is sent, whether it can be at all.
func columnType(t arrow.DataType) (cdf.ColumnType, bool) {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return columnType(t.ValueType)
	case *arrow.BooleanType:
		return cdf.Bool, true
	case *arrow.Date32Type, *arrow.Date64Type, *arrow.TimestampType:
		return cdf.Time, true
	case *arrow.Float16Type, *arrow.Float32Type, *arrow.Float64Type,
		*arrow.Decimal128Type, *arrow.Decimal256Type, *arrow.NullType:
		return cdf.Float, true
	// Parquet writers that know no text type store text as bytes.
	// Polars writes views.
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType, *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType:
		return cdf.Text, true
	default:
		return cdf.Integer, arrow.IsInteger(t.ID())
	}
}

// getter reads the value at row i, which is not null.
type getter func(i int) (replay.Value, error)

// reader returns the getter of a column of one record. Texts among null are
// nulls.
func reader(a arrow.Array, null []string) (getter, error) {
	get, err := plainReader(a, null)
	if err != nil {
		return nil, err
	}
	return func(i int) (replay.Value, error) {
		if a.IsNull(i) {
			return replay.Value{Null: true}, nil
		}
		return get(i)
	}, nil
}

func plainReader(a arrow.Array, null []string) (getter, error) {
	switch a := a.(type) {
	case *array.Dictionary:
		inner, err := reader(a.Dictionary(), null)
		if err != nil {
			return nil, err
		}
		return func(i int) (replay.Value, error) { return inner(a.GetValueIndex(i)) }, nil
	case *array.Null:
		return func(int) (replay.Value, error) { return replay.Value{Null: true}, nil }, nil
	case *array.Boolean:
		return numbers(func(i int) float64 {
			if a.Value(i) {
				return 1
			}
			return 0
		}), nil
	case *array.String:
		return texts(a.Value, null), nil
	case *array.LargeString:
		return texts(a.Value, null), nil
	case *array.StringView:
		return texts(a.Value, null), nil
	case *array.Binary:
		return texts(a.ValueString, null), nil
	case *array.BinaryView:
		return texts(a.ValueString, null), nil
	case *array.LargeBinary:
		return texts(a.ValueString, null), nil
	}
	if get := integerReader(a); get != nil {
		return get, nil
	}
	if get := numberReader(a); get != nil {
		return get, nil
	}
	return nil, fmt.Errorf("%w: cannot send %s", ErrInput, a.DataType())
}

// keyReader returns the getter of the column of keys, which are exact as text.
func keyReader(a arrow.Array, null []string) (getter, error) {
	ids, ok := a.(*array.Uint64)
	if !ok {
		return reader(a, null)
	}
	return func(i int) (replay.Value, error) {
		if ids.IsNull(i) {
			return replay.Value{Null: true}, nil
		}
		return replay.Value{Text: strconv.FormatUint(ids.Value(i), 10)}, nil
	}, nil
}

func integerReader(a arrow.Array) getter {
	switch a := a.(type) {
	case *array.Int8:
		return integers(a.Value)
	case *array.Int16:
		return integers(a.Value)
	case *array.Int32:
		return integers(a.Value)
	case *array.Int64:
		return integers(a.Value)
	case *array.Uint8:
		return integers(a.Value)
	case *array.Uint16:
		return integers(a.Value)
	case *array.Uint32:
		return integers(a.Value)
	case *array.Uint64:
		return func(i int) (replay.Value, error) {
			v := a.Value(i)
			if v > math.MaxInt64 {
				return replay.Value{}, fmt.Errorf("%w: %d is beyond a 64-bit signed integer: write names as text and amounts as float64", ErrInput, v)
			}
			return replay.Value{Int: int64(v)}, nil
		}
	}
	return nil
}

func numberReader(a arrow.Array) getter {
	switch a := a.(type) {
	case *array.Float16:
		return numbers(func(i int) float64 { return float64(a.Value(i).Float32()) })
	case *array.Float32:
		return numbers(func(i int) float64 { return float64(a.Value(i)) })
	case *array.Float64:
		return numbers(a.Value)
	case *array.Decimal128:
		scale := a.DataType().(*arrow.Decimal128Type).Scale
		return numbers(func(i int) float64 { return decimal(a.Value(i).BigInt(), scale) })
	case *array.Decimal256:
		scale := a.DataType().(*arrow.Decimal256Type).Scale
		return numbers(func(i int) float64 { return decimal(a.Value(i).BigInt(), scale) })
	case *array.Date32:
		return instants(func(i int) float64 { return 86400 * float64(a.Value(i)) })
	case *array.Date64:
		return instants(func(i int) float64 { return float64(a.Value(i)) / 1000 })
	case *array.Timestamp:
		unit := a.DataType().(*arrow.TimestampType).Unit
		return instants(func(i int) float64 {
			t := a.Value(i).ToTime(unit)
			return seconds(t.Unix(), int64(t.Nanosecond()))
		})
	}
	return nil
}

func integers[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32](at func(int) T) getter {
	return func(i int) (replay.Value, error) { return replay.Value{Int: int64(at(i))}, nil }
}

func numbers(at func(int) float64) getter {
	return func(i int) (replay.Value, error) { return replay.Value{Number: at(i)}, nil }
}

// decimal returns the float64 nearest to v / 10^scale, as the same digits in a file of text
// are read. The library multiplies by a rounded power of ten: 0.3 becomes 0.30000000000000004.
func decimal(v *big.Int, scale int32) float64 {
	n, _ := strconv.ParseFloat(v.String()+"e"+strconv.Itoa(-int(scale)), 64) // beyond float64: infinite
	return n
}

// mostSeconds bounds times, which shards have in microseconds since 1970.
const mostSeconds = math.MaxInt64 / 1e6

func instants(at func(int) float64) getter {
	return func(i int) (replay.Value, error) {
		t := at(i)
		if math.Abs(t) >= mostSeconds {
			return replay.Value{}, fmt.Errorf("%w: %.6g seconds since 1970 are beyond the times that a shard has", ErrInput, t)
		}
		return replay.Value{Number: t}, nil
	}
}

func texts(at func(int) string, null []string) getter {
	return func(i int) (replay.Value, error) {
		v := replay.Value{Text: at(i)}
		if !utf8.ValidString(v.Text) {
			return v, fmt.Errorf("%w: %q is not UTF-8", ErrInput, clipped(v.Text))
		}
		v.Null = slices.Contains(null, v.Text)
		return v, nil
	}
}

// keyText writes a value as a key: text as it is, integers in decimal, true or
// false.
func keyText(v replay.Value, t cdf.ColumnType) string {
	switch t {
	case cdf.Integer:
		return strconv.FormatInt(v.Int, 10)
	case cdf.Bool:
		return strconv.FormatBool(v.Number != 0)
	default:
		return v.Text
	}
}
