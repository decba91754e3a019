package protobuf

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/events"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
)

// nested puts a message into fields, the first the innermost, so many times.
func nested(times int, fields ...protowire.Number) []byte {
	var b []byte
	for range times {
		for _, f := range fields {
			b = protowire.AppendBytes(protowire.AppendTag(nil, f, protowire.BytesType), b)
		}
	}
	return b
}

// Records that ask for much, or claim to have it, are refused for that, with few bytes
// allocated.
func TestRecordsThatAskForTooMuch(t *testing.T) {
	limits := events.Limits{Record: 1 << 20, Rows: 1000, Columns: 100}
	for name, c := range map[string]struct {
		message, payload string
		value            []byte
		class            error
		why              string
	}{
		"bytes":   {"t.Flat", "", bytes.Repeat([]byte{0x18, 1}, 1<<20), cdf.ErrShard, "limits.record"},
		"claimed": {"t.Flat", "", []byte{0x72, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20}, pipeline.ErrDecode, "it ends too early"},
		"rows":    {"t.Batch", "rows", bytes.Repeat([]byte{0x0a, 0}, 1001), cdf.ErrShard, "limits.rows (1000)"},
		"depth":   {"t.Rich", "", nested(65, 14), pipeline.ErrDecode, "more than 64 messages"},
		"fields":  {"t.Rich", "", nested(10, 14), cdf.ErrSchema, "limits.columns (100)"},
		"maps":    {"t.Inner", "", nested(9000, 2, 3), cdf.ErrSchema, ""},
		"entries": {"t.Rich", "", bytes.Repeat([]byte{0x52, 0}, 101), cdf.ErrSchema, "a map of more entries"},
		"pieces":  {"t.Envelope", "after.rows", bytes.Repeat([]byte{0x12, 0}, 1001), pipeline.ErrDecode, "more than 1000 pieces"},
		"group":   {"t.Flat", "", bytes.Repeat([]byte{0x0b}, 1<<19), pipeline.ErrDecode, "$: "},
		"number":  {"t.Flat", "", []byte{0x00, 1}, pipeline.ErrDecode, "$: invalid field number"},
		"no utf8": {"t.Flat", "", []byte{0x72, 1, 0xff}, pipeline.ErrDecode, "field s: text that is not UTF-8"},
		"deleted": {"t.Envelope", "after", nil, pipeline.ErrDecode, "$.after: not there"},
		"absent":  {"t.Envelope", "after.rows", nil, pipeline.ErrDecode, `there is no "after"`},
		"way":     {"t.Envelope", "op", nil, pipeline.ErrDecode, "$.op is no message"},
		"time":    {"t.Rich", "", []byte{0x2a, 2, 0x10, 0xff}, pipeline.ErrDecode, "$.at: it ends too early"},
		"instant": {"t.Rich", "", []byte{0x2a, 7, 0x10, 0xff, 0xff, 0xff, 0xff, 0x07, 0x10}, pipeline.ErrDecode, "$.at"},
		"skipped": {"t.Rich", "", bytes.Repeat([]byte{0x40, 1}, 1<<18), nil, ""},
	} {
		var payload []string
		if c.payload != "" {
			payload = strings.Split(c.payload, ".")
		}
		limits := limits
		if name == "depth" {
			limits.Columns = 5000
		}
		d := compiled(t, c.message).NewDecoder(limits, events.Wanted{}, payload)
		var err error
		if n := pipelinetest.Allocated(func() { _, err = d.Decode(c.value) }); n > 24<<20 {
			t.Errorf("%s: %d bytes allocated", name, n)
		}
		if c.class == nil && err != nil || !errors.Is(err, c.class) || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a record may take depends on it and its schema, not on the records before it.
func TestNothingBeforeARecordDecides(t *testing.T) {
	limits := events.Limits{Record: 1 << 20, Rows: 1000, Columns: 100}
	used := compiled(t, "t.Rich").NewDecoder(limits, events.Wanted{}, nil)
	for n := range 20 {
		value := nested(n, 14)
		_, err := used.Decode(value)
		_, errNew := compiled(t, "t.Rich").NewDecoder(limits, events.Wanted{}, nil).Decode(value)
		if fmt.Sprint(err) != fmt.Sprint(errNew) {
			t.Fatalf("%d: %v, and %v", n, err, errNew)
		}
	}
}

// Rows whose fields are all zero take no bytes, and are read: their memory is what they
// need, by their number.
func TestRowsOfZeros(t *testing.T) {
	const rows = 20_000
	memory := pipeline.NewBudget(1 << 20)
	d := compiled(t, "t.Batch").NewDecoder(events.Limits{Memory: memory}, events.Wanted{}, []string{"rows"})
	b, err := d.Decode(bytes.Repeat([]byte{0x0a, 0}, rows))
	if err != nil || b.Rows != rows || len(b.Columns) != 15 || memory.Used() < 15*rows*events.CellBytes {
		t.Fatalf("%d bytes held, %v", memory.Used(), err)
	}
	if !d.Release() || memory.Used() != 0 {
		t.Fatalf("%d bytes held after the release", memory.Used())
	}
}

// Schemas that are too large, that do not name what they import, or do not have the
// message are refused; one whose messages refer to each other often costs what its
// text does.
func TestSchemasThatAskForTooMuch(t *testing.T) {
	chain := `syntax = "proto3"; message M0 {}`
	for i := 1; i < 100; i++ {
		chain += fmt.Sprintf(" message M%d { M%d a = 1; M%d b = 2; }", i, i-1, i-1)
	}
	for name, c := range map[string]struct{ text, message, why string }{
		"bytes":   {strings.Repeat(" ", MaxSchema+1), "M", "more than 1048576 bytes"},
		"import":  {`syntax = "proto3"; import "other.proto"; message M {}`, "M", "no other.proto here"},
		"itself":  {`syntax = "proto3"; import "t.proto"; message M {}`, "M", "schema of Protobuf: "},
		"message": {`syntax = "proto3"; message M {}`, "N", `it defines no message "N"; there are M`},
		"none":    {`syntax = "proto3"; enum E { A = 0; }`, "N", "it defines no message"},
		"nested":  {strings.Repeat("message A {", 50_000) + strings.Repeat("}", 50_000), "A", "braces more than 200 deep"},
		"chain":   {chain, "M99", ""},
	} {
		f, err := Compile(t.Context(), "t.proto", c.text, func(name string) (string, error) { return "", fmt.Errorf("no %s here", name) })
		var s Schema
		if err == nil {
			s, err = f.Message(c.message)
		}
		if err == nil && c.why == "" {
			_, err = s.NewDecoder(events.Limits{}, events.Wanted{}, nil).Decode([]byte{})
		}
		if c.why == "" && err != nil || c.why != "" && (err == nil || !strings.Contains(err.Error(), c.why) || len(err.Error()) > 500) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// described is the descriptor of a file in base64, as a registry may have it.
func described(tb testing.TB, text string) string {
	tb.Helper()
	f, err := Compile(context.Background(), "other/name.proto", text, func(string) (string, error) { return parts, nil })
	if err != nil {
		tb.Fatal(err)
	}
	d := protodesc.ToFileDescriptorProto(f.file)
	for _, m := range d.MessageType {
		for _, f := range m.Field {
			f.JsonName = nil // as generated code has them
		}
	}
	raw, err := proto.Marshal(d)
	if err != nil {
		tb.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(raw)
}

// parts is a file that others import.
const parts = `syntax = "proto3"; package t; message Part { optional double x = 1; }`

// A descriptor in base64 is the file that it describes, also of what it imports, and is refused
// where it asks for too much.
func TestDescriptors(t *testing.T) {
	const text = `syntax = "proto3"; package t; import "parts.proto"; import "google/protobuf/timestamp.proto";
		message Note {} message Row { optional int64 n = 1; Part part = 2; google.protobuf.Timestamp at = 3; map<string, int32> m = 4; }`
	value := []byte("\x08\x05\x12\x09\x09\x00\x00\x00\x00\x00\x00\xf8\x3f\x1a\x02\x08\x07\x22\x05\x0a\x01a\x10\x03")
	var want *cdf.Batch
	for i, c := range [][2]string{{text, parts}, {described(t, text), parts}, {text, described(t, parts)}, {described(t, text), described(t, parts)}} {
		f, err := Compile(t.Context(), "mine.proto", c[0], func(name string) (string, error) {
			if name != "parts.proto" {
				return "", fmt.Errorf("no %q", name)
			}
			return c[1], nil
		})
		if err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		s, err := f.Indexed([]int{1})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.NewDecoder(events.Limits{}, events.Wanted{}, nil).Decode(value)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if len(got.Columns) != 4 || !reflect.DeepEqual(got.Columns, want.Columns) {
			t.Errorf("%d: %+v, want %+v", i, got.Columns, want.Columns)
		}
	}

	deep := new(descriptorpb.DescriptorProto)
	for range maxBraces {
		deep = &descriptorpb.DescriptorProto{Name: proto.String("A"), NestedType: []*descriptorpb.DescriptorProto{deep}}
	}
	encode := func(raw []byte) string { return base64.StdEncoding.EncodeToString(raw) }
	message := func(m *descriptorpb.DescriptorProto) string {
		raw, err := proto.Marshal(&descriptorpb.FileDescriptorProto{MessageType: []*descriptorpb.DescriptorProto{m}})
		if err != nil {
			t.Fatal(err)
		}
		return encode(raw)
	}
	field := func(f *descriptorpb.FieldDescriptorProto) string {
		f.Name, f.Number, f.Label = proto.String("y"), proto.Int32(1), descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
		return message(&descriptorpb.DescriptorProto{Name: proto.String("A"), Field: []*descriptorpb.FieldDescriptorProto{f}})
	}
	for name, c := range map[string]struct{ text, why string }{
		"deep":   {message(deep), "braces more than 200 deep"},
		"which":  {field(&descriptorpb.FieldDescriptorProto{Type: descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()}), `message field "A.y" cannot resolve type`},
		"enum":   {field(&descriptorpb.FieldDescriptorProto{Type: descriptorpb.FieldDescriptorProto_TYPE_ENUM.Enum()}), `message field "A.y" cannot resolve type`},
		"kind":   {field(&descriptorpb.FieldDescriptorProto{Type: descriptorpb.FieldDescriptorProto_TYPE_ENUM.Enum(), TypeName: proto.String("A")}), "schema of Protobuf: "},
		"type":   {field(&descriptorpb.FieldDescriptorProto{}), "schema of Protobuf: "},
		"large":  {encode(bytes.Repeat([]byte{0x22, 0}, maxDescriptor)), "a descriptor of more than 262144 bytes"},
		"import": {described(t, text), "no parts.proto here"},
		"none":   {encode([]byte("nothing that describes")), "schema of Protobuf: "},
		"empty":  {encode(bytes.Repeat([]byte{0x22, 0}, 3)), "schema of Protobuf: "},
	} {
		if _, err := Compile(t.Context(), "t.proto", c.text, func(name string) (string, error) { return "", fmt.Errorf("no %s here", name) }); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
