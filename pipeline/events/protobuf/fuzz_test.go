package protobuf

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/events"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
)

var small = events.Limits{Record: 64 << 10, Rows: 1000, Columns: 100}

// source is the file that fuzzing reads by.
const source = `
syntax = "proto3";
package t;
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
enum E { ZERO = 0; ONE = 1; NEG = -1; }
message Flat {
  double d = 1; float f = 2; int32 i32 = 3; int64 i64 = 4; uint32 u32 = 5; uint64 u64 = 6; sint32 s32 = 7; sint64 s64 = 8;
  fixed32 x32 = 9; fixed64 x64 = 10; sfixed32 sx32 = 11; sfixed64 sx64 = 12; bool b = 13; string s = 14; bytes raw = 15; E e = 16;
}
message Rich {
  optional double y = 1;
  oneof one { int64 n = 2; string t = 3; Inner in = 4; }
  google.protobuf.Timestamp at = 5;
  google.protobuf.DoubleValue w = 6; google.protobuf.Int64Value wi = 7; google.protobuf.BytesValue wb = 12;
  repeated int32 list = 8; repeated Inner inners = 9;
  map<string, double> m = 10; map<int32, Inner> mi = 11; map<bool, google.protobuf.Timestamp> mt = 13;
  Rich next = 14;
}
message Inner { int32 age = 1; optional bool ok = 2; map<string, Inner> deep = 3; }
message Envelope { string op = 1; Batch after = 2; oneof o { Inner one = 3; string two = 4; } }
message Batch { repeated Flat rows = 1; }
`

func compiled(tb testing.TB, name string) Schema {
	tb.Helper()
	f, err := Compile(tb.Context(), "t.proto", source, nil)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := f.Message(name)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// build makes a value of a message from its text form.
func build(tb testing.TB, s Schema, fill func(m *dynamicpb.Message)) []byte {
	tb.Helper()
	m := dynamicpb.NewMessage(s.message)
	fill(m)
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// What is accepted is a message for the library too, and a row has the values that it
// finds, in whatever order and pieces the fields come; what it reads and is refused
// here has a reason that is not one of the encoding.
func FuzzDecode(f *testing.F) {
	all := []Schema{compiled(f, "t.Flat"), compiled(f, "t.Rich"), compiled(f, "t.Inner")}
	for i, s := range all {
		f.Add(uint8(i), build(f, s, func(*dynamicpb.Message) {}))
		f.Add(uint8(i), build(f, s, func(m *dynamicpb.Message) { fill(m, 2) }))
	}
	f.Add(uint8(1), []byte{0x10, 5, 0x1a, 1, 'a', 0x22, 2, 8, 7, 0x10, 3, 0x22, 2, 16, 1})   // a oneof, again and again
	f.Add(uint8(1), []byte{0x72, 2, 0x10, 5, 0x72, 3, 0x1a, 1, 'b', 0x72, 4, 0x2a, 2, 8, 1}) // a message in pieces
	f.Add(uint8(0), []byte{0xff, 0xff, 0xff, 0xff, 0x0f})
	var used []pipeline.Decoder
	for _, s := range all {
		used = append(used, s.NewDecoder(small, events.Wanted{}, nil))
	}
	f.Fuzz(func(t *testing.T, which uint8, value []byte) {
		n := int(which) % len(all)
		b, err := pipelinetest.Decoded(t, used[n], all[n].NewDecoder(small, events.Wanted{}, nil), value)
		m := dynamicpb.NewMessage(all[n].message)
		errTheirs := unmarshal(value, m)
		if err != nil {
			refusal(t, err, errTheirs == nil)
			return
		}
		if errTheirs != nil {
			return // what is passed over here is read there
		}
		row := map[string]any{}
		flatten(row, "", m)
		compare(t, b, row)
	})
}

// unmarshal reads a message by the library, which panics for some keys of maps.
func unmarshal(value []byte, m proto.Message) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return proto.Unmarshal(value, m)
}

// refusal checks what an error says; whether the library reads the record.
func refusal(t *testing.T, err error, read bool) {
	t.Helper()
	pipelinetest.Refusal(t, err)
	if !read || !errors.Is(err, pipeline.ErrDecode) {
		return
	}
	for _, why := range []string{"is there twice", "in each other", "are no Timestamp", "where input.payload has the rows", "nothing to learn from"} {
		if strings.Contains(err.Error(), why) {
			return
		}
	}
	t.Fatalf("the library reads it: %v", err)
}

type skipped string

// flatten gives the fields of a message their path and value.
func flatten(dst map[string]any, before string, m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		name := before + string(fd.Name())
		switch {
		case fd.IsMap():
			m.Get(fd).Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
				value(dst, name+"."+k.String(), fd.MapValue(), v)
				return true
			})
		case fd.IsList():
			dst[name] = skipped("array")
		case fd.Message() != nil && !m.Has(fd):
		case fd.HasPresence() && !m.Has(fd):
			dst[name] = nil
		default:
			value(dst, name, fd, m.Get(fd))
		}
	}
}

func value(dst map[string]any, name string, fd protoreflect.FieldDescriptor, v protoreflect.Value) {
	switch {
	case fd.Message() != nil && wellKnown(fd.Message()) == "":
		flatten(dst, name+".", v.Message())
	case fd.Message() != nil && fd.Message().Name() == "Timestamp":
		f := fd.Message().Fields()
		dst[name] = time.Unix(v.Message().Get(f.ByNumber(1)).Int(), v.Message().Get(f.ByNumber(2)).Int())
	case fd.Message() != nil:
		inner := fd.Message().Fields().Get(0)
		value(dst, name, inner, v.Message().Get(inner))
	case fd.Kind() == protoreflect.EnumKind:
		if e := fd.Enum().Values().ByNumber(v.Enum()); e != nil {
			dst[name] = string(e.Name())
		} else {
			dst[name] = fmt.Sprint(v.Enum())
		}
	case fd.Kind() == protoreflect.BytesKind:
		dst[name] = skipped("bytes")
	default:
		dst[name] = v.Interface()
	}
}

// compare holds a batch of one row against what the library has found.
func compare(t *testing.T, b *cdf.Batch, row map[string]any) {
	t.Helper()
	for _, s := range b.Skipped {
		if row[s.Name] != skipped(s.Type) {
			t.Fatalf("%q is skipped as %s, and is %v", s.Name, s.Type, row[s.Name])
		}
	}
	if len(b.Columns)+len(b.Skipped) != len(row) {
		t.Fatalf("%d columns of %v", len(b.Columns), row)
	}
	for i := range b.Columns {
		c := &b.Columns[i]
		v, ok := row[c.Name]
		if !ok {
			t.Fatalf("column %q is not there", c.Name)
		}
		var number float64
		want := cdf.Float
		whole := func(n int64) { want, number = cdf.Integer, float64(n) }
		switch v := v.(type) {
		case nil:
			number = math.NaN()
		case bool:
			want = cdf.Bool
			if v {
				number = 1
			}
		case int32:
			whole(int64(v))
		case uint32:
			whole(int64(v))
		case int64:
			whole(v)
		case uint64:
			if number = float64(v); v <= math.MaxInt64 {
				want = cdf.Integer
			}
		case float32:
			number = float64(v)
		case float64:
			number = v
		case time.Time:
			want, number = cdf.Time, events.Instant(v)
		case string:
			if label, _ := c.Label(0); c.Type == cdf.Text && label != v || c.Type != cdf.Text && c.Type != cdf.Time {
				t.Fatalf("%q is %+v", v, c)
			}
			continue
		default:
			t.Fatalf("%q is %T", c.Name, v)
		}
		if c.Type != want || c.Number[0] != number && !(math.IsNaN(number) && math.IsNaN(c.Number[0])) {
			t.Fatalf("%q: %v is %+v", c.Name, v, c)
		}
	}
}

// fill sets every field of a message, and those of the messages inside it.
func fill(m protoreflect.Message, depth int) {
	scalar := func(fd protoreflect.FieldDescriptor) protoreflect.Value {
		switch fd.Kind() {
		case protoreflect.BoolKind:
			return protoreflect.ValueOfBool(true)
		case protoreflect.EnumKind:
			return protoreflect.ValueOfEnum(1)
		case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
			return protoreflect.ValueOfInt32(-7)
		case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
			return protoreflect.ValueOfUint32(math.MaxUint32)
		case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
			return protoreflect.ValueOfInt64(math.MinInt64)
		case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
			return protoreflect.ValueOfUint64(math.MaxUint64)
		case protoreflect.FloatKind:
			return protoreflect.ValueOfFloat32(0.1)
		case protoreflect.DoubleKind:
			return protoreflect.ValueOfFloat64(2.5)
		case protoreflect.BytesKind:
			return protoreflect.ValueOfBytes([]byte{1, 2})
		}
		return protoreflect.ValueOfString("north")
	}
	for i := range m.Descriptor().Fields().Len() {
		fd := m.Descriptor().Fields().Get(i)
		switch {
		case fd.Message() != nil && depth == 0 && wellKnown(fd.Message()) == "" || fd.Name() == "nanos" || fd.Name() == "seconds":
		case fd.IsMap():
			key := scalar(fd.MapKey()).MapKey()
			if v := m.Mutable(fd).Map(); fd.MapValue().Message() != nil {
				fill(v.Mutable(key).Message(), depth-1)
			} else {
				v.Set(key, scalar(fd.MapValue()))
			}
		case fd.IsList():
			if v := m.Mutable(fd).List(); fd.Message() != nil {
				fill(v.AppendMutable().Message(), depth-1)
			} else {
				v.Append(scalar(fd))
			}
		case fd.Message() != nil:
			fill(m.Mutable(fd).Message(), depth-1)
		default:
			m.Set(fd, scalar(fd))
		}
	}
}

// With columns that models name, and rows at a path, a decoder finds in each of them
// what it finds without.
func FuzzNamed(f *testing.F) {
	s := compiled(f, "t.Envelope")
	f.Add(build(f, s, func(m *dynamicpb.Message) { fill(m, 3) }))
	f.Add([]byte{0x12, 4, 0x0a, 2, 0x18, 5, 0x12, 4, 0x0a, 2, 0x20, 6})
	f.Add([]byte{0x12, 0})
	wanted := events.Wanted{Only: true, Columns: []events.Named{{Name: "d", Number: true}, {Name: "s"}, {Name: "i64"}}}
	named, whole := s.NewDecoder(small, wanted, []string{"after", "rows"}), s.NewDecoder(small, events.Wanted{}, []string{"after", "rows"})
	f.Fuzz(func(t *testing.T, value []byte) {
		b, err := named.Decode(value)
		all, errAll := whole.Decode(value)
		if err != nil {
			refusal(t, err, false)
		}
		if err != nil && errAll == nil && !errors.Is(err, cdf.ErrSchema) && !errors.Is(err, cdf.ErrShard) {
			t.Fatalf("%v, and without columns it is read", err)
		}
		if err != nil || errAll != nil {
			return
		}
		if len(b.Columns) != len(wanted.Columns) || b.Rows != all.Rows {
			t.Fatalf("%+v", b)
		}
		for i := range b.Columns {
			c := &b.Columns[i]
			j := slices.IndexFunc(all.Columns, func(o cdf.Column) bool { return o.Name == c.Name })
			for row := range b.Rows {
				if c.Type == cdf.Text {
					x, _ := c.Label(row)
					if y, _ := all.Columns[j].Label(row); x != y {
						t.Fatalf("%q is %q, and %q", c.Name, x, y)
					}
				} else if x, y := c.Number[row], all.Columns[j].Number[row]; math.Float64bits(x) != math.Float64bits(y) {
					t.Fatalf("%q is %v, and %v", c.Name, x, y)
				}
			}
		}
	})
}

// Any text is a schema or is refused as one, and any value is read by it or refused.
func FuzzCompile(f *testing.F) {
	f.Add(source, []byte{8, 1})
	f.Add(`syntax = "proto2"; message A { required int32 y = 1; optional group G = 2 { optional A a = 1; } extensions 100 to 200; }`, []byte{8, 1, 0x13, 0x14})
	f.Add(`edition = "2023"; message A { A a = 1 [features.message_encoding = DELIMITED]; }`, []byte{0x0b, 0x0c})
	f.Add(`import "t.proto";`, []byte{})
	f.Add(described(f, `syntax = "proto3"; message A { optional int32 y = 1; map<string, A> m = 2; oneof o { A a = 3; } }`), []byte{8, 1})
	f.Fuzz(func(t *testing.T, text string, value []byte) {
		file, err := Compile(t.Context(), "t.proto", text, func(name string) (string, error) { return "", fmt.Errorf("no %q", name) })
		if err != nil {
			if len(err.Error()) > 2000 || !utf8.ValidString(err.Error()) {
				t.Fatal(err)
			}
			return
		}
		s, err := file.Indexed([]int{0})
		if err != nil {
			return
		}
		if _, err := s.NewDecoder(small, events.Wanted{}, nil).Decode(value); err != nil && !errors.Is(err, pipeline.ErrDecode) && !errors.Is(err, cdf.ErrSchema) && !errors.Is(err, cdf.ErrShard) {
			t.Fatal(err)
		}
	})
}
